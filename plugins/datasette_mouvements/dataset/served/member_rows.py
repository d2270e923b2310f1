"""The members whose staff a list ever named: mandates, groups, and how many are present."""

from __future__ import annotations

import asyncio
import json
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import closing
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import plain

from ..connections import connect_read_only
from ..schema import GROUPS, MANDATES, MEMBERS, MEMBERSHIPS, TENURES
from .lru import LRUCache
from .stay_index import Key, StayFilter
from .stay_rows import StayRows

# Days for which the members are kept: today, and yesterday at midnight.
DAYS_KEPT = 2


class KnownDays(NamedTuple):
    """From when to when something is known to have been so; "" is not known, or goes on."""

    since: str
    until: str
    # Of a mandate whose end nobody told: the last list that names somebody, after which it ended.
    after: str = ""

    def covers(self, day: str) -> bool:
        """Whether it was so on a day."""
        last = self.until or self.after
        return self.since <= day and (not last or day <= last)


class Member(NamedTuple):
    """A member as the interface tells of one, ready to be sent, and what filters ask."""

    chamber: str
    identifier: str
    group: str  # today's, "" where it is not known
    mandates: tuple[KnownDays, ...]
    line: bytes


class MembersOfDay:
    """The members as of a day, in the order of names, and from when to when each had a mandate."""

    def __init__(self, members: Sequence[Member]) -> None:
        self.every = members
        self._mandates = sorted(
            (since, until or after, place)
            for place, one in enumerate(members)
            for since, until, after in one.mandates
        )

    def find(self, chamber: str, group: str, member: str, day: str) -> Sequence[Member]:
        """Those of a chamber, of today's group, of an identifier, with a mandate on a day; "" filters nothing."""
        found = self.every
        if day:
            begun = self._mandates[: bisect_right(self._mandates, day, key=itemgetter(0))]
            places = {place for _, until, place in begun if not until or day <= until}
            found = [found[place] for place in sorted(places)]
        if chamber:
            found = [one for one in found if one.chamber == chamber]
        if group:
            found = [one for one in found if one.group == group]
        if member:
            found = [one for one in found if one.identifier == member]
        return found


class ServedMembers:
    """The members of an open file, in the order of names."""

    def __init__(self, path: Path, stays: StayRows) -> None:
        self._path, self._stays = path, stays
        self._known: LRUCache[str, MembersOfDay] = LRUCache(DAYS_KEPT)
        self._reading = asyncio.Lock()

    def known(self, today: str) -> MembersOfDay | None:
        """All of them as of a day, if they have been kept."""
        return self._known.get(today)

    async def read_once(self, today: str) -> MembersOfDay:
        """All of them as of a day, read in a thread and kept; all who ask meanwhile wait for the same reading."""
        async with self._reading:
            members = self.known(today)
            if members is None:
                members = await asyncio.to_thread(self.on, today)
                self._known.put(today, members, 1)
            return members

    def on(self, today: str) -> MembersOfDay:
        """All of them as of a day; a tenth of a second or more, so it belongs in a thread."""
        with closing(connect_read_only(self._path, immutable=True)) as db:
            return MembersOfDay(self._read(db, today))

    def _read(self, db: sqlite3.Connection, today: str) -> list[Member]:
        rows = db.execute(f"select chambre, elu_id, nom, prenom, civilite from {MEMBERS}")
        named = {(row[0], row[1]): row[2:] for row in rows}
        mandates = _spans(db, f"select chambre, elu_id, '', debut, fin from {MANDATES}")
        groups = _spans(db, f"select chambre, elu_id, groupe, debut, fin from {MEMBERSHIPS}")
        names = {(c, code): name for c, code, name, *_ in db.execute(f"select * from {GROUPS}")}
        present, over = self._present(db, today), self._stays.over(today)
        after = self._stays.not_told(today)
        members = []
        for chamber, member, key, full, group, _ in db.execute(
            f"""
            select chambre, elu_id, coalesce(elu_cle, ''), coalesce(elu_nom, elu_id),
              coalesce(elu_groupe, ''), max(fin_apres || debut) from {TENURES} group by 1, 2
            """
        ):
            of = (chamber, member)
            family, given, civility = named.get(of, (*split_name(full, key), ""))
            ended = of in over
            held = [code for code, span in groups[of] if span.covers(today) and not ended]
            # Where the folder knows no group at all, that of the team is today's if there is one.
            own = group if present[of] and not groups[of] else ""
            if of in after:
                mandates[of] = [
                    (code, span if span.until else span._replace(after=after[of]))
                    for code, span in mandates[of]
                ]
            told: dict[str, Any] = {
                "chambre": chamber,
                "elu_id": member,
                "elu_cle": key,
                "nom": family,
                "prenom": given,
                "civilite": civility,
                "mandats": [_days(span) for _, span in mandates[of]],
                "groupes": [
                    {"code": code, "nom": names.get((chamber, code), code), **_days(span)}
                    for code, span in groups[of]
                ],
                "equipe": present[of],
            }
            said = {n: v for n, v in told.items() if v != ""}
            line = json.dumps(said, ensure_ascii=False, separators=(",", ":"))
            spans = tuple(span for _, span in mandates[of])
            one = Member(chamber, member, held[-1] if held else own, spans, line.encode())
            members.append(((plain(family), plain(given), member), one))
        return [member for _, member in sorted(members, key=lambda one: one[0])]

    def _present(self, db: sqlite3.Connection, today: str) -> Counter[Key]:
        rowids = self._stays.rowids(StayFilter(present=today))
        found = db.execute(
            f"select chambre, elu_id from {TENURES}"
            " where rowid in (select value from json_each(?))",
            [json.dumps(list(rowids))],
        )
        return Counter((chamber, member) for chamber, member in found)


def _spans(db: sqlite3.Connection, sql: str) -> dict[Key, list[tuple[str, KnownDays]]]:
    found: dict[Key, list[tuple[str, KnownDays]]] = defaultdict(list)
    # The last of those of one day is the one that stays have then.
    order = "order by debut, fin = '', fin, 3 desc"
    for chamber, member, code, since, until in db.execute(f"{sql} {order}"):
        found[chamber, member].append((code, KnownDays(since, until)))
    return found


def _days(span: KnownDays) -> dict[str, str]:
    days = (("debut", span.since), ("fin", span.until), ("fin_apres", span.after))
    return {name: day for name, day in days if day}


def split_name(name: str, key: str) -> tuple[str, str]:
    """A full name as family and given name, as the join key, family name first, tells them apart.

    Without a key the words in capitals are the family name, else all but the first: lists without
    identifiers write the given name first, and members are only filed by it.
    """
    words = name.split()
    for first in range(1, len(words)):
        before, after = " ".join(words[:first]), " ".join(words[first:])
        if plain(f"{after} {before}") == key:
            return after, before
    capitals = [word for word in words if word.isupper() and len(word) > 1]
    if 0 < len(capitals) < len(words):
        return " ".join(capitals), " ".join(word for word in words if word not in capitals)
    given, _, family = name.partition(" ")
    return (name, "") if key or not family else (family, given)
