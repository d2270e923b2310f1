"""Invented data say that they are, on every page, in every file and feed; and they never age."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from datasette_mouvements.dataset.coverage import MARK, NOTE
from tests.contract import environment
from tests.tracking import lists

from .conftest import site

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture(scope="module")
def invented(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("invented")
    for day in ("2020-03-02", "2020-03-03", "2020-03-14"):
        content = lists.AFTER if day > "2020-03-02" else lists.STAFF
        lists.write(folder / "lists", "senat", day, content)
    lists.write(folder / "lists", "assemblee", "2020-01-14", lists.many(40))
    environment.done("build", folder / "x.db", "--lists", folder / "lists", "--invented")
    return folder / "x.db"


@pytest.fixture
async def served(shared: Any, invented: Path) -> Any:
    return await shared(
        {"open_whole_file": True, "public_url": "https://exemple.fr", "allow_invented": True},
        path=invented,
    )


@pytest.mark.parametrize(
    "page", ["/", "/documentation", "/explorer", "/movements/mouvements", "/nul"]
)
async def test_every_page_says_so(served, datasette, page):
    said = "Données inventées."
    assert said in (await served.client.get(page, follow_redirects=True)).text
    assert said not in (await datasette.client.get(page, follow_redirects=True)).text


async def test_every_answer_has_it_in_its_attribution(served):
    for path in ("/-/mouvements/etat", "/v1/mouvements"):
        assert (await served.client.get(path)).json()["attribution"].startswith(NOTE), path
    assert NOTE in (await served.client.get("/v1/openapi.json")).json()["info"]["description"]


async def test_a_feed_has_it_in_title_and_rights(served, datasette):
    def said(feed: ElementTree.Element) -> list[bool]:
        names = ("title", "rights", "subtitle")
        return [(feed.findtext(ATOM + name) or "").startswith(MARK) for name in names]

    for one, expected in ((served, True), (datasette, False)):
        feed = ElementTree.fromstring((await one.client.get("/flux")).content)
        assert said(feed) == [expected] * 3


async def test_the_file_of_all_data_has_it_in_its_name_its_notice_and_its_description(served):
    answer = await served.client.get("/fichiers/tout")
    assert 'filename="donnees-inventees-mouvements-' in answer.headers["content-disposition"]
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        notice = archive.read("LICENCE.txt").decode()
        package = json.loads(archive.read("datapackage.json"))
    assert notice.startswith(NOTE)
    assert "Source," not in notice  # nobody published these lists
    assert package["title"].startswith(MARK)
    assert package["attribution"].startswith(NOTE)


async def test_today_is_the_day_after_the_newest_list(served):
    pages = site(served)
    assert pages.today.isoformat() == "2020-03-15"
    state = (await served.client.get("/-/mouvements/etat")).json()["chambres"]
    assert (state["senat"]["age_jours"], state["senat"]["en_retard"]) == (1, False)
    # A list that is late beside the newest one stays late.
    assert (state["assemblee"]["age_jours"], state["assemblee"]["en_retard"]) == (61, True)
    assert pages.service.invented


def test_nobody_is_credited_with_invented_lists(served):
    assert site(served).credits == []


@pytest.mark.parametrize(
    "settings", [{}, {"public_url": "https://exemple.fr", "allow_invented": True}]
)
async def test_they_need_nobody_to_write_to(make, caplog, invented, settings):
    await make(settings, path=invented)
    assert "contact" not in caplog.text
