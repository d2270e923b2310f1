"""Writes what docs/ says of definitions in the code, between `<!-- made: NAME -->` and `<!-- end -->`.

`make docs` runs it; with --check it only names the pages that are not current, with status 1. To change what a page
says of a setting, an option or an error, change the definition.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace

import click
from datasette.default_actions import register_actions
from datasette.utils.sqlite import sqlite3
from sqlite_utils import Database

from datasette_mouvements import turns
from datasette_mouvements.cli import mouvements
from datasette_mouvements.config import Config
from datasette_mouvements.dataset import schema
from datasette_mouvements.fields import MOVEMENT_FIELDS, STAY_FIELDS
from datasette_mouvements.keys import sqlite
from datasette_mouvements.serving import bounds as page_bounds
from datasette_mouvements.serving import doors, exports, permissions
from datasette_mouvements.serving.exports import Access
from parlement_lists.bounds import BOUNDS, FIRST_DAY, LAST_DAY
from parlement_lists.sources.chambers import SOURCES
from parlement_lists.tracking.members.members_files import COLUMNS
from tests.serving.datasette_addresses import ADDRESSES

DOCS = Path(__file__).parent
PLUGINS = DOCS.parent / "plugins"
# What each public table of the movements file holds.
ABOUT = {
    schema.TABLE: "Movements: who arrived, left or changed member.",
    schema.TENURES: "Stays: who works for whom, from when to when.",
    schema.MEMBERS: "Names of the members who have a stay, and the address of their public page at the HATVP where a source says it.",
    schema.TEAMS: "Teams of the members who have a stay, in the order of names, as of the chamber's last list, whose day is"
    " `liste`: `elu_groupe` on that day, or the last one of a mandate that had ended; `mandat_fin`, up to when such"
    " a mandate is known, empty while it goes on; `presents`, stays on that list, 0 once the mandate had ended;"
    " `presence_mediane`, in days. From `depuis` to `jusqua`, people who worked there (`ayant_travaille`)"
    " and those who left while the member stayed (`parties`), or why they are not counted (`pourquoi`).",
    schema.GROUP_FIGURES: "The same of the groups that a stay or a membership names: `membres` sit on that day, `presents` are the"
    " stays of their teams, `part_mediane` is the median of `parties` divided by `ayant_travaille` of the teams that have both.",
    "listes": "Each list that was accepted or refused, with the reason, its figure and the SHA-256 of its bytes,"
    " unpacked, if the run that read it noted that; empty of one rebuilt from intervals.",
    schema.NIGHTS: "What the last run of each day found at each source: the outcome, its reason and figure, the list, the"
    " first original with its SHA-256. A row without source is of the run itself.",
    "corrections": "Date, kind and reason of each correction of a maintainer.",
    "retraits": "Movements that were published and then withdrawn.",
}
BLOCK = re.compile(r"(<!-- made: ([\w-]+) -->\n).*?(<!-- end -->)", re.S)


def settings() -> Iterator[str]:
    """Each setting with its default, its bounds and its meaning."""
    for setting in fields(Config):
        default, bounds = setting.default, setting.metadata
        shown = f"`{str(default).lower() if isinstance(default, bool) else default}`"
        told = shown if default != "" else "empty"
        if "least" in bounds:
            told += f", {bounds['least']} to {bounds['most']}"
        yield f"- `{setting.name}` ({told}): {bounds['meaning']}."


def _commands(
    group: click.Group = mouvements, before: str = ""
) -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from _commands(command, f"{before}{name} ")
        else:
            yield f"{before}{name}", command


def _options(command: click.Command) -> list[click.Option]:
    return [one for one in command.params if isinstance(one, click.Option)]


def variables() -> Iterator[str]:
    """The options that are read from a variable, too."""
    yield from sorted(
        {
            f"- `{one.envvar}`, or `{one.opts[-1]}`: {one.help}."
            for _, command in _commands()
            for one in _options(command)
            if one.envvar
        }
    )


def commands() -> Iterator[str]:
    """Each command: how it is called and what it does."""
    for name, command in _commands():
        pieces = command.collect_usage_pieces(click.Context(command))
        yield f"### {name}\n\n`{' '.join([name, *pieces])}`\n\n{_text(command)}\n"


def _text(command: click.Command) -> str:
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    return "\n\n".join(" ".join(one.split()) for one in paragraphs)


def _columns(db: sqlite3.Connection, table: str) -> str:
    names = [row[1] for row in db.execute(f"pragma table_info({table})")]
    return ", ".join(f"`{name}`" for name in names)


def values() -> Iterator[str]:
    """Each field that has fixed values, with them."""
    for field in {field.name: field for field in (*STAY_FIELDS, *MOVEMENT_FIELDS)}.values():
        if field.values:
            told = (f"`{value}`" if value else "empty" for value in field.values)
            yield f"- `{field.name}`: {', '.join(told)}"


def tables() -> Iterator[str]:
    """The public tables of the movements file, with their columns."""
    with closing(sqlite3.connect(":memory:")) as db:
        for table, statement in schema.TABLES.items():
            if table.startswith("_"):
                continue
            db.execute(statement)
            columns = "" if table in (schema.TABLE, schema.TENURES) else _columns(db, table)
            yield f"- `{table}`: {ABOUT[table]}" + (f" {columns}." if columns else "")


def internal_tables() -> Iterator[str]:
    """The tables of keys and counts."""
    with closing(sqlite3.connect(":memory:")) as db:
        sqlite.migrations.apply(Database(db, execute_plugins=False))
        for table, about in sqlite.ABOUT.items():
            yield f"- `{table}`: {about} {_columns(db, table)}."


def _calls(name: re.Pattern[str]) -> Iterator[tuple[ast.Call, list[str], str]]:
    """Each call in the code of what has this name: the call, the lines of its module, what is called."""
    for call, lines, called in _all_calls():
        if name.fullmatch(called):
            yield call, lines, called


@functools.cache
def _all_calls() -> list[tuple[ast.Call, list[str], str]]:
    found = []
    for path in sorted(PLUGINS.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        for call in ast.walk(ast.parse(text)):
            if isinstance(call, ast.Call):
                found.append((call, lines, ast.unparse(call.func)))
    return found


def _texts(given: list[ast.expr]) -> list[str]:
    return [str(one.value) for one in given if isinstance(one, ast.Constant)]


_LOGS = re.compile(r"log\.(debug|info|warning|error)")
_LEVELS = ("error", "warning", "info", "debug")


def log() -> Iterator[str]:
    """Each message of the log with what to do, from the comment `To do:` above the call."""
    found = []
    for call, lines, called in _calls(_LOGS):
        (message,) = _texts(call.args[:1])
        level = called.removeprefix("log.")
        # The log itself has the end of a long message.
        text = re.sub(r": [^…]{30,}$", ": …", re.sub("%[sd]", "…", message))
        found.append((_LEVELS.index(level), f"`{text}`", _advice(lines, call.lineno)))
    for place, text, advice in sorted(found):
        yield f"- {_LEVELS[place].upper()} {text}: {advice}"


def _advice(lines: list[str], line: int) -> str:
    above: list[str] = []
    for text in reversed(lines[: line - 1]):
        if not text.lstrip().startswith("#"):
            break
        above.insert(0, text.lstrip("# "))
    _, _, advice = " ".join(above).partition("To do: ")
    assert advice, f"line {line} says nothing of what to do: {lines[line - 1]}"
    return advice


# Who may open an address: a visitor, a signed-in account, a key.
OPENS = {
    Access.EVERYONE: ("open", "open", "open"),
    Access.BOUNDED: ("bounded", "open", "open"),
    Access.ACCOUNT: ("closed", "open", "charged"),
    Access.KEY: ("closed", "charged", "charged"),
}


def access(address: str) -> Access:
    """Who may open an address of Datasette's, by a GET, where the movements are called `movements`."""
    instance = SimpleNamespace(databases={"movements": SimpleNamespace(route="movements")})
    path, _, query = address.partition("?")
    rest = exports.below(instance, "movements", path)
    return exports.access(path, rest, query.encode(), "GET", b"none")


def addresses() -> Iterator[str]:
    """Datasette's own addresses, by who may open them."""
    for kind, (visitor, account, key) in OPENS.items():
        same = ", ".join(f"`{address}`" for address in ADDRESSES if access(address) is kind)
        yield f"- Visitor {visitor}, account {account}, key {key}: {same}."


def core_permissions() -> Iterator[str]:
    """Datasette's own permissions for the movements, by who has them."""
    actions, shown = register_actions(), ("view-database", "view-table")
    names = [action.name for action in actions if action.resource_class]
    others = ", ".join(f"`{name}`" for name in names if name not in shown)
    instance = ", ".join(f"`{action.name}`" for action in actions if action.name not in names)
    tables = ", ".join(f"`{name}`" for name in permissions.OPEN_TABLES)
    yield f"- Visitors: `view-database`; on pages of ours and of Datasette `view-table` of {tables}."
    yield f"- Accounts and charged requests only, where the configuration allows: {others}."
    yield f"- As configured: {instance}."


def bounds() -> Iterator[str]:
    """What a visitor may ask of a page."""
    yield f"- Facets beside the configured ones: {page_bounds.FACETS} (400 beyond)."
    yield f"- `_facet_size`: {page_bounds.FACET_SIZE}; `_size`: {page_bounds.PAGE_ROWS} (400 beyond)."
    yield f"- Address of a page: {page_bounds.ADDRESS_BYTES:,} bytes (400 beyond)."
    yield (
        f"- Filters: {page_bounds.FILTERS_OF_ONE} of a column, {page_bounds.FILTERS} in all (400 beyond)."
    )
    yield "- SQL of a page: Datasette's `sql_time_limit_ms`; body of a request: its `max_post_body_bytes`."
    yield (
        f"- Pages: {doors.PAGES_AT_ONCE} at once, {turns.WAITING} more wait, at most"
        f" {turns.WAIT_SECONDS:g} s (503 beyond); of accounts {doors.EXPORTS_AT_ONCE} beside them."
    )
    yield f"- Of one address (IPv6: a /64), key or account: {turns.OF_ONE} wait or run (503 beyond)."


def sizes() -> Iterator[str]:
    """The greatest size of everything that comes in."""
    yield "; ".join(f"`{name}={bound:,}`" for name, bound in BOUNDS.items()) + "."
    yield f"\nDays: from {FIRST_DAY} to {LAST_DAY}."


def originals() -> Iterator[str]:
    """What each source downloads."""
    for source in SOURCES:
        for word, one in source.addresses.items():
            size = f"{one.most_bytes / 10**6:g} MB"
            yield f"- `{source.chamber}`, `{word}`: at most {size} in {one.seconds:g} s, {one.url}"


def members_files() -> Iterator[str]:
    """The columns of the files of members."""
    yield from (f"- `elus/{name}`: `{','.join(columns)}`" for name, columns in COLUMNS.items())


BLOCKS: dict[str, Callable[[], Iterator[str]]] = {
    made.__name__.replace("_", "-"): made
    for made in (
        *(settings, commands, variables, values, tables),
        *(internal_tables, log, addresses, originals),
        *(core_permissions, bounds, sizes, members_files),
    )
}


def current(text: str) -> str:
    """The page with each block as the definitions say now."""

    def made(block: re.Match[str]) -> str:
        lines = "\n".join(BLOCKS[block[2]]()).strip("\n")
        return f"{block[1]}{lines}\n{block[3]}"

    return BLOCK.sub(made, text)


def main(check: bool) -> int:
    """Write the pages that are not current, or name them; the exit status."""
    old = 0
    for path in sorted(DOCS.rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        if (new := current(text)) != text:
            old += 1
            print(f"{path}: {'not current: make docs' if check else 'written'}")
            if not check:
                path.write_text(new, encoding="utf-8")
    return int(check and old > 0)


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv))
