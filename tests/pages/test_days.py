"""Movements by day and office: who is told with whom."""

from __future__ import annotations

from typing import Any

from datasette_mouvements.pages.days import Office, _cut, by_office, fold

from .invented import contract, movement

GROUPED = "Accredited assistants (grouping)"


def rows(*movements: Any) -> list[dict[str, Any]]:
    return [one._asdict() for one in movements]


def a_day(day: str, *offices: Office) -> dict[str, Any]:
    return {"day": day, "offices": list(offices), "counted": [], "goes_on": False}


def test_a_member_who_changed_the_group_has_an_office_of_each() -> None:
    """A heading has one group: whom a member of before lost is not told under that of now."""
    here = {"elu_id": "1", "elu_nom": "Zoé Un", "elu_cle": "un zoe"}
    gone = movement(1, **here, type="depart", elu_groupe="WAS")
    came = movement(2, **here, type="arrivee", elu_groupe="NOW")
    offices = by_office(rows(gone, came))
    assert [[row["elu_groupe"] for row in office.rows] for office in offices] == [["WAS"], ["NOW"]]


def test_a_team_that_was_emptied_is_an_office_of_its_own_but_a_transfer_stays_one() -> None:
    here = {"elu_id": "1", "contexte": "elu_sortant"}
    gone, moved = movement(1, **here, type="depart"), movement(2, **here, type="transfert")
    assert [office.whole for office in by_office(rows(gone, moved))] == ["elu_sortant", ""]


def test_a_contract_of_several_members_is_one_and_stands_last() -> None:
    shared = contract(10, 3, fonction=GROUPED)
    alone, office = by_office(rows(*shared, movement(30, elu_id="90", elu_nom="Élu N00")))
    assert not alone.shared
    assert (office.shared, office.contract) == (True, True)
    assert [row["elu_nom"] for row in office.rows] == ["Élu N00", "Élu N01", "Élu N02"]


def test_one_name_at_several_members_is_told_once_without_a_word_of_a_contract() -> None:
    (office,) = fold(rows(*contract(10, 2, fonction="Local assistants")))
    assert (office.shared, office.contract) == (True, False)


def test_only_the_same_name_kind_and_day_at_the_european_parliament_are_joined() -> None:
    for other in (
        {"date_event": "2026-09-01"},
        {"type": "depart"},
        {"collab_civilite": "M."},
        {"chambre": "senat"},
        {"collab_nom": "", "collab_prenom": ""},
        {"contexte": "elu_entrant"},
    ):
        one, two = contract(10, 2, **(other if len(other) == 2 else {}))
        assert len(fold(rows(one, two._replace(**other)))) == 2, other
    assert len(fold(rows(*contract(10, 2)))) == 1
    assert len(fold(rows(*contract(10, 2, chambre="senat")))) == 2


def test_pages_hold_every_office_once_in_order_and_no_more_than_they_may() -> None:
    days = [
        a_day(f"2026-08-{28 + n}", *(Office(rows(movement(40 * n + m))) for m in range(40)))
        for n in (2, 1, 0)
    ]
    most = 6_000
    pages = _cut(days, most)
    assert len(pages) > 5
    assert all(sum(o.weight for day in page for o in day["offices"]) <= most for page in pages)
    shown = [office for page in pages for day in page for office in day["offices"]]
    assert shown == [office for day in days for office in day["offices"]]
    begun = [day["day"] for page in pages for day in page if not day["goes_on"]]
    assert begun == ["2026-08-30", "2026-08-29", "2026-08-28"]


def test_a_page_holds_an_office_that_is_longer_than_it_may_be() -> None:
    day = a_day("2026-08-28", Office(rows(*contract(10, 60)), shared=True))
    assert _cut([day], 1_000) == [[day]]
    assert _cut([], 1_000) == [[]]
