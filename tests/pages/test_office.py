"""What the page of a member tells of an office: lanes, mandates, movements by year."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta

import pytest

from datasette_mouvements.dataset.coverage import Coverage, Gap
from datasette_mouvements.pages.people import office
from datasette_mouvements.pages.people.timeline import timeline
from parlement_lists.tenure import Tenure

FIRST, LAST = "2022-06-20", "2026-11-20"
HOLE = Gap("2024-06-12", "2024-07-18")
KNOWN = Coverage(FIRST, LAST, holes=(HOLE,))
MANDATES = (("2022-06-22", "2024-06-09"), ("2024-07-08", ""))


def stay(
    name: str,
    debut: str = "2024-03-04",
    fin: str = "",
    after: str = "2024-03-01",
    member: str = "PA999001",
    group: str = "HIR",
) -> Tenure:
    return Tenure(
        f"col_{member}{name}{debut}",
        "assemblee",
        elu_id=member,
        elu_groupe=group,
        collab_nom=name,
        debut=debut,
        debut_apres=after,
        fin=fin,
        fin_apres=fin or LAST,
        mouvement_fin="mvt_fin" if fin else "",
    )


def drawn(
    stays: Sequence[Tenure],
    mandates: Sequence[tuple[str, str]] = (),
    known: Coverage = KNOWN,
    ended: str = "",
    shown: int = 99,
) -> office.OfficeChart:
    return office.draw("assemblee", timeline(stays, LAST), mandates, known, ended, shown)


OLD = stay("OLD", "2022-06-20", after="")


def told(found: office.OfficeChart) -> list[tuple[int, str]]:
    return [(number, re.sub(r"\s", " ", text)) for number, text in found.marks]


def test_the_time_between_two_mandates_is_two_lines_and_one_number() -> None:
    found = drawn([OLD], MANDATES)
    assert told(found) == [
        (1, "Le 22 juin 2022 : début du mandat."),
        (2, "Du 9 juin 2024 au 8 juillet 2024 : entre deux mandats."),
    ]
    assert found.defs.count('class="mandat"') == 3
    assert found.axis.count('class="mark"') == 2
    # Of stays that begin later, the first line is not drawn.
    assert [number for number, _ in told(drawn([stay("NEW")], MANDATES))] == [1]


def test_a_mandate_that_follows_at_once_is_one_line() -> None:
    found = drawn([OLD], (("2017-06-21", "2024-06-30"), ("2024-07-01", "")))
    assert told(found) == [
        (1, "Le 1<sup>er</sup> juillet 2024 : fin d’un mandat, début du suivant.")
    ]
    assert found.defs.count('class="mandat"') == 1


def test_the_lanes_of_a_mandate_that_ended_reach_to_its_end_or_that_of_the_last_stay() -> None:
    gone = stay("OLD", "2022-06-20", "2023-03-06", after="")
    found = drawn([gone], (("2022-06-22", "2024-06-09"),), ended="2024-06-09")
    assert (found.since, found.until) == ("2022", "2024")
    # At the very edge its end would say nothing.
    assert told(found) == [(1, "Le 22 juin 2022 : début du mandat.")]
    late = stay("OLD", "2022-06-20", "2024-07-18", after="")
    found = drawn([late], (("2022-06-22", "2024-06-09"),), ended="2024-06-09")
    assert told(found)[-1] == (2, "Le 9 juin 2024 : fin du mandat.")
    # One that the last list has still is drawn up to it.
    assert drawn([OLD], MANDATES[:1], ended="2024-06-09").until == "2026"


def test_only_the_holes_within_the_lanes_are_told_the_latest_one_by_one() -> None:
    holes = tuple(Gap(f"{year}-01-05", f"{year}-02-05") for year in range(2015, 2027))
    known = Coverage("2014-01-01", LAST, holes=holes)
    found = drawn([stay("NEW", "2023-09-04", after="2023-09-01")], known=known)
    assert (found.holes, found.more_holes) == (list(holes[-3:]), 0)
    found = drawn([stay("OLD", "2019-09-04", after="2019-09-02")], known=known)
    assert (found.holes, found.more_holes) == (list(holes[-4:]), 3)
    assert found.defs.count('class="trou"') == 7


def test_past_people_are_drawn_while_the_stays_are_so_many_and_the_others_always() -> None:
    here = [stay(f"HERE{i}") for i in "ABC"]
    past = [stay(f"PAST{i}", "2023-01-02", f"2024-0{i}-02") for i in range(1, 7)]
    back = stay("PAST6", "2022-09-01", "2022-12-01")
    names = [
        [lane.person.latest.collab_nom for lane in some]
        for some in drawn([*here, *past, back], shown=6).lanes
    ]
    assert names == [["HEREA", "HEREB", "HEREC"], [], ["PAST6", "PAST5"]]
    assert [len(some) for some in drawn([*here, *past], shown=2).lanes] == [3, 0, 0]
    assert [len(some) for some in drawn([*here, *past], shown=9).lanes] == [3, 0, 6]


def test_several_stays_of_one_person_are_one_lane_with_what_they_lasted_in_all() -> None:
    first = stay("BACK", "2023-03-01", "2024-03-01", after="2023-02-28")
    again = stay("BACK", "2026-09-20", after="2026-09-19")
    [[lane], [], []] = drawn([first, again]).lanes
    assert lane.lasted == "14\u00a0mois"
    assert lane.bars.count('class="plein an"') == 2


@pytest.mark.parametrize(
    ("known", "again"),
    [
        (Coverage(FIRST, "2026-05-20", holes=(Gap("2025-03-02", "2025-05-22"),)), "2026-05-22"),
        # The year that begins on the day of the list after them has what changed before it.
        (Coverage(FIRST, "2025-02-27", holes=(Gap("2024-01-02", "2024-02-29"),)), "2025-03-01"),
        (Coverage("2026-02-02", "2026-11-20"), "2027-02-01"),
        (Coverage("2024-02-29", "2024-11-20"), "2025-02-28"),
    ],
)
def test_a_year_that_is_not_known_says_from_which_list_on_the_next_one_may_be(known, again) -> None:
    gap = known.period(*known.year).gap
    assert gap is not None
    assert office.known_again(gap) == again
    eve = (date.fromisoformat(again) - timedelta(1)).isoformat()
    for last, unknown in ((eve, True), (again, False)):
        then = known._replace(last=last)
        assert bool(then.period(*then.year).gap) is unknown


def row(day: str, type_: str, elu: str = "PA999001", after: str = "") -> office.Row:
    given = {"date_event": day, "type": type_, "elu_id": elu, "apres": after}
    return {**given, "confiance": "fort"}


def test_movements_are_by_year_and_by_day_and_a_transfer_away_goes() -> None:
    rows = [
        row("2026-11-18", "arrivee"),
        row("2026-07-01", "transfert", "PA999002"),
        row("2026-07-01", "transfert"),
        row("2026-07-01", "depart", after="2026-06-24"),
        row("2025-03-04", "depart"),
    ]
    first, second = office.by_year(rows, "PA999001", 99)
    assert first[:3] == ("2026", 2, 2)
    assert [(day.replace("\u00a0", " "), len(on)) for day, on in first.days] == [
        ("le 18 novembre 2026", 1),
        ("le 1ᵉʳ juillet 2026", 2),
        ("entre le 24 juin et le 1ᵉʳ juillet 2026", 1),
    ]
    assert second[:3] == ("2025", 0, 1)


def test_a_year_that_is_cut_counts_all_its_movements() -> None:
    rows = [row("2026-11-18", "arrivee"), row("2026-07-01", "arrivee"), row("2026-02-01", "depart")]
    [year] = office.by_year([*rows, row("2025-03-04", "depart")], "PA999001", 2)
    assert (year.came, year.went, year.shown, len(year.days)) == (2, 1, 2, 2)
