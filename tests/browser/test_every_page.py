"""Every page, at both widths and in both themes: accessible, light, not wider than the screen."""

from __future__ import annotations

import pytest

from .conftest import fold, go, picture, sign_in, too_wide, unfold, violations
from .places import PAGES

WEIGHT = 150_000
PARTS = 4  # of all pages: processes share them
OF_COLOURS = ("color-contrast", "link-in-text-block")  # all that a theme changes


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("width", [360, 1280])
def test_pages_are_light_and_have_no_fault_with_all_of_them_unfolded(visit, axe, width, part):
    page = visit(width)
    weights: list[int] = []
    session = page.context.new_cdp_session(page)
    session.on("Network.loadingFinished", lambda event: weights.append(event["encodedDataLength"]))
    session.send("Network.enable")
    # Each page is weighed as a new visitor's first.
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    wrong = {}
    for name, path in list(PAGES.items())[part::PARTS]:
        weights.clear()
        page.goto(path)
        wrong.update(faults(page, axe, f"{name}-{width}"))
        # Last, so that what came late is counted.
        if not 0 < sum(weights) <= WEIGHT:
            wrong[f"{name}-{width}-weight"] = sum(weights)
    assert wrong == {}


def faults(page, axe, name):
    """What is wrong with the page as it opens, in light; with everything unfolded, in both themes.

    A picture is kept of what is wrong.
    """
    wrong = {}

    def look(state, *rules):
        told = violations(page, axe, *rules) + too_wide(page)
        if told:
            wrong[f"{name}-{state}"] = told
            picture(page, f"{name}-{state}")

    look("opened")
    if unfold(page):
        look("unfolded")
    page.emulate_media(color_scheme="dark")
    look("dark", *OF_COLOURS)
    page.emulate_media(color_scheme="light")
    fold(page)  # an open menu lies over the page
    return wrong


@pytest.mark.parametrize("width", [360, 1280])
def test_an_account_s_key_page_has_no_fault(visit, live, axe, width):
    page = visit(width)
    name = f"compte-{width}"
    sign_in(page, live, name)
    page.goto("/-/cle")
    page.get_by_role("button", name="Créer ma clé").wait_for()
    wrong = faults(page, axe, f"key-none-{width}")
    go(page.get_by_role("button", name="Créer ma clé"))
    page.get_by_label("Clé", exact=True).wait_for()
    wrong.update(faults(page, axe, f"key-{width}"))
    go(page.get_by_role("link", name="Renouveler la clé"))
    wrong.update(faults(page, axe, f"key-renewing-{width}"))
    go(page.get_by_role("link", name="Non, garder la clé"))
    go(page.get_by_role("link", name="Révoquer la clé"))
    wrong.update(faults(page, axe, f"key-ending-{width}"))
    go(page.get_by_role("button", name="Oui, révoquer la clé"))
    page.get_by_role("button", name="Créer ma clé").wait_for()
    wrong.update(faults(page, axe, f"key-ended-{width}"))
    assert wrong == {}
