"""Each kind of page rendered once before a visitor asks: after a start, and after each new version."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from urllib.parse import urlsplit

from datasette.app import Datasette
from datasette.utils import PrefixedUrlString
from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import CHAMBERS

from .. import addresses, memory
from ..dataset.schema import TENURES
from .counts.facts import Facts, Part
from .frame.instance import site_of
from .frame.site import Site

# Seconds before each page: visitors go first, and a service that is only tried pays little.
PAUSE = 1.0
OF_THE_SITE = (
    "/",
    "/elus",
    "/semaine",
    "/groupes",
    "/classements",
    "/chiffres",
    "/collaborateurs",
    "/parcours",
    "/sources",
    addresses.DOCUMENTATION,
)
OF_A_CHAMBER = ("/elus/", "/classements/", "/chiffres/")


async def prerender(datasette: Datasette, pause: float = PAUSE) -> None:
    """Render the pages of each version once it is counted, for ever; `pause` is in seconds.

    Then the memory that this took and does not need any more goes back to the system.
    """
    site, rendered = site_of(datasette), ""
    while site is not None:
        await asyncio.sleep(pause)
        facts = site.latest_facts.known
        if facts is None or facts.counted_to is not max(Part) or facts.build == rendered:
            continue
        rendered = facts.build
        with suppress(sqlite3.Error):  # the next visitor is told of a file that cannot be read
            for path in await _paths(site, facts):
                # Most visitors come by the public address; for any other one only what is counted is ready.
                address = PrefixedUrlString(_origin(site) + path)
                await datasette.client.get(address)
                await asyncio.sleep(pause)
        await asyncio.to_thread(memory.give_back)


def _origin(site: Site) -> str:
    public = urlsplit(site.config.public_url)
    return f"{public.scheme}://{public.netloc}" if public.netloc else "http://localhost"


async def _paths(site: Site, facts: Facts) -> list[str]:
    """One page of each kind; of those that are many, that of the latest movement."""
    paths = [site.path(path) for path in OF_THE_SITE]
    paths += [site.path(path + chamber) for path in OF_A_CHAMBER for chamber in CHAMBERS]
    paths += [site.table, site.sidebar_table(TENURES)]
    for row in await facts.reader.movements("order by rowid desc limit 1", []):
        paths.append(site.movement(row["id"]))
        paths.append(site.member(row["chambre"], row["elu_id"]))
        paths.append(site.staff(row["collab_nom"], row["collab_prenom"]))
        if row["elu_groupe"]:
            paths.append(site.group_page(row["chambre"], row["elu_groupe"]))
    return [path for path in paths if path]
