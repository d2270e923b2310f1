"""What the page of one movement or stay tells of the stays before and after it."""

from __future__ import annotations

from ..counts.facts import CountPending
from ..counts.stay_links import StayLinks, links_of, read_successions
from ..frame.site import Site


async def of_movement(site: Site, identifier: str) -> StayLinks | None:
    """What is told beside a movement; None also while no version is counted."""
    return await _read(site, "mouvement_debut = :id", "mouvement_fin = :id", identifier)


async def of_stay(site: Site, identifier: str) -> StayLinks | None:
    """The same of a stay, of its begin and its end."""
    return await _read(site, "id = :id", "id = :id", identifier)


async def _read(site: Site, begins: str, ends: str, identifier: str) -> StayLinks | None:
    try:
        reader = (await site.facts()).reader
    except CountPending:
        return None
    begun = await reader.stays(f"where {begins}", {"id": identifier})
    ended = await reader.stays(f"where {ends}", {"id": identifier})
    found = await read_successions(reader.rows, [*begun, *ended])
    return links_of(found, *("".join(one.id for one in some) for some in (begun, ended)))
