"""What people come to ask, in their words: from the first page, by what they would click, to the answer."""

from __future__ import annotations

import pytest

from .conftest import go

# Without scripts a page is read and asked by its links and forms alone.
pytestmark = pytest.mark.parametrize(
    "reader",
    [{"width": 1280}, {"width": 360, "java_script_enabled": False}],
    ids=["desk", "phone without scripts"],
)


def words(place) -> str:
    """What is read there, spaces and line ends alike."""
    return " ".join(place.inner_text().split())


def search(page, name: str) -> None:
    page.goto("/")
    page.get_by_label("Chercher une personne").fill(name)
    go(page.get_by_role("button", name="Chercher"))


def follow(page, label: str) -> None:
    """A link of the navigation, behind the menu on a phone."""
    menu = page.locator("summary", has_text="Menu")
    if menu.is_visible():
        menu.click()
    links = page.get_by_role("navigation", name="Navigation principale")
    go(links.get_by_role("link", name=label).locator("visible=true"))


def test_qui_a_quitté_ce_bureau_en_un_an(visit, reader):
    page = visit(**reader)
    search(page, "brindavoine")
    go(page.get_by_role("link", name="Océane Brindavoine-Lasalle").first)
    left = page.locator("section", has=page.get_by_role("heading", name="Départs en douze mois"))
    assert "3 départs sur 8" in words(left)
    for name in ("Clémence BRUYÉROLLE", "Désiré PAVILLONNAIS", "Léa VERVEINAC"):
        assert left.get_by_role("link", name=name).count() == 1
    assert "entre le 29 juin et le 6 juillet 2026" in words(left)


def test_quels_bureaux_changent_le_plus(visit, reader):
    page = visit(**reader)
    page.goto("/elus/assemblee")
    page.locator("summary", has_text="Réutiliser cette page").click()
    go(page.get_by_role("link", name="Trier, filtrer et exporter"))
    head = page.get_by_role("columnheader", name="Départs", exact=True)
    go(head.get_by_role("link"))
    if page.locator("th[aria-sort=ascending]", has_text="Départs").count():
        go(head.get_by_role("link"))
    place = page.locator("thead th").all_inner_texts().index("Départs")
    left = page.locator(f"tbody tr td:nth-child({place + 1})").all_inner_texts()
    numbers = [int(text) for text in left if text.strip()]
    assert len(numbers) > 20
    assert numbers == sorted(numbers, reverse=True)


def test_cette_personne_a_t_elle_travaillé_au_Sénat(visit, reader):
    page = visit(**reader)
    search(page, "chantepierot")  # one letter is missing
    go(page.get_by_role("link", name="CHANTEPIERROT"))
    go(page.get_by_role("link", name="Maëlle CHANTEPIERROT"))
    stay = page.locator("table tbody tr", has_text="Hermine Lacanaude")
    assert "le 6 novembre 2023 au plus tard" in words(stay)
    assert "entre le 7 et le 14 avril 2025" in words(stay)
    assert "des homonymes sont possibles" in words(page.locator("main"))


def test_qu_est_ce_qui_a_changé_cette_semaine_et_celle_du_16_avril_2025(visit, reader):
    page = visit(**reader)
    page.goto("/documentation")
    follow(page, "Cette semaine")
    assert words(page.locator("h1")) == "Semaine du 16 au 22 novembre 2026"
    office = page.locator(".office", has_text="Océane Brindavoine-Lasalle")
    assert "Bastien L’ÉCUREUIL" in words(office)
    assert "Arrivée" in words(office)
    assert "pas de liste après le 6 novembre 2026" in words(page.locator("main"))
    go(page.get_by_role("link", name="← Semaine du 9 novembre 2026").first)
    assert words(page.locator("h1")) == "Semaine du 9 au 15 novembre 2026"
    page.get_by_label("La semaine d’un jour").fill("2025-04-16")
    go(page.get_by_role("button", name="Afficher"))
    assert words(page.locator("h1")) == "Semaine du 14 au 20 avril 2025"


def test_un_tableur_de_cette_équipe(visit, reader):
    page = visit(**reader)
    search(page, "brindavoine")
    go(page.get_by_role("link", name="Océane Brindavoine-Lasalle").first)
    page.locator("summary", has_text="Réutiliser cette page").click()
    cited = words(page.locator("details.reuse p").first)
    assert "listes de l’Assemblée nationale jusqu’au 20 novembre 2026" in cited
    assert "licence Open Database License" in cited
    go(page.get_by_role("link", name="Trier, filtrer et exporter en CSV"))
    assert "PA999001" in page.url
    assert page.locator("main tbody tr").count() > 5
