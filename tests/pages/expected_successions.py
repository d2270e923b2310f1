"""What follows a stay under the same name, by the lists alone, and the words for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from .expected_pages import Chamber, Event, apart, moved
from .expected_words import between, day, exact, plural, thousands
from .from_lists import Stay, Words

WITHIN, SHARED = 365, 3


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

    def of(self, chamber: str, stay: Stay) -> Links:
        return self._of_name(stay.name)[chamber, stay]

    def _read(self, name: Words) -> dict[tuple[str, Stay], Links]:
        every = [(c, s) for c, lists in self._chambers.items() for s in lists.by_name.get(name, [])]
        civilities = {stay.civility for _, stay in every} - {""}
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
        following = tuple(s for s in every if later and s.begin == later[0])
        soon = bool(later) and apart(stay.end, later[0]) <= WITHIN
        elsewhere = soon and not namesakes and all(s.member != stay.member for s in following)
        back = [one for one in here if _returned_to(one, here) == stay]
        return Links(
            _returned_to(stay, here),
            min(back, key=lambda one: one.begin, default=None),
            following if elsewhere else (),
        )

    def after(self, chamber: Chamber, stay: Stay, where: str, to: Stay | None = None) -> str:
        """Where the name is seen after a stay, if no transfer says it, and when it came back."""
        links, told = self.of(chamber.name, stay), ""
        if links.elsewhere and to not in links.elsewhere:
            first, *more = sorted(links.elsewhere, key=lambda one: chamber.filed(one.member))
            others = f" et {plural(len(more), 'autre')}" if more else ""
            told = f"nom vu ensuite chez {chamber.member(first.member, first.seen)[0]}{others}, {_after(stay, first)}"
        back = f"nom revenu {where} {_after(stay, links.back)}" if links.back else ""
        return " ; ".join(filter(None, (told, back)))

    def before(self, chamber: Chamber, stay: Stay, where: str) -> str:
        """What a stay returns to."""
        ended = self.of(chamber.name, stay).returns
        if not ended:
            return ""
        least = "" if exact(ended.seen, ended.end) else " au moins"
        days = _days(ended, stay)
        return (
            f"retour : nom déjà {where} jusqu’au {day(ended.seen)}{least}"
            + f", puis absent {days}" * bool(days)
        )

    def beside(self, chamber: Chamber, event: Event, here: str = "") -> str:
        """The same of a movement, `here` of that office alone; a transfer says itself where the name is next."""
        told = []
        if event.come and here in ("", event.come.member):
            at = "ici" if here else f"chez {chamber.member(event.come.member, event.day)[0]}"
            told.append(self.before(chamber, event.come, at))
        if event.out and here in ("", event.out.member):
            at = "ici" if here else f"chez {chamber.member(event.out.member, event.day)[0]}"
            told.append(self.after(chamber, event.out, at, to=event.come))
        return " ; ".join(filter(None, told))


def _returned_to(stay: Stay, here: list[Stay]) -> Stay | None:
    """The stay with the member that ended last before, of one civility, if no other stands at the begin."""
    if any(one.begin <= stay.begin <= one.seen for one in here if one != stay):
        return None
    before = [
        one
        for one in here
        if one.end and one.end <= stay.begin and len({one.civility, stay.civility} - {""}) < 2
    ]
    return max(before, key=lambda one: one.end, default=None)


def _after(ended: Stay, begun: Stay) -> str:
    days = _days(ended, begun)
    if days and ended.end != begun.begin:
        return f"{days} après"
    # The list that lacks the one has the other; of lists more than a day apart both days.
    seen = min(ended.seen, begun.after or ended.seen)
    if exact(seen, ended.end):
        return "le même jour"
    return between(seen, ended.end)


def _days(ended: Stay, begun: Stay) -> str:
    """The days between, "" of none: the one ended after `seen` and by `end`, the other began after `after`."""
    least = max(apart(ended.end, moved(begun.after or begun.begin, bool(begun.after))), 0)
    most = apart(moved(ended.seen, 1), begun.begin)
    days = plural(most, "jour")
    return "" if not most else days if least == most else f"{thousands(least)} à {days}"
