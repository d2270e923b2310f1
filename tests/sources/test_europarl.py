from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

import pytest

from parlement_lists.sources.downloading.retry_policy import FetchFailed
from parlement_lists.sources.europarl import SOURCE
from parlement_lists.sources.source import Original, OriginalRefused, StaffList, StaffRow
from parlement_lists.tracking.members.known_members import Members

from .europarl_pages import GENERATIONS, HEADINGS, make, staff
from .europarl_site import DAY, Site, SiteDownloads

ROWS = [
    staff("Jeanne Marie Exemple"),
    staff("Paul-Émile LE Modèle", HEADINGS[1]),
    staff("Zoé D'ESSAI", HEADINGS[2]),
]


def page(
    rows: Sequence[StaffRow], id: str = "1001", generation: str = "D", name: str = ""
) -> Original:
    return Original(name or f"{id}.html", make(id, f"Anne ÉLU{id}", rows, generation))


def read(*originals: Original, day: datetime.date | None = DAY) -> StaffList:
    return SOURCE.read(originals, Members(), day)


def names(found: StaffList) -> set[tuple[str, str, str]]:
    return {(row.collab_prenom, row.collab_nom, row.fonction) for row in found.rows}


def fetched(site: Site, memory: dict[str, Any] | None = None, days: int = 0) -> SiteDownloads:
    """The downloads of a run that had every page it needed."""
    downloads = SiteDownloads(site, memory, days)
    SOURCE.download(downloads)
    return downloads


def failing(site: Site, memory: dict[str, Any], days: int) -> str:
    with pytest.raises(FetchFailed) as failed:
        SOURCE.download(SiteDownloads(site, memory, days))
    return str(failed.value)


@pytest.mark.parametrize("generation", GENERATIONS)
def test_every_generation_says_the_same(generation: str) -> None:
    found = read(page(ROWS, generation=generation))
    assert names(found) == {
        ("Jeanne Marie", "EXEMPLE", "Accredited assistants"),
        ("Paul-Émile", "LE MODÈLE", "Accredited assistants (grouping)"),
        ("Zoé", "D'ESSAI", "Local assistants"),
    }
    assert found.origin == "europarl-pages"
    assert (found.day, found.carried, found.told) == (None, [], [])
    assert {(row.elu_id, row.elu_nom, row.elu_prenom) for row in found.rows} == {
        ("1001", "Élu1001", "Anne")
    }


def test_firms_are_left_out_under_whatever_heading() -> None:
    rows = [
        staff("Cabinet Modèle", heading)
        for heading in (
            "Paying agents",
            "Paying agents (grouping)",
            "Service providers",
            "Specialised service providers",
            "Service providers (grouping)",
        )
    ]
    assert not read(page(rows)).rows
    assert len(read(page([*rows, *ROWS])).rows) == 3


def test_a_heading_never_seen_is_kept_and_told() -> None:
    found = read(page([staff("Jeanne Exemple", "Night watch"), *ROWS]))
    assert ("Jeanne", "EXEMPLE", "Night watch") in names(found)
    assert found.told == ['heading "Night watch", of 1 people, is not known, and kept as it stands']


def test_known_headings_are_not_told() -> None:
    headings = {
        *HEADINGS[:4],
        "Trainees",
        "Assistants to the Vice-Presidency/to the Quaestorate",
        "Assistants to the Vice-Presidency",
        "Assistants to the Quaestorate",
    }
    found = read(page([staff(f"Jeanne Exemple{chr(65 + n)}", h) for n, h in enumerate(headings)]))
    assert {row.fonction for row in found.rows} == headings
    assert not found.told


def test_a_person_under_two_headings_is_one_row_with_both() -> None:
    again = [staff("JEANNE MARIÉ EXEMPLE", HEADINGS[2]), staff("Jeanne Marie Exemple")]
    found = read(page([*ROWS, *again]))
    assert len(found.rows) == 3
    assert ("Jeanne Marie", "EXEMPLE", "Accredited assistants, Local assistants") in names(found)


def test_an_empty_list_is_nobody_and_no_list_is_refused() -> None:
    assert not read(page([])).rows
    with pytest.raises(OriginalRefused, match=r"1001\.html: no list of assistants"):
        read(page([], generation="A"))


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
        (b"EXEMPLE", b"EXEMPLE|{}", "is no name"),
        (b"</h4>", b"</h4>Nobody", "text below"),
        (b"</h4>", b"", "holds other elements"),
        (b"<!-- end type of assistants -->", b"and more", "that is no heading or name"),
        (b"-->\n    <div class=", b"\n    <div class=", "a broken tag"),
        (b"<!-- start type of assistants -->", b"<!-- start >", "elements of class"),
        (b"</i>", b"</i=>", "a broken tag"),
        (b'<a href="/meps/en/1001', b'<a href="', "nothing of the page follows"),
        (b'"erpl_assistant"', b'"es_assistant"', "no names below"),
        (b"h4", b"h5", "0 headings"),
        (b"</h4>", b"</h4><h4>Two</h4>", "2 headings"),
        (b"<!-- START", b'<div class="erpl_type-assistants-list"></div><!--', "2 lists"),
        (b"<!-- START", b'<div class="erpl-meps-asst-group-list"></div><!--', "2 lists? of"),
    ],
)
def test_a_page_that_is_not_whole_or_not_as_known_is_refused(
    old: bytes, new: bytes, reason: str
) -> None:
    whole = page(ROWS)
    body = whole.body.replace(b"Exemple", b"EXEMPLE") if old == b"EXEMPLE" else whole.body
    body = body.replace(b"EXEMPLE", b"Exemple") if old == b"Exemple" else body
    assert old in body
    with pytest.raises(OriginalRefused, match=reason) as refused:
        read(whole._replace(body=body.replace(old, new)))
    said = str(refused.value).lower()
    assert not any(name in said for name in ("jeanne", "exem", "modèle", "zoé", "anne"))


def test_a_block_that_is_refused_is_told_by_its_place() -> None:
    whole = page([*ROWS[:1], *ROWS[1:], staff("Ada Essai", HEADINGS[1])])
    body = whole.body.replace(b"Ada ESSAI", b"=Ada ESSAI")
    with pytest.raises(OriginalRefused) as refused:
        read(whole._replace(body=body))
    assert str(refused.value) == "1001.html: block 2 of the list: name 2 of 2 is no name"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "an empty page"),
        (b"{}x" * 10, "not JSON"),
        (b"<html>" + b" " * 500_000 + b"</html>", "more than 500,000"),
        (b"<html>" + b"<div>" * 20_000 + b"</html>", "more than 20,000"),
        (b"<html>" + b"<b><p>" * 51 + b"</html>", "more than 50 elements of formatting"),
        (b"<html></html>", "no list"),
    ],
)
def test_what_is_no_page_is_refused(body: bytes, reason: str) -> None:
    with pytest.raises(OriginalRefused, match=reason):
        read(Original("1001.html", body))


def test_only_the_classes_of_lists_blocks_and_names_matter() -> None:
    body = page(ROWS).body.replace(b"-item", b"-entry").replace(b"es_title", b"title")
    assert len(read(Original("1001.html", body)).rows) == 3


def test_a_page_without_spaces_between_elements_is_read() -> None:
    body = b">".join(part.strip() for part in page(ROWS).body.split(b">"))
    body = b"<".join(part.strip() for part in body.split(b"<"))
    assert len(read(Original("1001.html", body)).rows) == 3


def test_the_number_is_the_pages_and_else_the_names() -> None:
    assert read(page(ROWS, name="x-7.html")).rows[0].elu_id == "1001"
    silent = page(ROWS).body.replace(b"/1001/", b"/")
    assert read(Original("d/2024-7.html", silent)).rows[0].elu_id == "7"
    with pytest.raises(OriginalRefused, match="neither page nor name has a member's number"):
        read(Original("page.html", silent))
    with pytest.raises(OriginalRefused, match=r"b\.html: member 1001 has a page: a\.html"):
        read(page(ROWS, name="a.html"), page(ROWS, name="b.html"))


def test_a_member_is_called_as_the_members_say_and_in_their_group(tmp_path: Any) -> None:
    (tmp_path / "mandats.csv").write_text(
        "chambre,elu_id,nom_complet,nom,prenom,civilite,debut,fin\n"
        "europarl,1001,Anne-Lise Élu,,,,2024-07-16,\n"
        "europarl,1002,Luc Le Deux,Le Deux,Luc,,2024-07-16,\n"
    )
    (tmp_path / "groupes.csv").write_text(
        "chambre,elu_id,groupe,depuis,jusqua\neuroparl,1001,EPP,2024-07-16,\n"
    )
    members = Members.read(tmp_path)
    pages = [page(ROWS[:1], id) for id in ("1001", "1002", "1003")]
    rows = SOURCE.read(pages, members, DAY).rows
    assert [(row.elu_nom, row.elu_prenom, row.groupe) for row in rows] == [
        ("Élu", "Anne-Lise", "EPP"),
        ("Le Deux", "Luc", ""),
        ("Élu1003", "Anne", ""),
    ]
    assert not any(row.groupe for row in SOURCE.read(pages, members, None).rows)


def test_old_pages_are_told() -> None:
    def made(id: str, days: int) -> Original:
        body = make(id, f"Anne ÉLU{id}", ROWS, "D", DAY - datetime.timedelta(days))
        return Original(f"{id}.html", body)

    pages = [made("1001", 3), made("1002", 4), made("1003", 9)]
    assert read(*pages).told == ["2 pages are more than 3 days old, from 2026-09-05 on"]
    assert not read(*pages, day=None).told


def test_many_members_without_anybody_are_refused() -> None:
    with pytest.raises(OriginalRefused, match="20 members' pages without any staff"):
        read(*(page([], str(id)) for id in range(1, 21)))
    with pytest.raises(OriginalRefused, match="0 members' pages"):
        read()


def test_a_run_reads_every_member_two_at_a_time_three_times() -> None:
    site = Site()
    downloads = SiteDownloads(site)
    originals = SOURCE.download(downloads)
    assert len(originals) == 82
    assert downloads.ways == {(3, 2)}
    # The first time, both listings are asked.
    assert downloads.asked[2].url == "https://www.europarl.europa.eu/meps/en/1001/NAME/assistants"
    assert all(address.html for address in downloads.asked[2:])
    assert not downloads.told
    members = SOURCE.members(originals, DAY)
    assert members is not None
    assert members.members == site.seated
    assert not members.dated
    found = read(*originals)
    assert len(found.rows) == 81
    assert not found.carried


OTHER = make("1002", "Anne ÉLU1002", ROWS, "D")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("status 500", "status 500"),
        (b"", "an empty page"),
        (OTHER, "the page of member 1002"),
        (make("1001", "Anne ÉLU1001", [], "D").replace(b"/1001/", b"/"), "whom it does not name"),
        (make("1001", "Anne ÉLU1001", [], "A"), "no list"),
        (make("1001", "Anne ÉLU1001", ROWS, "D")[:-300], "cut off"),
    ],
)
def test_a_page_that_fails_means_no_list(answer: bytes | str, reason: str) -> None:
    site, memory = Site(), {}
    site.answers["1001.html"] = answer
    said = failing(site, memory, 0)
    assert said.startswith("1 of 81 members' pages failed: Anne Élu1001 (1001): ")
    assert reason in said
    assert memory["failing"] == {"1001": ["2026-09-14"]}


def test_the_same_three_that_fail_for_seven_days_are_carried() -> None:
    site, memory = Site(), {}
    site.fail("1001", "1002", "1003")
    for days in range(7):
        assert failing(site, memory, days).endswith("status 500; since 2026-09-14")
    downloads = SiteDownloads(site, memory, 7)
    originals = SOURCE.download(downloads)
    assert len(originals) == 79
    assert downloads.told[0].startswith("3 of 81 members' pages have failed for days: Anne Élu1001")
    found = read(*originals)
    assert found.carried == ["1001", "1002", "1003"]
    assert len(found.rows) == 78
    assert found.told == [
        "what was last known stands for 3 members: Anne Élu1001 (1001), Anne Élu1002 (1002),"
        " Anne Élu1003 (1003)"
    ]


def test_a_page_that_was_not_asked_for_neither_fails_nor_is_forgotten() -> None:
    class Unasked(SiteDownloads):
        def get_all(self, *arguments: Any, **options: Any) -> Any:
            got, failed = super().get_all(*arguments, **options)
            return got[:3], failed

    site, memory = Site(), {}
    site.fail("1001")
    failing(site, memory, 0)
    site.answers["1001.html"] = page([], "1001").body
    site.fail("1005")
    with pytest.raises(FetchFailed, match=r"^78 of 81 .* \(1005\): .*; 77 were not asked for$"):
        SOURCE.download(Unasked(site, memory, 1))
    assert memory["failing"] == {"1005": ["2026-09-15"]}
    site.fail("1001")
    failing(site, memory, 2)
    site.fail("1002")
    with pytest.raises(FetchFailed, match="were not asked for"):
        SOURCE.download(Unasked(site, memory, 3))
    assert memory["failing"]["1005"] == ["2026-09-15", "2026-09-16", "2026-09-17"]
    assert set(memory["failing"]) == {"1001", "1002", "1005"}


def test_days_on_which_no_page_was_asked_for_are_no_failures() -> None:
    site, memory = Site(), {}
    site.fail("1001")
    failing(site, memory, 0)
    site.answers["members.json"] = site.answers["full-list.xml"] = "status 500"
    for days in range(1, 8):
        failing(site, memory, days)
    site = Site()
    site.fail("1001")
    for days in (8, 9, 9, 9):
        assert "since 2026-09-14" in failing(site, memory, days)
    assert fetched(site, memory, 10).told


def test_many_who_lose_all_staff_are_believed_on_the_second_day() -> None:
    site, memory = Site(), {}
    fetched(site, memory)
    for id in ("1001", "1002", "1003", "1004"):
        site.put(id, [])
    for _ in range(2):
        assert failing(site, memory, 1).startswith(
            "4 members had staff and have nobody, to be confirmed on a second day:"
            " Anne Élu1001 (1001), "
        )
    assert len(fetched(site, memory, 2).asked) == 82
    assert len(fetched(site, memory, 3).asked) == 82


def test_empty_lists_of_a_day_are_no_list_and_others_wait_for_a_day_of_their_own() -> None:
    site, memory = Site(), {}
    fetched(site, memory)
    for number in range(1001, 1008):
        site.put(str(number), [])
    failing(site, memory, 1)
    for number in range(1001, 1008):
        site.put(str(number), ROWS)
    for number in range(1011, 1018):
        site.put(str(number), [])
    assert failing(site, memory, 2).startswith("7 members had staff")
    for number in range(1011, 1018):
        site.put(str(number), ROWS)
    fetched(site, memory, 3)
    site.put("1011", [])
    fetched(site, memory, 4)


def test_who_has_firms_alone_has_nobody() -> None:
    site, memory = Site(), {}
    fetched(site, memory)
    for id in ("1001", "1002", "1003", "1004"):
        site.put(id, [staff("Cabinet Modèle", "Paying agents", id)])
    assert failing(site, memory, 1).startswith("4 members had staff")


def test_a_page_that_failed_leaves_what_was_known_of_staff() -> None:
    site, memory = Site(), {}
    fetched(site, memory)
    site.fail("1001", "1002", "1003")
    for days in range(1, 8):
        failing(site, memory, days)
    fetched(site, memory, 8)
    for id in ("1001", "1002", "1003", "1004"):
        site.put(id, [])
    assert failing(site, memory, 9).startswith("4 members had staff")


def test_four_are_never_carried() -> None:
    site, memory = Site(), {}
    site.fail("1001", "1002", "1003", "1004")
    for days in range(20):
        assert failing(site, memory, days).startswith("4 of 81")


def test_another_member_that_fails_waits_for_days_of_its_own() -> None:
    site, memory = Site(), {}
    site.fail("1001")
    for days in range(7):
        failing(site, memory, days)
    fetched(site, memory, 7)
    site.fail("1002")
    for days in range(8, 15):
        assert "1002): status 500; since 2026-09-22" in failing(site, memory, days)
    assert fetched(site, memory, 15).told


def test_a_member_read_again_is_forgotten() -> None:
    site, memory = Site(), {}
    site.fail("1001")
    for days in range(7):
        failing(site, memory, days)
    site.put("1001", ROWS)
    assert not fetched(site, memory, 6).told
    assert memory["failing"] == {}
    site.fail("1001")
    assert "since 2026-09-21" in failing(site, memory, 7)


def test_a_list_that_lacks_more_than_three_pages_is_refused() -> None:
    originals = SOURCE.download(SiteDownloads(Site()))
    with pytest.raises(OriginalRefused, match="4 of 81 members' pages: Anne Élu1001"):
        read(originals[0], *originals[5:])


def test_an_address_of_pages_must_have_a_place_for_the_number() -> None:
    with pytest.raises(FetchFailed, match=r"no \{id\}"):
        SOURCE.at({"page": "https://site.example/"}).download(SiteDownloads(Site()))
