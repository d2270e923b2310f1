"""Every page: what it says of itself, in which words, and where it leads."""

from __future__ import annotations

import re

import pytest

from datasette_mouvements.pages.runner import STRICT

from .conftest import Read

STAFF = (
    "/",
    "/recherche?q=valdorge",
    "/elus/assemblee/PA999001",
    "/collaborateurs/ormevalle-louis-ferreol",
)
OTHERS = ("/documentation", "/fichiers", "/elus/senat", "/-/cle")
PAGES = (*STAFF, *OTHERS)
pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize("path", PAGES)
async def test_a_page_is_french_and_loads_nothing_from_elsewhere(datasette, path):
    answer = await datasette.client.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-security-policy"] == STRICT
    assert '<html lang="fr">' in answer.text
    read = Read(answer.text)
    assert read.inline == []
    assert [address for address in read.addresses if not address.startswith("/")] == []
    assert len(read.ids) == len(set(read.ids))


@pytest.mark.parametrize("path", PAGES)
async def test_french_signs_keep_their_spaces(datasette, path):
    text = Read((await datasette.client.get(path)).text).text
    # The address of an example is not French.
    text = re.sub(r"https?://\S+", "", text)
    wrong = re.findall(r".{0,20} [;:!?»%](?= |$).{0,10}|.{0,10}« .{0,20}|.{0,20}\w'\w.{0,10}", text)
    assert [found for found in wrong if "D'ORVILLETTE" not in found] == []


async def test_links_of_pages_lead_somewhere(datasette):
    told: dict[str, str] = {}
    for path in PAGES:
        for link in Read((await datasette.client.get(path)).text).links:
            told.setdefault(link.partition("#")[0], path)
    for link, path in told.items():
        with_a_key = link.startswith(("/fichiers/", "/-/login")) or ".csv" in link
        if link.startswith("/") and not with_a_key:
            found = await datasette.client.get(link, follow_redirects=True)
            assert found.status_code == 200, (path, link)


@pytest.mark.parametrize("path", PAGES)
async def test_robots_are_kept_off_the_pages_that_name_staff(datasette, path):
    told = (await datasette.client.get(path)).headers.get("x-robots-tag")
    # The key page is an account's own.
    assert told == ("noindex" if path in (*STAFF, "/-/cle") else None)


async def test_pages_live_under_base_url(shared):
    datasette = await shared(base_url="/suivi/")
    for path in PAGES:
        answer = await datasette.client.get(path)  # which puts base_url before it
        assert answer.status_code == 200
        read = Read(answer.text)
        for address in (*read.links, *read.addresses):
            assert not address.startswith("/") or address.startswith("/suivi/"), (path, address)
            assert "/suivi/suivi/" not in address, (path, address)
        if path in ("/", "/documentation"):
            # The menu stands twice, wide and folded; the first page is the site's name.
            assert answer.text.count('aria-current="page"') == (1 if path == "/" else 2)


async def test_an_unknown_page_leads_home_in_french(datasette):
    answer = await datasette.client.get("/nulle-part")
    assert answer.status_code == 404
    assert "Page introuvable" in answer.text
    assert '<html lang="fr">' in answer.text
    assert "Database not found" not in answer.text


async def test_pages_are_read_only(datasette):
    answer = await datasette.client.post("/", data={"a": "b"})
    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET, HEAD"


async def test_head_answers_as_get_without_a_body(datasette):
    answer = await datasette.client.request("HEAD", "/documentation")
    assert answer.status_code == 200
    assert answer.content == b""


async def test_without_data_pages_say_so_and_ask_to_come_back(make, tmp_path):
    from datasette.utils.sqlite import sqlite3

    path = tmp_path / "movements.db"
    connection = sqlite3.connect(path)
    connection.execute("create table autre (a)")
    connection.close()
    datasette = await make(path=path)
    for page in ("/", "/elus/senat", "/flux"):
        answer = await datasette.client.get(page)
        assert answer.status_code == 503
        assert answer.headers["retry-after"] == "5"
        assert "momentanément indisponibles" in answer.text
    assert (await datasette.client.get("/documentation")).status_code == 200


async def test_robots_txt_lets_them_read_that_they_must_not_index(datasette):
    lines = (await datasette.client.get("/robots.txt")).text.splitlines()
    assert "Disallow: /movements/mouvements?" in lines
    assert not any(line in ("Disallow: /", "Disallow: /elus") for line in lines)


@pytest.mark.parametrize(
    ("path", "least"),
    [
        ("/collaborateurs/ormevalle-louis-ferreol", 1),
        ("/recherche?q=Ormevalle", 2),
        ("/elus/assemblee/PA999001", 0),
        ("/", 0),
        ("/semaine", 0),
    ],
)
async def test_no_robot_follows_an_address_that_holds_a_name(datasette, path, least):
    """It may not read where they lead, so it would keep the address, unread and with the name."""
    named = [
        tag
        for tag in re.findall(r"<a [^>]*>", (await datasette.client.get(path)).text)
        if re.search(r'href="/[^"?]*\?[^"]*(?:ormevalle|nom=[^&"])', tag, re.IGNORECASE)
    ]
    assert len(named) >= least
    assert [tag for tag in named if not re.search(r'rel="[^"]*\bnofollow"', tag)] == []


async def test_pages_follow_the_permissions_of_the_table(make):
    datasette = await make()
    datasette.config = {
        **(datasette.config or {}),
        "databases": {"movements": {"allow": {"id": "x"}}},
    }
    for path in ("/", "/recherche?q=orm", "/elus/senat", "/flux"):
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
    assert small.text.partition("<!--")[0] == plain.text.partition("<!--")[0]


PUBLIC_PAGES = [
    *(
        "/",
        "/documentation",
        "/elus/senat",
        "/elus/senat/99007Z",
        "/flux",
    ),
    "/collaborateurs/ormevalle-louis-ferreol",
]


@pytest.mark.parametrize("path", PUBLIC_PAGES)
async def test_no_cache_gives_a_page_made_for_one_host_to_another(shared, path):
    for settings, told in (({}, True), ({"public_url": "https://exemple.fr"}, False)):
        answer = await (await shared(settings)).client.get(path)
        assert (answer.status_code, "public" in answer.headers["cache-control"]) == (200, True)
        assert ("Host" in answer.headers.get("vary", "").split(", ")) == told


async def test_an_answer_of_the_interface_varies_by_host_until_the_public_address_is_known(shared):
    for settings, told in (({}, True), ({"public_url": "https://exemple.fr"}, False)):
        service = await shared(settings)
        for path in ("/v1/mouvements", "/v1/openapi.json", "/v1/nowhere", "/flux?chambre=mars"):
            answer = await service.client.get(path, headers={"Host": "autre.exemple"})
            assert ("Host" in answer.headers["vary"].split(", ")) == told
            assert told or "autre.exemple" not in answer.text
