"""Names of staff as a search shows them, each with where the lists have the name."""

from __future__ import annotations

import datetime
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from parlement_lists.movement import slug_of
from parlement_lists.tenure import Tenure

from ...dataset.mandates import MandateEnd
from ...dataset.schema import SPELLED_MOVEMENTS, SPELLED_STAYS, SPELLINGS, TENURES
from ..counts.facts import STAY_COLUMNS, Facts

# Offices of each name at most.
OFFICES = 2


class Workplace(NamedTuple):
    """One office where the lists have, or had, a name."""

    chamber: str
    member: str
    name: str
    group: str
    day: str  # of the last list that has the name there, of a movement its own
    here: bool = False  # on the chamber's last list, and the mandate goes on
    # How the mandate stands where the chamber's last list has it though the mandate does not go on.
    ended: MandateEnd | None = None
    by_list: bool = True


class IndexedName(NamedTuple):
    """A name as a search shows it, the offices of the last lists first."""

    family: str
    given: str
    places: list[Workplace]
    others: int  # offices of the last lists that are not told
    now: Sequence[tuple[str, str]] = ()  # the names that lists gave instead, as stays link them


async def people(facts: Facts, rows: list[int], today: datetime.date) -> list[IndexedName]:
    """The names of which `_noms` has these rows, in their order; `today` tells which mandates go on."""
    spelled = {
        row: (slug, (family, given))
        for row, slug, family, given in await facts.reader.rows(
            f"""
            select rowid, adresse, nom, prenom from {SPELLINGS}
            where rowid in (select value from json_each(?))
            """,
            [json.dumps(rows)],
        )
    }
    slugs = [slug for slug, _ in spelled.values()]
    stays = await _stays(facts, slugs)
    renamed = await _renamed_stays(facts, slugs)
    movements = await _movements(facts, [slug for slug in slugs if slug not in stays])
    found = []
    for row in rows:
        slug, name = spelled[row]
        own, later = stays.get(slug, []), renamed.get(slug, [])
        if own:
            # The spelling of lists goes before that of movements given by files.
            name = own[-1].collab_nom, own[-1].collab_prenom
        places = _places(facts, [*own, *later], today) if own or later else movements.get(slug, [])
        here = sum(place.here for place in places)
        shown = places[: OFFICES if here else 1]
        now = list(dict.fromkeys((one.collab_nom, one.collab_prenom) for one in later))
        found.append(IndexedName(*name, shown, max(here - OFFICES, 0), now))
    return found


# Those under each of some addresses.
_STAYS_UNDER, _MOVEMENTS_UNDER = (
    f"from json_each(?) j cross join {spelled} and n.adresse = j.value"
    for spelled in (SPELLED_STAYS, SPELLED_MOVEMENTS)
)


def _stay_columns(alias: str) -> str:
    return STAY_COLUMNS.replace("coalesce(", f"coalesce({alias}.")


async def _stays(facts: Facts, slugs: list[str]) -> Mapping[str, list[Tenure]]:
    """The stays under each name, in every spelling that makes the same address, those of the last lists last."""
    found: dict[str, list[Tenure]] = defaultdict(list)
    for slug, *stay in await facts.reader.rows(
        f"select n.adresse, {_stay_columns('c')} {_STAYS_UNDER} order by c.fin_apres",
        [json.dumps(slugs)],
    ):
        found[slug].append(Tenure._make(stay))
    return found


async def _renamed_stays(facts: Facts, slugs: list[str]) -> Mapping[str, list[Tenure]]:
    """The stays, under another name by now, that movements under each name begin or end; none of a name withheld."""
    found: dict[str, dict[str, Tenure]] = defaultdict(dict)
    for slug, *row in await facts.reader.rows(
        f"""
        select n.adresse, {_stay_columns("s")} {_MOVEMENTS_UNDER}
        cross join {TENURES} s on s.mouvement_debut = c.id or s.mouvement_fin = c.id
        """,
        [json.dumps(slugs)],
    ):
        stay = Tenure._make(row)
        if slug_of(stay.collab_nom, stay.collab_prenom) not in ("", slug):
            found[slug][stay.id] = stay
    return {slug: list(stays.values()) for slug, stays in found.items()}


def _places(facts: Facts, stays: Iterable[Tenure], today: datetime.date) -> list[Workplace]:
    """The offices of stays, those of the last lists first, then the latest."""
    places = {_place(facts, stay, today) for stay in stays}
    # Two chambers may have members of one name: without the rest the order would be the set's.
    rest = [name for name in Workplace._fields if name != "ended"]
    return sorted(
        places,
        key=lambda one: (one.here, one.day, one.name, *(getattr(one, name) for name in rest)),
        reverse=True,
    )


def _place(facts: Facts, stay: Tenure, today: datetime.date) -> Workplace:
    of_list = not stay.fin and stay.fin_apres == facts.coverage[stay.chambre].last
    member = facts.listed(stay.chambre, stay.elu_id)
    # A list may name staff after the member's mandate ended; pages do not say they are there.
    ended = member.ended(today) if member and of_list else None
    where = stay.chambre, stay.elu_id, stay.elu_nom, stay.elu_groupe
    return Workplace(*where, stay.fin_apres, of_list and not ended, ended)


async def _movements(facts: Facts, slugs: list[str]) -> dict[str, list[Workplace]]:
    """Of names that no stay has, the office of the latest movement that has it."""
    return {
        row["adresse"]: [
            Workplace(
                row["chambre"],
                row["elu_id"] or "",
                row["elu_nom"] or "",
                row["elu_groupe"] or "",
                row["date_event"],
                by_list=False,
            )
        ]
        for row in await facts.reader.rows(
            f"""
            select n.adresse, c.chambre, c.elu_id, c.elu_nom, c.elu_groupe, c.date_event, max(c.rowid)
            {_MOVEMENTS_UNDER} group by n.adresse
            """,
            [json.dumps(slugs)],
        )
    }
