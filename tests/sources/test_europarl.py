from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

import pytest

from parlement_lists.sources.europarl import SOURCE
from parlement_lists.sources.originals import Original, OriginalRefused, StaffList, StaffRow
from parlement_lists.tracking.members.known_members import Members
from tests.tracking.lists import write_members

from .europarl_pages import GENERATIONS, HEADINGS, make, staff

DAY = datetime.date(2026, 9, 14)
ROWS = [
    staff("Jeanne Marie Exemple"),
    staff("Paul-Émile LE Modèle", HEADINGS[1]),
    staff("Zoé D'ESSAI", HEADINGS[2]),
]


def page(rows: Sequence[StaffRow], id: str = "1001", form: str = "D", name: str = "") -> Original:
    return Original(name or f"{id}.html", make(id, f"Anne ÉLU{id}", rows, form))


def read(*originals: Original, day: datetime.date | None = DAY) -> StaffList:
    return SOURCE.read(originals, Members(), day)


def names(found: StaffList) -> set[tuple[str, str, str]]:
    return {(row.collab_prenom, row.collab_nom, row.fonction) for row in found.rows}


@pytest.mark.parametrize("generation", GENERATIONS)
def test_every_generation_says_the_same(generation: str) -> None:
    found = read(page(ROWS, form=generation))
    assert names(found) == {
        ("Jeanne Marie", "EXEMPLE", "Accredited assistants"),
        ("Paul-Émile", "LE MODÈLE", "Accredited assistants (grouping)"),
        ("Zoé", "D'ESSAI", "Local assistants"),
    }
    assert found.origin == "europarl-pages"
    assert (found.day, found.remarks) == (None, [])
    assert {(row.elu_id, row.elu_nom, row.elu_prenom) for row in found.rows} == {
        ("1001", "Élu1001", "Anne")
    }


def test_firms_are_left_out_under_whatever_heading() -> None:
    rows = [
        staff("Cabinet Modèle", heading)
        for heading in (
            "Paying agents",
            "Specialised service providers",
            "Service providers (grouping)",
        )
    ]
    assert not read(page(rows)).rows
    assert len(read(page([*rows, *ROWS])).rows) == 3


def test_a_heading_never_seen_is_kept_and_told() -> None:
    known = "Assistants to the Vice-Presidency/to the Quaestorate"
    found = read(page([staff("Jeanne Exemple", "Night watch"), staff("Luc Test", known), *ROWS]))
    assert ("Jeanne", "EXEMPLE", "Night watch") in names(found)
    assert found.remarks == [
        'heading "Night watch", of 1 people, is not known, and kept as it stands'
    ]


def test_a_person_under_two_headings_is_one_row_with_both() -> None:
    again = [staff("JEANNE MARIÉ EXEMPLE", HEADINGS[2]), staff("Jeanne Marie Exemple")]
    found = read(page([*ROWS, *again]))
    assert len(found.rows) == 3
    assert ("Jeanne Marie", "EXEMPLE", "Accredited assistants, Local assistants") in names(found)


def test_an_empty_list_is_nobody_and_no_list_is_refused() -> None:
    assert not read(page([])).rows
    with pytest.raises(OriginalRefused, match=r"1001\.html: no list of assistants"):
        read(page([], form="A"))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (b"</html>", b"", "cut off after"),
        (b'lang="en"', b'lang="fr"', 'its language is "fr"'),
        (b"/meps/fr/1001/", b"/meps/fr/1002/", "names 2 members: 1001, 1002"),
        (b"| Anne \xc3\x89LU1001", b"| Autre \xc3\x89LU1001", "its title names"),
        (b"<html", b"<htm1", "not an HTML page"),
        (b"Exemple", b"Ex\xe9mple", "is not UTF-8"),
        (b"EXEMPLE", b"EXEM<b>PLE</b>", "holds other elements"),
        (b"EXEMPLE", b"EXEM\x0bPLE", "block 1 of the list: holds a control character"),
        (b"EXEMPLE", b"EXEMPLE &amp;amp; Fils", "is no name"),
        (b"</h4>", b"</h4>Nobody", "text below"),
        (b"Local assistants<", b"Local &lt;b&gt;<", "its heading is none"),
        (b"<!-- end type of assistants -->", b"and more", "that is no heading or name"),
        (b"-->\n    <div class=", b"\n    <div class=", "a broken tag"),
        (b"<!-- start type of assistants -->", b"<!-- start >", "elements of class"),
        (b'<a href="/meps/en/1001', b'<a href="', "nothing of the page follows"),
        (b'"erpl_assistant"', b'"es_assistant"', "no names below"),
        (b"h4", b"h5", "0 headings"),
        (b"</h4>", b"</h4><h4>Two</h4>", "2 headings"),
        (b"<!-- START", b'<div class="erpl_type-assistants-list"></div><!--', "2 lists"),
        (b"<!-- START", b'<div class="erpl-meps-asst-group-list"></div><!--', "2 lists? of"),
    ],
)
def test_a_page_not_whole_or_not_as_known_is_refused(old: bytes, new: bytes, reason: str) -> None:
    whole = page(ROWS)
    body = whole.body.replace(b"Exemple", b"EXEMPLE") if old == b"EXEMPLE" else whole.body
    body = body.replace(b"EXEMPLE", b"Exemple") if old == b"Exemple" else body
    assert old in body
    with pytest.raises(OriginalRefused, match=reason) as refused:
        read(whole._replace(body=body.replace(old, new)))
    said = str(refused.value).lower()
    assert not any(name in said for name in ("jeanne", "exem", "modèle", "zoé", "anne"))


def test_only_the_classes_of_lists_blocks_and_names_matter() -> None:
    body = page(ROWS).body.replace(b"-item", b"-entry").replace(b"es_title", b"title")
    assert len(read(Original("1001.html", body)).rows) == 3


def test_the_number_is_the_page_s_and_has_one_page() -> None:
    assert read(page(ROWS, name="x-7.html")).rows[0].elu_id == "1001"
    silent = page(ROWS).body.replace(b"/1001/", b"/")
    with pytest.raises(OriginalRefused, match=r"7\.html: no member's number"):
        read(Original("7.html", silent))
    with pytest.raises(OriginalRefused, match=r"b\.html: member 1001 has a page: a\.html"):
        read(page(ROWS, name="a.html"), page(ROWS, name="b.html"))


def test_a_member_is_called_as_the_members_say_and_in_their_group(tmp_path: Any) -> None:
    mandates = [
        "europarl,1001,Anne-Lise Élu,,,,2024-07-16,",
        "europarl,1002,Luc Le Deux,Le Deux,Luc,,2024-07-16,",
    ]
    members = Members.read(write_members(tmp_path, mandates, ["europarl,1001,EPP,2024-07-16,"]))
    pages = [page(ROWS[:1], id) for id in ("1001", "1002", "1003")]
    rows = SOURCE.read(pages, members, DAY).rows
    assert [(row.elu_nom, row.elu_prenom, row.groupe) for row in rows] == [
        ("Élu", "Anne-Lise", "EPP"),
        ("Le Deux", "Luc", ""),
        ("Élu1003", "Anne", ""),
    ]
    assert not any(row.groupe for row in SOURCE.read(pages, members, None).rows)


def test_many_members_without_anybody_are_refused() -> None:
    with pytest.raises(OriginalRefused, match="20 members' pages without any staff"):
        read(*(page([], str(id)) for id in range(1, 21)))
    with pytest.raises(OriginalRefused, match="0 members' pages"):
        read()
