"""What follows a stay under the same name: returns, where the name is seen next, and what is not told."""

from __future__ import annotations

import pytest

from datasette_mouvements.dataset.stays import (
    NEXT_WITHIN,
    Homonyms,
    Succession,
    Successions,
    find_successions,
)
from parlement_lists.tenure import Tenure

A, B, C = "99001Z", "99002Z", "99003Z"


def stay(id: str, member: str, begin: str, end: str = "", **given: str) -> Tenure:
    """A stay in daily lists, in progress if it has no end."""
    usual = {"chambre": "senat", "elu_cle": member, "collab_nom": "UN", "collab_prenom": "Ada"}
    usual |= {"debut": begin, "debut_apres": eve(begin), "fin": end, "fin_apres": eve(end)}
    return Tenure(**{"id": id, "elu_id": member} | usual | given)


def eve(day: str) -> str:
    return f"{day[:8]}{int(day[8:]) - 1:02}" if day else "2026-11-20"


FIRST = stay("1", A, "2026-01-05", "2026-03-03")


def successions(stays: list[Tenure], apart: Homonyms | None = None) -> Successions:
    return find_successions(stays, apart or {})


def ids(found: dict[str, Succession]) -> dict[str, list[str]]:
    return {of: [one.ended.id, *(next.id for next in one.begun)] for of, one in found.items()}


def test_a_stay_with_the_same_member_is_a_return_with_its_days() -> None:
    found = successions([stay("2", A, "2026-03-15"), FIRST])
    assert ids(found.returns) == {"2": ["1", "2"]}
    assert ids(found.answered) == {"1": ["1", "2"]}
    assert found.elsewhere == {}
    assert (found.returns["2"].days, found.returns["2"].bounds) == (12, (12, 12))
    # Who is in a chamber's first list may have been there since the day of the end.
    found = successions([stay("2", A, "2026-03-15", debut_apres=""), FIRST])
    assert found.returns["2"].bounds == (0, 12)


def test_a_return_is_to_the_stay_that_ended_last_however_long_ago() -> None:
    old = stay("0", A, "2016-01-05", "2017-03-03")
    late = stay("2", A, "2019-01-05", "2019-02-05")
    found = successions([old, late, stay("3", A, "2026-03-15")])
    assert ids(found.returns) == {"2": ["0", "2"], "3": ["2", "3"]}
    assert ids(found.answered) == {"0": ["0", "2"], "2": ["2", "3"]}


def test_the_next_stay_of_the_name_in_the_chamber_is_told_with_another_member() -> None:
    """Several that begin on one day together, by member; up to a year after."""
    several = successions([FIRST, stay("3", C, "2026-03-15"), stay("2", B, "2026-03-15")])
    assert ids(several.elsewhere) == {"1": ["1", "2", "3"]}
    late = successions([FIRST, stay("2", B, "2027-03-03")])
    assert late.elsewhere["1"].days == NEXT_WITHIN
    found = successions([FIRST, stay("3", C, "2026-05-04"), stay("2", B, "2026-03-15")])
    assert ids(found.elsewhere) == {"1": ["1", "2"]}
    assert (found.returns, found.answered) == ({}, {})


def test_who_came_back_before_is_not_told_elsewhere() -> None:
    found = successions([FIRST, stay("2", A, "2026-03-15"), stay("3", B, "2026-05-04")])
    assert found.elsewhere == {}
    same_day = successions([FIRST, stay("2", A, "2026-03-15"), stay("3", B, "2026-03-15")])
    assert same_day.elsewhere == {}
    later = successions([FIRST, stay("2", A, "2026-05-04"), stay("3", B, "2026-03-15")])
    assert ids(later.elsewhere) == {"1": ["1", "3"]}
    assert ids(later.answered) == {"1": ["1", "2"]}


@pytest.mark.parametrize(
    "other",
    [
        stay("2", B, "2026-03-02"),  # begun before the end
        stay("2", B, "2027-03-04"),  # a year and a day after it
        stay("2", B, "2026-03-15", chambre="assemblee"),
        stay("2", B, "2026-03-15", collab_prenom="Bea"),
        stay("2", B, "2026-03-15", collab_nom="", collab_prenom=""),
    ],
)
def test_nothing_else_is_told_as_the_next_stay(other: Tenure) -> None:
    assert successions([FIRST, other]).elsewhere == {}


NEXT = stay("2", B, "2026-03-15")


@pytest.mark.parametrize(
    "others",
    [
        [stay("8", C, "2020-01-05", "2020-02-05", collab_civilite="M.")],
        [stay("8", C, "2026-03-15"), stay("9", "99004Z", "2026-03-15")],
        [
            stay("8", C, "2026-03-15", chambre="assemblee"),
            stay("9", C, "2026-03-15", chambre="europarl"),
        ],
    ],
)
def test_nothing_is_told_elsewhere_where_namesakes_are_possible(others: list[Tenure]) -> None:
    """Two civilities, three offices or three chambers at once, anywhere under the name."""
    usual = [FIRST._replace(collab_civilite="Mme"), NEXT]
    assert successions(usual).elsewhere
    assert successions([*usual, *others]).elsewhere == {}


def test_a_name_said_to_be_several_peoples_is_as_many_names() -> None:
    elsewhere = stay("3", C, "2026-05-04")
    one = ("ada un", B)
    found = successions([FIRST, NEXT, elsewhere], {one: 1})
    assert ids(found.elsewhere) == {"1": ["1", "3"]}
    assert found.several == {"ada un"}
    both = successions([FIRST, NEXT, elsewhere], {one: 1, ("ada un", A): 1})
    assert ids(both.elsewhere) == {"1": ["1", "2"]}
    apart = successions([FIRST, NEXT], {one: 1, ("ada un", A): 2})
    assert (apart.elsewhere, apart.several) == ({}, {"ada un"})
    # Of the two only one has a stay that is told.
    assert successions([FIRST], {("ada un", A): 2}).several == set()


def test_a_return_is_of_one_civility_and_name_and_not_beside_another_stay() -> None:
    back = stay("2", A, "2026-03-15", collab_civilite="M.")
    assert successions([FIRST._replace(collab_civilite="Mme"), back]).returns == {}
    hidden = {"collab_nom": "", "collab_prenom": ""}
    assert not any(successions([FIRST._replace(**hidden), back._replace(**hidden)]))
    beside = stay("3", A, "2026-02-02")
    assert successions([FIRST, beside, stay("2", A, "2026-03-15")]).returns == {}


def test_where_the_name_is_seen_next_is_not_told_beside_the_transfer_that_tells_it() -> None:
    ended = FIRST._replace(mouvement_fin="mvt_1")
    joined = stay("2", B, "2026-03-03", mouvement_debut="mvt_1")
    assert successions([ended, joined]).seen_next("1") is None
    for other in (joined._replace(mouvement_debut="mvt_2"), joined._replace(mouvement_debut="")):
        assert successions([ended, other]).seen_next("1") == Succession(ended, (other,))
    assert successions([FIRST, joined._replace(mouvement_debut="")]).seen_next("1")


@pytest.mark.parametrize(
    ("end", "begin", "days", "bounds"),
    [
        # The days of the lists without and with the name, and of those before them.
        (("2026-03-02", "2026-03-03"), ("2026-03-14", "2026-03-15"), 12, (12, 12)),
        (("2026-03-02", "2026-03-03"), ("2026-03-08", "2026-03-15"), 12, (6, 12)),
        (("2026-02-23", "2026-03-03"), ("2026-03-08", "2026-03-15"), 12, (6, 19)),
        (("2026-02-23", "2026-03-03"), ("2026-03-03", "2026-03-10"), 7, (1, 14)),
        (("2026-02-23", "2026-03-03"), ("2026-02-23", "2026-03-03"), 0, (0, 7)),
        (("2026-03-02", "2026-03-03"), ("2026-03-02", "2026-03-03"), 0, (0, 0)),
        # A correction gives the very day.
        (("2026-03-03", "2026-03-03"), ("2026-03-15", "2026-03-15"), 12, (12, 12)),
    ],
)
def test_the_days_between_are_as_far_apart_as_lists_tell(
    end: tuple[str, str], begin: tuple[str, str], days: int, bounds: tuple[int, int]
) -> None:
    ended = FIRST._replace(fin_apres=end[0], fin=end[1])
    begun = NEXT._replace(debut_apres=begin[0], debut=begin[1])
    one = Succession(ended, (begun,))
    assert (one.days, one.bounds) == (days, bounds)
