"""What the page of an elected member tells of the office: lanes, mandates, movements by year."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, groupby, pairwise
from typing import NamedTuple

from markupsafe import Markup

from parlement_lists.dates import add_days, days_between

from ...dataset.coverage import Coverage, Gap
from ..charts import drawing
from ..counts.facts import Row
from ..words import french
from .timeline import OfficePerson, Timeline

# Holes that the words under the lanes list.
HOLES_TOLD = 4
# A mandate that follows another within so many days shares its mark.
ADJACENT = 3
BACKGROUND = "fond"


class Lane(NamedTuple):
    """One person's line: the stays, how long they lasted in all, and their bars."""

    person: OfficePerson
    lasted: str
    bars: Markup


class OfficeChart(NamedTuple):
    """The lanes of an office, drawn on one scale."""

    defs: Markup
    legend: Markup
    axis: Markup
    lanes: list[list[Lane]]  # on the last list, missing from it, past
    since: str  # the years they reach from and to
    until: str
    marks: list[tuple[int, Markup]]  # what the numbered verticals mean
    holes: list[Gap]  # of those drawn, the ones that are told
    more_holes: int  # and how many more there are


class YearMovements(NamedTuple):
    """The movements of one year: by day, the latest first."""

    year: str
    came: int
    went: int
    days: list[tuple[str, list[Row]]]
    shown: int  # how many of them the days have


def draw(
    chamber: str,
    people: Timeline,
    mandates: Sequence[tuple[str, str]],
    lists: Coverage,
    ended: str,
    shown: int,
) -> OfficeChart:
    """The lanes of an office that has had people; of the past ones the latest, while there are `shown` stays.

    `ended` is the last day of a mandate that ended, "" of one that goes on.
    """
    stays = [stay for person in people.people for stay in person.stays]
    numbers = accumulate(len(person.stays) for person in people.people)
    most = max(bisect_right(list(numbers), shown) - len(people.listed) - len(people.missing), 0)
    since = min(stay.debut_apres or stay.debut for stay in stays)
    # The scale of a mandate that ended long ago stops with it, or with the last stay.
    ends = [stay.fin or lists.last for stay in stays]
    until = min(lists.last, max([*ends, ended])) if ended else lists.last
    scale = drawing.Scale(since, until)
    gaps = [gap for gap in lists.gaps if _within(gap, since, until)]
    words = _turns(mandates, since, until)
    places = [drawing.Mark(day, number) for days, number, _ in words for day in days]
    middles = [drawing.Mark(_middle(days), number) for days, number, _ in words]
    told = [gap for gap in gaps if gap.before and gap.after]
    background = drawing.background(BACKGROUND, scale, gaps, places)
    lanes = [
        [_lane(person, scale, lists) for person in group]
        for group in (people.listed, people.missing, people.past[:most])
    ]
    pictures = [background, *(lane.bars for group in lanes for lane in group)]
    return OfficeChart(
        drawing.defs(chamber, backgrounds=[background]),
        drawing.legend("lanes", chamber, pictures),
        drawing.axis(scale, middles),
        lanes,
        since[:4],
        until[:4],
        [(number, text) for _, number, text in words],
        told[-HOLES_TOLD:],
        max(len(told) - HOLES_TOLD, 0),
    )


def _lane(person: OfficePerson, scale: drawing.Scale, lists: Coverage) -> Lane:
    stays = list(person.stays)
    bars = drawing.lane(stays, scale, BACKGROUND, lists.last, lists.first)
    return Lane(person, french.lasted_in_all(stays, lists.last), bars)


def _within(gap: Gap, since: str, until: str) -> bool:
    return (gap.before or since) < until and (gap.after or until) > since


def _turns(
    mandates: Sequence[tuple[str, str]], since: str, until: str
) -> list[tuple[list[str], int, Markup]]:
    """The ends and beginnings of mandates within the scale: days, number, what it is."""
    first, last = mandates[0][0] if mandates else "", mandates[-1][1] if mandates else ""
    found: list[tuple[list[str], str]] = [([first], f"{_le(first)} : début du mandat.")]
    for (_, end), (begin, _) in pairwise(mandates):
        if end and begin and days_between(end, begin) <= ADJACENT:
            found.append(([begin], f"{_le(begin)} : fin d’un mandat, début du suivant."))
        elif end and begin:
            text = f"Du {french.plain_day(end)} au {french.plain_day(begin)} : entre deux mandats."
            found.append(([end, begin], text))
    found.append(([last], f"{_le(last)} : fin du mandat."))
    inside = [(days, text) for days, text in found if since < days[0] and days[-1] < until]
    return [
        (days, number, french.superscript(french.typography(text)))
        for number, (days, text) in enumerate(inside, 1)
    ]


def _le(day: str) -> str:
    return f"Le {french.plain_day(day)}"


def _middle(days: Sequence[str]) -> str:
    return add_days(days[0], days_between(days[0], days[-1]) / 2)


def known_again(gap: Gap) -> str:
    """The first day whose list may end a year that these days, at the begin of one, keep from being known."""
    day = add_days(gap.after, 364)
    while gap.crosses(*Coverage(last=day).year):
        day = add_days(day, 1)
    return day


def by_year(rows: Iterable[Row], identifier: str, shown: int) -> list[YearMovements]:
    """Movements of one office, the latest first, by year and day: all are counted, the first `shown` told."""
    found: list[YearMovements] = []
    left = shown
    for year, of_year in groupby(rows, key=lambda row: row["date_event"][:4]):
        if left <= 0:
            break
        some = list(of_year)
        came = sum(arrives(row, identifier) for row in some)
        days = [(day, list(on)) for day, on in groupby(some[:left], key=_when)]
        found.append(YearMovements(year, came, len(some) - came, days, min(left, len(some))))
        left -= len(some)
    return found


def arrives(row: Row, identifier: str) -> bool:
    """Whether a movement brings somebody to the member, a transfer to whom is one too."""
    return bool(row["type"] != "depart" and row["elu_id"] == identifier)


def _when(row: Row) -> str:
    when = french.when(row, row["apres"] or "")
    return f"le {when.text}" if when.exact else when.text
