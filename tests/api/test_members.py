"""/v1/elus: the members whose staff a list ever named, as the folder of members and the pages know them."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from datasette_mouvements.api.routes import routes_of
from datasette_mouvements.dataset.served.member_rows import MembersOfDay, ServedMembers
from datasette_mouvements.pages.frame.instance import site_of
from tests.contract import environment
from tests.contract.service import InProcess
from tests.pages import years
from tests.tracking.lists import member

MEMBERS = "/v1/elus"


class Asked:
    """A service and a key, on the day of the lists."""

    def __init__(self, database: Path, folder: Path) -> None:
        internal = folder / "i.sqlite3"
        self.service = InProcess(environment.datasette(database, internal), internal)
        self.key = {"X-API-Key": environment.issue("qui", internal)}
        self.at(years.TODAY)

    def at(self, now: datetime.datetime) -> None:
        routes = routes_of(self.service.datasette)
        assert routes is not None
        routes.service.clock = lambda: now

    def find(self, query: str = "") -> list[dict[str, Any]]:
        answer = self.service.ask(f"{MEMBERS}?limit=500&{query}".removesuffix("&"), self.key)
        assert answer.status == 200, answer.body
        assert answer.json()["total"] == len(answer.json()["elus"])
        found: list[dict[str, Any]] = answer.json()["elus"]
        return found


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    database = years.build(tmp_path_factory.mktemp("years"))
    one = Asked(database, tmp_path_factory.mktemp("members"))
    yield one
    one.service.close()


def test_members_are_those_of_the_pages_with_their_teams(asked: Asked) -> None:
    site = site_of(asked.service.datasette)
    assert site is not None
    facts = asked.service.run(site.facts())
    for chamber in ("assemblee", "senat"):
        every = facts.members[chamber]
        assert {one["elu_id"]: one["equipe"] for one in asked.find(f"chambre={chamber}")} == {
            one.identifier: 0 if one.ended(site.today) else one.team or 0 for one in every
        }
    names = [(one["nom"], one["prenom"]) for one in asked.find("chambre=assemblee")]
    assert names == sorted(names)


def test_a_crowd_of_the_morning_reads_the_members_once(asked: Asked) -> None:
    routes = routes_of(asked.service.datasette)
    assert routes is not None
    snapshot = routes.service.live.snapshot
    assert snapshot is not None
    read: list[str] = []

    class Counting(ServedMembers):
        def on(self, today: str) -> MembersOfDay:
            read.append(today)
            return super().on(today)

    snapshot.members = Counting(snapshot.path, snapshot.stays)

    async def crowd() -> list[int]:
        groups = [f"{MEMBERS}?groupe=G{number}" for number in range(8)]
        asked_at_once = (asked.service.answer(target, asked.key) for target in groups)
        return [one.status for one in await asyncio.gather(*asked_at_once)]

    assert asked.service.run(crowd()) == [200] * 8
    assert read == [years.TODAY.date().isoformat()]


def test_what_the_folder_knows_is_told_and_what_it_does_not_is_not(asked: Asked) -> None:
    [team] = asked.find(f"elu={member('senat', years.TEAM)}")
    assert (team["nom"], team["prenom"], team["civilite"]) == ("Numéro", "Élue", "Mme")
    assert team["mandats"] == [{"debut": "2023-10-02"}]
    assert team["groupes"] == [{"code": "GRA", "nom": "GRA", "debut": "2023-10-02"}]
    [ended] = asked.find(f"elu={member('senat', years.ENDED)}")
    assert ended["mandats"] == [{"debut": "2023-10-02", "fin": "2026-09-10"}]
    assert ended["equipe"] == 0
    [other] = asked.find(f"elu={member('senat', 40)}")
    assert (other["mandats"], other["groupes"], "civilite" in other) == ([], [], False)


def test_a_group_is_todays_and_a_mandate_is_that_of_the_day(asked: Asked) -> None:
    of_group = {one["elu_id"] for one in asked.find("groupe=GRA")}
    ended = member("senat", years.ENDED)
    assert member("senat", years.TEAM) in of_group
    assert ended not in of_group  # the folder says no last day of the group, but of the mandate
    for day, number in (("2023-10-01", 0), ("2026-09-10", 2), ("2026-09-11", 1)):
        assert len(asked.find(f"le={day}")) == number, day


def test_the_answer_is_another_on_the_day_after_a_mandate(asked: Asked) -> None:
    tag = asked.service.ask(MEMBERS, asked.key).header("ETag") or ""
    held = asked.key | {"If-None-Match": tag}
    assert asked.service.ask(MEMBERS, held).status == 304
    asked.at(years.TODAY + datetime.timedelta(1))
    assert asked.service.ask(MEMBERS, held).status == 200
    asked.at(years.TODAY)


@pytest.mark.parametrize(
    ("query", "name"), [("elu=Ada%20UN", "elu"), ("present=oui", "present"), ("le=x", "le")]
)
def test_what_is_wrong_is_named(asked: Asked, query: str, name: str) -> None:
    answer = asked.service.ask(f"{MEMBERS}?{query}", asked.key)
    assert (answer.status, answer.json()["parametre"]) == (400, name)
