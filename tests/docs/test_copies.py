"""docs/how-to/keep-a-copy.md: its command runs as it is printed, its table names what is reported, the copy is served."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from datasette_mouvements.cli import mouvements
from datasette_mouvements.copying.copy_run import PAGES_A_WRITE
from parlement_lists.bounds import ANSWER_ITEMS
from tests.contract import environment
from tests.updating.original_service import OriginalService

from .commands import blocks
from .tables import DOCS, names, rows, text, words

PAGE_OF_COPIES = "how-to/keep-a-copy.md"
SITE = "https://mouvements.example.org"


def build(database: Path) -> None:
    environment.done("build", database, "--movements", environment.SAMPLE)


def test_the_command_runs_as_it_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    original = OriginalService(tmp_path / "original", build)
    try:
        Path("cle").write_text(original.key)
        printed = re.sub("^ {3}", "", text(PAGE_OF_COPIES), flags=re.M)
        (typed,) = blocks(DOCS / PAGE_OF_COPIES)
        daily = next(line for line in printed.splitlines() if line.endswith(" --json"))
        for command in (typed.strip(), daily):
            program, group, *arguments = shlex.split(command.replace(SITE, original.url))
            assert (program, group) == ("datasette", "mouvements")
            done = CliRunner().invoke(mouvements, arguments)
            assert (done.exit_code, original.key in done.output) == (0, False), done.output
            if command is not daily:
                assert f"$ {command}\n{done.stdout}```\n" in printed
    finally:
        original.close()
    report = json.loads(done.stdout)
    told = [name for row in rows(printed, "`--json`") for name in names(row[0])]
    assert told == list(report)


def test_the_figures_are_those_of_the_code() -> None:
    told = words(PAGE_OF_COPIES)
    assert f"up to {ANSWER_ITEMS} changes" in told
    assert f"after every {PAGES_A_WRITE} pages" in told
    assert "datasette mouvements serve --db copie/movements.db" in told
