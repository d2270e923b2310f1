"""What names tell together: the longest stays, changes of group, two chambers, a name that is also a member's."""

from __future__ import annotations

import re

import pytest

from datasette_mouvements.pages.offices import careers
from parlement_lists.movement import plain
from tests.contract import environment
from tests.tracking import lists

from . import years
from .conftest import Read, site, told

pytestmark = pytest.mark.asyncio


async def test_the_longest_stays_are_those_of_the_last_list_that_began_first(served):
    facts = await site(served).facts()
    last = facts.coverage["assemblee"].last
    rows = await facts.reader.stays(
        "where chambre = 'assemblee' and fin is null and fin_apres = ? and collab_nom is not null",
        [last],
    )
    page = (await served.client.get("/parcours?chambre=assemblee")).text
    table = page.partition('aria-labelledby="longues"')[2].partition("</section>")[0]
    shown = re.findall(r'href="/collaborateurs/([^"]+)"', table)
    assert len(shown) == careers.SHOWN
    days = sorted(
        row.debut for row in rows if not facts.ended("assemblee", row.elu_id, years.TODAY.date())
    )
    begun = {
        site(served).staff(row.collab_nom, row.collab_prenom).rpartition("/")[2]: row.debut
        for row in rows
    }
    assert max(begun[one] for one in shown) <= days[careers.SHOWN]
    assert "<td" in table


async def test_names_of_two_chambers_are_told_with_the_caution_and_no_sign_of_several(served):
    facts = await site(served).facts()
    rows = await facts.reader.rows(
        "select collab_prenom || ' ' || collab_nom from collaborations where collab_nom is not null"
        " group by collab_nom, collab_prenom having count(distinct chambre) > 1",
        [],
    )
    text = (await told(served, "/parcours")).partition("dans deux chambres ou plus")[2]
    found = [name for (name,) in rows if name in text]
    assert found
    assert "rien d’autre que le nom ne les relie" in text
    assert "des homonymes sont possibles" in text
    for name in {name for (name,) in rows} - set(found):
        slug = plain(name.split(" ", 1)[1] + " " + name.split(" ", 1)[0]).replace(" ", "-")
        assert "Plusieurs personnes portent peut-être ce nom" in await told(
            served, f"/collaborateurs/{slug}"
        )


async def test_a_page_of_names_is_not_for_search_engines_and_light(served):
    for chamber in ("assemblee", "senat", "europarl", "autre"):
        answer = await served.client.get(f"/parcours?chambre={chamber}")
        assert answer.headers["x-robots-tag"] == "noindex"
        assert len(answer.content) < 60_000
    weight = site(served).cache.weight
    await served.client.get("/parcours?chambre=encore-une-autre")
    assert site(served).cache.weight == weight


async def test_a_name_withheld_is_in_no_list_of_names(shared, listed):
    datasette = await shared(path=listed, now=years.TODAY)
    text = await told(datasette, "/parcours?chambre=senat")
    assert years.IDA not in text
    assert "nom retiré" not in text


async def test_a_group_that_changes_its_name_is_no_other_group(make, tmp_path):
    before = lists.many(120)
    renamed, moved, unaffiliated = (before[number][0] for number in (1, 3, 5))
    after = {number: list(staff) for number, staff in before.items()}
    for old, new in ((1, 2), (3, 4), (5, 6)):
        after[new].append(after[old].pop(0))
    for day, there in (("2026-09-14", before), ("2026-09-21", after)):
        lists.write(tmp_path / "lists", "senat", day, there)
    (tmp_path / "elus").mkdir()
    about = "Élue Numéro1,Numéro1,Élue,Mme,2017-10-02,"
    head = "chambre,elu_id,nom_complet,nom,prenom,civilite,debut,fin"
    mandates = "".join(
        f"\nsenat,{lists.member('senat', n)},{about.replace('1', str(n), 2)}" for n in range(1, 7)
    )
    (tmp_path / "elus" / "mandats.csv").write_text(f"{head}{mandates}\n", encoding="utf-8")
    groups = "".join(
        f"senat,{lists.member('senat', n)},{code},{since},{until}\n"
        for n, code, since, until in (
            *((n, "ANC", "2024-01-01", "2026-09-16") for n in (1, 2)),
            *((n, "NOU", "2026-09-17", "") for n in (1, 2)),
            (3, "GRA", "2024-01-01", ""),
            (4, "HIR", "2024-01-01", ""),
            (5, "NI", "2024-01-01", ""),
            *((n, "HIR", "2024-01-01", "") for n in range(6, 121)),
        )
    )
    (tmp_path / "elus" / "groupes.csv").write_text(f"chambre,elu_id,groupe,depuis,jusqua\n{groups}")
    path = tmp_path / "movements.db"
    given = ("--lists", tmp_path / "lists", "--members", tmp_path / "elus")
    environment.done("build", path, *given)
    datasette = await make(path=path, now=years.TODAY)
    moves = await site(datasette).rows("where type = 'transfert'", [])
    codes = {(row["elu_origine_groupe"], row["elu_groupe"]) for row in moves}
    assert codes == {("ANC", "NOU"), ("GRA", "HIR"), ("NI", "HIR")}
    text = await told(datasette, "/parcours?chambre=senat")
    part = text.partition("D’une équipe d’un groupe")[2].partition("dans deux chambres")[0]
    assert moved.split()[-1] in part
    assert renamed.split()[-1] not in part
    assert unaffiliated.split()[-1] not in part
    for code in ("ANC", "NOU"):
        text = await told(datasette, f"/groupes/senat/{code}")
        assert "depuis d’autres groupes" not in text
    text = await told(datasette, "/groupes/senat/HIR")
    assert "2 transferts depuis d’autres groupes, 0 vers eux" in text


async def test_after_a_dissolution_the_longest_stays_are_those_of_its_eve(make, tmp_path):
    for day in ("2024-05-01", "2024-06-07", "2024-06-12"):
        lists.write(tmp_path / "lists", "assemblee", day, lists.many(60))
    (tmp_path / "elus").mkdir()
    head = "chambre,elu_id,nom_complet,nom,prenom,civilite,debut,fin"
    mandates = "".join(
        f"\nassemblee,{lists.member('assemblee', n)},Élue Numéro{n},Numéro{n},Élue,Mme,2022-06-22,2024-06-09"
        for n in range(1, 61)
    )
    (tmp_path / "elus" / "mandats.csv").write_text(f"{head}{mandates}\n", encoding="utf-8")
    (tmp_path / "elus" / "groupes.csv").write_text("chambre,elu_id,groupe,depuis,jusqua\n")
    path = tmp_path / "movements.db"
    given = ("--lists", tmp_path / "lists", "--members", tmp_path / "elus")
    environment.done("build", path, *given)
    datasette = await make(path=path, now=years.TODAY)
    text = await told(datasette, "/parcours?chambre=assemblee")
    assert "Sur la liste du 7 juin 2024, auprès d’une même personne élue" in text
    assert "Personne n’est dit présent" not in text


async def test_a_staff_name_that_is_also_a_members_says_so_and_no_more(make, tmp_path):
    there = lists.many(60) | {1: ["Élue NUMÉRO7"]}
    for day in ("2026-09-14", "2026-09-21"):
        lists.write(tmp_path / "lists", "senat", day, there)
    (tmp_path / "elus").mkdir()
    head = "chambre,elu_id,nom_complet,nom,prenom,civilite,debut,fin"
    about = f"senat,{lists.member('senat', 7)},Élue Numéro7,Numéro7,Élue,Mme"
    # Twice in office: what lies between is no mandate.
    mandates = ("1998-10-01,2004-09-30", "2014-10-01,2017-10-01", "2017-10-02,2023-10-01")
    rows = "\n".join([head, *(f"{about},{days}" for days in mandates)]) + "\n"
    (tmp_path / "elus" / "mandats.csv").write_text(rows, encoding="utf-8")
    (tmp_path / "elus" / "groupes.csv").write_text("chambre,elu_id,groupe,depuis,jusqua\n")
    path = tmp_path / "movements.db"
    given = ("--lists", tmp_path / "lists", "--members", tmp_path / "elus")
    environment.done("build", path, *given)
    datasette = await make(path=path, now=years.TODAY)
    text = await told(datasette, "/collaborateurs/numero7-elue")
    said = (
        "Une personne de ce nom a été sénatrice de 1998 à 2004 et de 2014 à 2023 : sa page. Rien ne dit si"
        " c’est la même."
    )
    assert said in text
    page = Read((await datasette.client.get("/collaborateurs/numero7-elue")).text)
    assert f"/elus/senat/{lists.member('senat', 7)}" in page.links
    # A mandate whose end is known and still to come goes on.
    site(datasette).service.clock = lambda: years.TODAY.replace(year=2022)
    text = await told(datasette, "/collaborateurs/numero7-elue")
    assert "Une personne de ce nom est ou a été sénatrice, depuis 2014 : sa page." in text
    site(datasette).service.clock = lambda: years.TODAY
    other = await told(datasette, site(datasette).staff(*there[2][0].split()[::-1]))
    assert "Une personne de ce nom" not in other
