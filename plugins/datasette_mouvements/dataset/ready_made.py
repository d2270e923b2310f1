"""What answers and pages come from: each movement and each member as JSON, and the spellings of names."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import FIELD_NAMES, plain, slug_of, words

from . import schema
from .coverage import coverage
from .mandates import NOT_TOLD, mandate_ends

# A merge patch leaves out what is null: exactly "fields with no value are left out".
LINE_SQL = (
    "cast(json_patch('{}', json_object("
    + ", ".join(f"'{name}', {name}" for name in FIELD_NAMES)
    + ")) as blob)"
)


def fill_movement_lines(db: sqlite3.Connection) -> None:
    """Make the lines of movements."""
    db.execute(f"insert into _lignes select rowid, {LINE_SQL} from {schema.TABLE} order by rowid")


def fill_member_lines(db: sqlite3.Connection) -> None:
    """Make the lines of members, as of the last list of each chamber; what is known of members is written."""
    members = [
        line
        for chamber, lists in coverage(db).items()
        for line in _members(db, chamber, lists.last)
    ]
    members.sort(key=lambda row: (plain(row[0]), plain(row[1]), row[3]))
    db.executemany(
        f"insert into {schema.MEMBER_LINES} (chambre, elu_id, groupe, siege, fin_apres, json)"
        " values (?, ?, ?, ?, ?, ?)",
        (row[2:] for row in members),
    )


def _members(db: sqlite3.Connection, chamber: str, last: str) -> Iterator[tuple[Any, ...]]:
    """Family name, given name and the columns of each member of a chamber of whom a list ever named staff."""
    # The last of those of one day is the one that stays have then.
    mandates = _spans(
        db,
        f"""
        select elu_id, debut, fin from {schema.MANDATES} where chambre = ?
        order by debut, fin = '', fin
        """,
        chamber,
    )
    groups = _spans(
        db,
        f"""
        select elu_id, m.debut, m.fin, groupe, coalesce(nom, groupe) from {schema.MEMBERSHIPS} m
        left join {schema.GROUPS} g on g.chambre = m.chambre and g.code = m.groupe
        where m.chambre = ? order by m.debut, m.fin = '', m.fin, groupe desc
        """,
        chamber,
    )
    ends = mandate_ends(db, chamber, last)
    rows = db.execute(
        f"""
        select c.elu_id, coalesce(elu_cle, ''), coalesce(elu_nom, c.elu_id),
          coalesce(elu_groupe, ''), sum(fin is null and fin_apres = :last),
          e.nom, e.prenom, coalesce(e.civilite, ''), max(fin_apres || debut)
        from {schema.TENURES} c left join {schema.MEMBERS} e using (chambre, elu_id)
        where chambre = :chamber group by 1
        """,
        {"chamber": chamber, "last": last},
    )
    for member, key, full, group, team, family, given, civility, _ in rows.fetchall():
        if family is None:
            family, given = split_name(full, key)
        end = ends.get(member)
        team = 0 if end else team
        held = [
            code
            for since, until, code, _ in groups[member]
            if since <= last and (not until or last <= until)
        ]
        if end or not held:
            # Where the folder knows no group at all, that of the team is today's if there is one.
            held = [group] if team and not groups[member] else [""]
        after = end.day if end and end.how == NOT_TOLD else ""
        values = {
            "chambre": chamber,
            "elu_id": member,
            "elu_cle": key,
            "nom": family,
            "prenom": given,
            "civilite": civility,
            "mandats": [
                _known(debut=since, fin=until, fin_apres="" if until else after)
                for since, until in mandates[member]
            ],
            "groupes": [
                {"code": code, "nom": name, **_known(debut=since, fin=until)}
                for since, until, code, name in groups[member]
            ],
            "equipe": team,
        }
        line = json.dumps(_known(**values), ensure_ascii=False, separators=(",", ":")).encode()
        yield family, given, chamber, member, held[-1], not end, after, line


def _spans(db: sqlite3.Connection, sql: str, chamber: str) -> dict[str, list[tuple[str, ...]]]:
    """First and last day, and what else is asked for, of each mandate or group of each member."""
    spans: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for member, *span in db.execute(sql, [chamber]):
        spans[member].append(tuple(span))
    return spans


def _known(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value != ""}


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


_NAMES = " union ".join(
    f"select coalesce(collab_nom, ''), coalesce(collab_prenom, '') from {table}"
    for table in (schema.TABLE, schema.TENURES)
)


def spellings(db: sqlite3.Connection) -> list[tuple[str, ...]]:
    """The rows of `_noms`, in the order of names: every spelling of a movement or a stay, none of one withdrawn."""
    rows = (
        (slug_of(family, given), plain(family), plain(given), family, given, words(family, given))
        for family, given in db.execute(_NAMES)
    )
    return sorted((row for row in rows if row[0]), key=lambda row: row[1:])


def fill_spellings(db: sqlite3.Connection) -> None:
    """Make `_noms` of the names of movements and stays."""
    db.executemany(f"insert into {schema.SPELLINGS} values (?, ?, ?, ?, ?, ?)", spellings(db))
