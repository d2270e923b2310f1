"""A visitor filters, gets a key, uses it, renews it: on a phone and on a desk."""

from __future__ import annotations

import pytest

from datasette_mouvements.keys.keys import has_form

from .conftest import go, sign_in


@pytest.mark.parametrize("width", [360, 1280])
def test_a_visitor_filters_without_scripts(visit, width):
    page = visit(width, java_script_enabled=False)
    page.goto("/elus/assemblee/PA999001")
    if width < 992:
        page.locator("summary", has_text="Menu").click()
    go(page.get_by_role("link", name="Explorer", exact=True).locator("visible=true"))
    page.locator("details:has(#x-chambre) > summary").click()
    page.get_by_label("Chambre", exact=True).select_option("senat")
    page.get_by_label("Premier jour, inclus").fill("2026-01-01")
    go(page.get_by_role("button", name="Filtrer").last)
    assert "chambre=senat" in page.url
    rows = page.locator("table.explorer tbody tr")
    chambers = rows.locator("td[data-label=Chambre]").all_inner_texts()
    assert chambers
    assert all("Sénat" in text for text in chambers)
    days = rows.locator("td[data-label=Date]").all_inner_texts()
    assert {text.split()[-1] for text in days} == {"2026"}


@pytest.mark.parametrize("filters", ["chambre=senat&type=depart", "depuis=2026-10-01"])
def test_a_filtered_list_has_a_row_in_the_first_screen_of_a_phone(visit, filters):
    page = visit(360)
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"/explorer?{filters}")
    row = page.locator("table.explorer tbody tr").first.bounding_box()
    assert row["y"] + row["height"] <= 740


@pytest.mark.parametrize("width", [360, 1280])
def test_an_account_gets_a_key_and_renews_it(visit, live, width):
    page = visit(width)
    name = f"visiteuse-{width}"
    sign_in(page, live, name)
    page.goto("/-/cle")
    go(page.get_by_role("button", name="Créer ma clé"))
    first = page.get_by_label("Clé", exact=True).input_value()
    assert has_form(first.encode())

    assert tried(page, first).startswith("200")
    assert page.locator("[data-headers]").inner_text().count("999") >= 1
    assert '"mouvements"' in page.locator("[data-body]").inner_text()

    page.goto("/-/cle")
    assert first not in page.content()
    assert "1 demande sur" in page.locator("main").inner_text().replace("\u00a0", " ")
    go(page.get_by_role("link", name="Renouveler la clé"))
    go(page.get_by_role("link", name="Non, garder la clé"))
    assert first not in page.content()
    go(page.get_by_role("link", name="Renouveler la clé"))
    go(page.get_by_role("button", name="Oui, renouveler la clé"))
    second = page.get_by_label("Clé", exact=True).input_value()
    assert second != first
    assert tried(page, first).startswith("401")
    assert tried(page, second).startswith("200")


def tried(page, key: str) -> str:
    """Run a call on the documentation page; its status."""
    page.goto("/documentation")
    page.get_by_label("Votre clé").fill(key)
    page.get_by_label("Chambre chambre").select_option("senat")
    page.get_by_role("button", name="Lancer la demande").click()
    page.locator("[data-status]:not(:empty)").wait_for()
    assert key not in page.locator("[data-call]").inner_text()
    return page.locator("[data-status]").inner_text()


def test_the_key_is_copied(visit, live):
    page = visit(1280, permissions=["clipboard-read", "clipboard-write"])
    sign_in(page, live, "copiste")
    page.goto("/-/cle")
    go(page.get_by_role("button", name="Créer ma clé"))
    page.get_by_role("button", name="Copier").click()
    page.get_by_text("Copiée.").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.get_by_label("Clé", exact=True).input_value()


def test_a_key_is_made_and_ended_without_scripts(visit, live):
    page = visit(360, java_script_enabled=False)
    sign_in(page, live, "sobre")
    page.goto("/-/cle")
    go(page.get_by_role("button", name="Créer ma clé"))
    page.goto("/-/cle")
    go(page.get_by_role("link", name="Révoquer la clé"))
    go(page.get_by_role("button", name="Oui, révoquer la clé"))
    assert page.get_by_text("La clé est révoquée").is_visible()
    page.goto("/documentation")
    assert page.get_by_text("L’essai demande JavaScript").is_visible()


def test_the_keyboard_reaches_the_content_first(visit):
    page = visit(1280)
    page.goto("/documentation")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Aller au contenu"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")
