"""The people of one office: who is there, who was, who came and who left in a year."""

from __future__ import annotations

import random

import pytest

from datasette_mouvements.dataset.coverage import Coverage
from datasette_mouvements.dataset.turnover import NotGiven, Turnover, turnover
from datasette_mouvements.pages.people.timeline import Person, changes, on_list, timeline
from parlement_lists.tenure import Tenure

LAST = "2026-11-20"
YEAR = ("2025-11-21", LAST)
GONE = {"mvt_sortant"}


def stay(
    name: str,
    debut: str = "2024-03-04",
    fin: str = "",
    seen: str = "",
    after: str = "2024-03-01",
    ended: str = "mvt_fin",
) -> Tenure:
    return Tenure(
        f"col_{name}{debut}",
        "senat",
        elu_id="99001Z",
        collab_nom=name,
        collab_prenom="Ada" if name else "",
        debut=debut,
        debut_apres=after,
        fin=fin,
        fin_apres=seen or fin or LAST,
        mouvement_fin=ended if fin else "",
    )


def names(people: list[Person]) -> list[str]:
    return [person.latest.collab_nom for person in people]


def test_who_came_first_is_first_and_who_left_last_is_first_of_the_past() -> None:
    found = timeline(
        [
            stay("ZED", "2024-01-08"),
            stay("ABE", "2025-02-03"),
            stay("ÉVA", "2024-01-08"),
            stay("MIA", "2024-05-06", seen="2026-11-18"),
            stay("OLD", fin="2024-06-03"),
            stay("NEW", fin="2026-06-01"),
            stay("BEN", fin="2026-06-01"),
        ],
        LAST,
    )
    assert names(found.listed) == ["ÉVA", "ZED", "ABE"]
    assert names(found.missing) == ["MIA"]
    assert names(found.past) == ["BEN", "NEW", "OLD"]
    assert names(found.people) == ["ÉVA", "ZED", "ABE", "MIA", "BEN", "NEW", "OLD"]


def test_several_stays_of_one_person_are_one_person_where_the_latest_is() -> None:
    first, back = stay("ABE", "2022-01-03", fin="2023-03-06"), stay("ABE", "2024-10-08")
    other = stay("ZED", "2023-05-01")
    found = timeline([back, other, first], LAST)
    assert found.listed == [Person((other,)), Person((first, back))]
    assert found.past == []
    # One in progress is the latest, though another of the name was there and left meanwhile.
    meanwhile = stay("ABE", "2025-01-06", fin="2025-02-03")
    assert timeline([meanwhile, back], LAST).listed == [Person((meanwhile, back))]
    # Of two that ended, that which ended last.
    long = stay("ZED", "2020-01-06", fin="2026-01-05")
    short = stay("ZED", "2021-01-04", fin="2021-06-07")
    assert timeline([long, short], LAST).past == [Person((short, long))]


def test_every_stay_of_a_name_withheld_is_a_person() -> None:
    found = timeline([stay("", "2022-01-03"), stay("", "2023-01-02", fin="2024-01-01")], LAST)
    assert (len(found.listed), len(found.past)) == (1, 1)


def test_an_arrival_is_a_stay_that_began_in_the_year_and_that_the_first_list_has_not() -> None:
    came = [stay("ABE", "2025-11-21"), stay("ZED", LAST), stay("ABE", "2026-02-02")]
    others = [stay("OLD", "2025-11-20"), stay("FIRST", "2026-01-05", after="")]
    found = changes([*came, *others], YEAR, GONE)
    assert [one.debut for one in found.arrivals] == [LAST, "2026-02-02", "2025-11-21"]


def test_those_who_left_are_told_latest_first_and_those_who_left_with_the_member_are_not() -> None:
    left = changes(
        [
            stay("ABE", fin="2026-03-02"),
            stay("ZED", fin="2026-10-01"),
            stay("BEN", fin="2026-10-01"),
            stay("MEMBER", fin="2026-05-04", ended="mvt_sortant"),
            stay("BEFORE", fin="2025-11-20"),
            stay("BACK", fin="2026-01-05"),
            stay("BACK", "2026-04-06"),
            stay("HERE"),
            stay("MISSING", seen="2026-11-18"),
        ],
        YEAR,
        GONE,
    )
    assert names(left.left) == ["BEN", "ZED", "ABE"]
    assert (left.people, left.with_member) == (7, 1)


def test_one_who_left_twice_in_a_year_is_told_once_by_the_last_end() -> None:
    first, again = stay("ABE", fin="2026-01-05"), stay("ABE", "2026-03-02", fin="2026-06-01")
    sortant = stay("ZED", "2026-03-02", fin="2026-06-01", ended="mvt_sortant")
    left = changes([again, first, sortant, stay("ZED", fin="2026-01-05")], YEAR, GONE)
    assert left.left == [Person((first, again))]
    # Of two ends on one day, that by which somebody left.
    same_day = stay("ZED", "2026-04-06", fin="2026-06-01")
    assert changes([sortant, same_day], YEAR, GONE).left == [Person((sortant, same_day))]


@pytest.mark.parametrize("seed", range(20))
def test_they_are_the_people_whom_turnover_counts(seed: int) -> None:
    drawn = random.Random(seed)
    days = [f"{year}-{month:02}-07" for year in (2024, 2025, 2026) for month in range(1, 11)]
    stays = []
    for _ in range(drawn.randrange(30)):
        begin, end = sorted(drawn.sample(days, 2))
        ended = drawn.choice(["mvt_fin", "mvt_sortant"])
        name = drawn.choice(["", *"ABCDEFGH"])
        fin = drawn.choice(["", end])
        stays.append(stay(name, begin, fin, ended=ended))
    figure = turnover(stays, Coverage("2024-01-01", LAST), GONE, YEAR)
    found = changes(stays, YEAR, GONE)
    if isinstance(figure, NotGiven):
        assert found.people < 3
    else:
        assert figure == Turnover(len(found.left), found.people, *YEAR)


def test_a_day_between_two_stays_has_nobody() -> None:
    before, after = stay("ABE", "2022-01-03", fin="2023-03-06"), stay("ABE", "2024-10-08")
    assert on_list([before, after], "2023-03-05") == [before]
    assert on_list([before, after], "2023-03-06") == []
    assert on_list([before, after], "2024-10-08") == [after]
