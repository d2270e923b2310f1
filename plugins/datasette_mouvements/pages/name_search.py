"""Full-text search on names, as people type them: any case and accents, beginnings of words."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from ..dataset.schema import SEARCHED, TABLE, TENURES
from . import french
from .site import Site

MOST = 50
LENGTH = 100
WORDS = 8
_WORD = re.compile(r"[^\W_]+")
# The index keeps these letters apart, since they are no accented form; people type the plain ones.
_ALIKE = (("oe", "œ"), ("ae", "æ"), ("ss", "ß"), ("o", "ø"), ("l", "ł"), ("d", "đ"), ("i", "ı"))


def expression(text: str, columns: tuple[str, ...] = SEARCHED[TABLE]) -> str:
    """The FTS5 expression that finds every word of `text`, as the beginning of a word.

    "" if the text has no word of two letters: one letter would find half of everyone.
    """
    words = _WORD.findall(unicodedata.normalize("NFC", text[:LENGTH]).lower())[:WORDS]
    if not any(len(word) > 1 for word in words):
        return ""
    every = " AND ".join(f"({' OR '.join(map(_beginning, _spellings(word)))})" for word in words)
    return f"{{{' '.join(columns)}}} : ({every})"


def _spellings(word: str) -> list[str]:
    """The word with one of its letters in another form, each in turn, or all of a kind."""
    spellings = {word}
    for plain, other in _ALIKE:
        spellings |= {word.replace(plain, other), word.replace(other, plain)}
        for found in re.finditer(plain, word):
            spellings.add(word[: found.start()] + other + word[found.end() :])
    return sorted(spellings)


def _beginning(word: str) -> str:
    # A lone letter (d', l') is a word of its own.
    return f'"{word}"*' if len(word) > 1 else f'"{word}"'


async def members(site: Site, text: str) -> list[dict[str, Any]]:
    """The elected members of that name, those with most movements first."""
    return await _found(
        site,
        f"""
        select chambre, elu_id, elu_nom, elu_groupe, sum(n) as n, max(jour) from (
          select chambre, elu_id, elu_nom, elu_groupe, 1 as n, date_event as jour from {TABLE}
          where elu_id <> '' and rowid in {_matching(TABLE)}
          union all
          select chambre, elu_id, elu_nom, elu_groupe, 0, fin_apres from {TENURES}
          where rowid in {_matching(TENURES)})
        group by chambre, elu_id order by n desc, elu_nom limit :most
        """,
        expression(text, ("elu_nom",)),
    )


async def staff(site: Site, text: str) -> tuple[list[dict[str, Any]], bool]:
    """The staff members' names that match, those with most movements first, one of each address; whether there are more.

    `dernier` is the day of the latest movement; `liste` that of the last list known to have the name.
    """
    found = await _found(
        site,
        f"""
        select collab_nom, collab_prenom, sum(n) as n, max(jour) as dernier, max(vu) as liste from (
          select collab_nom, collab_prenom, 1 as n, date_event as jour, null as vu from {TABLE}
          where rowid in {_matching(TABLE)}
          union all
          select collab_nom, collab_prenom, 0, null, fin_apres from {TENURES}
          where rowid in {_matching(TENURES)})
        group by collab_nom, collab_prenom order by n desc, collab_nom, collab_prenom limit :most
        """,
        expression(text, ("collab_nom", "collab_prenom")),
    )
    one_each: dict[str, dict[str, Any]] = {}
    for row in found:
        known = one_each.setdefault(french.slug(row["collab_nom"], row["collab_prenom"]), row)
        if known is not row:
            known["n"] += row["n"]
            for day in ("dernier", "liste"):
                known[day] = max(filter(None, (known[day], row[day])), default=None)
    return list(one_each.values()), len(found) == MOST


def _matching(table: str) -> str:
    return f"(select rowid from {table}_fts where {table}_fts match :match)"


async def _found(site: Site, sql: str, match: str) -> list[dict[str, Any]]:
    database = site.datasette.databases[site.config.database]
    return [dict(row) for row in (await database.execute(sql, {"match": match, "most": MOST})).rows]
