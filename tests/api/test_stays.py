"""/v1/collaborations: what lists tell of who worked for whom; test_any_question tries its filters at random."""

from __future__ import annotations

import datetime
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from datasette_mouvements.dataset.check import inspect
from parlement_lists.movement import PARIS
from tests.contract import environment
from tests.contract.test_as_described import assert_as_described, closed
from tests.contract.test_description import described
from tests.contract.test_paging import links, within
from tests.pages import years
from tests.tracking import lists
from tests.tracking.lists import member

from .conftest import Asked, serving
from .whole_file import movements

STAYS, CHANGES = "/v1/collaborations", "/v1/collaborations/changements"
ADDED = {"retour_de", "retour_jours", "vu_ensuite", "vu_ensuite_jours", "mandat_fin"}


def find(served: Asked, **asked: str) -> list[dict[str, Any]]:
    """All the stays, page by page."""
    found: list[dict[str, Any]] = []
    target = f"{STAYS}?{urlencode({'limit': 90, **asked})}"
    while target:
        answer = served.ask(target)
        assert answer.status == 200, answer.body
        found += answer.json()["collaborations"]
        target = within(links(answer).get("next", ""))
    assert len(found) == answer.json()["total"]
    return found


def build(folder: Path, staff: dict[str, dict[int, list[str]]]) -> Path:
    """A file of lists of the Sénat in September: by day, what is otherwise than in forty other offices."""
    for day, content in staff.items():
        lists.write(folder / "lists", "senat", f"2026-09-{day}", lists.many(40) | content)
    environment.done("build", folder / "movements.db", "--lists", folder / "lists")
    return folder / "movements.db"


@pytest.fixture
def returned(tmp_path: Path) -> Path:
    """One who left and is back after twelve days, and one who left for good."""
    there, gone = {1: ["Ada UN", "Béa DEUX"]}, {1: []}
    return build(tmp_path, {"01": there, "02": gone, "11": gone, "14": {1: ["Ada UN"]}})


def test_a_mandate_that_ended_is_told_beside_each_stay(served: Asked) -> None:
    for number, end in ((years.ENDED, "2026-09-10"), (years.TEAM, None)):
        stays = find(served, elu=member("senat", number))
        assert {stay.get("mandat_fin") for stay in stays} == {end}


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("collaborations?le=2026-02-30", ["le"]),
        ("collaborations?present=non", ["present"]),
        ("collaborations?le=2026-01-01&present=oui", ["le", "present"]),
        ("collaborations?equipe=99007Z&type=arrivee", ["equipe", "type"]),
        ("elus?present=oui", ["present"]),
    ],
)
def test_what_is_wrong_is_named(served: Asked, query: str, names: list[str]) -> None:
    answer = served.ask(f"/v1/{query}")
    assert answer.status == 400, answer.body
    problem = answer.json()
    assert problem.get("parametres", [problem["parametre"]]) == names


def test_who_is_seen_next_is_said_of_the_stay_that_ended(tmp_path: Path) -> None:
    """A name that is with another member of the chamber after an absence; a transfer says it by itself."""
    both, moved = {1: ["Ada UN", "Béa DEUX"]}, {1: [], 2: ["Béa DEUX"]}
    database = build(tmp_path, {"01": both, "02": moved, "14": moved | {3: ["Ada UN"]}})
    with serving(database, tmp_path) as served:
        after, before = find(served, nom="Ada UN")
        assert (before["vu_ensuite"], before["vu_ensuite_jours"]) == ([after["id"]], 12)
        assert not ADDED & set(after)
        assert served.find("/v1/mouvements?type=transfert")["total"] == 1
        assert not [one for one in find(served, nom="Béa DEUX") if ADDED & set(one)]


def test_lines_of_stays_that_are_wrong_are_told(returned: Path) -> None:
    with closing(sqlite3.connect(returned)) as db:
        db.execute("update _lignes_collaborations set json = x'7b7d' where rowid = 1")
        db.commit()
    assert inspect(returned)


def test_answers_are_as_the_description_says(served: Asked) -> None:
    assert find(served, nom="!?") == []  # signs alone are nobody's name
    description = closed(described(served.service))
    item = next(one for one in find(served) if "mouvement_debut" in one)
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
        back = [one["retour_de"] for one in find(served, nom="Ada UN")[:2]]
        assert back[0] == back[1]
        file = movements(served.ask("/fichiers/tout"))
        days = {one["id"]: one["retour_jours"] for one in file}
        assert len(days) == len(file)
        for id, number in days.items():
            told = served.find(f"/v1/mouvements/{id}")
            assert str(told.get("retour", {}).get("jours", "")) == number


def test_the_feed_keeps_a_copy_of_stays(returned: Path, tmp_path: Path) -> None:
    with serving(returned, tmp_path) as first:
        found, cursor = walk(first)
        copy = {one["id"]: one["collaboration"] for one in found}
        assert copy == {item["id"]: item for item in find(first)}
        version = first.ask(STAYS).header("Mouvements-Version")
        assert first.ask("/v1/mouvements").header("Mouvements-Version") != version
    for day in ("15", "25"):
        content = lists.many(40) | {1: ["Ada UN"], 2: []}
        lists.write(tmp_path / "lists", "senat", f"2026-09-{day}", content)
    asked = tmp_path / "corrections.yml"
    asked.write_text("- {date: 2026-09-26, raison: Demande, masquer: {nom: Béa DEUX}}\n")
    environment.done("build", returned, "--lists", tmp_path / "lists", "--corrections", asked)
    with serving(returned, tmp_path / "again") as again:
        changes, _ = walk(again, cursor)
        for one in changes:
            copy.pop(one["id"], None)
            if one["nature"] == "publication":
                copy[one["id"]] = one["collaboration"]
        # That a stay goes on is no change.
        now = {item["id"]: item for item in find(again)}
        for stay in (*copy.values(), *now.values()):
            assert "fin" in stay or stay.pop("fin_apres")
        assert copy == now
        [gone] = [one for one in changes if one["nature"] == "retrait"]
        assert set(gone) == {"publie_le", "nature", "id"}
        withdrawn = again.ask(f"{STAYS}/{gone['id']}")
        day = datetime.datetime.fromisoformat(gone["publie_le"]).astimezone(PARIS).date()
        assert (withdrawn.status, f"retirée le {day}" in withdrawn.json()["detail"]) == (410, True)
        early = again.ask(f"{STAYS}?le=1999-12-31").json()["listes"]
        assert early["senat"].keys() == {"suivante"}
        assert again.ask(STAYS).header("Mouvements-Version") != version
        assert "DEUX" not in str(changes)


def walk(served: Asked, cursor: str = "") -> tuple[list[dict[str, Any]], str]:
    """The changes after a cursor, and where they end."""
    found: list[dict[str, Any]] = []
    while True:
        page = served.find(f"{CHANGES}?limit=50" + (f"&curseur={cursor}" if cursor else ""))
        found, cursor = found + page["changements"], page["curseur"]
        if not page["encore"]:
            return found, cursor


def test_a_cursor_of_movements_is_none_of_stays(served: Asked) -> None:
    of_movements = served.find("/v1/changements?limit=500")["curseur"]
    refused = served.ask(f"{CHANGES}?curseur={of_movements}")
    assert refused.status == 410
    assert f'{CHANGES}>; rel="first"' in (refused.header("Link") or "")
    now = served.find(f"{CHANGES}?curseur=maintenant")
    assert (now["changements"], now["encore"]) == ([], False)
    assert served.ask(f"{STAYS}/col_jamais").status == 404


def test_what_is_of_a_team_has_the_version_of_the_stays(served: Asked) -> None:
    ended = member("senat", years.ENDED)
    of_team, escaped, of_member, stays = (
        served.ask(f"/v1/{query}")
        for query in (
            *(f"mouvements?equipe={ended}", f"mouvements?%65quipe={ended}"),
            *(f"mouvements?elu={ended}", "collaborations"),
        )
    )
    version = of_team.header("Mouvements-Version")
    assert escaped.header("Mouvements-Version") == version
    assert version == stays.header("Mouvements-Version") != of_member.header("Mouvements-Version")
    assert f"{version}-" in (of_team.header("ETag") or "")
    assert served.find(f"{CHANGES}?curseur=maintenant")["version"] == version
