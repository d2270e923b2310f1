"""The page of a year's elections: what the renewals of that year did to the teams of their chambers."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from typing import Any

from parlement_lists.dates import add_days
from parlement_lists.tracking.members.known_members import RENEWALS

from ...dataset.schema import TABLE
from ..chambers import last_list
from ..movement import seen_next, successions_of
from ..runner import Context, View
from ..site import PageMissing
from .week import RENEWAL_DAYS

# Days after a renewal of which arrivals are told.
AFTER_DAYS = 92
# Of fewer people it is not told from which group to which they went.
FEWEST = 3
UNKNOWN = "Aucune élection de cette année n’a renouvelé une chambre."


def read(view: View) -> Context:
    """The renewals of a year up to today; PageMissing where there is none."""
    year = view.path["year"]
    renewals = [
        (chamber, day, _changes(view, chamber, day))
        for chamber, days in RENEWALS.items()
        for day in days
        if day.startswith(year) and day <= view.today
    ]
    if not renewals:
        raise PageMissing(UNKNOWN)
    return {"renewals": sorted(renewals, key=lambda renewal: renewal[1])}


def _changes(view: View, chamber: str, day: str) -> dict[str, Any] | None:
    """What a renewal did to teams; None without lists on both sides.

    `teams` and `names` went from the list of `before` to that of `by`, the first and the last that tell of it;
    `gone_on` of the names are seen with another member up to `until`; `passed` other names went to another member from
    one list to the next. `arrivals` are all up to `until` (`came` in `teams`), and those of new teams (`new` in
    `new_teams`). `ways`: the member's group on the last day of the one stay, on the first day of the other, and the
    number of names: a group of today may not have been there yet.
    """
    lists = view.version.list_days.get(chamber, [])
    place = bisect_left(lists, day)
    if not 0 < place < len(lists):
        return None
    before, first = lists[place - 1], lists[place]
    by = max(first, last_list(view, chamber, add_days(day, RENEWAL_DAYS)))
    until = max(first, last_list(view, chamber, add_days(day, AFTER_DAYS)))
    period = {"chamber": chamber, "before": before, "by": by, "until": until}
    ended = """
        chambre = :chamber and contexte = 'elu_sortant' and date_event > :before and date_event <= :by
    """
    gone, passed = (
        view.stays(
            f"where mouvement_fin in (select id from {TABLE} where {ended} and type = :kind)",
            kind=kind,
            **period,
        )
        for kind in ("depart", "transfert")
    )
    successions = successions_of(view, gone)
    following = [seen_next(successions, stay) for stay in gone]
    went_on = [one for one in following if one and one.begun[0].debut <= until]
    joined = dict(
        view.rows(
            f"""
            select id, coalesce(elu_groupe, '') from {TABLE}
            where id in (select value from json_each(:ids))
            """,
            ids=json.dumps([one.begun[0].mouvement_debut for one in went_on]),
        )
    )
    ways = Counter(
        (one.ended.elu_groupe, joined.get(one.begun[0].mouvement_debut, "")) for one in went_on
    )
    arrivals = view.row(
        f"""
        select count(*) as came, count(distinct elu_id) as teams,
          count(iif(contexte = 'elu_entrant', 1, null)) as new,
          count(distinct iif(contexte = 'elu_entrant', elu_id, null)) as new_teams
        from {TABLE} where chambre = :chamber and type = 'arrivee'
          and date_event > :before and date_event <= :until
        """,
        **period,
    )
    return period | {
        "before": min((stay.fin_apres for stay in gone), default=before),
        "by": max((stay.fin for stay in gone), default=by),
        "teams": len({stay.elu_id for stay in (*gone, *passed)}),
        "names": len(gone),
        "gone_on": len(went_on),
        # Who was off the list at one member and passed from another is among the names already.
        "passed": len({stay.person for stay in passed} - {stay.person for stay in gone}),
        "arrivals": arrivals,
        "ways": [
            (*way, number)
            for way, number in sorted(ways.items(), key=lambda item: (-item[1], item[0]))
            if number >= FEWEST and all(way)
        ],
    }
