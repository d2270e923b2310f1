"""The tools for assistants, asked over HTTP as a client of datasette-mcp asks them."""

from __future__ import annotations

import csv
import io
import itertools
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from datasette.app import Datasette

from tests.contract import environment
from tests.contract.service import OverHttp
from tests.pages import three_groups, years
from tests.tracking.lists import member
from tests.updating.corrections_file import corrections

from .mcp_client import Client, serve

pytestmark = pytest.mark.process
FAMILY = three_groups.NEW.split()[1]
DAY = "2026-05-05"
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("collaborations_du_jour", {"le": DAY}),
    ("mouvements_de_la_semaine", {"jour": DAY}),
    ("rotation", {"chambre": "senat"}),
    ("couverture", {}),
]
ACCOUNTS = itertools.count(1)


@pytest.fixture(scope="module")
def service(with_mcp: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OverHttp]:
    """One that serves three chambers with holes, in which one name is withheld."""
    folder = tmp_path_factory.mktemp("assistants")
    database = three_groups.build(folder)
    withheld = corrections(folder, f"masquer: {{nom: {three_groups.NEW}}}")
    environment.done("mask", database, "--corrections", withheld)
    running = serve(with_mcp, database, folder / "internal.sqlite3")
    yield running
    running.close()


@pytest.fixture
def key(service: OverHttp) -> dict[str, str]:
    """The header of a new key."""
    return new_key(service, f"assistant-{next(ACCOUNTS)}")


@pytest.fixture
def client(service: OverHttp, key: dict[str, str]) -> Client:
    return Client(service.port, key)


def new_key(service: OverHttp, account: str, *options: object) -> dict[str, str]:
    return {"Authorization": f"Bearer {environment.issue(account, service.internal, *options)}"}


def used(service: OverHttp, key: dict[str, str]) -> int:
    number: int = service.ask("/v1/quota", key).json()["utilise"]
    return number


def table(service: OverHttp, path: str, key: dict[str, str]) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(service.ask(path, key).body.decode("utf-8-sig"))))


def test_the_tools_are_listed_to_everyone_with_what_they_accept(service: OverHttp) -> None:
    listed = {one["name"]: one for one in Client(service.port).ask("tools/list", {})["tools"]}
    for name, arguments in CALLS:
        schema = listed[name]["inputSchema"]
        assert schema.get("required", []) == list(arguments)
        assert all(one["description"] for one in schema["properties"].values())
        assert listed[name]["annotations"]["readOnlyHint"]


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_without_a_key_a_tool_says_where_one_is_had_and_nothing_else(
    service: OverHttp, name: str, arguments: dict[str, Any]
) -> None:
    answer = Client(service.port).call(name, **arguments)
    asked = service.ask("/v1/mouvements").json()
    assert answer.failed
    assert answer.json() == asked
    assert f"http://127.0.0.1:{service.port}/-/cle" in asked["detail"]


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_every_answer_has_the_lists_the_licence_and_whom_to_name(
    service: OverHttp, client: Client, key: dict[str, str], name: str, arguments: dict[str, Any]
) -> None:
    known = service.ask("/v1/couverture", key).json()
    assert any(one["trous"] for one in known["couverture"].values())
    assert known.items() <= client.call(name, **arguments).json().items()


@pytest.mark.parametrize(
    ("name", "arguments", "asked"),
    [
        (*CALLS[0], f"/v1/collaborations?le={DAY}&limit=100"),
        (*CALLS[1], "/v1/mouvements?depuis=2026-05-04&jusqua=2026-05-10"),
    ],
)
def test_an_answer_is_that_of_the_interface(
    service: OverHttp,
    client: Client,
    key: dict[str, str],
    name: str,
    arguments: dict[str, Any],
    asked: str,
) -> None:
    expected = service.ask(asked, key).json()
    assert expected["total"]
    assert expected.items() <= client.call(name, **arguments).json().items()


def test_pages_lead_to_each_other_until_all_is_told(client: Client) -> None:
    found, offset = [], 0
    while True:
        page = client.call("collaborations_du_jour", le=DAY, limit=500, offset=offset).json()
        found += [one["id"] for one in page["collaborations"]]
        if "suite" not in page:
            break
        offset = page["suite"]["offset"]
    assert offset
    assert len(set(found)) == len(found) == page["total"]


def test_turnover_is_that_of_the_files(
    service: OverHttp, client: Client, key: dict[str, str]
) -> None:
    offices = table(service, "/classements/senat.csv", key)
    rated = [one for one in offices if one["part"]]
    assert {one["part"] for one in rated} > {"0.0000"}
    for one in offices:
        told = client.call("rotation", chambre="senat", elu=one["elu_id"]).json()
        names = ("depuis", "parties", "passees", "part", "non_calculable")
        assert shown(told, *names) == {name: one[name] for name in names}
    for one in table(service, "/groupes/senat.csv", key):
        told = client.call("rotation", chambre="senat", groupe=one["groupe"]).json()
        names = ("part_mediane", "equipes")
        assert shown(told, *names) == {name: one[name] for name in names}
    whole = client.call("rotation", chambre="senat").json()
    assert whole["part_mediane"] == statistics.median(float(one["part"]) for one in rated)


def test_turnover_of_a_chamber_is_that_of_its_stays(
    service: OverHttp, client: Client, key: dict[str, str]
) -> None:
    told = client.call("rotation", chambre="senat").json()
    stays = service.ask("/v1/collaborations?chambre=senat&limit=500", key).json()
    left = service.ask("/v1/mouvements?chambre=senat&type=depart&limit=500", key).json()
    gone = {one["id"] for one in left["mouvements"] if not one["contexte"]}
    last = {}
    for one in reversed(stays["collaborations"]):  # the earliest first
        if one.get("fin", "~") >= told["depuis"]:
            last[one.get("collab_nom", one["id"])] = one.get("mouvement_fin")
    assert gone & set(last.values())
    assert told["passees"] == len(last)
    assert told["parties"] == sum(end in gone for end in last.values())


def shown(told: dict[str, Any], *names: str) -> dict[str, str]:
    """Values as files write them, "" for those that are not told."""
    found = {name: told.get(name, "") for name in names}
    return {n: f"{v:.4f}" if isinstance(v, float) else str(v) for n, v in found.items()}


def test_a_figure_that_is_not_known_is_not_given(client: Client) -> None:
    across = client.call("rotation", chambre="assemblee").json()
    assert "part" not in across
    assert across["non_calculable"] == across["reserves"]["assemblee"]
    within = client.call("rotation", chambre="europarl").json()
    assert within["part"] is not None
    assert within["reserves"].keys() == {"europarl"}


def test_a_day_before_the_first_list_is_said_to_be_unknown(client: Client) -> None:
    before = client.call("collaborations_du_jour", le="2019-01-01").json()
    assert before["total"] == 0
    assert before["reserves"].keys() == {"assemblee", "senat", "europarl"}
    assert all("le" not in one for one in before["listes"].values())
    assert client.call("collaborations_du_jour", le=years.FIRST).json()["reserves"] == {}


def test_a_week_in_a_hole_is_said_to_be_unknown(client: Client) -> None:
    week = client.call("mouvements_de_la_semaine", jour="2026-01-28", chambre="europarl").json()
    assert (week["semaine"], week["total"]) == ("2026-W05", 0)
    assert week["reserves"].keys() == {"europarl"}
    day = client.call("collaborations_du_jour", le="2026-01-28").json()
    assert day["reserves"].keys() == {"europarl"}
    assert (day["listes"]["europarl"]["le"], day["listes"]["europarl"]["suivante"]) == years.HOLE


def test_a_call_is_charged_as_a_request_is(
    service: OverHttp, client: Client, key: dict[str, str]
) -> None:
    client.ask("tools/list", {})
    assert client.call("rotation").failed  # the schema refuses it
    assert used(service, key) == 0
    for count, (name, arguments) in enumerate(CALLS, 1):
        assert not client.call(name, **arguments).failed
        assert used(service, key) == count
    assert client.call("rotation", chambre="x").failed  # a 400 is charged
    assert used(service, key) == len(CALLS) + 1


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_past_the_quota_a_tool_says_what_the_interface_says(
    service: OverHttp, name: str, arguments: dict[str, Any]
) -> None:
    key = new_key(service, f"epuise-{name}", "--quota", 1)
    client = Client(service.port, key)
    assert not client.call(name, **arguments).failed
    answer, asked = client.call(name, **arguments), service.ask("/v1/mouvements", key)
    assert (answer.failed, asked.status) == (True, 429)
    assert answer.json() == asked.json()
    assert used(service, key) == 1


def test_each_call_is_paid_by_its_own_key_whoever_opened_the_session(
    service: OverHttp, client: Client, key: dict[str, str]
) -> None:
    other = new_key(service, f"autre-{next(ACCOUNTS)}")
    client.headers = {"X-API-Key": other["Authorization"].removeprefix("Bearer ")}
    assert not client.call("couverture").failed
    assert (used(service, key), used(service, other)) == (0, 1)
    client.headers = {}
    assert client.call("couverture").failed


def test_a_signed_in_account_pays(service: OverHttp) -> None:
    account = f"connectee-{next(ACCOUNTS)}"
    key = new_key(service, account)
    signed = Datasette([], secret=environment.SECRET).client.actor_cookie({"id": account})
    client = Client(service.port, {"Cookie": f"ds_actor={signed}"})
    assert not client.call("couverture").failed
    assert used(service, key) == 1


def test_a_withheld_name_is_nowhere(client: Client) -> None:
    arrived = client.call("mouvements_de_la_semaine", jour=three_groups.ARRIVED, type="arrivee")
    team = {"elu": member("senat", 2)}
    stays = client.call("collaborations_du_jour", le=DAY, **team)
    # What is told of the person is there, without the name.
    assert ["collab_nom" in one for one in arrived.json()["mouvements"]] == [False]
    assert ["collab_nom" in one for one in stays.json()["collaborations"]].count(False) == 1
    by_name = client.call("collaborations_du_jour", le=DAY, nom=three_groups.NEW)
    assert by_name.json()["total"] == 0
    turnover = client.call("rotation", chambre="senat", **team)
    for answer in (arrived, stays, by_name, turnover):
        assert not answer.failed
        assert FAMILY.lower() not in answer.text.lower()


@pytest.mark.parametrize(
    "wrong",
    [{"le": "hier"}, {"le": ""}, {"le": DAY, "chambr": "senat"}, {"le": DAY, "limit": 501}],
)
def test_wrong_arguments_are_told_as_parameters_are(
    service: OverHttp, client: Client, key: dict[str, str], wrong: dict[str, Any]
) -> None:
    answer = client.call("collaborations_du_jour", **wrong)
    assert answer.failed
    assert answer.json() == service.ask(f"/v1/collaborations?{urlencode(wrong)}", key).json()


@pytest.mark.parametrize(
    ("wrong", "at_fault"),
    [
        ({"chambre": "senat", "groupe": "NULLEPART"}, ["groupe"]),
        ({"chambre": "senat", "elu": "00000X"}, ["elu"]),
        ({"chambre": "senat", "elu": member("senat", 1), "groupe": "GRA"}, ["groupe", "elu"]),
        ({"chambre": "senat", "le": DAY}, ["le"]),
    ],
)
def test_turnover_of_nobody_is_refused(
    client: Client, wrong: dict[str, Any], at_fault: list[str]
) -> None:
    told = client.call("rotation", **wrong).json()
    assert (told["status"], told.get("parametres", [told["parametre"]])) == (400, at_fault)


def test_the_last_week_of_the_calendar_is_answered(client: Client) -> None:
    week = client.call("mouvements_de_la_semaine", jour="9999-12-31")
    assert (week.failed, week.json()["semaine"]) == (False, "9999-W52")
