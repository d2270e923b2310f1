"""/v1/collaborations: who worked for whom, on any day and now, against a plain reading of the table."""

from __future__ import annotations

import datetime
import random
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from datasette_mouvements.api.routes import routes_of
from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.dataset.schema import RESOURCES
from datasette_mouvements.dataset.served.snapshot import Snapshot
from datasette_mouvements.pages.frame.instance import site_of
from tests.contract import environment
from tests.contract.service import Answer, InProcess
from tests.contract.test_as_described import assert_as_described, closed
from tests.contract.test_description import described
from tests.pages import years
from tests.tracking import lists
from tests.tracking.lists import member

from .whole_file import movements

STAYS, CHANGES = "/v1/collaborations", "/v1/collaborations/changements"
ADDED = {"retour_de", "retour_jours", "vu_ensuite", "vu_ensuite_jours", "mandat_fin"}
Row = dict[str, Any]


class Served:
    """A service with a key, and what its file says of stays."""

    def __init__(self, database: Path, folder: Path) -> None:
        internal = folder / "i.sqlite3"
        self.service = InProcess(environment.datasette(database, internal), internal)
        self.key = {"X-API-Key": environment.issue("qui", internal)}
        self.at(years.TODAY)
        with closing(sqlite3.connect(database)) as db:
            db.row_factory = sqlite3.Row
            order = "order by debut desc, rowid desc"
            self.rows = [dict(row) for row in db.execute(f"select * from collaborations {order}")]
            self.groups = [tuple(row) for row in db.execute("select * from _appartenances")]
            found = db.execute("select chambre, date from listes where statut <> 'refusee'")
            self.lists = [tuple(row) for row in found]

    def at(self, now: datetime.datetime) -> None:
        routes = routes_of(self.service.datasette)
        assert routes is not None
        routes.service.clock = lambda: now

    def ask(self, target: str, **headers: str) -> Answer:
        return self.service.ask(target, self.key | headers)

    def find(self, **asked: object) -> Row:
        answer = self.ask(f"{STAYS}?{urlencode(asked)}")
        assert answer.status == 200, answer.body
        found: Row = answer.json()
        return found


@contextmanager
def serving(database: Path, folder: Path) -> Iterator[Served]:
    folder.mkdir(exist_ok=True)
    running = Served(database, folder)
    try:
        yield running
    finally:
        running.service.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    database = years.build(tmp_path_factory.mktemp("years"))
    with serving(database, tmp_path_factory.mktemp("stays")) as running:
        yield running


def as_item(row: Row) -> Row:
    return {name: value for name, value in row.items() if value}


def without_added(items: list[Row]) -> list[Row]:
    return [{n: v for n, v in item.items() if n not in ADDED} for item in items]


def test_pages_have_every_stay_once_the_latest_first(served: Served) -> None:
    found: list[Row] = []
    link = f"{STAYS}?limit=37"
    while link:
        answer = served.ask(link)
        assert answer.json()["total"] == len(served.rows)
        found += answer.json()["collaborations"]
        after = re.search(r'<([^>]*)>; rel="next"', answer.header("Link") or "")
        link = re.sub(r"^https?://[^/]+", "", after[1]) if after else ""
    assert without_added(found) == [as_item(row) for row in served.rows]
    days = [item["debut"] for item in found]
    assert days == sorted(days, reverse=True)
    assert list(answer.json()) == [
        *("total", "limit", "offset", "collaborations", "listes", "licence", "attribution")
    ]


def test_signs_alone_are_nobodys_name(served: Served) -> None:
    assert served.find(nom="!?")["total"] == 0


def test_a_day_is_told_as_its_list_tells_it(served: Served) -> None:
    """Names are counted: some are masked, others respelled since."""
    for chamber, day in served.lists[:: len(served.lists) // 9]:
        listed = {member(chamber, n): len(names) for n, names in years.staff(day).items() if names}
        found: dict[str, int] = defaultdict(int)
        for offset in (0, 500):
            for item in served.find(chambre=chamber, le=day, limit=500, offset=offset)[
                "collaborations"
            ]:
                found[item["elu_id"]] += 1
        assert found == listed, (chamber, day)


def test_each_chamber_says_of_which_list_it_is(served: Served) -> None:
    lacking = (datetime.date.fromisoformat(years.HOLE[0]) + datetime.timedelta(8)).isoformat()
    assert served.find(le=lacking)["listes"]["assemblee"] == {
        "le": years.HOLE[0],
        "suivante": years.HOLE[1],
    }
    assert served.find()["listes"] == {
        "assemblee": {"le": years.LATE},
        "senat": {"le": years.LAST},
    }
    before = served.find(le="2020-01-01")
    assert (before["total"], before["listes"]["senat"]) == (0, {"suivante": years.FIRST})
    assert served.find(le="2050-01-01")["listes"]["senat"] == {"le": years.LAST}


def test_who_is_present_is_whom_pages_count(served: Served) -> None:
    site = site_of(served.service.datasette)
    assert site is not None
    facts = served.service.run(site.facts())
    for chamber in ("assemblee", "senat", "europarl"):
        sitting = [one for one in facts.members[chamber] if not one.ended(site.today)]
        present = served.find(chambre=chamber, present="oui", limit=500)
        assert present["total"] == sum(one.team or 0 for one in sitting)
        assert all("fin" not in item for item in present["collaborations"])
    ended = member("senat", years.ENDED)
    assert served.find(elu=ended, le=years.LAST)["total"] == 1
    assert served.find(elu=ended, present="oui")["total"] == 0


def test_a_mandate_that_ends_takes_its_team_from_the_present_without_a_new_file(
    served: Served,
) -> None:
    """The tag of an answer about who is present is another on the next day, that of others is not."""
    tags = [served.ask(f"{STAYS}?{q}").header("ETag") or "" for q in ("present=oui", "elu=x")]
    now = [served.ask(f"{STAYS}?present=oui", **{"If-None-Match": tags[0]}).status]
    served.at(years.TODAY + datetime.timedelta(1))
    now += [served.ask(f"{STAYS}?present=oui", **{"If-None-Match": tags[0]}).status]
    now += [served.ask(f"{STAYS}?elu=x", **{"If-None-Match": tags[1]}).status]
    served.at(years.TODAY)
    assert now == [304, 200, 304]


def test_a_mandate_that_ended_is_told_beside_each_stay(served: Served) -> None:
    ended = member("senat", years.ENDED)
    told = {
        item["elu_id"]: item.get("mandat_fin")
        for one in (ended, member("senat", years.TEAM))
        for item in served.find(elu=one)["collaborations"]
    }
    assert told == {ended: "2026-09-10", member("senat", years.TEAM): None}


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("le=2026-02-30", ["le"]),
        ("present=non", ["present"]),
        ("present=oui&le=2026-01-01", ["le", "present"]),
        ("nom=", ["nom"]),
        ("elu=Ada%20UN", ["elu"]),
        ("equipe=99007Z&type=arrivee", ["equipe", "type"]),
        ("limit=501", ["limit"]),
    ],
)
def test_what_is_wrong_is_named(served: Served, query: str, names: list[str]) -> None:
    answer = served.ask(f"{STAYS}?{query}")
    assert answer.status == 400, answer.body
    problem = answer.json()
    assert sorted(problem.get("parametres", [problem["parametre"]])) == names


def test_who_is_seen_next_is_said_of_the_stay_that_ended(tmp_path: Path) -> None:
    """A name that is with another member of the chamber after an absence; a transfer says it by itself."""
    staff = ({1: ["Ada UN", "Béa DEUX"]}, {2: ["Béa DEUX"]}, {2: ["Béa DEUX"], 3: ["Ada UN"]})
    for day, content in zip(("01", "02", "14"), staff, strict=True):
        lists.write(
            tmp_path / "lists", "senat", f"2026-09-{day}", {**lists.many(40), 1: [], **content}
        )
    environment.done("build", tmp_path / "movements.db", "--lists", tmp_path / "lists")
    with serving(tmp_path / "movements.db", tmp_path) as served:
        after, before = served.find(nom="Ada UN")["collaborations"]
        assert (before["vu_ensuite"], before["vu_ensuite_jours"]) == ([after["id"]], 12)
        assert not ADDED & set(after)
        assert served.ask("/v1/mouvements?type=transfert").json()["total"] == 1
        assert not [
            one for one in served.find(nom="Béa DEUX")["collaborations"] if ADDED & set(one)
        ]


@pytest.fixture
def returned(tmp_path: Path) -> Path:
    """One who left and is back after twelve days, and one who left for good."""
    there, gone = {1: ["Ada UN", "Béa DEUX"]}, {1: []}
    for day, staff in (("01", there), ("02", gone), ("11", gone), ("14", {1: ["Ada UN"]})):
        content = {**lists.many(40), **staff}
        lists.write(tmp_path / "lists", "senat", f"2026-09-{day}", content)
    environment.done("build", tmp_path / "movements.db", "--lists", tmp_path / "lists")
    return tmp_path / "movements.db"


def test_a_return_says_to_what_and_after_how_many_days(returned: Path, tmp_path: Path) -> None:
    with serving(returned, tmp_path) as served:
        back, before = served.find(elu=member("senat", 1), nom="un ada")["collaborations"]
        assert (back["retour_de"], back["retour_jours"]) == (before["id"], 12)
        assert not ADDED & set(before)
        assert served.find(nom="Ada")["total"] == 0
        assert served.ask(f"{STAYS}/{back['id']}").json()["collaboration"] == back
        file = movements(served.ask("/fichiers/tout"))
        of_return = {before["mouvement_fin"], back["mouvement_debut"]}
        days = {one["id"]: one["retour_jours"] for one in file}
    assert {id for id, number in days.items() if number == "12"} == of_return
    assert set(days.values()) == {"12", ""}


def test_a_group_is_that_of_the_day_where_it_is_known(tmp_path: Path) -> None:
    for day in ("01", "08", "15"):
        lists.write(tmp_path / "lists", "senat", f"2026-09-{day}", {1: ["Ada UN"], 2: ["Ida DEUX"]})
    (tmp_path / "members").mkdir()
    spans = (
        ("OLD", "2023-10-02", "2026-09-07"),
        ("NEW", "2026-09-08", ""),
    )
    rows = [f"senat,{member('senat', 1)},{','.join(span)}" for span in spans]
    known = "\n".join(["chambre,elu_id,groupe,depuis,jusqua", *rows, ""])
    (tmp_path / "members" / "groupes.csv").write_text(known)
    head = "chambre,elu_id,nom_complet,nom,prenom,civilite,debut,fin\n"
    (tmp_path / "members" / "mandats.csv").write_text(head)
    given = ("--lists", tmp_path / "lists", "--members", tmp_path / "members")
    environment.done("build", tmp_path / "movements.db", *given)
    with serving(tmp_path / "movements.db", tmp_path) as served:
        found = {
            (group, day): served.find(groupe=group, le=f"2026-09-{day}")["total"]
            for group in ("OLD", "NEW")
            for day in ("01", "07", "08", "15")
        }
        today = [served.find(groupe=group)["total"] for group in ("OLD", "NEW")]
    assert [key for key, total in found.items() if total] == [
        *(("OLD", "01"), ("OLD", "07"), ("NEW", "08"), ("NEW", "15"))
    ]
    assert (sum(found.values()), today) == (4, [0, 1])


def test_lines_are_in_files_within_one_bound_movements_first(returned: Path) -> None:
    with closing(sqlite3.connect(returned)) as db:
        movements, stays = (
            # A comma behind each.
            int(
                db.execute(
                    f"select sum(length(cast(json as blob)) + 1) from {of.lines}"
                ).fetchone()[0]
            )
            for of in RESOURCES
        )
    lines = set()
    for most, kept in (
        (movements + stays, (True, True)),
        (movements + stays - 1, (True, False)),
        (movements - 1, (False, movements > stays)),
        (min(movements, stays) - 1, (False, False)),
    ):
        with closing(Snapshot(returned, lines_bytes=most)) as snapshot:
            assert (snapshot.line_file is not None, snapshot.stays.line_file is not None) == kept
            every = range(1, snapshot.stays.rows + 1)
            asked = [every, sorted(random.Random(28).sample(every, 20))]
            lines.add(tuple(b"".join(snapshot.stays.lines(rowids)) for rowids in asked))
    assert len(lines) == 1


def test_lines_of_stays_that_are_wrong_are_told(returned: Path) -> None:
    with closing(sqlite3.connect(returned)) as db:
        db.execute("update _lignes_collaborations set json = x'7b7d' where rowid = 1")
        db.commit()
    assert inspect(returned)


def test_answers_are_as_the_description_says(served: Served) -> None:
    description = closed(described(served.service))
    item = next(one for one in served.find()["collaborations"] if "mouvement_debut" in one)
    for path, target in (
        (STAYS, f"{STAYS}?le=2026-01-01"),
        (f"{STAYS}/{{id}}", f"{STAYS}/{item['id']}"),
        (CHANGES, CHANGES),
        ("/v1/elus", "/v1/elus"),
        ("/v1/mouvements/{id}", f"/v1/mouvements/{item['mouvement_debut']}"),
    ):
        assert_as_described(description, path, served.ask(target))


def test_a_departure_that_two_stays_return_to_is_one_line(tmp_path: Path) -> None:
    """Of two civilities each is a return to the one without, and neither to the other."""
    for day, staff in (
        *(("2026-01-01", "Ada UN"), ("2026-02-02", ""), ("2026-02-12", "M. Ada UN")),
        *(("2026-03-03", ""), ("2026-03-13", ""), ("2026-04-04", "Mme Ada UN")),
    ):
        civility = staff.removesuffix("Ada UN").strip()
        content = lists.many(40) | {1: ["Ada UN"] if staff else []}
        data = lists.data("senat", content, lists.KEPT).decode()
        data = data.replace('"GRA","Mme","UN"', f'"GRA","{civility}","UN"')
        lists.write(tmp_path / "lists", "senat", day, data.encode())
    environment.done("build", tmp_path / "movements.db", "--lists", tmp_path / "lists")
    with serving(tmp_path / "movements.db", tmp_path) as served:
        back = [one["retour_de"] for one in served.find(nom="Ada UN")["collaborations"][:2]]
        assert back[0] == back[1]
        file = movements(served.ask("/fichiers/tout"))
        days = {one["id"]: one["retour_jours"] for one in file}
        assert len(days) == len(file)
        for id, number in days.items():
            told = served.ask(f"/v1/mouvements/{id}").json()
            assert str(told.get("retour", {}).get("jours", "")) == number
