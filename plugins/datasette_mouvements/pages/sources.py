"""The page of the sources: what each run of the last nights, and of a year, found; a square a night."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from datasette.utils.asgi import Request, Response

from parlement_lists.movement import CHAMBERS

from ..dataset import nights
from ..dataset.nights import LISTED, Night
from .charts import year_of_nights
from .charts.year_of_nights import Square
from .frame.site import Site
from .words import french
from .words.labels import OUTCOMES, SILENT_NIGHT

DAYS = 30
# A sign for each outcome, because colour never stands alone.
SIGNS = {"nouvelle": "+", "identique": "=", "refusee": "×", "echouee": "!", "": "–"}


async def page(site: Site, request: Request) -> Response:
    """The last thirty nights, a chamber a row, and a year of each."""
    snapshot = site.snapshot()
    last = snapshot.nights[-1].jour if snapshot.nights else ""
    key = ("sources", snapshot.build, last, str(len(snapshot.nights)))
    return await site.cached(
        request, key, "sources", lambda: _context(snapshot.nights, site.today), indexed=True
    )


async def _context(known: Sequence[Night], today: datetime.date) -> dict[str, Any]:
    year = nights.days_until(today, 7 * year_of_nights.WEEKS, known)
    days = year[-DAYS:]
    found = nights.by_source(known)
    sources = sorted(filter(None, found), key=lambda name: _place(found[name][0]))
    return {
        "days": days,
        "rows": [(found[name][0], squares(found[name], days)) for name in sources],
        "years": [
            (found[name][0], year_of_nights.draw(squares(found[name], year), today, LISTED))
            for name in sources
        ],
        "signs": [
            (outcome, sign, OUTCOMES.get(outcome, SILENT_NIGHT)) for outcome, sign in SIGNS.items()
        ],
        "good": LISTED,
        "last": next((night for night in reversed(known) if not night.source), None),
    }


def _place(night: Night) -> tuple[int, str]:
    return list(CHAMBERS).index(night.chambre), night.source


def squares(own: Sequence[Night], days: Sequence[str]) -> list[Square]:
    """A square a day: silent where no run came between the first night of the source and today."""
    by_day: Mapping[str, Night] = {night.jour: night for night in own}
    silent = {night.jour for night in nights.silent({"": own}, days[:-1])}
    made = []
    for day in days:
        night = by_day.get(day)
        if night is not None:
            made.append(Square(day, night.resultat, SIGNS[night.resultat], why(night)))
        elif day in silent:
            made.append(Square(day, "muette", SIGNS[""], SILENT_NIGHT))
        else:
            made.append(Square(day))
    return made


def why(night: Night) -> str:
    """The outcome of a night with its reason and figure, in words."""
    reason = night.motif + (f" ({night.mesure})" if night.mesure else "")
    return french.typography(", ".join(filter(None, (OUTCOMES[night.resultat], reason))))
