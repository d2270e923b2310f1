"""What is published, beside what truly happened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from contextlib import closing
from datetime import date, timedelta
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import words
from parlement_lists.tracking.settle import FLICKER

from .world import Fact

Key = tuple[str, str, str, str]


class Told(NamedTuple):
    """A movement as the file tells it: the change came after the list of one day, and showed on that of another."""

    key: Key
    after: str
    day: str


def read(served: Path) -> list[Told]:
    """The movements of a file."""
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
    return [
        Told((c, t, id, words(given or "", family or "")), *days)
        for c, t, id, given, family, *days in rows
    ]


def false_today(
    told: Iterable[Told],
    facts: Iterable[Fact],
    missed: Container[tuple[str, str, str]],
    today: date,
) -> set[str]:
    """What is published on a day and is not true, in words.

    Who was `missed` in one list, and is back in the next one that came more than a week later, is told as gone
    and back: no list says otherwise.
    """
    true = {fact.key for fact in facts}
    rows = sorted(told, key=attrgetter("day"))
    counted = Counter(movement.key for movement in rows)
    days = {movement.key: date.fromisoformat(movement.day) for movement in rows}
    wrong = set()
    for key, times in counted.items():
        chamber, _, *pair = key
        gone, back = (days.get((chamber, type_, *key[2:])) for type_ in ("depart", "arrivee"))
        over_a_hole = gone and back and back - gone > FLICKER and (chamber, *pair) in missed
        if times > (key in true) + bool(over_a_hole):
            wrong.add(f"{'twice' if key in true else 'false'}: {' '.join(key)}")
    return wrong | {
        f"of a day to come: {one.day} {' '.join(one.key)}"
        for one in rows
        if one.day > today.isoformat()
    }


def compare(
    told: Iterable[Told], facts: Iterable[Fact], hidden: Mapping[str, set[date]]
) -> list[str]:
    """What is lost at the end, and what has a day that cannot be; `hidden` are days of old lists, by chamber."""
    published = {movement.key: movement for movement in told}
    wrong = []
    for fact in facts:
        shown = fact.day
        while shown in hidden.get(fact.chamber, ()):
            shown += timedelta(1)
        movement = published.get(fact.key)
        if movement is None:
            wrong.append(f"lost: {fact.day} {' '.join(fact.key)}")
        elif not (movement.after < shown.isoformat() and fact.day.isoformat() <= movement.day):
            wrong.append(
                f"out of bounds: {shown} is not after {movement.after} up to {movement.day}:"
                f" {' '.join(fact.key)}"
            )
    return wrong
