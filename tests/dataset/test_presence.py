"""Presence and medians beside turnover, each case small enough to be worked out by hand beside it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from datasette_mouvements.dataset.coverage import Coverage, Gap
from datasette_mouvements.dataset.turnover import (
    Median,
    NotGiven,
    Presence,
    Turnover,
    chamber_figures,
    presence,
)
from parlement_lists.tenure import Tenure

from .test_turnover import (
    ADA,
    ALL,
    BEA,
    CLEO,
    DINA,
    FIRST,
    LAST,
    STAYS,
    TEAM,
    YEAR,
    offices,
    stay,
    turnover,
)


def test_the_median_is_that_of_the_offices_which_have_a_turnover() -> None:
    # G: 0/4, 1/4, 3/4, and two people of whom nothing is told: 1/4. H: 1/4 and 2/4, between them 3/8.
    # The chamber: 0, 1/4, 1/4, 2/4, 3/4: 1/4. Nobody's office of K is large enough.
    found = offices(
        *(("A", "G", 0, 4), ("B", "G", 1, 4), ("C", "G", 3, 4), ("D", "G", 2, 2)),
        *(("E", "H", 1, 4), ("F", "H", 2, 4), ("K", "K", 0, 2)),
    )
    assert found.groups["G"].median == Median(0.25, 3)
    assert found.groups["H"].median == Median(0.375, 2)
    assert found.groups["K"].median is None
    assert found.whole.median == Median(0.25, 5)
    assert found.offices["A"].median is None


def test_an_office_counts_in_the_median_of_its_latest_group_alone() -> None:
    # Dina, who came last, left A in March, when A was of G; A is of H since: 1 of 4, in H.
    dina = stay(DINA, "2025-10-01", "2026-03-01")
    stays = [one._replace(elu_groupe="H") for one in TEAM] + [dina]
    found = chamber_figures(stays, ALL, ())
    assert (found.groups["H"].median, found.groups["G"].median) == (Median(0.25, 1), None)
    # Without group it counts in the chamber's.
    found = chamber_figures([one._replace(elu_groupe="") for one in stays], ALL, ())
    assert (found.groups, found.whole.median) == ({}, Median(0.25, 1))


def test_presence_is_the_median_of_the_days_up_to_the_last_list() -> None:
    # 2026-09-10 to 2026-09-20 are 10 days, 2026-08-21 30, 2026-08-31 20; who left does not count.
    here = [stay(ADA, "2026-09-10"), stay(BEA, "2026-08-21"), stay(CLEO, "2026-08-31")]
    gone = stay(DINA, "2026-01-01", "2026-03-01")
    assert presence([*here, gone], ALL) == Presence(20, 3, False)
    assert presence(here[:2], ALL) == Presence(20, 2, False)  # between 10 and 30
    assert presence([gone], ALL) is None
    # Whether who is missing for some days is there is not decided.
    missing = stay(DINA, "2026-01-01")._replace(fin_apres="2026-09-18")
    assert presence([*here, missing], ALL) == Presence(20, 3, False)
    assert presence([missing], ALL) is None
    assert presence(here, Coverage()) is None
    found = chamber_figures([*here, gone], ALL, ())
    assert found.whole.presence == found.groups["G"].presence == Presence(20, 3, False)
    assert found.offices["A"].presence == Presence(20, 3, False)


def test_with_a_member_whose_mandate_ended_nobody_is_present() -> None:
    # A's staff is on the last list still, B's is there: Cléo, 20 days. Of the turnover all are.
    stays = [stay(ADA), stay(BEA, "2026-09-10"), stay(CLEO, "2026-08-31", member="B")]
    assert presence(stays, ALL, {"A"}) == Presence(20, 1, False)
    assert presence(stays[:2], ALL, {"A"}) is None
    found = chamber_figures(stays, ALL, (), ended={"A"})
    assert found.whole.presence == found.groups["G"].presence == Presence(20, 1, False)
    assert found.offices["A"].presence is None
    assert found.whole.turnover == Turnover(0, 3, *YEAR)


def test_a_presence_that_reaches_back_to_the_first_list_is_at_least_so_long() -> None:
    # FIRST is 2024-01-01: 993 days to the last list (366 + 365 + 262).
    assert presence([stay(ADA)], ALL) == Presence(993, 1, True)
    # The one in the middle began later: whatever the first list hides, the median is known.
    known = [stay(ADA), stay(BEA, "2026-09-10"), stay(CLEO, "2026-08-21")]
    assert presence(known, ALL) == Presence(30, 3, False)
    # Between 30 and 993 or more: (30 + 993) / 2, at least.
    assert presence([stay(ADA), known[2]], ALL) == Presence(511.5, 2, True)


def test_a_stay_that_ended_before_the_year_is_not_told_of() -> None:
    found = chamber_figures([stay(ADA, FIRST, "2025-09-20")], ALL, ())
    assert (found.offices, found.groups, found.whole) == ({}, {}, found.nobody)
    assert found.nobody.turnover == NotGiven(*YEAR)


@given(STAYS, st.booleans())
def test_a_chamber_at_once_gives_what_each_unit_gives_alone(
    stays: list[Tenure], with_hole: bool
) -> None:
    holes = (Gap("2026-01-01", "2026-01-20"),) if with_hole else ()
    coverage = Coverage(FIRST, LAST, "", holes)
    gone = {one.mouvement_fin for one in stays[::3] if one.fin}
    # Read once: it may be rows as they come from the file.
    figures = chamber_figures(iter(stays), coverage, gone)

    def alone(of: list[Tenure]) -> tuple[object, object]:
        return turnover(of, coverage, gone), presence(of, coverage)

    assert figures.whole[:2] == alone(stays)
    for member in "ABC":
        own = [one for one in stays if one.elu_id == member]
        assert figures.offices.get(member, figures.nobody)[:2] == alone(own)
    for group in "GH":
        own = [one for one in stays if one.elu_groupe == group]
        assert not figures.grouped or figures.groups.get(group, figures.nobody)[:2] == alone(own)


def test_groups_have_figures_where_that_of_half_of_the_offices_is_known() -> None:
    known = [stay(one, FIRST, "", member, "G") for one, member in ((ADA, "A"), (BEA, "A"))]
    half = chamber_figures([*known, stay(CLEO, FIRST, "", "B", "")], ALL, ())
    assert (half.grouped, set(half.groups)) == (True, {"G"})
    unknown = [stay(one, FIRST, "", member, "") for one, member in ((CLEO, "B"), (DINA, "C"))]
    fewer = chamber_figures([*known, *unknown], ALL, ())
    assert (fewer.grouped, fewer.groups) == (False, {})
    assert chamber_figures([], ALL, ()).grouped
