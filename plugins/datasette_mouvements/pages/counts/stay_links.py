"""Which stays follow which under one name, read for those that a page tells of."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from typing import NamedTuple

from parlement_lists.movement import Field, slug_of
from parlement_lists.tenure import Tenure

from ...dataset.schema import SPELLED_STAYS, STAYS, TENURES
from ...dataset.stays.lines import LEFT_ID, RETURN_DAYS, RETURN_OF
from ...dataset.stays.successions import (
    HOMONYMS_SQL,
    Succession,
    Successions,
    find_successions,
    homonyms,
)
from .facts import Read, Row, read_stays

# All stays under some addresses, in every spelling and chamber.
_UNDER = f"""
    where rowid in (select c.rowid from json_each(?) j cross join {SPELLED_STAYS} and n.adresse = j.value)
"""


# What files of movements say after the fields of the interface.
MOVEMENT_LINK_FIELDS = (
    Field(
        LEFT_ID,
        "Identifiant de l’élu quitté",
        "Identifiant de l’élu qu’un transfert quitte, si une collaboration le dit.",
        "99098Z",
        english="Identifier of the member whom a transfer leaves, if a stay says it.",
    ),
    Field(
        RETURN_DAYS,
        "Jours de l’absence",
        "D’une arrivée qui est un retour, et du départ auquel elle répond : jours écoulés du jour de fin de la"
        " collaboration à la liste du retour auprès du même élu.",
        "12",
        english="Of an arrival that is a return, and of the departure that it answers: days"
        " from the day in fin of the stay to the list of the return to the same"
        " member.",
    ),
)
# These as SQL: the joins of movements `m`, and the two columns.
MOVEMENT_LINKS = f"""
    left join {TENURES} e on e.mouvement_fin = m.id
    left join {TENURES} b on b.mouvement_debut = m.id
    left join returned back on back.id = b.id
    left join answered answer on answer.of = e.id
"""
MOVEMENT_LINK_COLUMNS = (
    "case m.type when 'transfert' then e.elu_id end, coalesce(back.days, answer.days)"
)
# SQLite makes an index of `of` only where its type is declared.
RETURNED = f"""
    with returned(id, of, days) as (
      select c.id, cast(json_extract(line, '$.{RETURN_OF}') as text),
        json_extract(line, '$.{RETURN_DAYS}')
      from (select rowid, cast(json as text) as line from {STAYS.lines}) l
      join {TENURES} c on c.rowid = l.rowid where instr(line, '"{RETURN_OF}"')),
    -- Two stays may return to one, of which the first answers it.
    answered(of, days) as (select of, min(days) from returned group by of)
"""


class StayLinks(NamedTuple):
    """What is told beside a movement or stay; none of them where nothing is."""

    returns: Succession | None = None  # to what somebody came back
    answered: Succession | None = None  # with what the end was answered
    elsewhere: Succession | None = None  # where the name is seen next


async def read_successions(read: Read, stays: Iterable[Tenure]) -> Successions:
    """What these stays follow and what follows them."""
    slugs = sorted({slug_of(one.collab_nom, one.collab_prenom) for one in stays})
    found = await read_stays(read, _UNDER, [json.dumps(slugs)])
    apart = homonyms(await read(HOMONYMS_SQL, []))
    return await asyncio.to_thread(find_successions, found, apart)


def links_of(found: Successions, begun: str, ended: str) -> StayLinks | None:
    """What is told of the stay that begins and of the one that ends, by their identifiers; None if nothing is.

    A transfer tells where the name is next by itself.
    """
    links = StayLinks(found.returns.get(begun), found.answered.get(ended), found.seen_next(ended))
    return links if any(links) else None


async def link(read: Read, rows: Iterable[Row], stays: Iterable[Tenure]) -> Successions:
    """Give each movement its `links`; `stays` are those that the movements begin and end."""
    stays = list(stays)
    found = await read_successions(read, stays)
    begun = {one.mouvement_debut: one.id for one in stays}
    ended = {one.mouvement_fin: one.id for one in stays}
    for row in rows:
        row["links"] = links_of(found, begun.get(row["id"], ""), ended.get(row["id"], ""))
    return found


async def link_arrivals(read: Read, rows: Iterable[Row]) -> None:
    """Give each arrival and transfer of a feed its `links`: those of a departure change after it was published."""
    arrivals = [row for row in rows if row["type"] != "depart"]
    ids = json.dumps([row["id"] for row in arrivals])
    begun = "where mouvement_debut in (select value from json_each(?))"
    await link(read, arrivals, await read_stays(read, begun, [ids]))
