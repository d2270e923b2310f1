"""The page of the search: who has a name, and whether one of two people worked for the other."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import plain, slug_of
from parlement_lists.movement import words as words_of
from parlement_lists.tenure import Tenure

from ..dataset.schema import SPELLINGS, TABLE, TEAMS, TENURES
from .core.explorer import match
from .movement import stays_under
from .runner import Context, View

# Results of each kind, words that are looked for, names that are near, teams that a result names.
MOST, WORDS, NEAR, PLACES = 30, 8, 5, 2
_PERSON = ("collab_nom", "collab_prenom", "anciens_noms")
# The words that are looked for, and how a name that has one, or begins with it, has it between spaces: a lone letter
# (d', l') is a word of its own.
_WORDS = """
    words(word, begun) as (
      select value, ' ' || value || iif(length(value) > 1, '', ' ') from json_each(:words)
    )
"""


def search(view: View) -> Context:
    """Who has every word of the text `q` in a name; else the collaborations that have them in two names."""
    text = view.query["q"]
    words = list(dict.fromkeys(plain(text).split()))[:WORDS]
    context: dict[str, Any] = {"q": text}
    if not any(len(word) > 1 for word in words):
        return context | {"too_short": bool(text)}
    view.db.create_function("plain", 1, plain)
    people = _people(view, words, words)
    if not people["members"] and not people["staff"]:
        people |= _together(view, words)
        if not people["members"] and "pairs" not in people:
            people["near"] = _near_names(view, max(words, key=len))
    return context | people


def _people(view: View, of_member: Sequence[str], of_staff: Sequence[str]) -> dict[str, Any]:
    """The members and the staff whose names have every word, the first MOST of each and how many there are."""
    members = _members(view, of_member) or _members_of_movements(view, of_member)
    staff, total = _staff(view, of_staff)
    people: dict[str, Any] = {"members": members[:MOST], "all_members": len(members)}
    return people | {"staff": staff, "all_staff": total}


def _members(view: View, words: Sequence[str]) -> list[sqlite3.Row]:
    """The members whose names have every word, or begin with it: first those whose family name is one of them."""
    return view.rows(
        f"""
        with {_WORDS}, named as (
          select *, rowid as place, ' ' || coalesce(elu_cle, plain(elu_nom)) || ' ' as name
          from {TEAMS}
        )
        select * from named where not exists (select 1 from words where not instr(name, begun))
        order by (select min(instr(name, ' ' || word || ' ') <> 1) from words),
          (select min(not instr(name, ' ' || word || ' ')) from words), place
        """,
        words=json.dumps(words),
    )


def _has_all(name: Sequence[str], words: Iterable[str]) -> bool:
    return all(
        word in name or (len(word) > 1 and any(part.startswith(word) for part in name))
        for word in words
    )


def _members_of_movements(view: View, words: Iterable[str]) -> list[sqlite3.Row]:
    """The members whom movements name so: all of them in a file without lists, else by a name of before."""
    return view.rows(
        f"""
        select chambre, elu_id, elu_nom, elu_groupe, null as presents, null as mandat_fin,
          max(date_event)
        from {TABLE}
        where rowid in (select rowid from {TABLE}_fts where {TABLE}_fts match :text)
          and elu_id is not null
        group by chambre, elu_id order by elu_cle, chambre, elu_id
        """,
        text=match(words, ("elu_nom",)),
    )


def _staff(view: View, words: Sequence[str]) -> tuple[list[dict[str, Any]], int]:
    """Whose name, now or before, has every word or begins with it, at most MOST; and how many there are."""
    rows, renamed = _spelled_names(view, words), _renamed(view, words)
    stays: dict[str, list[Tenure]] = defaultdict(list)
    for stay in stays_under(view, [row["adresse"] for row in rows]):
        stays[slug_of(stay.collab_nom, stay.collab_prenom)].append(stay)
    people, hidden = [], 0
    for row in rows:
        own = stays[row["adresse"]]
        if own or row["mots"] not in renamed:
            person = _person(view, row["prenom"], row["nom"], own)
            people.append(person | {"later": renamed.pop(row["mots"], None)})
        else:  # the present name stands for it
            hidden += 1
    # Whoever has several former names is one, and is told where the present name is.
    present = {slug_of(stay.collab_nom, stay.collab_prenom) for stay in renamed.values()}
    people += [_person(view, "", "", stays_under(view, [address])) for address in sorted(present)]
    total = (rows[0]["total"] if rows else 0) - hidden + len(present)
    return people[:MOST], total


def _spelled_names(view: View, words: Sequence[str]) -> list[sqlite3.Row]:
    """The names of `_noms`, one an address: exact family names, then words of one, their beginnings, given names."""
    # The rows stand in the order of names; of an address the one that comes first is given.
    return view.rows(
        f"""
        with {_WORDS}
        select adresse, nom, prenom, mots, count(*) over () as total,
          min(rowid + (1 << 32) * case
            when cle_nom = :text or cle_nom in (select word from words) then 0
            when exists (select 1 from words where instr(' ' || cle_nom || ' ', begun || ' ')) then 1
            when exists (select 1 from words where instr(' ' || cle_nom, begun)) then 2
            else 3 end) as place
        from {SPELLINGS} where not exists (
          select 1 from words where not (instr(' ' || mots || ' ', begun)
            or length(word) > 1 and instr(cle_nom, ' ') and replace(cle_nom, ' ', '') like word || '%'))
        group by adresse order by place limit :most
        """,
        words=json.dumps(words),
        text=" ".join(words),
        most=MOST,
    )


def _renamed(view: View, words: Sequence[str]) -> dict[str, Tenure]:
    """The stays of whom a former name has every word and the present one has not, by the words of the former one."""
    stays: dict[str, Tenure] = {}
    for stay in stays_with(view, words, ("anciens_noms",)):
        if not _has_all(plain(f"{stay.collab_nom} {stay.collab_prenom}").split(), words):
            for name in former_names(stay):
                if _has_all(plain(name).split(), words):
                    stays[words_of(name)] = stay
    return stays


def former_names(stay: Tenure) -> list[str]:
    """The names that the person of a stay had before, given name first."""
    return [name for name in stay.anciens_noms.split(" ; ") if name]


def stays_with(view: View, words: Iterable[str], columns: Iterable[str]) -> list[Tenure]:
    """The stays that have every word, or its beginning, in some of these columns, those of the last lists last."""
    return view.stays(
        f"""
        where rowid in (select rowid from {TENURES}_fts where {TENURES}_fts match :text)
        order by fin is null, fin_apres, debut, rowid
        """,
        text=match(words, columns),
    )


def _person(view: View, given: str, family: str, stays: Sequence[Tenure]) -> dict[str, Any]:
    """A result: the name, where the last lists have it, else the last list that had it, and the names before."""
    if stays:
        given, family = stays[-1].collab_prenom, stays[-1].collab_nom
    here = [stay for stay in stays if is_listed(view, stay)]
    former = [name for stay in stays for name in former_names(stay)]
    return {
        "collab_prenom": given,
        "collab_nom": family,
        "stays": here[: -PLACES - 1 : -1] or stays[-1:],
        "others": max(len(here) - PLACES, 0),
        "former": [
            name for name in dict.fromkeys(former) if plain(name) != plain(f"{given} {family}")
        ],
    }


def is_listed(view: View, stay: Tenure) -> bool:
    """Whether the last list of the chamber has a stay."""
    return not stay.fin and stay.fin_apres == view.coverage[stay.chambre].last


def _together(view: View, words: Sequence[str]) -> dict[str, Any]:
    """The stays of which the two names have the words; else who has the words before and after some place."""
    if stays := stays_with(view, words, (*_PERSON, "elu_nom")):
        return {"pairs": stays[: -MOST - 1 : -1], "all_pairs": len(stays)}
    for place in range(1, len(words)):
        sides = words[:place], words[place:]
        for of_member, of_staff in (sides, sides[::-1]):
            people = _people(view, of_member, of_staff)
            if people["members"] and people["staff"]:
                return people | {"pairs": []}
    return {}


def _near_names(view: View, word: str) -> list[str]:
    """Family names like this word that begin as it does."""
    rows = view.rows(
        f"""
        with names(name) as (
          select cle_nom from {SPELLINGS} union
          select substr(key, 1, instr(key || ' ', ' ') - 1)
          from (select coalesce(elu_cle, plain(elu_nom)) as key from {TEAMS})
        )
        select name from names
        where substr(name, 1, 3) = :begin and abs(length(name) - :length) < 3 order by name
        """,
        begin=word[:3],
        length=len(word),
    )
    names = [row["name"] for row in rows]
    return [name.upper() for name in get_close_matches(word, names, NEAR, 0.8)]
