"""Turnover and presence, each case small enough to be worked out by hand beside it."""

from __future__ import annotations

import datetime
from collections.abc import Container, Iterable

import pytest
from hypothesis import strategies as st

from datasette_mouvements.dataset.coverage import Coverage, Gap
from datasette_mouvements.dataset.turnover import (
    ChamberFigures,
    Median,
    NotGiven,
    Turnover,
    chamber_figures,
)
from parlement_lists.tenure import Tenure

FIRST, LAST = "2024-01-01", "2026-09-20"
# Lists of all days. The year is 2025-09-21 to 2026-09-20.
ALL = Coverage(FIRST, LAST)
YEAR = ("2025-09-21", LAST)


def stay(
    person: str,
    debut: str = FIRST,
    fin: str = "",
    member: str = "A",
    group: str = "G",
    ends: str = "",
) -> Tenure:
    """A stay of one person; `ends` is the movement that ends it, where a test names it."""
    given, _, family = person.partition(" ")
    return Tenure(
        f"col_{member}{person}{debut}",
        "senat",
        elu_id=member,
        elu_groupe=group,
        collab_nom=family,
        collab_prenom=given,
        debut=debut,
        debut_apres="" if debut == FIRST else FIRST,
        fin=fin,
        fin_apres=fin or LAST,
        mouvement_fin=ends or (f"mvt_{person}{fin}" if fin else ""),
    )


def turnover(
    stays: Iterable[Tenure],
    coverage: Coverage,
    gone: Container[str],
    period: tuple[str, str] | None = None,
) -> Turnover | NotGiven:
    """That of a chamber of which these are the stays."""
    return chamber_figures(stays, coverage, gone, period).whole.turnover


def left(*stays: Tenure, gone: frozenset[str] = frozenset()) -> tuple[int, int]:
    """(left, people) of the year."""
    found = turnover(stays, ALL, gone)
    assert isinstance(found, Turnover)
    assert (found.since, found.until) == YEAR
    return found.left, found.people


ADA, BEA, CLEO, DINA = "Ada UN", "Béa DEUX", "Cléo TROIS", "Dina QUATRE"
TEAM = (stay(ADA), stay(BEA), stay(CLEO))


def test_who_left_in_the_year_is_divided_by_all_who_worked_there_in_it() -> None:
    # Ada, Béa and Cléo are there; Dina came in the year and left in it: 1 of 4.
    found = turnover([*TEAM, stay(DINA, "2026-01-05", "2026-03-01")], ALL, ())
    assert found == Turnover(1, 4, *YEAR)
    assert found.rate == 0.25


@pytest.mark.parametrize(
    ("debut", "fin", "counted"),
    [
        (FIRST, "2025-09-20", (0, 3)),  # left on the last day of the year before
        (FIRST, "2025-09-21", (1, 4)),  # on the first day: a departure has the day of its list
        (FIRST, "2026-09-20", (1, 4)),  # on the last day
        ("2026-09-20", "", (0, 4)),  # came on the last day
    ],
)
def test_a_departure_is_of_the_year_that_has_its_day(
    debut: str, fin: str, counted: tuple[int, int]
) -> None:
    assert left(*TEAM, stay(DINA, debut, fin)) == counted


def test_every_departure_is_of_one_calendar_year() -> None:
    # Contracts end on 31 December: Dina is missing from the list of 1 January, and left in 2026,
    # in which she is one of 4. In 2025 she was there to the end.
    stays = [*TEAM, stay(DINA, FIRST, "2026-01-01")]
    days_2025, days_2026 = ("2025-01-01", "2025-12-31"), ("2026-01-01", "2026-06-30")
    assert turnover(stays, ALL, (), days_2025) == Turnover(0, 4, *days_2025)
    assert turnover(stays, ALL, (), days_2026) == Turnover(1, 4, *days_2026)


def test_in_a_year_that_begins_in_a_hole_no_figure_is_given_and_the_hole_is_the_reason() -> None:
    # One of four left, in this year or before it: no list from 2025-09-11 to 2025-11-30.
    hole = Gap("2025-09-10", "2025-12-01")
    coverage = Coverage(FIRST, LAST, "", (hole, Gap("2026-01-01", "2026-02-01")))
    stays = [*TEAM, stay(DINA, FIRST, "2025-12-01")]
    assert turnover(stays, coverage, ()) == NotGiven(*YEAR, hole)
    figures = chamber_figures(stays, coverage, ())
    whole, group, office = figures.whole, figures.groups["G"], figures.offices["A"]
    assert {one.turnover for one in (whole, group, office, figures.nobody)} == {
        NotGiven(*YEAR, hole)
    }
    assert whole.median is group.median is None
    # A hole before the year does not touch it: 1 of 4.
    before = Coverage(FIRST, LAST, "", (Gap("2025-01-01", "2025-03-01"),))
    assert turnover(stays, before, ()) == Turnover(1, 4, *YEAR)


def test_holes_within_the_year_are_part_of_every_figure_of_it() -> None:
    # Dina left between 2025-12-10 and 2026-03-01, in the year whatever the day: 1 of 4. Whoever
    # came and left in those days is on no list.
    holes = (Gap("2025-09-20", "2025-10-05"), Gap("2025-12-10", "2026-03-01"))
    coverage = Coverage(FIRST, LAST, "", holes)
    stays = [*TEAM, stay(DINA, FIRST, "2026-03-01"), stay("Eve CINQ", member="B")]
    figures = chamber_figures(stays, coverage, ())
    assert figures.offices["A"].turnover == Turnover(1, 4, *YEAR, holes)
    assert figures.whole.turnover == figures.groups["G"].turnover == Turnover(1, 5, *YEAR, holes)
    assert figures.whole.median == figures.groups["G"].median == Median(0.25, 1, holes)
    # Of fewer than three there is no figure, but arrivals are counted of the same year.
    assert figures.offices["B"].turnover == figures.nobody.turnover == NotGiven(*YEAR, None, holes)
    # In the year that ends with the list after a hole, the hole is within it.
    ends = coverage._replace(last="2026-03-01")
    period = ("2025-03-02", "2026-03-01")
    assert turnover(stays, ends, ()) == Turnover(1, 5, *period, holes)


def test_nothing_is_given_of_a_year_that_begins_before_the_first_list_or_of_no_lists() -> None:
    young = Coverage("2026-01-01", LAST)
    assert turnover(TEAM, young, ()) == NotGiven(*YEAR, Gap("", "2026-01-01"))
    later = ("2025-10-01", "2026-09-30")
    assert turnover(TEAM, ALL, (), later) == NotGiven(*later, Gap(LAST, ""))
    assert turnover((), Coverage(), ()) == NotGiven("", "", Gap("", ""))
    assert chamber_figures((), Coverage(), ()).whole.turnover == NotGiven("", "", Gap("", ""))


def test_at_a_renewal_only_those_whose_member_stayed_have_left() -> None:
    # A is re-elected: Béa leaves her, Ada and Cléo stay, 1 of 3. B is not: Dina and Eve go with her,
    # Flo had left her before: 1 of 3. C is new and has engaged Gil in July. The chamber: Béa and Flo
    # of the 7 (Ada, Béa, Cléo, Dina, Eve, Flo, Gil).
    day = "2026-07-01"
    stays = [
        *(stay(ADA), stay(BEA, FIRST, day), stay(CLEO)),
        *(stay(DINA, FIRST, day, "B"), stay("Eve CINQ", FIRST, day, "B")),
        *(stay("Flo SIX", FIRST, "2026-02-01", "B"), stay("Gil SEPT", day, "", "C")),
    ]
    gone = frozenset((f"mvt_{DINA}{day}", f"mvt_Eve CINQ{day}"))
    figures = chamber_figures(stays, ALL, gone)
    assert figures.offices["A"].turnover == figures.offices["B"].turnover == Turnover(1, 3, *YEAR)
    assert figures.offices["C"].turnover == NotGiven(*YEAR)
    assert figures.whole.turnover == Turnover(2, 7, *YEAR)
    # B is empty now; nobody else is present but Ada and Cléo, and Gil.
    assert figures.offices["B"].presence is None
    assert figures.whole.presence is not None
    assert figures.whole.presence.stays == 3


def test_when_a_mandate_ends_nobody_has_left() -> None:
    # All three go with the member: 0 of 3, who worked there all the same.
    day = "2026-05-02"
    stays = [stay(one, FIRST, day, ends=f"mvt_{n}") for n, one in enumerate((ADA, BEA, CLEO))]
    assert left(*stays, gone=frozenset(("mvt_0", "mvt_1", "mvt_2"))) == (0, 3)
    # Béa had left the day before the mandate ended, by a movement of her own: 1 of 3.
    assert left(*stays, gone=frozenset(("mvt_0", "mvt_2"))) == (1, 3)


def test_who_came_back_to_the_office_has_not_left_and_the_last_end_is_what_counts() -> None:
    away = stay(DINA, FIRST, "2025-12-01")
    # Back in February, and there: 0 of 4. Gone again in June: once, 1 of 4.
    assert left(*TEAM, away, stay(DINA, "2026-02-01")) == (0, 4)
    assert left(*TEAM, away, stay(DINA, "2026-02-01", "2026-06-01")) == (1, 4)
    # In June the member's mandate ended: she did not leave the member, 0 of 4.
    with_member = stay(DINA, "2026-02-01", "2026-06-01", ends="mvt_mandate")
    assert left(*TEAM, away, with_member, gone=frozenset(("mvt_mandate",))) == (0, 4)
    # Back only after the period: in it, she left.
    period = ("2025-01-01", "2025-12-31")
    stays = [*TEAM, away, stay(DINA, "2026-02-01")]
    assert turnover(stays, ALL, (), period) == Turnover(1, 4, *period)


def test_staff_shared_by_members_of_a_group_are_one_person_and_leave_it_with_the_last() -> None:
    # Dina works for A and B, of one group, and leaves A: she left A (1 of 4), not B (0 of 3), not
    # the group: 0 of the 6 (Ada, Béa, Cléo, Dina, Eve, Flo).
    others = (stay("Eve CINQ", member="B"), stay("Flo SIX", member="B"))
    shared = (stay(DINA, FIRST, "2026-03-01"), stay(DINA, member="B"))
    figures = chamber_figures([*TEAM, *others, *shared], ALL, ())
    assert figures.offices["A"].turnover == Turnover(1, 4, *YEAR)
    assert figures.offices["B"].turnover == Turnover(0, 3, *YEAR)
    assert figures.groups["G"].turnover == figures.whole.turnover == Turnover(0, 6, *YEAR)
    # She leaves both on one day, B because B's mandate ended: A had stayed, so 1 of 6.
    ended = shared[1]._replace(fin="2026-03-01", mouvement_fin="mvt_b")
    found = chamber_figures([*TEAM, *others, shared[0], ended], ALL, {"mvt_b"})
    assert found.offices["B"].turnover == Turnover(0, 3, *YEAR)
    assert found.groups["G"].turnover == Turnover(1, 6, *YEAR)


def test_who_changes_member_leaves_the_office_and_leaves_the_group_if_it_is_another_s() -> None:
    # Dina goes from A (group G) to B (group G), Eve from A to C (group H). A: 2 of 5 left. G: Eve of
    # the 5. H: Eve alone, nothing. The chamber: nobody of the 5.
    day = "2026-03-01"
    stays = [
        *TEAM,
        *(stay(DINA, FIRST, day, "A"), stay(DINA, day, "", "B")),
        *(stay("Eve CINQ", FIRST, day, "A"), stay("Eve CINQ", day, "", "C", "H")),
    ]
    figures = chamber_figures(stays, ALL, ())
    assert figures.offices["A"].turnover == Turnover(2, 5, *YEAR)
    assert figures.groups["G"].turnover == Turnover(1, 5, *YEAR)
    assert figures.groups["H"].turnover == NotGiven(*YEAR)
    assert figures.whole.turnover == Turnover(0, 5, *YEAR)


def test_of_one_person_or_two_nothing_is_given() -> None:
    assert turnover([stay(ADA, FIRST, "2026-03-01")], ALL, ()) == NotGiven(*YEAR)
    assert turnover([stay(ADA), stay(BEA, FIRST, "2026-03-01")], ALL, ()) == NotGiven(*YEAR)
    # Two stays of one person are one person.
    twice = (stay(BEA, FIRST, "2025-12-01"), stay(BEA, "2026-03-01"))
    assert turnover([stay(ADA), *twice], ALL, ()) == NotGiven(*YEAR)


def test_a_marriage_is_one_stay_under_the_name_it_had_last_and_nobody_left() -> None:
    # Dina QUATRE became Dina CINQ in the year; at B, which she had left before, she has her old
    # name. A: nobody of 4. Where the two stays are two people, a chamber counts one more: 1 of 5.
    married = stay("Dina CINQ")
    assert left(*TEAM, married) == (0, 4)
    assert left(*TEAM, married, stay(DINA, FIRST, "2025-10-01", "B")) == (1, 5)


def test_whoever_is_missing_for_less_than_a_week_is_there() -> None:
    # The absence is not decided: the stay is open, though the last list has it no more. 0 of 4.
    absent = stay(DINA)._replace(fin_apres="2026-09-17")
    assert left(*TEAM, absent) == (0, 4)


def test_of_withheld_names_every_stay_is_a_person() -> None:
    # Two masked people are there, and one masked stay ended: 1 of 4.
    masked = [stay("", "2025-01-01"), stay("", "2025-01-02"), stay("", "2025-01-03", "2026-03-01")]
    assert left(stay(ADA), *masked) == (1, 4)


def test_a_year_that_ends_on_a_leap_day_begins_on_the_first_of_march() -> None:
    # Béa left on 2023-03-01, the first day, Cléo on 2024-02-29, the last: 2 of 3. Dina left on
    # 2023-02-28, before it.
    coverage = Coverage("2022-01-01", "2024-02-29")
    first = "2022-01-01"
    stays = [stay(ADA, first), stay(BEA, first, "2023-03-01"), stay(CLEO, first, "2024-02-29")]
    stays.append(stay(DINA, first, "2023-02-28"))
    assert turnover(stays, coverage, ()) == Turnover(2, 3, "2023-03-01", "2024-02-29")


def offices(*rates: tuple[str, str, int, int]) -> ChamberFigures:
    """A chamber of offices (member, group, left, people)."""
    stays = [
        stay(f"Une{member} N{n}", FIRST, "2026-03-01" if n < gone else "", member, group)
        for member, group, gone, people in rates
        for n in range(people)
    ]
    return chamber_figures(stays, ALL, ())


DAYS = st.dates(datetime.date(2025, 8, 1), datetime.date(2026, 9, 20)).map(str)
STAYS = st.lists(
    st.builds(
        lambda person, days, open_, member, group: stay(
            person, min(days), "" if open_ or days[0] == days[1] else max(days), member, group
        ),
        st.sampled_from((ADA, BEA, CLEO, DINA, "")),
        st.tuples(DAYS, DAYS),
        st.booleans(),
        st.sampled_from("ABC"),
        st.sampled_from(("G", "H", "")),
    ),
    max_size=30,
)
