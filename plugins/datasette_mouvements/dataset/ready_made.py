"""What answers and pages come from: each movement and each member as JSON, and the spellings of names."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import FIELD_NAMES, plain, slug_of, words

from . import schema
from .coverage import Coverage, coverage
from .mandates import NOT_TOLD, mandate_ends

Member = tuple[str, str]  # chamber and identifier

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
    rows = sorted(_members(db, coverage(db)), key=lambda row: (*map(plain, row[:2]), row[3]))
    db.executemany(
        f"insert into {schema.MEMBER_LINES} (chambre, elu_id, groupe, siege, fin_apres, json)"
        " values (?, ?, ?, ?, ?, ?)",
        (row[2:] for row in rows),
    )


def _members(db: sqlite3.Connection, lists: Mapping[str, Coverage]) -> Iterator[tuple[Any, ...]]:
    """Family name, given name and the columns of each member of whom a list ever named staff."""
    names = {
        row[:2]: row[2:]
        for row in db.execute(
            f"select chambre, elu_id, nom, prenom, civilite from {schema.MEMBERS}"
        )
    }
    mandates = _spans(db, f"select chambre, elu_id, '', debut, fin from {schema.MANDATES}")
    groups = _spans(db, f"select chambre, elu_id, groupe, debut, fin from {schema.MEMBERSHIPS}")
    group_names = {
        row[:2]: row[2] for row in db.execute(f"select chambre, code, nom from {schema.GROUPS}")
    }
    ends = {chamber: mandate_ends(db, chamber, known.last) for chamber, known in lists.items()}
    listed = Counter(
        db.execute(
            f"select chambre, elu_id from {schema.TENURES} c where fin is null and fin_apres ="
            f" (select max(date) from listes l where l.chambre = c.chambre and statut <> 'refusee')"
        ).fetchall()
    )
    for chamber, identifier, key, full, group, _ in db.execute(
        f"""
        select chambre, elu_id, coalesce(elu_cle, ''), coalesce(elu_nom, elu_id),
          coalesce(elu_groupe, ''), max(fin_apres || debut) from {schema.TENURES} group by 1, 2
        """
    ):
        member = (chamber, identifier)
        family, given, civility = names.get(member, (*split_name(full, key), ""))
        last = lists[chamber].last
        end = ends[chamber].get(identifier)
        team = 0 if end else listed[member]
        held = [
            code
            for code, since, until in groups[member]
            if since <= last and (not until or last <= until)
        ]
        if end or not held:
            # Where the folder knows no group at all, that of the team is today's if there is one.
            held = [group] if team and not groups[member] else [""]
        after = end.day if end and end.how == NOT_TOLD else ""
        values = {
            "chambre": chamber,
            "elu_id": identifier,
            "elu_cle": key,
            "nom": family,
            "prenom": given,
            "civilite": civility,
            "mandats": [
                _days(since, until, "" if until else after) for _, since, until in mandates[member]
            ],
            "groupes": [
                {"code": code, "nom": group_names.get((chamber, code), code), **_days(*days)}
                for code, *days in groups[member]
            ],
            "equipe": team,
        }
        values = {name: value for name, value in values.items() if value != ""}
        line = json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode()
        yield (family, given, chamber, identifier, held[-1], not end, after, line)


def _spans(db: sqlite3.Connection, sql: str) -> dict[Member, list[tuple[str, str, str]]]:
    """Code, first and last day of each mandate or group of each member."""
    spans: dict[Member, list[tuple[str, str, str]]] = defaultdict(list)
    # The last of those of one day is the one that stays have then.
    for chamber, member, *span in db.execute(f"{sql} order by debut, fin = '', fin, 3 desc"):
        spans[chamber, member].append(tuple(span))
    return spans


def _days(since: str, until: str, after: str = "") -> dict[str, str]:
    days = (("debut", since), ("fin", until), ("fin_apres", after))
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
