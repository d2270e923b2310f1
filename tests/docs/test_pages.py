"""Every command in the documentation for maintainers runs, in order, on a fresh copy."""

from __future__ import annotations

import re

import pytest

from tests.access.postgres_server import PostgresServer
from tests.contract.environment import ROOT

from .commands import Reader, blocks

DOCS = ROOT / "docs"
# Of these, the commands that make a new environment and run the tests in it are tried by CI itself.
PAGES = (
    *("deployment.md", "operations.md", "observability.md"),
    *("postgresql.md", "personal-data.md"),
)
NOT_HERE = re.compile(r"^python3 -m venv .*\n|^make newest\n", re.M)


@pytest.fixture(scope="module")
def postgres():
    server = PostgresServer()
    yield server
    server.close()


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_the_page_runs(page, tmp_path, postgres):
    script = NOT_HERE.sub("", "".join(blocks(DOCS / page)))
    assert script.count("\n") >= 4
    given = {"MOUVEMENTS_STORE": postgres.new_database()} if page == "postgresql.md" else {}
    ran = Reader(tmp_path).follow(script, **given)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_a_command_that_fails_is_noticed(tmp_path):
    ran = Reader(tmp_path).follow("datasette mouvements no-such-command\necho reached\n")
    assert ran.returncode != 0
    assert "reached" not in ran.stdout


def test_what_is_answered_is_not_run_and_what_goes_on_is(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```console\n$ one \\\n  two\nanswer\n$ three\n```\n```json\n$ no\n```\n")
    assert blocks(page) == ["one \\\n  two\nthree\n"]


def test_every_page_with_commands_is_followed_by_a_test():
    with_commands = {page.name for page in DOCS.glob("*.md") if blocks(page)}
    assert set(PAGES) <= with_commands


@pytest.mark.parametrize("page", PAGES)
def test_every_link_to_a_file_leads_somewhere(page):
    links = re.findall(r"\]\(([^)#:]+)\)", (DOCS / page).read_text(encoding="utf-8"))
    assert [link for link in links if not (DOCS / link).exists()] == []
