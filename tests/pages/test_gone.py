"""What addresses of version 2 answer: the page that answers their question now, or 410."""

from __future__ import annotations

import re

import pytest

from datasette_mouvements.addresses import GONE

pytestmark = pytest.mark.asyncio
ADDRESSES = (
    *("/documentation/en", "/exemples/client.R", "/exemples/client.mjs"),
    *("/fichiers/recherche?chambre=senat", "/fichiers/mouvements.parquet", "/catalogue.jsonld"),
    *("/chiffres", "/chiffres/senat", "/parcours", "/collaborateurs"),
    "/collaborateurs/ormevalle-louis-ferreol/flux",
    *("/figures/groupes/senat/GRA", "/-/cle/deconnexion", "/chiffres/groupes.csv"),
    *("/elus/senat.csv", "/groupes/senat.csv", "/groupes/senat/GRA.csv", "/elus/senat/14263U.csv"),
)


def pattern_of(address: str) -> str:
    (pattern,) = (one for one in GONE if re.fullmatch(one, address.partition("?")[0]))
    return pattern


async def test_every_pattern_is_tried():
    assert {pattern_of(address) for address in ADDRESSES} == set(GONE)


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_an_address_that_is_gone_leads_on_or_says_so(datasette, method, address):
    answer = await datasette.client.request(method, address)
    pattern = pattern_of(address)
    if GONE[pattern]:
        parts = re.fullmatch(pattern, address.partition("?")[0]).groupdict()
        place = GONE[pattern].format(database="movements", **parts)
        assert (answer.status_code, answer.headers["location"]) == (301, place)
        # Core's own page sends who is not signed in elsewhere, and whole tables may need a key.
        status = (await datasette.client.get(place)).status_code
        assert status == 200 or (place, status) == ("/-/logout", 302) or ".csv" in place
    else:
        assert answer.status_code == 410
        assert "noindex" in answer.headers["x-robots-tag"]
        assert method == "HEAD" or "n’existe plus" in answer.text
