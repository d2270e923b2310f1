"""How pages answer: methods, errors, permissions, hosts, base_url, gzip, what caches may keep."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing

import pytest

from datasette_mouvements import addresses
from datasette_mouvements.addresses import GONE
from tests.browser.places import PAGES
from tests.published import Published
from tests.tracking.lists import member

from . import years
from .conftest import Read

PUBLIC = {"public_url": "https://exemple.fr"}
# Addresses that no page for browsers has, and pages that name nobody.
FILES = ("/flux?chambre=senat", addresses.WHOLE_FILE)
# A wrong column would find no row, without an error.
ROWS_OF_BEFORE = {
    "/elus/senat.csv": "/movements/equipes.csv?_stream=1&chambre=senat",
    "/groupes/senat.csv": "/movements/groupes.csv?_stream=1&chambre=senat",
    "/groupes/senat/GRA.csv": "/movements/equipes.csv?_stream=1&chambre=senat&elu_groupe=GRA",
    "/elus/senat/1A.csv": "/movements/collaborations.csv?_stream=1&chambre=senat&elu_id=1A",
}
# Addresses of version 2: each answers with the page that answers its question now, or with 410.
OF_BEFORE = (
    *("/documentation/en", "/exemples/client.R", "/exemples/client.mjs"),
    *("/fichiers/recherche?chambre=senat", "/fichiers/mouvements.parquet", "/catalogue.jsonld"),
    *("/chiffres", "/chiffres/senat", "/parcours", "/collaborateurs"),
    "/collaborateurs/ormevalle-louis-ferreol/flux",
    *("/figures/groupes/senat/GRA", "/-/cle/deconnexion", "/chiffres/groupes.csv"),
    *ROWS_OF_BEFORE,
)
NAMELESS = {addresses.DOCUMENTATION, "/nulle-part", "/-/versions", "/-/auth-token"}


async def test_pages_live_under_base_url(shared):
    datasette = await shared(base_url="/suivi/")
    tables = ("/movements/mouvements?_size=5", "/movements/listes", "/movements")
    people = ("/recherche?q=valdorge", "/elus/assemblee/PA999001", "/-/cle")
    for path in ("/", "/documentation", "/fichiers", "/elus/senat", *people, *tables):
        answer = await datasette.client.get(path)  # which puts base_url before it
        assert answer.status_code == 200
        read = Read(answer.text)
        for address in (*read.links, *read.addresses):
            assert not address.startswith("/") or address.startswith("/suivi/"), (path, address)
            assert "/suivi/suivi/" not in address, (path, address)
    moved = await datasette.client.get("/movements/mouvements/mvt_a")
    assert moved.headers["location"] == "/suivi/mouvements/mvt_a"


async def test_the_menu_says_which_of_its_pages_leads_here(datasette):
    async def text(path: str) -> str:
        return (await datasette.client.get(path)).text

    # It stands twice, wide and folded; the first page is the site's name.
    assert (await text("/elus/assemblee")).count('href="/elus" aria-current="true"') == 2
    assert (await text("/documentation")).count('aria-current="page"') == 2
    assert (await text("/")).count('aria-current="page"') == 1
    assert "aria-current" not in await text("/fichiers")


async def test_an_unknown_page_leads_home_in_french(datasette):
    answer = await datasette.client.get("/nulle-part")
    assert answer.status_code == 404
    assert "Page introuvable" in answer.text
    assert "Database not found" not in answer.text


async def test_an_error_of_core_is_told_in_french(datasette):
    wrong = await datasette.client.get("/movements/mouvements?_sort=rien")
    assert wrong.status_code == 400
    assert "Un filtre, un tri ou une recherche que donne cette adresse ne se lit pas" in wrong.text
    assert "Cannot" not in wrong.text


async def test_pages_are_read_only_and_head_has_no_body(datasette):
    answer = await datasette.client.post("/", data={"a": "b"})
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")
    answer = await datasette.client.request("HEAD", "/documentation")
    assert (answer.status_code, answer.content) == (200, b"")


async def test_without_data_pages_say_so_and_ask_to_come_back(make, tmp_path):
    path = tmp_path / "movements.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table autre (a)")
    datasette = await make(path=path)
    for page in ("/", "/elus/senat", "/flux"):
        answer = await datasette.client.get(page)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        assert "momentanément indisponibles" in answer.text
    assert (await datasette.client.get("/documentation")).status_code == 200


async def test_pages_and_feeds_follow_the_permissions_of_the_table(make):
    datasette = await make()
    allowed = {"databases": {"movements": {"allow": {"id": "x"}}}}
    datasette.config = {**(datasette.config or {}), **allowed}
    indexes = ("/elus", "/groupes", "/sources", "/fichiers", "/elections/2024", "/semaine")
    for path in ("/", "/recherche?q=orm", "/elus/senat", "/flux", *indexes):
        assert (await datasette.client.get(path)).status_code == 403
        shown = await datasette.client.get(path, actor={"id": "x"})
        assert (shown.status_code, shown.headers["cache-control"]) == (200, "private, no-store")
        assert (await datasette.client.get(path, actor={"id": "y"})).status_code == 403
    assert (await datasette.client.get("/documentation")).status_code == 200


@pytest.mark.parametrize("path", ["/", "/documentation"])
async def test_large_pages_are_compressed_for_those_who_take_it(datasette, path):
    small = await datasette.client.get(path, headers={"Accept-Encoding": "gzip"})
    plain = await datasette.client.get(path, headers={"Accept-Encoding": "identity"})
    assert small.headers["content-encoding"] == "gzip"
    assert "Accept-Encoding" in small.headers["vary"]
    assert "content-encoding" not in plain.headers
    assert small.text == plain.text


@pytest.mark.parametrize(("settings", "varies"), [({}, True), (PUBLIC, False)])
async def test_no_cache_gives_an_answer_made_for_one_host_to_another(shared, settings, varies):
    service = await shared(settings)
    staff = "/collaborateurs/ormevalle-louis-ferreol"
    for path in ("/", "/documentation", "/elus/senat", "/elus/senat/99007Z", "/flux", staff):
        answer = await service.client.get(path)
        assert (answer.status_code, "public" in answer.headers["cache-control"]) == (200, True)
        assert ("Host" in answer.headers.get("vary", "").split(", ")) == varies
    for path in ("/v1/mouvements", "/v1/openapi.json", "/v1/nowhere", "/flux?chambre=mars"):
        answer = await service.client.get(path, headers={"Host": "autre.exemple"})
        assert ("Host" in answer.headers["vary"].split(", ")) == varies
        assert varies or "autre.exemple" not in answer.text


async def seconds(datasette, path: str) -> int:
    """How long a cache may give the answer without asking again."""
    answer = await datasette.client.get(path)
    if answer.status_code in (301, 302):
        return 0
    kept = answer.headers.get("cache-control", "")
    # Without it caches guess by these.
    assert kept or not {"last-modified", "expires"} & set(answer.headers), path
    assert not re.search("immutable|s-maxage|stale", kept), path
    age = re.search(r"max-age=(\d+)", kept)
    return int(age[1]) if age else 0


async def test_a_page_is_kept_for_a_minute_and_a_file_for_five_at_most(served, sample):
    """An erasure reaches nobody sooner."""
    [[stay]] = Published(sample).rows("select id from collaborations limit 1")
    rows = (f"/movements/collaborations/{stay}", "/movements/listes")
    for path in (*PAGES.values(), *rows):
        if path not in NAMELESS:
            assert await seconds(served, path) <= 60, path
    for path in FILES:
        assert await seconds(served, path) <= 300, path


async def test_a_member_has_the_spelling_of_the_latest_list_on_every_page(changed, listed):
    before = "'Avant D’ALORS'"
    datasette = await changed(
        listed,
        f"update mouvements set elu_nom = {before} where elu_nom is not null",
        f"update collaborations set elu_nom = {before} where elu_nom is not null",
        f"update mouvements set elu_origine_nom = {before} where type = 'transfert'",
        now=years.TODAY,
    )
    transfer = Published(listed).rows("select id from mouvements where type = 'transfert'")[0][0]
    for page in (
        "/semaine/2026-W23",
        f"/mouvements/{transfer}",
        "/explorer?type=transfert",
        f"/elus/senat/{member('senat', years.STILL)}",
        "/collaborateurs/vingtain-joe",
        "/flux?type=transfert",
    ):
        answer = await datasette.client.get(page, follow_redirects=True)
        assert answer.status_code == 200, page
        assert "Élue N" in answer.text, page
        assert "ALORS" not in answer.text, page


def pattern_of(address: str) -> str:
    (pattern,) = (one for one in GONE if re.fullmatch(one, address.partition("?")[0]))
    return pattern


def test_every_pattern_is_tried():
    assert {pattern_of(address) for address in OF_BEFORE} == set(GONE)


@pytest.mark.parametrize("address", OF_BEFORE)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_an_address_that_is_gone_leads_on_or_says_so(datasette, method, address):
    answer = await datasette.client.request(method, address)
    pattern = pattern_of(address)
    if GONE[pattern]:
        parts = re.fullmatch(pattern, address.partition("?")[0]).groupdict()
        place = GONE[pattern].format(database="movements", **parts)
        assert (answer.status_code, answer.headers["location"]) == (301, place)
        there = await datasette.client.get(place, actor={"id": "x"})
        # Staff need a key.
        assert there.status_code == (401 if "/collaborations.csv" in place else 200)
        assert place == ROWS_OF_BEFORE.get(address, place)
    else:
        assert answer.status_code == 410
        assert "noindex" in answer.headers["x-robots-tag"]
        assert method == "HEAD" or "n’existe plus" in answer.text
