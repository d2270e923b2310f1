"""What is published, beside what truly happened."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import words

from .world import Absence, Fact, Key

Hidden = Mapping[str, Container[date]]
# Days on which nothing could be read of a member.
Unread = Mapping[str, Container[date]]
# Who is missing for so long or less has never left.
WEEK = timedelta(7)


class Told(NamedTuple):
    """A movement as the file tells it: the change came after the list of one day, and showed on that of another."""

    key: Key
    after: str
    day: str


class Published(NamedTuple):
    """What a file tells, and the day of each chamber's last list in it."""

    told: Sequence[Told]
    last: Mapping[str, str]


NOTHING = Published((), {})


def read(served: Path) -> Published:
    """What a file tells."""
    with closing(sqlite3.connect(served)) as db:
        rows = db.execute(
            """
            select m.chambre, m.type, m.elu_id, m.collab_prenom, m.collab_nom,
                coalesce(begun.debut_apres, ended.fin_apres, ''), m.date_event
            from mouvements m
            left join collaborations begun on begun.mouvement_debut = m.id
            left join collaborations ended on ended.mouvement_fin = m.id and m.type = 'depart'
            """
        ).fetchall()
        last = db.execute(
            "select chambre, max(date) from listes where statut <> 'refusee' group by chambre"
        ).fetchall()
    told = [
        Told((c, t, id, words(given or "", family or "")), *days)
        for c, t, id, given, family, *days in rows
    ]
    return Published(told, dict(last))


def false_today(
    published: Published,
    facts: Iterable[Fact],
    absences: Iterable[Absence],
    hidden: Hidden,
    today: date,
    unread: Unread,
) -> set[str]:
    """What is published on a day and is not true, in words; `hidden` are days of old lists, by chamber.

    Who was only missing is told as gone, and as back, where no list of a week says otherwise.
    """
    by_key: dict[Key, list[Told]] = defaultdict(list)
    for movement in published.told:
        by_key[movement.key].append(movement)
    true = Counter(part.key for fact in facts for part in _as_told(fact, by_key.keys(), unread))
    allowed = true.copy()
    for absence in absences:
        gone, back = absence.as_facts()
        left = [one for one in by_key[gone.key] if _fits(one, gone, hidden)]
        returned = [one for one in by_key[back.key] if _fits(one, back, hidden)]
        last = published.last.get(absence.chamber, "")
        if any(_is_over_a_week(one, other.day) for one in left for other in returned):
            allowed.update((gone.key, back.key))
        elif last < _shown(back, hidden).isoformat() and any(
            _is_over_a_week(one, last) for one in left
        ):
            allowed[gone.key] += 1
    wrong = {
        f"{'twice' if true[key] else 'false'}: {' '.join(key)}"
        for key, movements in by_key.items()
        if len(movements) > allowed[key]
    }
    return wrong | {
        f"of a day to come: {one.day} {' '.join(one.key)}"
        for movements in by_key.values()
        for one in movements
        if one.day > today.isoformat()
    }


def compare(
    told: Iterable[Told], facts: Iterable[Fact], hidden: Hidden, unread: Unread
) -> list[str]:
    """What is lost at the end, and what has a day that cannot be; `hidden` are days of old lists, by chamber."""
    published: dict[Key, list[Told]] = defaultdict(list)
    for movement in told:
        published[movement.key].append(movement)
    wrong = []
    for fact in (part for one in facts for part in _as_told(one, published.keys(), unread)):
        # Who was missing later is told more than once, and one of them is this.
        own = published.get(fact.key, [])
        if not own:
            wrong.append(f"lost: {fact.day} {' '.join(fact.key)}")
        elif not any(_fits(movement, fact, hidden) for movement in own):
            days = ", ".join(f"{one.after} up to {one.day}" for one in own)
            wrong.append(
                f"out of bounds: {_shown(fact, hidden)} is not after {days}: {' '.join(fact.key)}"
            )
    return wrong


def _as_told(fact: Fact, told: Container[Key], unread: Unread) -> Sequence[Fact]:
    """The fact; or a departure and an arrival, for a transfer at a member of whom nothing was read that day."""
    if not fact.origin or fact.key in told:
        return [fact]
    if not any(fact.day in unread.get(member, ()) for member in (fact.origin, fact.member)):
        return [fact]
    left = fact._replace(type="depart", member=fact.origin)
    return [left, fact._replace(type="arrivee")]


def _is_over_a_week(left: Told, until: str) -> bool:
    return date.fromisoformat(until) - date.fromisoformat(left.day) > WEEK


def _fits(movement: Told, fact: Fact, hidden: Hidden) -> bool:
    """Whether a movement's days are those of a change."""
    return (
        movement.after < _shown(fact, hidden).isoformat() and fact.day.isoformat() <= movement.day
    )


def _shown(fact: Fact, hidden: Hidden) -> date:
    """The first day on which the chamber itself shows a change."""
    shown = fact.day
    while shown in hidden.get(fact.chamber, ()):
        shown += timedelta(1)
    return shown
