"""Where days stand on a picture: an x is in per cent and a y in pixels, so that type keeps its size at every width.

The pictures themselves are macros of `templates/mouvements/_charts.html`. Colours are classes of the style sheet;
patterns and gradients are `fill` attributes, which work everywhere and which the strict policy allows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from markupsafe import Markup, escape

from parlement_lists.dates import days_between
from parlement_lists.tracking.members.known_members import RENEWALS

from ..dataset.coverage import Coverage

# Left free at the end of a scale, so that the mark of a stay in progress is not cut.
MARGIN = 0.01
# The room that a year's name needs, in per cent; more names than MANY have room on a wide screen alone.
LABEL, MANY = 6, 8
# The height and the width of a picture of headcounts within its frame, and the width of the thinnest bar, in units of
# its own.
HEIGHT, WIDTH, THIN = 100, 1000, 3


class Scale:
    """Days along the width: from `since` at 0 % to `until` a little before 100 %."""

    def __init__(self, since: str, until: str) -> None:
        self.since, self.until = since, until
        self._days = max(days_between(since, until), 1) / (1 - MARGIN)

    def at(self, day: str) -> float:
        """Where a day stands, in per cent; those outside at the ends."""
        place = 100 * days_between(self.since, day) / self._days
        return round(min(max(place, 0), 100), 2)

    @property
    def years(self) -> list[tuple[int, float, str]]:
        """The years that a scale names, where each begins, and the class of a name that a small screen leaves out."""
        years = range(int(self.since[:4]), int(self.until[:4]) + 1)
        places = [(year, self.at(f"{year}-01-01")) for year in years]
        if len(places) > 1 and places[1][1] < LABEL:
            places = places[1:]
        hidden = "t-odd t-many" if len(places) > MANY else "t-odd"
        return [(year, x, hidden if place % 2 else "") for place, (year, x) in enumerate(places)]

    def hatched(self, lists: Coverage) -> list[tuple[float, float]]:
        """The days without a list of a chamber: where each stretch of them begins, and how wide it is."""
        stretches = [
            (self.at(gap.before or self.since), self.at(gap.after or self.until))
            for gap in lists.gaps
        ]
        return [(x, round(end - x, 2)) for x, end in stretches if end > x]

    def elections(self, chamber: str) -> list[float]:
        """Where the renewals and dissolutions of a chamber stand."""
        return [self.at(day) for day in RENEWALS[chamber] if self.since < day < self.until]


def headcount_path(
    scale: Scale, points: Sequence[tuple[str, int]], lists: Coverage, top: int
) -> Markup:
    """The outline of an area: the headcount of each day of `points`, in units of WIDTH and HEIGHT; `top` is at the edge.

    It is broken where days without a list lie between two points; a point alone is a thin bar.
    """
    holes = {hole.before for hole in lists.holes}
    outlines: list[list[tuple[float, float]]] = [[]]
    for (day, number), (following, _) in pairwise([*points, (scale.until, 0)]):
        outlines[-1].append((scale.at(day) * WIDTH / 100, HEIGHT - number * HEIGHT / top))
        if any(day <= hole < following for hole in holes):
            outlines.append([])
    shapes = []
    for outline in filter(None, outlines):
        (left, _), (right, last) = outline[0], outline[-1]
        right = max(right, left + THIN)
        corners = [(left, HEIGHT), *outline, (right, last), (right, HEIGHT)]
        shapes.append("M" + "L".join(f"{x:.0f} {y:.1f}" for x, y in corners) + "Z")
    return Markup(escape("".join(shapes)))


def round_top(most: int) -> int:
    """The round number that a scale ends with: 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 25, 30, 40..."""
    tops: Iterator[int] = (
        ten * 10**power // 10 for power in range(12) for ten in (10, 15, 20, 25, 30, 40, 50, 60, 80)
    )
    return next(top for top in tops if top >= most)
