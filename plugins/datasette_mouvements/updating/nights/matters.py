"""What the nights of each source call for a look at: one sentence a matter, by a key that lasts as long as it does."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter

from ...dataset.served.nights import FAILED, LISTED, REFUSED, STAND_IN, Night, by_source
from .book import BookedNight
from .night_rows import CAUSES, NAMES_APART

# Nights that a stand-in, or a list without some members, may last without a word.
PASSING_NIGHTS = 3
# The most days from one list to the next that differed, where lists were taken every day (figure `still`):
# 5 days at the Assemblée in 2020 (2 in July and August, 3 around Christmas), 8 at the Sénat in 2018 (5; 8), 64 for
# the European members of 2019 to 2022, over Christmas. One year of each of the first two is known day by day, so
# they are given the ten days that are no hole yet.
STILL_DAYS = {"assemblee": 10, "senat": 10, "europarl": 64}
# A source that no run asked for so long is nobody's matter any more.
FORGOTTEN_DAYS = 31


_WHY = attrgetter("resultat", "motif", "mesure")
# What a maintainer may close by accepting a list.
_OF_LISTS = ("secours", "absents", "immobile")


def of_lists(key: str) -> bool:
    """Whether a matter is one that `judge_lists` finds."""
    return key.split("/")[1] in _OF_LISTS


def judge_outcomes(booked: Sequence[BookedNight], today: datetime.date) -> dict[str, str]:
    """The matters of the sources that had no list: key -> sentence."""
    details = {(one.night.passage, one.night.source): one.detail for one in booked}
    found: dict[str, str] = {}
    for source, own in asked_lately(booked, today):
        last = own[-1]
        # What the guard refused, the report of tracking tells.
        if last.resultat in (REFUSED, FAILED) and last.motif in CAUSES.values():
            same = _streak(own, partial(_alike, last))
            detail = details[last.passage, source]
            found[f"{source}/{last.resultat}/{last.motif}"] = detail + _repeated(same)
    return found


def judge_lists(
    booked: Sequence[BookedNight], today: datetime.date, looked_at: Mapping[str, str]
) -> dict[str, str]:
    """The matters of the lists that sources had: key -> sentence. `looked_at` is what `Corrections.accepted` says."""
    found: dict[str, str] = {}
    for source, own in asked_lately(booked, today):
        if listed := [night for night in own if night.resultat in LISTED]:
            # A day to come would close a matter for good.
            seen = min(looked_at.get(own[-1].chambre, ""), today.isoformat())
            close = (
                "if it is right, accept the list by name in an entry of today"
                f" (date: {today}, accepter: {listed[-1].chambre}/{listed[-1].jour})"
            )
            for judge in (_stand_ins, _left_out, _still):
                found |= {
                    f"{source}/{k}": f"{source}: {said}; {close}" for k, said in judge(listed, seen)
                }
    return found


def asked_lately(
    booked: Sequence[BookedNight], today: datetime.date
) -> Iterator[tuple[str, Sequence[Night]]]:
    """The sources that are somebody's matter still, with a night a day."""
    oldest = (today - datetime.timedelta(FORGOTTEN_DAYS)).isoformat()
    for source, own in by_source(one.night for one in booked).items():
        if source and own[-1].jour >= oldest:
            yield source, own


def _stand_ins(own: Sequence[Night], seen: str) -> Iterator[tuple[str, str]]:
    """A matter for each original of the last list; `seen` is the day on which somebody looked at one."""
    for name in _missing(own[-1]):
        stood_in = _streak(own, partial(_lacks, name))
        if len(stood_in) > PASSING_NIGHTS and seen < stood_in[0].jour:
            yield (
                f"secours/{name}",
                f"{len(stood_in)} lists in a row, since {stood_in[0].jour}, were made without"
                f" {name}: look for its new address",
            )


def _lacks(name: str, night: Night) -> bool:
    return name in _missing(night)


def _missing(night: Night) -> Sequence[str]:
    return night.mesure.split(NAMES_APART) if night.resultat == STAND_IN else ()


def _left_out(own: Sequence[Night], seen: str) -> Iterator[tuple[str, str]]:
    some = _streak(own, lambda night: night.elus_absents > 0)
    accepted = next((night.elus_absents for night in reversed(some) if night.jour <= seen), 0)
    without = _streak(some, lambda night: night.elus_absents > accepted)
    if len(without) > PASSING_NIGHTS:
        last = own[-1].elus_absents
        members = "1 member" if last == 1 else f"{last} members"
        yield (
            "absents",
            f"{members} left out, some in {len(without)} lists in a row since"
            f" {without[0].jour}: look at the names in the report",
        )


def _still(own: Sequence[Night], seen: str) -> Iterator[tuple[str, str]]:
    last = own[-1]
    still = STILL_DAYS.get(last.chambre)
    since = max(last.liste_changee_le, seen)
    # Up to the last list that came: that none comes is another matter.
    days = (_date(last.jour) - _date(since)).days if since else 0
    if still is not None and days > still:
        yield (
            "immobile",
            f"the list has not changed for {days} days, since {since}; it never stood still for"
            f" more than {still}: see whether the chamber publishes it elsewhere now",
        )


def _date(day: str) -> datetime.date:
    return datetime.date.fromisoformat(day)


def _streak(own: Sequence[Night], holds: Callable[[Night], bool]) -> Sequence[Night]:
    """The last nights for which something holds, without a break."""
    number = next((n for n, night in enumerate(reversed(own)) if not holds(night)), len(own))
    return own[len(own) - number :]


def _alike(one: Night, other: Night) -> bool:
    """Whether both ended in the same way for the same reason."""
    return _WHY(one) == _WHY(other)


def _repeated(same: Sequence[Night]) -> str:
    return f" ({len(same)} nights in a row, since {same[0].jour})" if len(same) > 1 else ""
