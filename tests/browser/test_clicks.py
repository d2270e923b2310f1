"""What people come for, in their words, with the clicks that it takes from the first page."""

from __future__ import annotations

import csv
import io

import pytest

from .conftest import Clicks
from .test_questions import words

# Without scripts a page is read and asked by its links and forms alone.
pytestmark = pytest.mark.parametrize(
    "reader",
    [{"width": 1280}, {"width": 390, "java_script_enabled": False}],
    ids=["desk", "phone without scripts"],
)


def most(reader, clicks: int) -> int:
    """One more on a phone, where the menu must be opened."""
    return clicks + (reader["width"] < 992)


def test_quels_députés_ont_perdu_le_plus_de_collaborateurs(visit, reader):
    page = visit(**reader)
    clicks = Clicks(page)
    clicks.menu("Comparer")
    clicks.go(page.get_by_role("link", name="autres équipes : Assemblée nationale"))
    head = page.get_by_role("columnheader", name="Parties en douze mois").get_by_role("link")
    clicks.go(head)
    clicks.go(page.get_by_role("columnheader", name="Parties en douze mois").get_by_role("link"))
    told = page.locator("td[data-label='Parties en douze mois'] .v").all_inner_texts()
    shares = [int(left) / int(people) for left, people in (one.split("sur") for one in told)]
    assert len(shares) > 20
    assert shares == sorted(shares, reverse=True)
    assert clicks.number <= most(reader, 4)


def test_la_semaine_du_16_avril_2025(visit, reader):
    page = visit(**reader)
    clicks = Clicks(page)
    clicks.menu("Cette semaine")
    page.get_by_label("La semaine d’un jour").fill("2025-04-16")
    clicks.go(page.get_by_role("button", name="Afficher"))
    assert words(page.locator("h1")) == "Semaine du 14 au 20 avril 2025"
    assert clicks.number <= most(reader, 2)


def test_un_tableur_de_cette_équipe(visit, reader):
    page = visit(**reader)
    clicks = Clicks(page)
    page.get_by_label("Chercher une personne").fill("brindavoine")
    clicks.go(page.get_by_role("button", name="Chercher"))
    clicks.go(page.get_by_role("link", name="Océane Brindavoine-Lasalle").first)
    with page.expect_download() as found:
        clicks.open(page.get_by_role("link", name="Cette équipe en tableur (CSV)"))
    rows = list(csv.DictReader(io.StringIO(found.value.path().read_text("utf-8"))))
    assert {row["elu_id"] for row in rows} == {"PA999001"}
    assert len(rows) > 5
    assert clicks.number <= 3


def test_citer_cette_page(visit, reader):
    page = visit(**reader)
    clicks = Clicks(page)
    clicks.menu("Groupes")
    clicks.open(page.locator("summary", has_text="Citer cette page"))
    cited = words(page.locator("details.cite p"))
    assert "« Les groupes politiques »" in cited
    assert "listes de l’Assemblée nationale jusqu’au 20 novembre 2026" in cited
    assert "/groupes, licence Open Database License" in cited
    assert clicks.number <= most(reader, 2)


def test_je_suis_dans_ces_données(visit, reader):
    page = visit(**reader)
    clicks = Clicks(page)
    clicks.go(page.get_by_role("link", name="Je suis dans ces données"))
    text = words(page.locator("main"))
    for told in ("Ce que nous avons", "Ni salaire", "Faire retirer votre nom", "sous un mois"):
        assert told in text
    assert page.get_by_role("link", name="Demander une correction ou un retrait").count() == 1
    assert page.locator("main form:not([role=search])").count() == 0
    assert clicks.number == 1
