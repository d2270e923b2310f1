"""Stays under one name: what follows each, whether they may be several people's.

Then each stay as JSON, and the lists that show a movement.
"""

from __future__ import annotations

import datetime
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from datasette.utils.sqlite import sqlite3

from parlement_lists.dates import add_days, days_between
from parlement_lists.tenure import Tenure

from . import schema
from .coverage import coverage
from .mandates import mandate_ends

# A stay with another member that begins later than this says little of the one that ended.
NEXT_WITHIN = 365  # days
# From so many members of the European Parliament on, stays of the same days and function are one line,
# because they are mostly a contract that the members share.
SHARED = 3
# So many lines, or chambers, at once are more than one person has.
MOST_AT_ONCE = 2


class StayLine(NamedTuple):
    """The stays with one member one after the other, or one stay that several members share."""

    stays: tuple[Tenure, ...]  # in order; of a shared one, that with the first of `members`
    members: tuple[Tenure, ...] = ()  # of a shared stay, one with each member


class NamesakeSigns(NamedTuple):
    """The signs, none of them a proof, that several people have a name: lists have no identifier of staff."""

    civilities: int  # 0 for fewer than two
    chambers: int  # the most at once, 0 where one person may be in so many
    lines: int  # the same


class Succession(NamedTuple):
    """A stay that ended, and what began after it under the same name, all on one day."""

    ended: Tenure
    begun: tuple[Tenure, ...]  # by member; of a return one

    @property
    def days(self) -> int:
        """Days from `fin` of the one to `debut` of the other (`retour_jours`)."""
        return days_between(self.ended.fin, self.begun[0].debut)

    @property
    def bounds(self) -> tuple[int, int]:
        """The fewest and the most days that can lie between, as far as lists tell the days of both.

        The stay ended in (`fin_apres`, `fin`], and the next began in (`debut_apres`, `debut`]. Where one
        list shows both, the fewest are 0.
        """
        first = self.begun[0]
        left = min(self.ended.fin, add_days(self.ended.fin_apres, 1))
        # Where no list says who was there before, the next stay may have begun long ago.
        earliest = min(first.debut, add_days(first.debut_apres, 1)) if first.debut_apres else left
        return max(days_between(self.ended.fin, earliest), 0), days_between(left, first.debut)


# The number of a person among those who share a name, by the name's words and a member; see `_homonymes`.
Homonyms = Mapping[tuple[str, str], int]
HOMONYMS_SQL = f"select personne, elu_id, numero from {schema.HOMONYMS}"


def homonyms(rows: Iterable[Sequence[Any]]) -> Homonyms:
    """The homonyms that HOMONYMS_SQL finds."""
    return {(person, member): number for person, member, number in rows}


class Successions(NamedTuple):
    """What the stays of some names say of each other, by the identifier of a stay."""

    returns: dict[str, Succession]  # of a stay that begins: the one before with the member
    answered: dict[str, Succession]  # of one that ended: the next one with the member
    elsewhere: dict[
        str, Succession
    ]  # of one that ended: what came next, with others of the chamber
    several: set[str]  # names that a correction says are several people's; see `Tenure.person`

    def seen_next(self, ended: str) -> Succession | None:
        """Where the name is seen after a stay, but where one movement ends it and begins the other (`vu_ensuite`)."""
        after = self.elsewhere.get(ended)
        transfer = after.ended.mouvement_fin if after else ""
        if after is None or (transfer and transfer in {s.mouvement_debut for s in after.begun}):
            return None
        return after


def find_successions(stays: Iterable[Tenure], apart: Homonyms) -> Successions:
    """The successions among stays, which are all those of each name, in every chamber.

    A name that is several people's with different members (`apart`) is as many names.

    A return is a stay with a member whom the same name was with before, however long ago, of one civility.
    Where the name is seen next is told only if it begins with another member of the chamber up to NEXT_WITHIN
    after the end, and not before a return; and not where namesakes are possible (`namesake_signs`). A stay
    whose name is withheld is linked with nothing (`Tenure.person`).
    """
    people: dict[tuple[str, int], list[Tenure]] = defaultdict(list)
    for stay in stays:
        people[stay.person, apart.get((stay.person, stay.elu_id), 0)].append(stay)
    several = Counter(name for name, _ in people)
    successions = Successions({}, {}, {}, {name for name, many in several.items() if many > 1})
    for of_person in people.values():
        if len(of_person) < 2:
            continue
        of_person.sort(key=lambda stay: (stay.debut, stay.elu_cle, stay.elu_id, stay.id))
        namesakes = any(namesake_signs(of_person, stay_lines(of_person)))
        for stay in of_person:
            if ended := _before(stay, of_person):
                successions.returns[stay.id] = Succession(ended, (stay,))
                successions.answered.setdefault(ended.id, successions.returns[stay.id])
            if not namesakes and (begun := _after(stay, of_person)):
                successions.elsewhere[stay.id] = Succession(stay, begun)
    return successions


def _before(stay: Tenure, stays: Iterable[Tenure]) -> Tenure | None:
    """The stay with the same member that ended last before one, None beside another."""
    same = [other for other in stays if _office(other) == _office(stay) and other.id != stay.id]
    if any(other.covers(stay.debut) for other in same):
        return None
    before = [
        other
        for other in same
        if other.fin
        and other.fin <= stay.debut
        and len({other.collab_civilite, stay.collab_civilite} - {""}) < 2
    ]
    return max(before, key=lambda other: (other.fin, other.debut, other.id), default=None)


def _after(ended: Tenure, stays: Iterable[Tenure]) -> tuple[Tenure, ...]:
    """The first stays in the chamber after one that ended; none where one is with its member, or late."""
    later = [
        stay
        for stay in stays
        if ended.fin
        and stay.chambre == ended.chambre
        and stay.debut >= ended.fin
        and stay.id != ended.id
    ]
    first = tuple(stay for stay in later if stay.debut == later[0].debut)
    soon = first and days_between(ended.fin, first[0].debut) <= NEXT_WITHIN
    return first if soon and all(_office(stay) != _office(ended) for stay in first) else ()


def _office(stay: Tenure) -> tuple[str, str]:
    return stay.chambre, stay.elu_id


def stay_lines(stays: Iterable[Tenure]) -> list[StayLine]:
    """The lines of a name, the earliest begin first; two stays at once with one member are beside each other."""
    shared: dict[tuple[str, ...], list[Tenure]] = defaultdict(list)
    for stay in stays:
        days = stay.debut_apres, stay.debut, stay.fin_apres, stay.fin
        terms = stay.fonction, stay.collab_civilite, stay.person
        shared[stay.chambre, *days, *terms].append(stay)
    lines: list[StayLine] = []
    offices: dict[tuple[str, str], list[list[Tenure]]] = defaultdict(list)
    alone: list[Tenure] = []
    for same in shared.values():
        if same[0].chambre == "europarl" and len({stay.elu_id for stay in same}) >= SHARED:
            same.sort(key=lambda stay: (stay.elu_groupe, stay.elu_cle, stay.elu_id))
            lines.append(StayLine((same[0],), tuple(same)))
        else:
            alone += same
    for stay in sorted(alone, key=lambda stay: (stay.debut, stay.id)):
        office = offices[_office(stay)]
        free = next((line for line in office if line[-1].fin_apres < stay.debut), None)
        if free is None:
            office.append([stay])
        else:
            free.append(stay)
    lines += [StayLine(tuple(line)) for office in offices.values() for line in office]
    return sorted(lines, key=lambda line: (line.stays[0].debut, line.stays[0].elu_cle))


def at_once(lines: Iterable[StayLine]) -> int:
    """The most lines that lists show on one day."""
    return _most_at_once([line.stays for line in lines])


def _most_at_once(groups: Sequence[Sequence[Tenure]]) -> int:
    """The most groups of stays of which lists show one on one day."""
    days = {stay.debut for stays in groups for stay in stays}
    there = (
        sum(any(stay.debut <= day <= stay.fin_apres for stay in stays) for stays in groups)
        for day in days
    )
    return max(there, default=0)


def namesake_signs(stays: Sequence[Tenure], lines: Sequence[StayLine]) -> NamesakeSigns:
    """The signs that `stays`, which are all of a name in every chamber, are several people's.

    Two civilities, more than two chambers at once, or more than two lines at once.
    """
    civilities = len({stay.collab_civilite for stay in stays if stay.collab_civilite})
    by_chamber = {stay.chambre: [s for s in stays if s.chambre == stay.chambre] for stay in stays}
    chambers, most = _most_at_once([*by_chamber.values()]), at_once(lines)
    return NamesakeSigns(
        civilities if civilities > 1 else 0,
        chambers if chambers > MOST_AT_ONCE else 0,
        most if most > MOST_AT_ONCE else 0,
    )


# What a line says of a return, after the columns of the table; `pages/files/archive` reads it.
RETURN_OF, RETURN_DAYS = "retour_de", "retour_jours"
# How a movement was found, by its type; one of days rebuilt from intervals has no list.
RULES = {"arrivee": "apparition", "depart": "disparition", "transfert": "deplacement"}
INTERVALS = "intervalle"
# The digest of a list that is rebuilt, which has no bytes; it is NULL where no run noted it.
REBUILT = ""
Line = dict[str, Any]

_COLUMNS = ", ".join(f"coalesce(c.{name}, '')" for name in Tenure._fields)


def fill_stay_lines(db: sqlite3.Connection, today: datetime.date) -> None:
    """Make the lines of stays, as of a day; all tables but the feeds are filled.

    A line says what its own row does, what stays of the same name do, and the end of the member's mandate.
    """
    ends = {
        (chamber, member): end.until
        for chamber, lists in coverage(db).items()
        for member, end in mandate_ends(db, chamber, lists.last, today=today.isoformat()).items()
        if end.known
    }
    rows = db.execute(f"select rowid, {_COLUMNS} from {schema.TENURES} c order by rowid")
    stays = {rowid: Tenure(*row) for rowid, *row in rows}
    successions = find_successions(stays.values(), homonyms(db.execute(HOMONYMS_SQL)))
    for rowid, stay in stays.items():
        values: Line = {name: text for name, text in stay._asdict().items() if text}
        if back := successions.returns.get(stay.id):
            values |= {RETURN_OF: back.ended.id, RETURN_DAYS: back.days}
        if after := successions.seen_next(stay.id):
            values["vu_ensuite"] = [later.id for later in after.begun]
            values["vu_ensuite_jours"] = after.days
        if day := ends.get((stay.chambre, stay.elu_id)):
            values["mandat_fin"] = day
        line = json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode()
        db.execute(f"insert into {schema.STAYS.lines} values (?, ?)", (rowid, line))


_OF_MOVEMENT = f"""
    select c.mouvement_debut is :id, l.json
    from {schema.TENURES} c join {schema.STAYS.lines} l on l.rowid = c.rowid
    where c.mouvement_debut = :id or c.mouvement_fin = :id
"""
# Of an arrival the movement that it answers, of a departure the one that answers it, with the days between.
_RETURNS = " union all ".join(
    f"""
    select {other}, json_extract(cast(l.json as text), '$.{RETURN_DAYS}')
    from {schema.TENURES} {here} cross join {schema.TENURES} {there} on back.elu_id = gone.elu_id
    join {schema.STAYS.lines} l on l.rowid = back.rowid
    where {own} = :id and json_extract(cast(l.json as text), '$.{RETURN_OF}') = gone.id
    """
    for here, own, there, other in (
        ("back", "back.mouvement_debut", "gone", "gone.mouvement_fin"),
        ("gone", "gone.mouvement_fin", "back", "back.mouvement_debut"),
    )
)
_LISTS = """
    select date as jour, nom as liste, sha256 from listes
    where chambre = ? and date in (?, ?) and statut <> 'refusee' order by date, nom
"""


def evidence(db: sqlite3.Connection, movement: Line) -> Line:
    """The members beside the movement at its own address; nothing of one that no stay has.

    `origine`: the member whom a transfer leaves. `collaborations`: the identifiers of the stays that it
    begins and ends. `retour`: the movement of the same return and the days between the two. `preuve`: the
    lists before and after, and the rule by which it was found.
    """
    whose = {"id": movement["id"]}
    stays = {bool(begins): json.loads(line) for begins, line in db.execute(_OF_MOVEMENT, whose)}
    begun, ended = stays.get(True), stays.get(False)
    about: Line = {}
    if ended and movement["type"] == "transfert":
        about["origine"] = {n: ended[n] for n in ("elu_id", "elu_nom", "elu_groupe") if n in ended}
    if stays:
        names = {"commence": begun, "termine": ended}
        about["collaborations"] = {name: stay["id"] for name, stay in names.items() if stay}
    for other, days in db.execute(_RETURNS, whose).fetchmany(1):
        about["retour"] = ({"mouvement": other} if other else {}) | {"jours": days}
    if lists := _lists(db, movement, begun, ended):
        rebuilt = lists[1]["sha256"] == REBUILT
        sides = ({name: value for name, value in row.items() if value} for row in lists)
        about["preuve"] = dict(zip(("avant", "apres"), sides, strict=True))
        about["preuve"]["regle"] = INTERVALS if rebuilt else RULES[movement["type"]]
    return about


def _lists(
    db: sqlite3.Connection, movement: Line, begun: Line | None, ended: Line | None
) -> list[dict[str, str | None]]:
    """The lists before and after the movement; none where a day has none, or it is not known which of its lists.

    Of several of a day it is the last before a step, and the first after it, since what a later one of that day shows
    is a step within the day.
    """
    steps = {
        (stay.get(before, ""), stay.get(day, ""))
        for stay, before, day in ((begun, "debut_apres", "debut"), (ended, "fin_apres", "fin"))
        if stay
    }
    # A correction may give another day; a transfer is of two lists where both stays say the same.
    if [day for _, day in steps] != [movement["date_event"]]:
        return []
    (days,) = steps
    rows = db.execute(_LISTS, (movement["chambre"], *days))
    lists = [dict(zip(("jour", "liste", "sha256"), row, strict=True)) for row in rows]
    before, after = ([row for row in lists if row["jour"] == day] for day in days)
    if days[0] == days[1]:
        return before if len(before) == 2 else []
    return [before[-1], after[0]] if before and after else []
