"""What the nights of each source call for a look at: one sentence a matter, by a key that lasts as long as it does."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Mapping, Sequence

from ...dataset.served.nights import FAILED, LISTED, REFUSED, STAND_IN, Night, by_source
from .book import BookedNight
from .night_rows import CAUSES

# Nights that a stand-in, or a list without some members, may last without a word.
PASSING_NIGHTS = 3
# The most days from one list to the next that differed, where lists were taken every day (figure `still`):
# 5 days at the Assemblée in 2020 (2 in July and August, 3 around Christmas), 8 at the Sénat in 2018 (5; 8), 64 for
# the European members of 2019 to 2022, over Christmas. One year of each of the first two is known day by day, so
# they are given the ten days that are no hole yet.
STILL_DAYS = {"assemblee": 10, "senat": 10, "europarl": 64}
# A source that no run asked for so long is nobody's matter any more.
FORGOTTEN_DAYS = 31


def judge(
    booked: Sequence[BookedNight], today: datetime.date, looked_at: Mapping[str, str]
) -> dict[str, str]:
    """The matters of the sources: key -> sentence. `looked_at` is what `Corrections.accepted` says."""
    # A day to come would close a matter for good.
    looked_at = {chamber: min(day, today.isoformat()) for chamber, day in looked_at.items()}
    details = {(one.night.passage, one.night.source): one.detail for one in booked}
    oldest = (today - datetime.timedelta(FORGOTTEN_DAYS)).isoformat()
    found: dict[str, str] = {}
    for source, own in by_source(one.night for one in booked).items():
        last = own[-1]
        if not source or last.jour < oldest:
            continue
        detail = details[last.passage, source]
        # What the guard refused, the report of tracking tells.
        if last.resultat in (REFUSED, FAILED) and last.motif in CAUSES.values():
            same = _streak(own, lambda night: night.resultat in (REFUSED, FAILED))
            found[f"{source}/{last.resultat}"] = detail + _repeated(same)
        if listed := [night for night in own if night.resultat in LISTED]:
            found |= _of_lists(source, listed, looked_at.get(last.chambre, ""))
    return found


def _of_lists(source: str, own: Sequence[Night], seen: str) -> Iterator[tuple[str, str]]:
    """The matters of the nights on which a source had a list; `seen` is the day on which somebody looked at one."""
    last = own[-1]
    close = f"if it is right, accept the list by name (accepter: {last.chambre}/DAY)"
    stood_in = _streak(own, lambda night: night.resultat == STAND_IN)
    if len(stood_in) > PASSING_NIGHTS and seen < stood_in[0].jour:
        yield (
            f"{source}/secours",
            f"{source}: {len(stood_in)} lists in a row, since {stood_in[0].jour}, were made without"
            f" {last.mesure}: look for its new address; {close}",
        )
    without = _streak(own, lambda night: night.elus_absents > 0)
    if len(without) > PASSING_NIGHTS and seen < without[0].jour:
        members = "1 member" if last.elus_absents == 1 else f"{last.elus_absents} members"
        yield (
            f"{source}/absents",
            f"{source}: {members} left out, some in {len(without)} lists in a row since"
            f" {without[0].jour}: look at the names in the report; {close}",
        )
    still = STILL_DAYS.get(last.chambre)
    since = max(last.liste_changee_le, seen)
    # Up to the last list that came: that none comes is another matter.
    days = (_date(last.jour) - _date(since)).days if since else 0
    if still is not None and days > still:
        yield (
            f"{source}/immobile",
            f"{source}: the list has not changed for {days} days, since {since}; it never stood still for"
            f" more than {still}: see whether the chamber publishes it elsewhere now; {close}",
        )


def _date(day: str) -> datetime.date:
    return datetime.date.fromisoformat(day)


def _streak(own: Sequence[Night], holds: Callable[[Night], bool]) -> Sequence[Night]:
    """The last nights for which something holds, without a break."""
    number = next((n for n, night in enumerate(reversed(own)) if not holds(night)), len(own))
    return own[len(own) - number :]


def _repeated(same: Sequence[Night]) -> str:
    return f" ({len(same)} nights in a row, since {same[0].jour})" if len(same) > 1 else ""
