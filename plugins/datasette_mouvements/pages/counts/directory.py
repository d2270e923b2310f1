"""The members and the groups of every chamber, as one data version tells of them."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import CHAMBERS, plain
from parlement_lists.tenure import Tenure

from ...dataset.coverage import Coverage
from ...dataset.mandates import mandate_ends
from ...dataset.ready_made import split_name
from ...dataset.schema import GROUPS, MEMBERS, MEMBERSHIPS, TABLE, TENURES
from ..words import french
from .facts import STAY_COLUMNS, ElectedMember, Group, Member

# Stays read at once, in about a millisecond.
READ_AT_ONCE = 500
LATEST_GROUP = f"""
    select elu_groupe from {TABLE} where elu_id = ? and chambre = ? and elu_groupe <> ''
    order by rowid desc limit 1
"""


def list_members(
    db: sqlite3.Connection, coverage: Mapping[str, Coverage]
) -> dict[str, list[ElectedMember]]:
    """Every chamber's members, by family name, each with the end of the mandate, or of what is known of it.

    Name and group are those of the latest stay, else of the latest movement that has a group: of a stay
    without group none is known, and that of an earlier movement may be another one.
    """
    found = _of_stays(db, coverage)
    for member, rowids in _movements_of_members(db):
        chamber, identifier = member
        known = found.get(member)
        if known is None:
            key, name = db.execute(
                f"select coalesce(elu_cle, ''), elu_nom from {TABLE} where rowid = ?", [rowids[-1]]
            ).fetchone()
            team = 0 if coverage[chamber].last else None
            group = _latest_group(db, chamber, identifier)
            known = _member(identifier, key, name or identifier, group, team)
        found[member] = known._replace(movements=len(rowids))
    for chamber, identifier, family, given, civility in db.execute(
        f"select chambre, elu_id, nom, prenom, civilite from {MEMBERS}"
    ):
        if one := found.get((chamber, identifier)):
            family = french.particle_first(family)
            found[chamber, identifier] = one._replace(family=family, given=given, civility=civility)
    for chamber, identifier, since in db.execute(
        f"select chambre, elu_id, min(debut) from {MEMBERSHIPS} group by 1, 2"
    ):
        if one := found.get((chamber, identifier)):
            found[chamber, identifier] = one._replace(group_since=since)
    for chamber in CHAMBERS:
        # Pages are read on later days than that of the file: they compare the end with their own day.
        for identifier, end in mandate_ends(db, chamber, coverage[chamber].last).items():
            found[chamber, identifier] = found[chamber, identifier]._replace(end=end)
    return {
        chamber: sorted(
            (one for (of, _), one in found.items() if of == chamber),
            key=lambda one: (plain(one.family), plain(one.given), one.identifier),
        )
        for chamber in CHAMBERS
    }


def _of_stays(
    db: sqlite3.Connection, coverage: Mapping[str, Coverage]
) -> dict[Member, ElectedMember]:
    found: dict[Member, ElectedMember] = {}
    for chamber, lists in coverage.items():
        teams = teams_on(db, chamber, lists.last)
        for identifier, key, name, group, _ in db.execute(
            f"""
            select elu_id, coalesce(elu_cle, ''), coalesce(elu_nom, elu_id),
              coalesce(elu_groupe, ''), max(fin_apres || debut)
            from {TENURES} where chambre = ? group by 1
            """,
            [chamber],
        ):
            team, on_leave = teams.get(identifier, (0, 0)) if lists.last else (None, 0)
            one = _member(identifier, key, name, group, team)
            found[chamber, identifier] = one._replace(on_leave=on_leave)
    return found


def teams_on(db: sqlite3.Connection, chamber: str, day: str) -> dict[str, tuple[int, int]]:
    """How many stays the list of a day has at each member, and of how many a list tells unpaid leave."""
    found = db.execute(
        f"""
        select elu_id, count(*), count(case when fin_apres = :day then conge end) from {TENURES}
        where chambre = :chamber and debut <= :day and fin_apres >= :day group by 1
        """,
        {"chamber": chamber, "day": day},
    )
    return {member: (team, on_leave) for member, team, on_leave in found}


def named_by(db: sqlite3.Connection, chamber: str, day: str) -> dict[str, str]:
    """The members whose staff lists had named by a day, each with the group of the latest stay begun by then."""
    found = db.execute(
        f"""
        select elu_id, coalesce(elu_groupe, ''), max(fin_apres || debut)
        from {TENURES} where chambre = ? and debut <= ? group by 1
        """,
        [chamber, day],
    )
    return {member: group for member, group, _ in found}


def _member(identifier: str, key: str, name: str, group: str, team: int | None) -> ElectedMember:
    family, given = split_name(name, key)
    if (written := french.particle_first(family)) != family:
        family, name = written, f"{given} {written}".strip()
    return ElectedMember(identifier, name, family, given, "", group, 0, team, None)


def stays(db: sqlite3.Connection, chamber: str, since: str, until: str) -> Iterator[Tenure]:
    """The stays of a chamber that had begun by `until` and not ended before `since`."""
    found = db.execute(
        f"""
        select {STAY_COLUMNS} from {TENURES}
        where chambre = ? and (fin is null or fin >= ?) and debut <= ?
        """,
        [chamber, since, until],
    )
    while some := found.fetchmany(READ_AT_ONCE):
        yield from map(Tenure._make, some)
        time.sleep(0)  # let waiting threads run


def groups(db: sqlite3.Connection) -> dict[tuple[str, str], Group]:
    """The groups that stays, movements or memberships name, by code."""
    # Codes come from the index alone; then one row is looked up in each chamber.
    of_chamber = " or ".join(
        f"exists (select 1 from {table} where elu_groupe = code and chambre = value)"
        for table in (TENURES, TABLE)
    )
    found = {
        (chamber, code): Group(chamber, code, code)
        for chamber, code in db.execute(
            f"""
            with codes(code) as (
              select elu_groupe from {TENURES} where elu_groupe <> ''
              union select elu_groupe from {TABLE} where elu_groupe <> ''
            )
            select value, code from json_each(?), codes where {of_chamber}
            union select chambre, groupe from {MEMBERSHIPS}
            """,
            [json.dumps(CHAMBERS)],
        )
    }
    for row in db.execute(f"select chambre, code, nom, couleur, debut, fin from {GROUPS}"):
        found[row[0], row[1]] = Group._make(row)
    return dict(sorted(found.items()))


def _latest_group(db: sqlite3.Connection, chamber: str, identifier: str) -> str:
    """The group that the latest movement of a member has, of those that have one."""
    found = db.execute(LATEST_GROUP, [identifier, chamber]).fetchone()
    return found[0] if found else ""


def _movements_of_members(db: sqlite3.Connection) -> Iterator[tuple[Member, list[int]]]:
    """Each member with the rowids of the movements that name his or her identifier."""
    rowids: dict[Member, list[int]] = defaultdict(list)
    for chamber, identifier, rowid in db.execute(
        f"select chambre, elu_id, rowid from {TABLE} where elu_id is not null order by rowid"
    ):
        rowids[chamber, identifier].append(rowid)
    yield from rowids.items()
