"""The pages of political groups: those of every chamber, and each of them, as of the chamber's last list."""

from __future__ import annotations

from typing import Any

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import CHAMBERS

from ..dataset.schema import GROUP_FIGURES, TEAMS
from .runner import View
from .site import PageMissing

UNKNOWN = "Aucun groupe de cette chambre n’a ce nom."
# The groups of a chamber, those of which the smallest part left first; then those of which no part is known.
_GROUPS = f"""
    select g.*, 1.0 * parties / ayant_travaille as part from {GROUP_FIGURES} g
    where chambre = :chamber order by part is null, part, groupe
"""
_MEMBERS = f"""
    select * from {TEAMS}
    where chambre = :chamber and elu_groupe = :code and mandat_fin is null order by rowid
"""


def index(view: View) -> dict[str, Any]:
    """The groups of every chamber that had members on the day of its last list, then the others."""
    chambers = {chamber: view.rows(_GROUPS, chamber=chamber) for chamber in CHAMBERS}
    ungrouped = view.rows(
        f"""
        select chambre, count(*) as membres, sum(elu_groupe is null) as sans_groupe
        from {TEAMS} where mandat_fin is null group by 1
        """
    )
    return {
        "chambers": {chamber: _parted(rows) for chamber, rows in chambers.items() if rows},
        "sitting": {row["chambre"]: row for row in ungrouped},
        "reuse": {"table": view.site.table(GROUP_FIGURES)},
    }


def group(view: View) -> dict[str, Any]:
    """One group: its members and their teams, beside the chamber's other groups; PageMissing if there is none."""
    chamber, code = view.path["chamber"], view.path["code"]
    rows = view.rows(_GROUPS, chamber=chamber)
    row = next((row for row in rows if row["groupe"] == code), None)
    if row is None:
        raise PageMissing(UNKNOWN)
    others = view.rows(
        f"select chambre from {GROUP_FIGURES} where groupe = :code and chambre <> :chamber",
        code=code,
        chamber=chamber,
    )
    present, former = _parted(rows)
    return {
        "chamber": chamber,
        "lists": view.coverage[chamber],
        "group": row,
        "present": present if row["membres"] else [*present, row],
        "former": len(former),
        "members": view.rows(_MEMBERS, chamber=chamber, code=code),
        "elsewhere": [other["chambre"] for other in others],
        "reuse": {
            "table": view.site.table(TEAMS, chambre=chamber, elu_groupe=code),
            "feed": view.site.path("/flux", chambre=chamber, groupe=code),
        },
    }


def _parted(rows: list[sqlite3.Row]) -> tuple[list[sqlite3.Row], list[sqlite3.Row]]:
    """The groups that have members, and those that have none."""
    present = [row for row in rows if row["membres"]]
    return present, [row for row in rows if not row["membres"]]
