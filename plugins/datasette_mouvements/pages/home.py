"""The home page: what moved in the week of the last list, ten years of headcount, ways on."""

from __future__ import annotations

from typing import Any

from parlement_lists.dates import add_days

from ..dataset.coverage import HOLE_DAYS
from .calendar.days import days
from .calendar.week import known_days, monday_of, week_counts
from .chambers import totals
from .drawing import Scale, headcount_path, round_top
from .runner import View

# Bytes of the latest days on the home page, which must stay below 60 kB.
MOST_BYTES = 9_000


def read(view: View) -> dict[str, Any]:
    """What the home page shows."""
    _, last = known_days(view)
    since = monday_of(last) if last else ""
    until = add_days(since, 6) if last else ""
    shown, pages = days(view, since, until, MOST_BYTES) if last else ([], 0)
    return {
        "version": view.version,
        "until": until,
        "since": since,
        "week": week_counts(view, since, until) if last else None,
        "days": shown,
        "cut": pages > 1,
        "chambers": totals(view),
        **_headcounts(view),
        "hole_days": HOLE_DAYS,
    }


def _headcounts(view: View) -> dict[str, Any]:
    """The collaborations of the first and last list of each month of every chamber; nothing where there is no list.

    A chart has the `chamber`, the `path` that is the outline of its area, and `top`, where its scale ends.
    """
    charts = []
    ends = [day for lists in view.coverage.values() for day in (lists.first, lists.last) if day]
    if not ends:
        return {"charts": []}
    scale = Scale(f"{min(ends)[:4]}-01-01", max(ends))
    for chamber, lists in view.coverage.items():
        rows = view.rows(
            """
            select date as day, paires from listes
            where chambre = :chamber and statut <> 'refusee' and date in (
              select min(date) from listes where chambre = :chamber and statut <> 'refusee' group by substr(date, 1, 7)
              union select max(date) from listes where chambre = :chamber and statut <> 'refusee' group by substr(date, 1, 7)
            ) order by date, nom
            """,
            chamber=chamber,
        )
        if rows:
            points = [(row["day"], row["paires"]) for row in rows]
            top = round_top(max(number for _, number in points))
            path = headcount_path(scale, points, lists, top)
            charts.append({"chamber": chamber, "path": path, "top": top})
    return {"charts": charts, "scale": scale}
