"""How Datasette shows the tables where its own configuration does not say: in which order, how many, what beside."""

from __future__ import annotations

from typing import Any

from datasette.app import Datasette

from ...dataset.schema import GROUP_FIGURES, MEMBERS, NIGHTS, TABLE, TEAMS, TENURES

# Rows of a page for people, which must stay below 60 kB; `_size` still asks for more.
SIZE = 40


def _searched(table: str, order: str, *facets: str) -> dict[str, Any]:
    return {
        "sort_desc": order,
        "size": SIZE,
        "label_column": "collab_nom",
        "facets": list(facets),
        "fts_table": f"{table}_fts",
        "fts_pk": "rowid",
    }


OPTIONS: dict[str, dict[str, Any]] = {
    TABLE: _searched(TABLE, "date_event", "chambre", "type", "source", "elu_groupe", "confiance"),
    TENURES: _searched(TENURES, "debut", "chambre", "elu_groupe"),
    TEAMS: {"sort": "elu_cle", "size": SIZE, "facets": ["chambre", "elu_groupe"]},
    GROUP_FIGURES: {"sort_desc": "membres", "size": SIZE, "facets": ["chambre"]},
    MEMBERS: {"sort": "nom", "facets": ["chambre"]},
    NIGHTS: {"sort_desc": "jour"},
    **{name: {"sort_desc": "date"} for name in ("listes", "corrections", "retraits")},
}


def configure(datasette: Datasette, database: str) -> None:
    """Give the tables of a database these options, but those that its configuration has."""
    datasette.config = config = dict(datasette.config or {})
    databases = config["databases"] = dict(config.get("databases") or {})
    given = databases[database] = dict(databases.get(database) or {})
    tables = given["tables"] = dict(given.get("tables") or {})
    for name, options in OPTIONS.items():
        tables[name] = options | (tables.get(name) or {})
