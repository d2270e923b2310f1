"""What pages tell of copies is so: the command makes one, the loop keeps one right, a feed cannot."""

from __future__ import annotations

import html
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.building.follower import table
from tests.building.original_service import OriginalService, movement
from tests.contract.environment import done

from .commands import blocks
from .tables import DOCS, text


@pytest.fixture
def original(tmp_path: Path) -> Iterator[OriginalService]:
    service = OriginalService(tmp_path)
    yield service
    service.close()


def test_the_command_of_the_page_runs_as_it_is_printed(
    original: OriginalService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = DOCS / "how-to" / "keep-a-copy.md"
    (typed,) = blocks(page)
    program, group, *arguments = shlex.split(typed)
    assert (program, group) == (".venv/bin/datasette", "mouvements")
    ran = done(*(original.url if "://" in word else word for word in arguments))
    assert f"$ {typed}{ran.stdout}```\n" in re.sub("^ {3}", "", page.read_text(), flags=re.M)


def loop(original: OriginalService) -> Any:
    """The function of the page, of this service."""
    page = original.service.ask("/documentation").body.decode()
    assert "<code>Last-Modified</code>" in page
    (shown,) = [
        html.unescape(code)
        for code in re.findall(r"<pre[^>]*><code>(.*?)</code></pre>", page, re.S)
        if "def suivre" in code
    ]
    shown, places = re.subn(r"http://localhost(?=/v1)", original.url, shown)
    assert places == 1
    names: dict[str, Any] = {}
    exec(compile(shown.replace("limit=500", "limit=3"), "documentation", "exec"), names)
    return names["suivre"]


def test_the_loop_of_the_page_keeps_a_copy_right(original: OriginalService) -> None:
    follow = loop(original)
    copied: dict[str, dict[str, Any]] = {}
    cursor = follow(copied, "", original.key)
    assert copied == table(original.database)
    assert len(original.targets) == 3
    original.change(movement(3, collab_nom="AUTRE"), movement(20), gone=(2, 5))
    follow(copied, cursor, original.key)
    assert copied == table(original.database)
    assert len(original.targets) == 3 + 2


def test_a_feed_misses_what_a_run_of_many_changes_pushes_out(original: OriginalService) -> None:
    original.change(gone=(2,))
    assert b"deleted-entry" in original.service.ask("/flux").body
    original.change(*(movement(number) for number in range(100, 151)))
    assert b"deleted-entry" not in original.service.ask("/flux").body
    told = original.service.ask("/fichiers").body.decode()
    assert "Quand plus de 50\u00a0changements sont publiés ensemble, tous n’y tiennent pas" in told
    assert "more than 50 changes" in text("explanation/pages.md")
