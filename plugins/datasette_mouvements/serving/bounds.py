"""Bounds of what a visitor's address may ask of a table's page, without an account or a key."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Collection
from contextlib import closing
from urllib.parse import parse_qsl

from datasette.utils.sqlite import sqlite3

from ..dataset import schema
from ..refusal import Refusal

ADDRESS_BYTES = 2048
FACETS = 3  # more than the table's configuration shows
FACET_SIZE = 30
PAGE_ROWS = 100
_MOST = {"_facet_size": FACET_SIZE, "_size": PAGE_ROWS}
FILTERS = 8
FILTERS_OF_ONE = 2
BEYOND = (
    "Sans compte, cette page admet au plus {}. Connectez-vous, ou envoyez votre clé, pour demander"
    " davantage."
)


def check_address(
    path: bytes, query: bytes, configured: Collection[str], table: str = schema.TABLE
) -> None:
    """Raise Refusal("bounds") for what only an account or a key may ask of a table's page.

    `configured` are the facets that the table's configuration shows. Refusal("parameter") for what
    core would answer with an error, and a traceback in the log.
    """
    if len(path) + len(query) + 1 > ADDRESS_BYTES:
        raise _beyond(f"une adresse de {ADDRESS_BYTES} octets")
    pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
    # Core counts a facet as often as it is asked for, and once where the configuration shows it.
    facets = Counter(
        pair for pair in pairs if pair[0].startswith("_facet") and pair[0] != "_facet_size"
    )
    if (facets - Counter(("_facet", name) for name in set(configured))).total() > FACETS:
        raise _beyond(f"{FACETS} facettes ajoutées (_facet)")
    for name, value in pairs:
        most = _MOST.get(name)
        # Core reads a number in every form that Python knows; here only digits are within the bound.
        if most is not None and not (_is_number(value) and int(value) <= most):
            raise _beyond(f"{name}={most}")
    # What core takes for a filter of rows.
    filters = Counter(
        name.rpartition("__")[0] or name
        for name, _ in pairs
        if not name.startswith("_") or name.startswith(("_search", "_q", "_equipe"))
    )
    if filters.total() > FILTERS:
        raise _beyond(f"{FILTERS} filtres")
    column, most_of_one = next(iter(filters.most_common(1)), ("", 0))
    if most_of_one > FILTERS_OF_ONE:
        named = f" ({column})" if table in schema.TABLES and column in _columns(table) else ""
        raise _beyond(f"{FILTERS_OF_ONE} filtres d’une même colonne{named}")
    if table in schema.TABLES and any(_ends_in_an_error(table, *pair) for pair in pairs):
        raise Refusal("parameter", "Cette page ne comprend pas un des paramètres de l’adresse.")


def _ends_in_an_error(table: str, name: str, value: str) -> bool:
    """Whether core ends in an error for a parameter of the page of one of our tables."""
    return (
        name in ("_through", "_facet_array")  # no table of ours has links or lists
        or (name in ("_facet", "_facet_date") and value not in _columns(table))
        or (name == "_timelimit" and not _is_number(value))
        or (name.endswith(("__in", "__notin")) and value.startswith("["))
    )


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


@functools.cache
def _columns(table: str) -> frozenset[str]:
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(schema.TABLES[table])
        names = {name for _, name, *_ in db.execute(f"pragma table_info({table})")}
    return frozenset(names | {"rowid"})


def _beyond(bound: str) -> Refusal:
    return Refusal("bounds", BEYOND.format(bound))
