"""A copy that is served speaks with the original's licence and attribution, unless the settings give others."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from datasette_mouvements.api.routes import routes_of
from datasette_mouvements.config import Config
from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.dataset.input_files import read
from datasette_mouvements.dataset.schema import COPY_ATTRIBUTION, COPY_LICENCE, COPY_OF
from datasette_mouvements.dataset.writer import write
from datasette_mouvements.pages.frame.instance import site_of
from tests.contract import environment
from tests.contract.service import InProcess

LICENCE, ATTRIBUTION = "Licence de l’original", "L’original, tel qu’il se nomme"
ADDRESSES = (
    *("/v1/mouvements", "/v1/changements", "/v1/quota", "/v1/mouvements?inconnu=1", "/v1/rien"),
    *("/-/mouvements/etat", "/v1/openapi.json", "/", "/documentation", "/flux", "/fichiers/tout"),
)


def make(path: Path, licence: str = "", attribution: str = "") -> Path:
    """A movements file: of the sample, a copy where credits are given."""
    given = ((COPY_LICENCE, licence), (COPY_ATTRIBUTION, attribution))
    rows = [(name, value) for name, value in given if value]
    if rows:
        rows.append((COPY_OF, "https://example.org"))
    inputs = [("sample", read(environment.SAMPLE))]
    write(path, inputs, {"_publication": rows})
    assert inspect(path) == []
    return path


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., InProcess]]:
    """Start a service of a file, with these settings of the plugin."""
    running: list[InProcess] = []

    def start(database: Path, **settings: Any) -> InProcess:
        internal = tmp_path / f"internal-{len(running)}.sqlite3"
        running.append(InProcess(environment.datasette(database, internal, settings), internal))
        return running[-1]

    yield start
    for one in running:
        one.close()


def replace(service: InProcess) -> None:
    """Have the service see that its file is another one."""
    routes = routes_of(service.datasette)
    assert routes is not None
    for _ in range(2):
        service.run(routes.service.live.look())
    assert routes.service.live.refused is None
    service.run(counted(service))


async def counted(service: InProcess) -> None:
    """Wait until what pages tell is that of the file served now."""
    site = site_of(service.datasette)
    assert site is not None
    await site.facts()
    counting = site.latest_facts._parts[-1]
    assert counting is not None
    await asyncio.wait([counting], timeout=30)


def told(service: InProcess, address: str, key: str) -> str:
    """What an address answers, as text without the accents' escapes and the pages' own spaces."""
    answer = service.ask(address, {"x-api-key": key})
    body = answer.body
    if address == "/fichiers/tout":
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            body = archive.read("LICENCE.txt") + archive.read("datapackage.json")
    text = body.decode()
    for spaced in ("\u202f", "\u00a0", "&nbsp;"):
        text = text.replace(spaced, " ")
    return text.replace("&#39;", "’").replace("&#8217;", "’")


def test_every_answer_of_a_copy_has_the_original_s_credits(
    tmp_path: Path, serve: Callable[..., InProcess]
) -> None:
    service = serve(make(tmp_path / "copy.db", LICENCE, ATTRIBUTION))
    key = environment.issue("compte", service.internal)
    for address in ADDRESSES:
        text = told(service, address, key)
        assert ATTRIBUTION in text, address
        assert LICENCE in text or address == "/", address
        # What Datasette itself says of the site stands on every page.
        assert Config().attribution not in text or address in ("/", "/documentation"), address


def test_credits_follow_the_file_while_it_is_served(
    tmp_path: Path, serve: Callable[..., InProcess]
) -> None:
    database = make(tmp_path / "movements.db")
    service = serve(database)
    key = environment.issue("compte", service.internal)
    tags = set()
    # The same movements each time: their version does not tell one from the other.
    for licence, attribution in (
        ("", ""),
        (LICENCE, ATTRIBUTION),
        (LICENCE, "Une autre"),
        ("", ""),
    ):
        make(database, licence, attribution)
        replace(service)
        wanted = attribution or Config().attribution
        for address in ADDRESSES:
            assert wanted in told(service, address, key), address
        tag = service.ask("/v1/mouvements", {"x-api-key": key}).header("etag")
        tags.add(tag)
    assert len(tags) == 3


def test_settings_that_give_others_are_kept(
    tmp_path: Path, serve: Callable[..., InProcess]
) -> None:
    database = make(tmp_path / "copy.db", LICENCE, ATTRIBUTION)
    service = serve(database, attribution="La nôtre")
    key = environment.issue("compte", service.internal)
    answer = json.loads(told(service, "/v1/mouvements?limit=1", key))
    assert (answer["licence"], answer["attribution"]) == (LICENCE, "La nôtre")


def test_who_works_where_is_not_known_of_a_copy(
    tmp_path: Path, serve: Callable[..., InProcess]
) -> None:
    service = serve(make(tmp_path / "copy.db", LICENCE, ATTRIBUTION))
    key = environment.issue("compte", service.internal)
    (one,) = json.loads(told(service, "/v1/mouvements?limit=1", key))["mouvements"]
    page = told(service, f"/elus/{one['chambre']}/{one['elu_id']}", key)
    assert "Qui travaille ici n’est pas connu : ces mouvements sont publiés sans listes." in page
    assert "Pas de liste connue" in told(service, "/", key)
    assert "pas de liste, donc pas de collaboration" in told(service, "/fichiers/tout", key)
