"""Pages are read by keyboard, on a narrow screen, enlarged twice, and on paper."""

from __future__ import annotations

import pytest

from .conftest import too_wide, unfold
from .places import PAGES

PRINTED = "home week chamber member staff group sources explorer search".split()
MOST_TABS = 250
# What is typed into the search of the header, then the links, one page after the other; where they lead.
BY_KEYBOARD = {
    "/semaine/2026-W46": ("", "Cette semaine", "← Semaine du 9 novembre 2026"),
    "/documentation#donnees-personnelles": ("gardemoulin", "Ysé LLANO-GARDEMOULIN", "droits"),
}


def reach(page, label: str) -> None:
    """Press Tab until what has the focus is read so, which is seen wherever it is."""
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        told = page.evaluate(
            """() => {
                const e = document.activeElement, style = getComputedStyle(e), box = e.getBoundingClientRect();
                return {name: (e.textContent || e.name || '').replace(/\\s+/g, ' '), there: e !== document.body,
                    seen: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2
                        && box.width > 0 && box.height > 0 && box.left >= 0};
            }"""
        )
        assert told["seen"] or not told["there"], told
        if label in told["name"]:
            return
    pytest.fail(f"Tab does not reach {label}")


@pytest.mark.parametrize("address", BY_KEYBOARD)
def test_the_keyboard_alone_finds(visit, address):
    page = visit(1280)
    page.goto("/")
    typed, *links = BY_KEYBOARD[address]
    if typed:
        reach(page, "q")  # of the header
        page.keyboard.type(typed)
        page.keyboard.press("Enter")
        page.wait_for_url("**/recherche?q=*")
    for label in links:
        before = page.url
        reach(page, label)
        page.keyboard.press("Enter")
        page.wait_for_url(lambda url, before=before: url != before)
    assert address in page.url


def test_the_keyboard_opens_the_menu_and_what_is_folded(visit):
    page = visit(360)
    page.goto("/")
    reach(page, "Menu")
    page.keyboard.press("Enter")
    reach(page, "Groupes")
    page.keyboard.press("Enter")
    page.wait_for_url("**/groupes")
    page.goto(PAGES["sources"])
    reach(page, "Réutiliser cette page")
    page.keyboard.press("Enter")
    page.get_by_text("Citer").wait_for()


def test_the_first_column_of_a_wide_table_stays_in_sight_on_a_phone(visit):
    page = visit(360)
    page.goto("/sources")
    moved = page.evaluate(
        """() => [...document.querySelectorAll('.table-scroll')].map(box => {
            const head = box.querySelector('tbody th'), before = head.getBoundingClientRect().left;
            box.scrollLeft = 100;
            return [box.scrollLeft, head.getBoundingClientRect().left - before];
        })"""
    )
    assert moved == [[100, 0], [100, 0]]


@pytest.mark.parametrize(("width", "scale"), [(320, 1), (640, 2)])
def test_nobody_scrolls_sideways_on_a_narrow_or_enlarged_page(visit, width, scale):
    page = visit(width, device_scale_factor=scale)
    wide = {}
    for name, path in PAGES.items():
        page.goto(path)
        wide[name] = too_wide(page)
        unfold(page)
        wide[f"{name}, unfolded"] = too_wide(page)
    assert {name: told for name, told in wide.items() if told} == {}


def test_paper_has_tables_the_address_and_the_day_and_no_navigation(visit):
    page = visit(700)  # what A4 leaves between its margins
    page.emulate_media(media="print")
    tables = []
    for name in PRINTED:
        path = PAGES[name]
        page.goto(path)
        unfold(page)
        parts = page.evaluate(
            """() => Object.fromEntries(['table', 'thead', 'tbody tr', 'tbody td'].map(part => [part, [...new Set(
                [...document.querySelectorAll('main ' + part)].map(e => getComputedStyle(e).display))]]))"""
        )
        expected = ["table", "table-header-group", "table-row", "table-cell"]
        assert all(
            shown in ([], [one]) for shown, one in zip(parts.values(), expected, strict=True)
        ), (name, parts)
        tables += parts["table"]
        foot = page.locator("footer .address").inner_text()
        assert path.partition("?")[0] in foot, name
        assert "publiées le 21\u00a0novembre 2026" in foot or "publiées le 21 novembre 2026" in foot
        navigation = page.locator(".site-head :is(nav, form), form:is(.filter, .filters)").all()
        assert {one.is_visible() for one in navigation} == {False}, name
        assert too_wide(page) == [], name
    assert tables


@pytest.mark.parametrize("width", [320, 360, 1100])
def test_no_head_of_a_table_is_broken_within_a_word(visit, width):
    page = visit(width)
    for name in ("sources", "chamber", "group"):
        page.goto(PAGES[name])
        unfold(page)
        assert page.locator("main thead th").count() > 0, name
        broken = page.evaluate(
            """() => [...document.querySelectorAll('main thead th')].flatMap(head => {
                const walk = document.createTreeWalker(head, NodeFilter.SHOW_TEXT), found = [];
                for (let text; (text = walk.nextNode());)
                    for (const word of text.data.matchAll(/[^\\s’-]+/g)) {
                        const range = document.createRange();
                        range.setStart(text, word.index);
                        range.setEnd(text, word.index + word[0].length);
                        if (new Set([...range.getClientRects()].map(one => Math.round(one.top))).size > 1)
                            found.push(word[0]);
                    }
                return found;
            })"""
        )
        assert (broken, too_wide(page)) == ([], []), name


# Of each closed part of a page: whether it is a year, whether paper has it, whether it is marked as left out. What paper
# has is known some frames after the media changed. A wait of Playwright's own would need `eval`, which pages forbid.
CLOSED_PARTS = """async () => {
    const told = () => [...document.querySelectorAll('main details:not([open])')].map(one => [
        one.matches('.year'), one.lastElementChild.checkVisibility({contentVisibilityAuto: true}),
        getComputedStyle(one.querySelector('summary'), '::after').content.includes('non imprimé')]);
    for (let frame = 0; frame < 600 && told().some(([, printed, marked]) => printed === marked); frame++)
        await new Promise(requestAnimationFrame);
    return told();
}"""


def test_paper_marks_as_not_printed_what_it_does_not_print(visit):
    page = visit(700)
    page.goto(PAGES["member"])
    page.emulate_media(media="print")
    parts = page.evaluate(CLOSED_PARTS)
    assert all(printed != marked for _, printed, marked in parts)
    assert [True, True, False] in parts


@pytest.mark.parametrize("spacing", ["-0.05em", "0.08em"])
def test_the_name_of_the_site_is_whole_in_a_narrow_and_in_a_wide_typeface(visit, spacing):
    page = visit(1280)
    page.goto("/")
    whole = page.evaluate(
        """spacing => {
            document.querySelector('.site-head').style.letterSpacing = spacing;
            const name = document.querySelector('.site-name').getBoundingClientRect();
            const end = document.querySelector('.site-name .wide').getBoundingClientRect();
            return end.width > 0 && end.bottom <= name.bottom;
        }""",
        spacing,
    )
    assert whole
    assert page.locator(".site-name").inner_text() == "Mouvements des collaborateurs parlementaires"
    assert too_wide(page) == []
