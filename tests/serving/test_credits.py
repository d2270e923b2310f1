"""Every answer, file and feed names the sources of the lists that are served: their licences oblige to it."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from pathlib import Path

import pytest

from datasette_mouvements.config import Config
from datasette_mouvements.dataset.coverage import Coverage, with_credits
from parlement_lists.movement import CHAMBERS
from tests.contract import environment
from tests.contract.service import Answer, InProcess, Start, adopt, behind
from tests.tracking import lists

OWN = Config().attribution
SENATE = "Listes : Sénat, Licence Ouverte 2.0"
BOTH = (
    "Listes : Assemblée nationale, Licence Ouverte 2.0 ; Regards Citoyens (Assemblée nationale, Sénat), ODbL 1.0"
    " ; Sénat, Licence Ouverte 2.0"
)
ARCHIVE = "Listes : Sénat, Licence Ouverte 2.0 ; Regards Citoyens (Sénat), ODbL 1.0"


def reach(**chambers: tuple[str, str]) -> dict[str, Coverage]:
    """The coverage of chambers with lists between these days."""
    return {chamber: Coverage(*chambers.get(chamber, ())) for chamber in CHAMBERS}


@pytest.mark.parametrize(
    ("chambers", "sources"),
    [
        ({"senat": ("2023-11-01", "2026-09-14")}, SENATE),
        ({"senat": ("2023-10-31", "2026-09-14")}, ARCHIVE),
        ({"senat": ("2016-01-01", "2026-09-14"), "assemblee": ("2015-01-01", "2017-01-01")}, BOTH),
        (
            {"europarl": ("2019-01-01", "2026-09-14")},
            "Listes : Parlement européen, réutilisation autorisée, source citée ; Parltrack (Parlement"
            " européen), ODbL 1.0",
        ),
    ],
)
@pytest.mark.parametrize("text", ["La nôtre", "La nôtre."])
def test_a_text_is_followed_by_the_sources_of_the_lists(
    chambers: dict[str, tuple[str, str]], sources: str, text: str
) -> None:
    assert with_credits(text, reach(**chambers)) == f"La nôtre. {sources}"


def test_without_lists_there_is_nobody_to_name() -> None:
    assert with_credits("La nôtre", reach()) == "La nôtre"


def build(folder: Path, *chambers: str, year: int = 2026, invented: bool = False) -> Path:
    """A file with an arrival at the Senate, and a list of each of these chambers, from which nobody moves."""
    lists.write(folder / "lists", "senat", f"{year}-09-12", lists.STAFF)
    lists.write(folder / "lists", "senat", f"{year}-09-14", lists.AFTER)
    for chamber in chambers:
        lists.write(folder / "lists", chamber, f"{year}-09-14", lists.many(40))
    options = ["--invented"] if invented else []
    environment.done("build", folder / "x.db", "--lists", folder / "lists", *options)
    return folder / "x.db"


def texts(service: InProcess) -> dict[str, str]:
    """The attribution that each kind of answer has."""
    key = {"x-api-key": environment.issue("compte", service.internal)}
    answers = {
        path: service.ask(path, key).json()["attribution"]
        for path in (
            *("/v1/mouvements", "/v1/changements", "/v1/collaborations", "/v1/couverture"),
            *("/v1/quota", "/v1/mouvements?inconnu=1", "/-/mouvements/etat"),
        )
    }
    with zipfile.ZipFile(io.BytesIO(service.ask("/fichiers/tout", key).body)) as archive:
        answers["package"] = json.loads(archive.read("datapackage.json"))["attribution"]
        notice = archive.read("LICENCE.txt").decode()
    answers["notice"] = notice.partition("Mention à reproduire : ")[2].partition("\r\n")[0]
    feed = service.ask("/flux").body.decode()
    answers["feed"] = feed.partition("<subtitle>")[2].partition("</subtitle>")[0]
    description = service.ask("/v1/openapi.json").json()["info"]["description"]
    answers["openapi"] = description.partition("vous réutilisez les données : ")[2]
    return answers


def test_every_answer_file_and_feed_names_them(tmp_path: Path, in_process: Start) -> None:
    for own, settings in ((OWN, {}), ("La nôtre", {"attribution": "La nôtre"})):
        folder = tmp_path / own
        service = in_process(settings, database=build(folder, "assemblee", year=2022))
        for name, text in texts(service).items():
            assert text.startswith(f"{own}. {BOTH}"), name


def test_invented_lists_are_owed_to_nobody(tmp_path: Path, in_process: Start) -> None:
    service = in_process(database=build(tmp_path, invented=True))
    for name, text in texts(service).items():
        assert OWN in text, name
        assert "Listes :" not in text, name


def test_what_is_adopted_while_a_key_is_looked_at_is_told_whole(
    tmp_path: Path, in_process: Start
) -> None:
    service = in_process(database=build(tmp_path))
    key = {"x-api-key": environment.issue("compte", service.internal)}
    before = service.ask("/v1/collaborations", key)

    async def replaced() -> Answer:
        async with behind(service).charging._store_in_use:
            asking = asyncio.ensure_future(service.answer("/v1/collaborations?limit=100", key))
            await asyncio.sleep(0)
            build(tmp_path, "assemblee")
            for _ in range(2):
                await behind(service).served.look()
        return await asking

    during, after = service.run(replaced()), service.ask("/v1/collaborations", key)
    name = "mouvements-version"
    assert during.header(name) == after.header(name) != before.header(name)
    assert during.json() == after.json() != before.json()


def test_lists_of_another_source_change_the_etag_of_the_same_movements(
    tmp_path: Path, in_process: Start
) -> None:
    service = in_process(database=build(tmp_path))
    key = {"x-api-key": environment.issue("compte", service.internal)}
    before = service.ask("/v1/mouvements", key)
    assert service.ask("/v1/openapi.json").status == 200
    build(tmp_path, "assemblee")
    adopt(service)
    after = service.ask("/v1/mouvements", key | {"if-none-match": before.header("etag")})
    assert after.status == 200
    assert after.json()["mouvements"] == before.json()["mouvements"]
    assert before.json()["attribution"] == f"{OWN}. {SENATE}"
    for answer in (after, service.ask("/v1/openapi.json")):
        assert "Assemblée nationale, Licence Ouverte 2.0" in answer.body.decode()
