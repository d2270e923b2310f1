"""The members of a chamber as lines of a list, each with how the mandate stands on the day of the site."""

from __future__ import annotations

import datetime
import re
from typing import NamedTuple

from parlement_lists.movement import plain

from ...dataset.mandates import CURRENT_MANDATES, MandateEnd, state_of
from ..counts.facts import ElectedMember, Facts
from ..frame.site import Site

# A particle in small letters stands whole after the given name: « Arguillères Léopold d’ », « Aue Ida von
# der »; but « Le Goff », and « van der Aue » as in the Low Countries.
_PARTICLE = re.compile(r"(d[’']|de |(?:von |zu )(?:der |dem |den |und zu )?)(?=\S)")


class Seat(NamedTuple):
    """A member as a line of the list."""

    member: ElectedMember
    family: str  # without the particle
    particle: str
    since: str  # the day on which the mandate began, "" where it is not known
    end: MandateEnd | None  # None where it goes on, as far as is known
    state: str

    @property
    def until(self) -> str:
        """The day up to which the mandate is known where it does not go on, else ""."""
        return self.end.until if self.end else ""

    @property
    def key(self) -> tuple[str, str, str]:
        """Where it stands from A to Z."""
        return plain(self.family), plain(self.member.given), self.member.identifier

    @property
    def letter(self) -> str:
        """The letter under which it stands, « # » where that is none of the Latin alphabet."""
        first = self.key[0][:1].upper()
        return first if first.isascii() and first.isalpha() else "#"


def split_particle(family: str) -> tuple[str, str]:
    """A family name and the particle that stands after the given name: « Arguillères », « d’ »."""
    found = _PARTICLE.match(family)
    return (family[found.end() :], found[0].strip()) if found else (family, "")


async def seats_of(site: Site, facts: Facts, chamber: str) -> list[Seat]:
    """Every member of a chamber, as the mandates stand on the day of the site, or of an earlier time."""
    today = facts.day or site.today

    async def read() -> list[Seat]:
        last = facts.coverage[chamber].last
        rows = await facts.reader.rows(CURRENT_MANDATES, [chamber, last, today.isoformat()])
        since = dict(rows)
        return [_seat(one, since.get(one.identifier), today) for one in facts.members[chamber]]

    key = ("seats", facts.edition, today.isoformat(), chamber)
    return await site.kept(key, read, lambda seats: 300 * len(seats), bool(facts.day))


def _seat(one: ElectedMember, since: str | None, today: datetime.date) -> Seat:
    end = one.ended(today)
    state = state_of(end, since, one.team)
    return Seat(one, *split_particle(one.family), since or "", end, state)
