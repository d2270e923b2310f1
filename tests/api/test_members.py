"""/v1/elus: the members whose staff a list ever named; and `equipe`, all movements of a member's team."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

from datasette_mouvements.api.parameters import MEMBERS, OF, STAYS
from datasette_mouvements.dataset import schema
from tests.pages import years
from tests.tracking.lists import member

from .conftest import Asked
from .whole_file import movements


def members(served: Asked, query: str) -> list[dict[str, Any]]:
    """All that are found, page by page."""
    found: list[dict[str, Any]] = []
    while True:
        page = served.find(f"/v1/elus?limit=25&offset={len(found)}&{query}")
        found += page["elus"]
        if len(found) >= page["total"]:
            assert len(found) == page["total"]
            return found


def test_members_are_those_of_the_table_of_teams(served: Asked) -> None:
    database = served.service.datasette.get_database("movements")
    for chamber in ("assemblee", "senat"):
        rows = served.service.run(
            database.execute("select elu_id, presents from equipes where chambre = ?", [chamber])
        )
        every = members(served, f"chambre={chamber}")
        assert {one["elu_id"]: one["equipe"] for one in every} == dict(map(tuple, rows.rows))
        present = served.find(f"/v1/collaborations?chambre={chamber}&present=oui")["total"]
        assert present == sum(one["equipe"] for one in every)
    names = [(one["nom"], one["prenom"]) for one in members(served, "chambre=assemblee")]
    assert names == sorted(names)


def test_what_the_folder_knows_is_told_and_what_it_does_not_is_not(served: Asked) -> None:
    [team] = members(served, f"elu={member('senat', years.TEAM)}")
    assert (team["nom"], team["prenom"], team["civilite"]) == ("Numéro", "Élue", "Mme")
    assert team["mandats"] == [{"debut": "2023-10-02"}]
    assert team["groupes"] == [{"code": "GRA", "nom": "GRA", "debut": "2023-10-02"}]
    [ended] = members(served, f"elu={member('senat', years.ENDED)}")
    assert ended["mandats"] == [{"debut": "2023-10-02", "fin": "2026-09-10"}]
    assert ended["equipe"] == 0
    [other] = members(served, f"elu={member('senat', 40)}")
    assert (other["mandats"], other["groupes"], "civilite" in other) == ([], [], False)


def test_a_group_is_todays_and_a_mandate_is_that_of_the_day(served: Asked) -> None:
    of_group = {one["elu_id"] for one in members(served, "groupe=GRA")}
    ended = member("senat", years.ENDED)
    assert member("senat", years.TEAM) in of_group
    assert ended not in of_group  # the folder says no last day of the group, but of the mandate
    for day, number in (("2023-10-01", 0), ("2026-09-10", 2), ("2026-09-11", 1)):
        assert len(members(served, f"le={day}")) == number, day


def test_an_open_mandate_goes_on_up_to_the_last_day_that_is_known_of_it() -> None:
    sql = f"select elu_id from {schema.MEMBER_LINES} r where {OF[MEMBERS]['le'].where}"
    with closing(sqlite3.connect(":memory:")) as db:
        for table in (schema.MEMBER_LINES, schema.MANDATES):
            db.execute(schema.TABLES[table])
        for id, end, known in (("A", "", ""), ("B", "", "2023-10-01"), ("C", "2023-10-01", "")):
            line = ("senat", id, "", 1, known, "")
            db.execute(f"insert into {schema.MEMBER_LINES} values (null, ?, ?, ?, ?, ?, ?)", line)
            db.execute(
                f"insert into {schema.MANDATES} values ('senat', ?, '2017-10-02', ?)", [id, end]
            )
        for day, sitting in (("2017-10-01", ""), ("2023-10-01", "ABC"), ("2023-10-02", "A")):
            assert "".join(id for (id,) in db.execute(sql, {"le": day})) == sitting


def test_of_whom_no_group_of_the_day_is_known_it_is_the_last_one_if_it_existed() -> None:
    """Of the groups of the European Parliament no source tells since when."""
    columns = "r(chambre, elu_id, elu_groupe)"
    rows = "('assemblee', 'PA1', 'GRA'), ('europarl', '1', 'GRA')"
    sql = f"with {columns} as (values {rows}) select chambre from r where {OF[STAYS]['groupe'].on_day}"
    with closing(sqlite3.connect(":memory:")) as db:
        for table in (schema.GROUPS, schema.MEMBERSHIPS):
            db.execute(schema.TABLES[table])
        for chamber in ("assemblee", "europarl"):
            group = (chamber, "GRA", "GRA", "", "2022-06-28", "")
            db.execute(f"insert into {schema.GROUPS} values (?, ?, ?, ?, ?, ?)", group)
        for day, chambers in (
            ("2022-06-27", ["europarl"]),
            ("2022-06-28", ["assemblee", "europarl"]),
        ):
            rows_found = db.execute(sql, {"le": day, "groupe": "GRA"})
            assert sorted(chamber for (chamber,) in rows_found) == chambers


def test_who_left_a_team_for_another_is_of_it_in_files_feeds_and_the_explorer(
    served: Asked,
) -> None:
    left, joined = member("senat", years.ENDED), member("senat", years.STILL)
    team = served.find(f"/v1/mouvements?equipe={left}&limit=500")["mouvements"]
    [away] = [m for m in team if m["type"] == "transfert"]
    assert away["elu_id"] == joined
    assert served.find(f"/v1/mouvements?elu={left}&type=transfert")["total"] == 0
    of_file = {row["id"]: row for row in movements(served.ask("/fichiers/tout"))}
    for m in team:
        assert of_file[m["id"]]["elu_origine_id"] == (left if m == away else "")
    feed = served.service.ask(f"/flux?equipe={left}").body.decode()
    assert "quitte" in feed
    assert away["collab_nom"] in feed
    for name, there in (("equipe", True), ("elu", False)):
        explorer = served.service.ask(f"/explorer?{name}={left}")
        page = served.service.ask(explorer.header("Location") or "").body.decode()
        assert (f"/mouvements/{away['id']}" in page) == there
