"""Movements by day and office: who is told with whom, in which order, on which page."""

from __future__ import annotations

from typing import Any

import pytest

from datasette_mouvements.pages.counts import days
from datasette_mouvements.pages.counts.days import MandateMovements, by_day, numbers, pages

from .invented import contract, movement

GROUPED = "Accredited assistants (grouping)"


def rows(*movements: Any) -> list[dict[str, Any]]:
    return [one._asdict() for one in movements]


def told(found: list[days.Day]) -> list[tuple[str, list[tuple[str | None, list[str]]]]]:
    """Each day with the member and the names of each office."""
    return [
        (
            day.day,
            [
                (one.first["elu_nom"], [row["collab_nom"] for row in one.rows])
                for one in day.offices
            ],
        )
        for day in found
    ]


def test_days_are_the_latest_first_and_their_offices_in_the_order_of_chambers_and_members() -> None:
    found = by_day(
        rows(
            movement(1, chambre="senat", elu_id="1", elu_nom="Zoé Un", elu_cle="un zoe"),
            movement(2, chambre="assemblee", elu_id="2", elu_nom="Ada Trois", elu_cle="trois ada"),
            movement(3, chambre="assemblee", elu_id="3", elu_nom="Zoé Deux", elu_cle="deux zoe"),
            movement(4, chambre="senat", elu_id="1", date_event="2026-09-02", elu_nom="Zoé Un"),
        )
    )
    assert told(found) == [
        ("2026-09-02", [("Zoé Un", ["PERSONNE4"])]),
        (
            "2026-08-31",
            [
                ("Zoé Deux", ["PERSONNE3"]),
                ("Ada Trois", ["PERSONNE2"]),
                ("Zoé Un", ["PERSONNE1"]),
            ],
        ),
    ]
    assert [day.total for day in found] == [1, 3]


def test_a_member_who_changed_the_group_has_an_office_of_each_the_one_left_first() -> None:
    """A heading has one group: whom a member of before lost is not told under that of now."""
    here = {"elu_id": "1", "elu_nom": "Zoé Un", "elu_cle": "un zoe"}
    gone = movement(1, **here, type="depart", elu_groupe="WAS")
    come = movement(2, **here, type="arrivee", elu_groupe="NOW")
    (day,) = by_day(rows(come, gone))
    assert [[row["elu_groupe"] for row in one.rows] for one in day.offices] == [["WAS"], ["NOW"]]


def test_an_office_tells_departures_then_transfers_then_arrivals_and_withheld_names_last() -> None:
    here = {"chambre": "senat", "elu_id": "1"}
    (day,) = by_day(
        rows(
            movement(1, **here, collab_nom="DO"),
            movement(2, **here, collab_nom="", collab_prenom=""),
            movement(3, **here, type="transfert", collab_nom="TO"),
            movement(4, **here, type="depart", collab_nom="", collab_prenom=""),
            movement(5, **here, type="depart", collab_nom="ZO"),
        )
    )
    (office,) = day.offices
    assert [row["collab_nom"] for row in office.rows] == ["ZO", "", "TO", "DO", ""]


def test_a_contract_of_several_members_is_one_and_names_them_with_their_groups() -> None:
    shared = contract(10, 3, fonction=GROUPED)
    shared[1] = shared[1]._replace(elu_groupe="AUR")
    (day,) = by_day(rows(*shared, movement(30, elu_id="90", elu_nom="Élu N00")))
    alone, office = day.offices
    assert not alone.shared
    assert (office.shared, office.contract) == (True, True)
    assert [row["elu_nom"] for row in office.rows] == ["Élu N00", "Élu N01", "Élu N02"]
    assert office.groups == [("GRA", 2), ("AUR", 1)]
    assert (day.total, day.of_contracts) == (4, 3)


def test_one_name_at_several_members_is_told_once_without_a_word_of_a_contract() -> None:
    (day,) = by_day(rows(*contract(10, 2, fonction="Local assistants")))
    (office,) = day.offices
    assert (office.shared, office.contract, day.of_contracts) == (True, False, 0)


@pytest.mark.parametrize(
    "other",
    [
        {"type": "depart"},
        {"date_event": "2026-09-01"},
        {"collab_prenom": "Ada"},
        {"fonction": "Local assistants"},
    ],
)
def test_what_is_not_the_same_in_all_is_no_contract(other: dict[str, str]) -> None:
    first, second = contract(10, 2, fonction=GROUPED)
    found = by_day(rows(first, second._replace(**other)))
    assert not any(office.shared for day in found for office in day.offices)


def test_in_the_other_chambers_nothing_is_shared() -> None:
    (day,) = by_day(rows(*contract(10, 2, fonction=GROUPED, chambre="senat")))
    assert [office.shared for office in day.offices] == [False, False]


def test_withheld_names_are_never_told_together() -> None:
    (day,) = by_day(rows(*contract(10, 3, fonction=GROUPED, collab_nom="", collab_prenom="")))
    assert [(len(office.rows), office.shared) for office in day.offices] == [(1, False)] * 3


def test_the_many_movements_of_a_renewal_are_told_by_their_number_and_others_by_name() -> None:
    gone = [
        movement(n, type="depart", contexte="elu_sortant", chambre="senat", elu_id=f"{n}")
        for n in range(days.NUMBERED_FROM)
    ]
    few = movement(90, contexte="elu_entrant", chambre="senat")
    (day,) = by_day(rows(*gone, few))
    assert day.numbered == [MandateMovements("senat", "elu_sortant", days.NUMBERED_FROM)]
    assert told([day]) == [("2026-08-31", [(few.elu_nom, ["PERSONNE90"])])]
    assert day.total == days.NUMBERED_FROM + 1
    (under,) = by_day(rows(*gone[1:]))
    assert not under.numbered
    assert len(under.offices) == days.NUMBERED_FROM - 1


def test_pages_hold_every_office_once_and_no_more_than_they_may() -> None:
    many = [
        movement(n, chambre="senat", elu_id=f"{n % 40}", date_event=f"2026-08-{28 + n % 3}")
        for n in range(200)
    ]
    found = by_day(rows(*many))
    most = 6_000
    cut = pages(found, most)
    assert len(cut) > 5
    assert all(sum(o.weight for day in page for o in day.offices) <= most for page in cut)
    assert all(day.offices for page in cut for day in page)
    shown = [row["id"] for page in cut for day in page for o in day.offices for row in o.rows]
    assert sorted(shown) == sorted(one.id for one in many)
    begun = [day.day for page in cut for day in page if not day.goes_on]
    assert begun == ["2026-08-30", "2026-08-29", "2026-08-28"]
    totals = {day.day: day.total for page in cut for day in page}
    assert totals == {day.day: day.total for day in found}


def test_a_page_holds_an_office_that_is_longer_than_it_may_be() -> None:
    found = by_day(rows(*contract(10, 60, fonction=GROUPED)))
    assert pages(found, 1_000) == [found]
    assert pages([], 1_000) == [[]]


def test_what_is_told_by_its_number_is_told_on_one_page() -> None:
    gone = [movement(n, type="depart", contexte="elu_sortant", elu_id=f"{n}") for n in range(30)]
    others = [movement(50 + n, chambre="senat", elu_id=f"{n}") for n in range(30)]
    cut = pages(by_day(rows(*gone, *others)), 3_000)
    assert [len(day.numbered) for page in cut for day in page] == [1, *[0] * (len(cut) - 1)]


def test_each_movement_is_counted_once_in_its_chamber() -> None:
    found = numbers(rows(movement(1), movement(2, type="depart"), movement(3, chambre="senat")))
    assert found["europarl"] == {"arrivee": 1, "depart": 1, "transfert": 0}
    assert found["senat"] == {"arrivee": 1, "depart": 0, "transfert": 0}
    assert found["assemblee"] == {"arrivee": 0, "depart": 0, "transfert": 0}
