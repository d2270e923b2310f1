"""The reference is what `make docs` writes now, of every definition."""

from __future__ import annotations

import re
from contextlib import closing

import click
import pytest
from datasette.utils.sqlite import sqlite3
from sqlite_utils import Database

from datasette_mouvements.cli import mouvements
from datasette_mouvements.dataset import schema
from datasette_mouvements.fields import MOVEMENT_FIELDS, STAY_FIELDS
from datasette_mouvements.keys import sqlite
from docs.make_reference import ABOUT, BLOCK, BLOCKS, OPENS, current, log

from .tables import PAGES, section, text, words

PAGE_LIMIT = 2500
ALL_LIMIT = 15_000


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_current_and_short(page):
    assert current(text(page)) == text(page), "run make docs"
    assert len(text(page).split()) <= PAGE_LIMIT


def test_the_documents_are_read_in_an_afternoon():
    assert sum(len(text(page).split()) for page in ("../README.md", *PAGES)) <= ALL_LIMIT


def test_every_block_stands_in_one_page():
    made = [name for page in PAGES for _, name, _ in BLOCK.findall(text(page))]
    assert sorted(made) == sorted(BLOCKS)


@pytest.mark.parametrize(
    ("heading", "fields"),
    [("Fields of a movement", MOVEMENT_FIELDS), ("Fields of a stay", STAY_FIELDS)],
)
def test_every_field_is_told(heading, fields):
    told = section("reference/tables.md", heading)
    told_alone = re.findall(r"^- `(\w+)`: ", told, re.M)
    as_movements = re.findall(r"`(\w+)`", told.partition("As in a movement: ")[2])
    assert sorted([*told_alone, *as_movements]) == sorted(field.name for field in fields)


def test_a_changed_definition_is_noticed():
    page = "<!-- made: settings -->\n- `quota`: what it was\n<!-- end -->\n"
    assert "`quota` (`1000`" in current(page)


def options(group):
    for command in group.commands.values():
        if isinstance(command, click.Group):
            yield from options(command)
        else:
            yield from (one for one in command.params if isinstance(one, click.Option))


def test_every_option_says_what_it_is():
    assert [one.name for one in options(mouvements) if not one.help] == []


def test_every_table_says_what_it_holds():
    public = [table for table in schema.TABLES if not table.startswith("_")]
    assert list(ABOUT) == public
    with closing(sqlite3.connect(":memory:")) as db:
        made = Database(db, execute_plugins=False)
        sqlite.migrations.apply(made)
        tables = {name for name in made.table_names() if name.startswith("mouvements_")}
    assert set(sqlite.ABOUT) == tables


def test_every_message_of_the_log_says_what_to_do():
    assert len(list(log())) >= 15
    assert all(re.fullmatch(r"- [A-Z]+ `[^`]+`: .+\.", line) for line in log())


def test_the_words_of_who_may_open_what_are_explained():
    page = words("reference/addresses.md")
    assert all(f"**{word}**: " in page for row in OPENS.values() for word in row)
