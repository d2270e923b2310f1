"""Charts as SVG: few marks, in the colours of the page, without anything that its strict policy forbids.

An x is in per cent and a y in pixels, without a viewBox: type keeps its size at every width. Colours
are classes of the style sheet; patterns and gradients are `fill` attributes, which work everywhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from markupsafe import Markup, escape

from parlement_lists.dates import days_between
from parlement_lists.tenure import Tenure

from ...dataset.coverage import Coverage, Gap
from ..words import french
from . import legends

# A month, its arrivals, departures and transfers.
Month: TypeAlias = tuple[str, int, int, int]
CHAMBER_CLASS = {"assemblee": "an", "senat": "se", "europarl": "ep"}
MARGIN = 0.01  # left free at the end of a scale, so that the mark of a stay in progress is not cut
_HIDDEN = 'aria-hidden="true" focusable="false"'
_SEEN, _LABEL = 0.5, 6  # the narrowest bar, and the room that a year's name needs, in per cent
_YEARS = 8  # more names of years have room on a wide screen alone


class Mark(NamedTuple):
    """A dashed vertical where a mandate begins or ends; `number` leads to words under the chart, 0 to none."""

    day: str
    number: int = 0


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
    def years(self) -> list[tuple[int, float]]:
        """The years, and where each begins."""
        years = range(int(self.since[:4]), int(self.until[:4]) + 1)
        return [(year, self.at(f"{year}-01-01")) for year in years]


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if round(value, 2) else "0"


def _rect(kind: str, x: float, width: float, y: float, height: float) -> str:
    given = kind if "=" in kind else f'class="{kind}"'
    place = f'x="{_n(x)}%" width="{_n(width)}%"' if x else f'width="{_n(width)}%"'
    return f'<rect {given} {place} y="{_n(y)}" height="{_n(height)}"/>'


def _line(kind: str, x: float, top: str, bottom: str) -> str:
    return f'<line class="{kind}" x1="{_n(x)}%" x2="{_n(x)}%" y1="{top}" y2="{bottom}"/>'


def _svg(kind: str, height: float, drawn: str, label: str = "") -> Markup:
    """A chart; without a label the words beside it say the same, and it is not read out."""
    told = f'role="img" aria-label="{escape(label)}"' if label else _HIDDEN
    size = f' height="{_n(height)}"' if height else ""
    return Markup(f'<svg class="{kind}"{size} {told}>{drawn}</svg>')


def defs(*chambers: str, backgrounds: Iterable[Markup] = ()) -> Markup:
    """What charts refer to, once a page: hatching, the gradients of chambers, backgrounds."""
    drawn = (
        '<pattern id="trou" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        '<rect class="trou-fond" width="6" height="6"/><rect class="trou-trait" width="2" height="6"/></pattern>'
    )
    for name in map(CHAMBER_CLASS.__getitem__, chambers):
        stops = f'<stop class="{name}-stop" stop-opacity=".08"/><stop class="{name}-stop" offset="1" stop-opacity=".75"/>'
        drawn += f'<linearGradient id="{name}-d">{stops}</linearGradient>'
        drawn += f'<linearGradient id="{name}-f" x1="1" x2="0">{stops}</linearGradient>'
    drawn += "".join(backgrounds)
    return Markup(f'<svg class="defs" width="0" height="0" {_HIDDEN}><defs>{drawn}</defs></svg>')


def background(
    identifier: str, scale: Scale, gaps: Iterable[Gap], marks: Iterable[Mark] = ()
) -> Markup:
    """What stands behind all lanes of a chamber, for `defs`: years, days without a list, mandates."""
    drawn = "".join(_line("grid", x, "0", "100%") for _, x in scale.years if x)
    for gap in gaps:
        begin, end = scale.at(gap.before or scale.since), scale.at(gap.after or scale.until)
        if end > begin:
            hatched = _rect(legends.HATCH, begin, end - begin, 0, 0)
            drawn += hatched.replace('height="0"', 'height="100%"')
    drawn += "".join(_line("mandat", scale.at(mark.day), "0", "100%") for mark in marks)
    return Markup(f'<g id="{escape(identifier)}">{drawn}</g>')


def _years(scale: Scale, y: int) -> str:
    """The years' names: on a phone, and of many years on all but a wide screen, each second one."""
    places = scale.years
    if len(places) > 1 and places[1][1] < _LABEL:
        places = places[1:]
    hidden = "t-odd t-many" if len(places) > _YEARS else "t-odd"
    kinds = ("", f' class="{hidden}"') * len(places)
    return "".join(
        f'<text{kind} x="{_n(x)}%" dx="3" y="{y}">{year}</text>'
        for kind, (year, x) in zip(kinds, places, strict=False)
    )


def axis(scale: Scale, marks: Iterable[Mark] = ()) -> Markup:
    """The years over lanes, and the numbers of marks."""
    numbered = [mark for mark in marks if mark.number]
    drawn = _years(scale, 36 if numbered else 16)
    for mark in numbered:
        drawn += _number(mark.number, scale.at(mark.day), 11)
        drawn += _line("mandat", scale.at(mark.day), "20", "44")
    return _svg("axis-plot tall" if numbered else "axis-plot", 0, drawn)


def _number(number: int, x: float, y: int) -> str:
    if not number:
        return ""
    circle = f'<circle class="mark" cx="{_n(x)}%" cy="{y}" r="8.5"/>'
    return f'{circle}<text class="mark-n" x="{_n(x)}%" y="{y + 4}">{number}</text>'


def lane(
    stays: Iterable[Tenure], scale: Scale, background_id: str, last: str, first: str
) -> Markup:
    """The stays of one person, or of one office, in one line.

    A bar fades where the day is not known, ends upright on the chamber's `last` list, and has an open
    arrow where it was there on the `first`.
    """
    drawn = "".join(_bar(stay, scale, last, first) for stay in stays)
    behind = f'<use href="#{escape(background_id)}"/>'
    return _svg("lane-plot", 0, f'{behind}<svg y="50%" overflow="visible">{drawn}</svg>')


def _bar(stay: Tenure, scale: Scale, last: str, first: str) -> str:
    name, drawn = CHAMBER_CLASS[stay.chambre], ""
    begin = scale.at(stay.debut)
    known = not stay.fin or french.precise(stay.fin_apres, stay.fin)
    end = scale.at(stay.fin if stay.fin and known else stay.fin_apres)
    if not stay.debut_apres or stay.debut <= first:
        arrow = f'<path class="avant {name}" d="M-3-7-10 0-3 7"/>'
        drawn += f'<svg x="{_n(begin)}%" overflow="visible">{arrow}</svg>'
    elif not french.precise(stay.debut_apres, stay.debut):
        drawn += _faint(name, "d", scale.at(stay.debut_apres), begin)
    drawn += _rect(f"plein {name}", begin, max(end - begin, _SEEN), -7, 14)
    # Missing from the last lists, but for too few days to have left.
    out = stay.fin if not known else last if not stay.fin and stay.fin_apres < last else ""
    if out:
        drawn += _faint(name, "f", end, scale.at(out))
    elif not stay.fin:
        drawn += _line(f"encore {name}", end, "-11", "11")
    return drawn


def _faint(name: str, side: str, begin: float, end: float) -> str:
    return _rect(f'class="flou {name}" fill="url(#{name}-{side})"', begin, end - begin, -7, 14)


def band(chamber: str, scale: Scale, lists: Coverage, label: str, late: bool = False) -> Markup:
    """The days that a chamber's lists cover, on one scale for all; `label` says the same in words."""
    drawn = _rect(legends.HATCH, 0, scale.at(scale.until), 4, 22)
    for before, after in pairwise([Gap("", lists.first), *lists.holes, Gap(lists.last, "")]):
        if lists.last:
            x, end = scale.at(before.after), scale.at(after.before)
            drawn += _rect(f"plein {CHAMBER_CLASS[chamber]}", x, max(end - x, _SEEN), 4, 22)
    if late:
        drawn += _line("retard", scale.at(lists.last), "0", "30")
    return _svg("band", 0, drawn, label)


def band_years(scale: Scale) -> Markup:
    """The years under bands."""
    lines = "".join(_line("grid", x, "0", "6") for _, x in scale.years)
    return _svg("years", 0, lines + _years(scale, 18))


def months(
    rows: Sequence[Month], unknown: Collection[str], marks: Iterable[Mark], top: int, label: str
) -> Markup:
    """Arrivals above a line, departures below, transfers across; `top` at the edge, `unknown` hatched."""
    step, middle, unit = 100 / len(rows), 79, 67 / top
    values = sorted({top // 2, top} - {0}) if any(row[0] not in unknown for row in rows) else ()
    drawn = "".join(_guide(one, middle, unit) for one in values)
    for i, (month, *numbers) in enumerate(rows):
        x = i * step
        if month in unknown:
            drawn += _rect(legends.HATCH, x, step, 8, 146)
        else:
            drawn += _mirrored(numbers, x + step * 0.12, step * 0.76, middle, unit)
        if month.endswith("-01"):
            drawn += f'<text class="x" x="{_n(x)}%" y="170">{month[:4]}</text>'
            drawn += _line("grid", x, "8", "172")
    drawn += f'<line class="zero" x2="100%" y1="{middle}" y2="{middle}"/>'
    places = {month[0]: i for i, month in enumerate(rows)}
    for mark in marks:
        x = step * (places[mark.day[:7]] + (int(mark.day[8:]) - 1) / 31)
        drawn += _line("mandat", x, "16", "156") + _number(mark.number, x, 9)
    return _svg("months", 176, drawn, label)


def _guide(value: int, middle: int, unit: float) -> str:
    """Lines at one number of arrivals and of departures."""
    drawn = ""
    for y in (middle - value * unit, middle + value * unit):
        drawn += f'<line class="grid" x2="100%" y1="{_n(y)}" y2="{_n(y)}"/>'
        drawn += f'<text class="y" x="-6" y="{_n(y + 4)}">{french.number(value)}</text>'
    return drawn


def _mirrored(numbers: Iterable[int], x: float, width: float, middle: int, unit: float) -> str:
    arrivals, departures, transfers = (number * unit for number in numbers)
    up, down = middle - transfers, middle + transfers
    bars = (("tra", up, 2 * transfers), ("arr", up - arrivals, arrivals), ("dep", down, departures))
    return "".join(_rect(kind, x, width, y, tall) for kind, y, tall in bars if tall)


def round_top(most: int) -> int:
    """The round number that a scale of months ends with: 1, 2, 4, 6, 8, 10, 20, 40..."""
    tops = (int(f"{factor}{'0' * power}") for power in range(12) for factor in (1, 2, 4, 6, 8))
    return next(top for top in tops if top >= most)


def share(rate: float) -> Markup:
    """A rate (0 to 1) as a part of a rail, in a cell of a table that says it."""
    part = f'<rect class="fill" width="{round(100 * rate)}%" height="100%"/>' if rate else ""
    return _svg("share", 0, f'<rect class="rail" width="100%" height="100%"/>{part}')


def legend(kind: str, chamber: str = "assemblee", charts: Iterable[str] = ()) -> Markup:
    """What the marks of charts mean, as a list (`legends.marks`)."""
    items = "".join(
        f'<li><svg width="32" height="22" {_HIDDEN}>{drawn}</svg>{words}</li>'
        for words, drawn in legends.marks(kind, charts).items()
    )
    return Markup(f'<ul class="legend">{items.replace("CHAMBER", CHAMBER_CLASS[chamber])}</ul>')
