"""What follows a stay under the same name, by the lists alone, and the words for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from .expected_pages import WITHHELD, Chamber, Event
from .expected_words import apart, between, day, exact, moved, plural, thousands
from .from_lists import Stay, Words

WITHIN, SHARED, SHORT = 365, 3, 7


class Links(NamedTuple):
    """Of one stay: the one that it returns to, the next one there, and those that come next elsewhere."""

    returns: Stay | None
    back: Stay | None
    elsewhere: tuple[Stay, ...]


class Successions:
    """Of each name, in all chambers."""

    def __init__(self, chambers: Mapping[str, Chamber]) -> None:
        self._chambers = chambers
        self._of_name = cache(self._read)

    def of(self, chamber: Chamber, stay: Stay) -> Links:
        if stay.written == WITHHELD:
            return Links(None, None, ())
        return self._of_name(stay.name)[chamber.name, stay]

    def _read(self, name: Words) -> dict[tuple[str, Stay], Links]:
        every = [(c, s) for c, lists in self._chambers.items() for s in lists.by_name.get(name, [])]
        civilities = {stay.row.civility for _, stay in every} - {""}
        shared = Counter(one._replace(member="") for c, one in every if c == "europarl")
        # A contract that members share is one.
        offices = [
            (c, one if shared[one._replace(member="")] < SHARED else one._replace(member=""))
            for c, one in every
        ]
        at_once = max(
            len({(c, one) for c, one in offices if one.begin <= s.begin <= one.seen})
            for _, s in every
        )
        namesakes = len(civilities) > 1 or at_once > 2
        return {
            (chamber, stay): self._links(stay, [s for c, s in every if c == chamber], namesakes)
            for chamber, stay in every
        }

    def _links(self, stay: Stay, every: list[Stay], namesakes: bool) -> Links:
        here = [one for one in every if one.member == stay.member]
        later = sorted(s.begin for s in every if stay.end and s.begin >= stay.end)
        following = [s for s in every if later and s.begin == later[0]]
        soon = bool(later) and apart(stay.end, later[0]) <= WITHIN
        elsewhere = soon and not namesakes and all(s.member != stay.member for s in following)
        back = [one for one in here if _returned_to(one, here) == stay]
        return Links(
            _returned_to(stay, here),
            min(back, key=lambda one: one.begin, default=None),
            # A stay of some days says too little of where somebody went.
            tuple(s for s in following if elsewhere and not _short(s) and not _short(stay)),
        )

    def elsewhere(self, chamber: Chamber, stay: Stay, to: Stay | None = None) -> str:
        """Where the name is seen after a stay, if the transfer `to` does not say it."""
        following = self.of(chamber, stay).elsewhere
        if not following or to in following:
            return ""
        first, *more = sorted(following, key=lambda one: chamber.filed(one.member))
        others = f" et {plural(len(more), 'autre')}" if more else ""
        return (
            f"nom vu ensuite chez {chamber.member(first.member)[0]}{others}, {_after(stay, first)}"
        )

    def back(self, chamber: Chamber, stay: Stay, where: str = "ici") -> str:
        following = self.of(chamber, stay).back
        return f"nom revenu {where} {_after(stay, following)}" if following else ""

    def before(self, chamber: Chamber, stay: Stay, where: str = "ici") -> str:
        """What a stay returns to."""
        ended = self.of(chamber, stay).returns
        if not ended:
            return ""
        least, days = "" if exact(ended.seen, ended.end) else " au moins", _days(ended, stay)
        absent = f", puis absent {days}" * bool(days)
        return f"retour : nom déjà {where} jusqu’au {day(ended.seen)}{least}{absent}"

    def beside(self, chamber: Chamber, event: Event, here: bool) -> str:
        """The same of a movement; a transfer says itself where the name is next."""
        told = []
        for stay, after in ((event.come, False), (event.out, True)):
            if stay:
                at = "ici" if here else f"chez {chamber.member(stay.member)[0]}"
                if after:
                    told.append(self.elsewhere(chamber, stay, event.come))
                    told.append(self.back(chamber, stay, at))
                else:
                    told.append(self.before(chamber, stay, at))
        return " ; ".join(filter(None, told))


def _short(stay: Stay) -> bool:
    """Of a few days; one that the first list has may have begun long before."""
    return bool(stay.after and stay.end) and apart(stay.begin, stay.end) <= SHORT


def _returned_to(stay: Stay, here: list[Stay]) -> Stay | None:
    """The stay with the member that ended last before, of one civility, if no other stands at the begin."""
    if any(one.begin <= stay.begin <= one.seen for one in here if one != stay):
        return None
    before = [
        one
        for one in here
        if one.end
        and one.end <= stay.begin
        and len({one.row.civility, stay.row.civility} - {""}) < 2
    ]
    return max(before, key=lambda one: one.end, default=None)


def _after(ended: Stay, begun: Stay) -> str:
    days = _days(ended, begun)
    if days and ended.end != begun.begin:
        return f"{days} après"
    # The list that lacks the one has the other; of lists more than a day apart both days.
    seen = min(ended.seen, begun.after or ended.seen)
    return "le même jour" if exact(seen, ended.end) else between(seen, ended.end)


def _days(ended: Stay, begun: Stay) -> str:
    """The days between, "" of none: the one ended after `seen` and by `end`, the other began after `after`."""
    least = max(apart(ended.end, moved(begun.after or begun.begin, bool(begun.after))), 0)
    most = apart(moved(ended.seen, 1), begun.begin)
    days = plural(most, "jour")
    return "" if not most else days if least == most else f"{thousands(least)} à {days}"
