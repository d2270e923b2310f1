"""The index of the chambers, and the members of each from A to Z: who stands where, and as of which list."""

from __future__ import annotations

import datetime
import json
import re
from contextlib import closing
from typing import Any

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.pages.chambers import group_on, seat_of
from tests.contract import environment
from tests.tracking import lists
from tests.tracking.lists import member

from . import databases, years
from .conftest import Read, site, text_of


async def row(service: Any, path: str, identifier: str) -> str:
    """What the line of a member says, "" where there is none."""
    page = (await service.client.get(path)).text
    for line in re.findall(r'<tr><th scope="row">.*?</tr>', page, re.DOTALL):
        if f"/{identifier}" in line:
            return Read(line).plain.strip()
    return ""


@pytest.mark.parametrize(
    ("name", "filed", "family", "place"),
    [
        ("Catherine Di Folco", "di folco catherine", "Di Folco", "di folco"),
        ("Charles de Courson", "de courson charles", "de Courson", "courson"),
        ("Véronique de Montchalin", "montchalin de veronique", "de Montchalin", "montchalin"),
        ("Léopold d’Arguillères", "d arguilleres leopold", "d’Arguillères", "arguilleres"),
        ("Ida du Chesne", "du chesne ida", "du Chesne", "du chesne"),
        ("Zoé Dessalines", "dessalines zoe", "Dessalines", "dessalines"),
        # Not as it is filed.
        ("Zoé Un", "un deux zoe", "Zoé Un", "un deux zoe"),
    ],
)
def test_members_stand_by_the_family_name_without_its_particle(
    name: str, filed: str, family: str, place: str
) -> None:
    seat = seat_of({"elu_nom": name, "elu_cle": filed, "elu_id": "1"})
    assert (seat["family"], seat["key"][0]) == (family, place)


async def test_a_list_that_is_old_is_warned_of_without_a_renewal(year: Any) -> None:
    text = await text_of(year, "/elus/assemblee")
    assert "La dernière liste de l’Assemblée nationale date du 3 août 2026, il y a 50 jours" in text


async def test_a_hole_that_keeps_all_shares_from_being_counted_is_said_once(groups: Any) -> None:
    text = await text_of(groups, "/elus/assemblee")
    assert text.count("Pas de liste du 16 septembre au 5 octobre 2025.") == 1
    assert "non calculés" in text
    assert "départ sur" not in text


async def test_ended_mandates_stand_apart_and_the_states_of_before_lead_there(groups: Any) -> None:
    ended = member("senat", 20)
    assert not await row(groups, "/elus/senat", ended)
    over = await text_of(groups, "/elus/senat?mandat=termine")
    assert "2 membres d’avant, dont le mandat était terminé" in over
    assert (await row(groups, "/elus/senat?mandat=termine", ended)).endswith("1 er août 2026")
    for state in ("inconnu", "ancien"):
        answer = await groups.client.get(f"/elus/senat?mandat={state}")
        assert Read(answer.text).plain == over
    assert "En cours (28)" in over


async def test_a_group_filters_and_an_unknown_value_filters_nothing(groups: Any) -> None:
    whole = await text_of(groups, "/elus/senat")
    group = await text_of(groups, "/elus/senat?groupe=A%2FB")
    assert "6 membres du groupe A/B et leurs 19 collaborations, à la liste" in group
    for query in ("groupe=XYZ", "mandat=futur", "tri=rang", "page=99", "page=²"):
        assert await text_of(groups, f"/elus/senat?{query}") == whole, query
    links = Read((await groups.client.get("/elus/senat?groupe=A%2FB")).text).links
    assert any(
        "/equipes?" in link and "chambre=senat" in link and "elu_groupe=A%2FB" in link
        for link in links
    )


async def test_a_day_shows_the_chamber_as_of_the_last_list_by_then(groups: Any) -> None:
    ended = member("senat", 20)
    before = "/elus/senat?le=2026-08-02"
    assert "30 membres et leurs 89 collaborations, à la liste du 27 juillet 2026" in await text_of(
        groups, before
    )
    assert await row(groups, before, ended) == "Numéro20 Élue HIR 3"
    assert not await row(groups, "/elus/senat?le=2026-08-04", ended)
    # Teams of then: nobody had left 1 and joined 3.
    early = "/elus/senat?le=2025-08-20"
    assert (await row(groups, early, member("senat", 1))).endswith("GRA 3")
    page = Read((await groups.client.get(early)).text)
    assert f"/elus/senat/{member('senat', 1)}?le=2025-08-18" in page.links
    assert "départ" not in page.plain.partition("Noms")[2].partition("Ne sont comptés")[0]
    answer = await groups.client.get("/elus/senat?le=2020-01-01")
    assert answer.status_code == 404
    assert (
        "Aucune liste du Sénat n’est connue avant celle du 4 août 2025" in Read(answer.text).plain
    )
    # Nothing is known of a later day: it is the last list.
    assert await text_of(groups, "/elus/senat?le=2030-01-01") == await text_of(
        groups, "/elus/senat"
    )


async def test_a_day_has_the_groups_of_then_and_of_a_wait_for_groups_the_one_then_formed(
    make: Any, grouped: Any, tmp_path: Any
) -> None:
    path, day = tmp_path / "movements.db", "?le=2026-06-01"
    spans = {
        # In none of a new assembly's groups before they are formed; in none for long; later in the group of today.
        1: (("NI", "2026-05-28", "2026-06-04"), ("HIR", "2026-06-04", "")),
        2: (("NI", "2026-04-28", "2026-06-04"), ("HIR", "2026-06-04", "")),
        3: (("HIR", "2026-06-04", ""),),
        # The day asked for is the last of a membership, which still holds.
        4: (("GRA", "2020-10-01", "2026-06-01"), ("HIR", "2026-06-02", "")),
        # Who left a group while the assembly sat.
        5: (
            ("GRA", "2020-10-01", "2026-05-27"),
            ("NI", "2026-05-28", "2026-06-04"),
            ("HIR", "2026-06-05", ""),
        ),
    }
    with databases.changing(grouped, path) as db:
        for number, own in spans.items():
            whose = ["senat", member("senat", number)]
            db.execute("delete from _appartenances where chambre = ? and elu_id = ?", whose)
            for span in own:
                db.execute("insert into _appartenances values (?, ?, ?, ?, ?)", [*whose, *span])
            db.execute("update equipes set elu_groupe = 'HIR' where elu_id = ?", whose[1:])
    service = await make(path=path, now=years.TODAY)
    for number, group in {1: "HIR", 2: "NI", 3: "", 4: "GRA", 5: "NI"}.items():
        line = await row(service, f"/elus/senat{day}", member("senat", number))
        assert line.rpartition(" ")[0].endswith(group or "non connu")
        page = await text_of(service, f"/elus/senat/{member('senat', number)}{day}")
        role = page.partition("Sénatrice")[2].partition("C’est la dernière liste")[0]
        assert role.removeprefix(" · ").partition(" ")[0] == group


@pytest.mark.parametrize(
    "spans",
    [
        # With an assembly the groups end, too; of those who come later the wait may be in two parts.
        [("SOC", "2014-10-01", "2017-10-01"), ("AUCUN", "2017-10-02", "2017-10-02")],
        [("AUCUN", "2017-10-01", "2017-10-01"), ("NI", "2017-10-02", "2017-10-02")],
    ],
)
def test_of_a_day_of_a_wait_it_is_the_group_that_ends_it(spans: Any) -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        db.row_factory = sqlite3.Row
        columns = ("groupe", "debut", "fin")
        row = ", ".join(
            f"json_extract(value, '$[{n}]') as {name}" for n, name in enumerate(columns)
        )
        given = [json.dumps([*spans, ("SOCR", "2017-10-03", "")])]
        held = db.execute(f"select {row} from json_each(?)", given).fetchall()
    assert group_on(held, "2017-10-02") == "SOCR"


async def test_who_was_hired_long_after_the_last_known_mandate_is_told_beside_those_who_sat(
    changed: Any, grouped: Any
) -> None:
    hired_after, there_before, ended = (f"where elu_id = '{member('senat', n)}'" for n in (1, 8, 9))
    service = await changed(
        grouped,
        f"update _mandats set fin = '2024-01-01' {hired_after}",
        # The staff of this one was there before the mandate ended.
        f"update _mandats set fin = '2025-08-04' {there_before}",
        # An open mandate that had ended by then, as lists tell, is no seat.
        f"update equipes set mandat_fin = '2026-05-01' {ended}",
        now=years.TODAY,
    )
    day = "/elus/senat?le=2026-06-01"
    beside = "La liste nomme aussi l’équipe de 1 membre dont le mandat de ce jour n’est pas connu."
    text = await text_of(service, day)
    assert "27 membres" in text
    assert beside in text
    assert "La liste nomme aussi" not in await text_of(service, f"{day}&groupe=GRA")
    assert "La liste nomme aussi" not in await text_of(service, "/elus/senat")


async def test_a_day_that_is_none_is_refused(groups: Any) -> None:
    for path in ("/elus/senat", f"/elus/senat/{member('senat', 1)}"):
        answer = await groups.client.get(f"{path}?le=hier")
        assert answer.status_code == 404
        assert "Ce jour ne se lit pas" in Read(answer.text).plain


async def test_every_member_stands_once_on_pages_that_are_light(changed: Any, grouped: Any) -> None:
    long = "update equipes set elu_nom = 'Prénom-Composé ' || hex(elu_id) || '-Nom-Long'"
    service = await changed(grouped, long, now=years.TODAY)
    for query in ("", "&le=2026-06-01"):
        links = []
        for number in (1, 2):
            answer = await service.client.get(f"/elus/europarl?page={number}{query}")
            assert len(answer.content) < 60_000
            links += re.findall(r'<th scope="row"><a href="/elus/europarl/(\d+)', answer.text)
        assert len(links) == len(set(links)) == 200


async def test_a_chamber_without_lists_tells_of_nobody(shared: Any) -> None:
    service = await shared()
    assert "aucune liste ne l’est" in await text_of(service, "/elus/senat")
    assert (await text_of(service, "/elus")).count("Pas de liste connue") == 3
    assert site(service).version.rows


async def test_a_renewal_of_the_very_day_of_the_last_list_is_not_told_as_after_it(
    make: Any, tmp_path: Any
) -> None:
    for day in ("2023-09-30", "2023-10-02"):
        lists.write(tmp_path / "lists", "senat", day, lists.many(60))
    database = tmp_path / "movements.db"
    environment.done("build", database, "--lists", tmp_path / "lists")
    now = datetime.datetime(2023, 10, 4, 10, 30, tzinfo=datetime.UTC)
    text = await text_of(await make(path=database, now=now), "/elus/senat")
    assert "60 membres et leurs 120 collaborations, à la liste du 2 octobre 2023" in text
    assert "Depuis a eu lieu" not in text
