"""The pages of political groups: those of every chamber, and each of them, as of the chamber's last list."""

from __future__ import annotations

import math
from typing import Any

from parlement_lists.dates import add_days, days_between
from parlement_lists.movement import CHAMBERS
from parlement_lists.tracking.members.known_members import RENEWALS
from parlement_lists.tracking.members.spans import FORMED_WITHIN, NO_GROUP_YET

from ..dataset.schema import GROUP_FIGURES
from .chambers import last_list, teams
from .drawing import round_top
from .runner import View
from .site import PageMissing

UNKNOWN = "Aucun groupe de cette chambre n’a ce nom."
# The groups of a chamber, those of which the smallest part left first; then those of which no part is known.
_GROUPS = f"""
    select g.*, 1.0 * parties / ayant_travaille as part from {GROUP_FIGURES} g
    where chambre = :chamber order by part is null, part, groupe
"""


def index(view: View) -> dict[str, Any]:
    """The groups of every chamber, those that have members first."""
    chambers = {chamber: _groups(view, chamber) for chamber in CHAMBERS}
    return {"chambers": {chamber: own for chamber, own in chambers.items() if own["groups"]}}


def group(view: View) -> dict[str, Any]:
    """One group: its members and their teams, beside the chamber's other groups; PageMissing if there is none."""
    chamber, code = view.path["chamber"], view.path["code"]
    own = _groups(view, chamber)
    row = next((row for row in own["groups"] if row["groupe"] == code), None)
    if row is None:
        raise PageMissing(UNKNOWN)
    others = view.rows(
        f"select chambre from {GROUP_FIGURES} where groupe = :code and chambre <> :chamber",
        code=code,
        chamber=chamber,
    )
    return {
        "chamber": chamber,
        "lists": view.coverage[chamber],
        "group": row,
        **own,
        # Beside no other group a group without members has nothing to compare.
        "present": [one for one in own["groups"] if one["membres"] or one is row]
        if own["present"]
        else [],
        "members": [member for member in own["members"] if member["elu_groupe"] == code],
        "elsewhere": [other["chambre"] for other in others],
    }


def is_wait(code: str, since: str, until: str) -> bool:
    """Whether a membership is the wait for the groups of a new assembly to be formed."""
    dated = code in NO_GROUP_YET and since and until
    return bool(dated) and days_between(since, until) <= FORMED_WITHIN.days


def _groups(view: View, chamber: str) -> dict[str, Any]:
    """The groups of a chamber and its members on the day of its last list.

    Where a renewal had ended every mandate by then (`ended`, its day, else ""), on the day of the list before it.
    `groups` has all in one order, `present` those that have members; `top`, in per cent, is where the scale of their
    parts ends.
    """
    day, ended = view.coverage[chamber].last, ""
    members = [row for row in teams(view, chamber) if not row["mandat_fin"]]
    if not members:
        ended = max((renewal for renewal in RENEWALS[chamber] if renewal <= day), default="")
        before = last_list(view, chamber, add_days(ended, -1)) if ended else ""
        members = teams(view, chamber, before) if before else []
        day, ended = (before, ended) if members else (day, "")
    groups = [dict(row) for row in view.rows(_GROUPS, chamber=chamber)]
    for row in groups:
        own = [member["presents"] for member in members if member["elu_groupe"] == row["groupe"]]
        row |= {"membres": len(own), "presents": sum(own)}
    present = [row for row in groups if row["membres"]]
    most = max((row["part"] for row in groups if row["part"] is not None), default=0)
    return {
        "day": day,
        "ended": ended,
        "groups": groups,
        "present": present,
        "members": members,
        "top": round_top(max(math.ceil(100 * most), 1)),
    }
