"""Which stays follow which under one name, read for those that a page tells of."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from typing import NamedTuple

from parlement_lists.movement import slug_of
from parlement_lists.tenure import Tenure

from ...dataset.schema import SPELLINGS, TENURES
from ...dataset.stays.successions import Succession, Successions, find_successions
from .facts import Read, Row, read_stays

# All stays under some addresses, in every spelling and chamber.
_UNDER = f"""
    where rowid in (select t.rowid from json_each(?) j cross join {SPELLINGS} n on n.adresse = j.value
      cross join {TENURES} t on t.collab_nom is nullif(n.nom, '')
        and t.collab_prenom is nullif(n.prenom, ''))
"""


class StayLinks(NamedTuple):
    """What is told beside a movement or stay; none of them where nothing is."""

    returns: Succession | None = None  # to what somebody came back
    answered: Succession | None = None  # with what the end was answered
    elsewhere: Succession | None = None  # where the name is seen next


async def read_successions(read: Read, stays: Iterable[Tenure]) -> Successions:
    """What these stays follow and what follows them, in one query."""
    slugs = sorted({slug_of(one.collab_nom, one.collab_prenom) for one in stays})
    found = await read_stays(read, _UNDER, [json.dumps(slugs)])
    return await asyncio.to_thread(find_successions, found)


def links_of(found: Successions, begun: str, ended: str) -> StayLinks | None:
    """What is told of the stay that begins and of the one that ends, by their identifiers; None if nothing is.

    A transfer tells where the name is next by itself.
    """
    after = found.elsewhere.get(ended)
    after = None if after is None or after.by_transfer else after
    links = StayLinks(found.returns.get(begun), found.answered.get(ended), after)
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
