"""The standard rate, the length of stays and headcounts, each case small enough to be worked out by hand beside it."""

from __future__ import annotations

from collections.abc import Container, Sequence
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from datasette_mouvements.dataset.coverage import CountedPeriod, Coverage, Gap
from datasette_mouvements.dataset.schema import TENURES
from datasette_mouvements.dataset.served.snapshot import Snapshot
from datasette_mouvements.dataset.stays.rotation import (
    NEVER,
    CountedStay,
    Lasting,
    Part,
    Rotation,
    headcounts,
    join_stays,
    median_lasting,
    ordinal,
    rotations,
    sex_of,
)
from datasette_mouvements.dataset.stays.years_and_terms import years_and_terms
from datasette_mouvements.dataset.writer import write
from datasette_mouvements.pages.counts.facts import connect
from datasette_mouvements.pages.counts.rotation_counts import read_chamber, returns
from datasette_mouvements.updating import update
from parlement_lists.movement import Movement
from parlement_lists.tenure import Tenure
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.reading.walk import walk
from tests.figures.sequences import all_lists
from tests.tracking.windows import DATA
from tests.updating.real_file import NOW

FIRST, LAST = "2024-01-01", "2026-06-30"
# Hundred days, of which the tenth is 2025-01-10.
PERIOD = CountedPeriod("2025-01-01", "2025-04-10")


def stay(
    person: str, debut: str = FIRST, fin: str = "", civility: str = "", group: str = "", n: int = 0
) -> Tenure:
    """A stay of one person with one member; of a group, that of the last day."""
    return Tenure(
        f"col_{person}{n}",
        "senat",
        elu_id="A",
        elu_groupe=group,
        collab_nom=person.upper(),
        collab_civilite=civility,
        debut=debut,
        debut_apres="" if debut == FIRST else FIRST,
        fin=fin,
        fin_apres=fin or LAST,
        mouvement_fin=f"mvt_{person}{fin}" if fin else "",
    )


def counted(stays: Sequence[Tenure], gone: Container[str] = ()) -> list[CountedStay]:
    """What is counted of stays, of which those end with the member whose movement is `gone`."""
    return [
        CountedStay(
            row,
            one.person,
            one.elu_id,
            one.elu_groupe,
            sex_of(one.collab_civilite),
            ordinal(one.debut),
            ordinal(one.fin) if one.fin else NEVER,
            ordinal(one.fin_apres),
            bool(one.debut_apres),
            bool(one.mouvement_fin) and one.mouvement_fin not in gone,
        )
        for row, one in enumerate(stays, 1)
    ]


def figures(
    *stays: Tenure,
    returns: dict[str, str] | None = None,
    held: dict[str, list[tuple[str, str, str]]] | None = None,
    gone: frozenset[str] = frozenset(),
    period: CountedPeriod = PERIOD,
) -> dict[Part, Rotation]:
    """What is told of these stays, whose returns are given."""
    people = counted(stays, gone)
    rows = {stay.id: one.row for stay, one in zip(stays, people, strict=True)}
    back = {rows[stay]: rows[of] for stay, of in (returns or {}).items()}
    in_order = sorted(people, key=lambda one: one.begin)
    groups = {
        member: [
            (code, ordinal(since), ordinal(until) if until else NEVER) for code, since, until in of
        ]
        for member, of in (held or {}).items()
    }
    return rotations(join_stays(in_order, back), people, period, LAST, groups)


def whole(*stays: Tenure, **given: object) -> Rotation:
    return figures(*stays, **given)["", ""]  # type: ignore[arg-type]


TEAM = (stay("ada"), stay("bea"), stay("cleo"))


def test_the_rate_is_half_of_arrivals_and_departures_by_the_mean_headcount() -> None:
    # Dina comes on the eleventh of hundred days; Ève leaves on the first day on which she lacks, the 51st.
    found = whole(*TEAM, stay("dina", "2025-01-11"), stay("eve", fin="2025-02-20"))
    assert found[:5] == (5, 1, 3 + 0.9 + 0.5, 1, 1)
    assert found.rate == 1 / 4.4
    assert found.by_year == found.rate
    both = whole(*TEAM, stay("dina", "2025-01-11"), stay("fay", "2025-04-10"))
    assert (both.arrivals, both.departures, both.rate) == (2, 0, 1 / 3.91)


def test_who_leaves_on_the_first_day_leaves_in_the_period_and_who_comes_on_it_arrives() -> None:
    on_first = whole(*TEAM, stay("dina", fin="2025-01-01"), stay("eve", "2025-01-01"))
    assert on_first[:5] == (5, 1, 4, 1, 1)
    on_last = whole(*TEAM, stay("dina", fin="2025-04-10"), stay("eve", "2025-04-10"))
    assert on_last[:5] == (5, 1, 3 + 0.99 + 0.01, 1, 1)
    beside = whole(*TEAM, stay("dina", fin="2024-12-31"), stay("eve", "2025-04-11"))
    assert beside[:5] == (3, 0, 3, 0, 0)


def test_who_was_on_the_first_list_did_not_arrive() -> None:
    period = CountedPeriod(FIRST, "2024-12-31")
    assert whole(*TEAM, period=period)[2:5] == (3, 0, 0)


def test_a_return_joins_two_stays_and_the_days_between() -> None:
    away = stay("dina", fin="2025-01-11")
    back = stay("dina", "2025-03-22", n=1)
    joined = whole(*TEAM, away, back, returns={back.id: away.id})
    assert joined[2:5] == (4, 0, 0)
    assert whole(*TEAM, away, back)[2:5] == (pytest.approx(3.3), 1, 1)


def test_two_stays_are_joined_to_one_that_ended_only_once() -> None:
    away = stay("dina", fin="2025-01-11")
    back, beside = stay("dina", "2025-01-21", n=1), stay("dina", "2025-01-31", n=2)
    found = whole(*TEAM, away, back, beside, returns={back.id: away.id, beside.id: away.id})
    assert found[3:5] == (1, 0)


@pytest.mark.parametrize(("fin", "counted"), [("2025-01-27", 0), ("2025-01-28", 1)])
def test_a_stay_of_seven_days_is_not_counted(fin: str, counted: int) -> None:
    found = whole(*TEAM, stay("dina", "2025-01-20", fin))
    assert found[3:5] == (counted, counted)
    # Our own share counts every person whom lists show.
    assert found[:2] == (4, 1)


def test_a_short_stay_older_than_the_first_list_may_have_been_long() -> None:
    period = CountedPeriod(FIRST, "2024-12-31")
    assert whole(*TEAM, stay("dina", FIRST, "2024-01-05"), period=period).departures == 1


def test_who_leaves_with_the_member_counts_in_the_rate_and_not_in_the_share() -> None:
    gone = stay("dina", fin="2025-02-20")
    found = whole(*TEAM, gone, gone=frozenset({gone.mouvement_fin}))
    assert (found.left, found.people, found.departures) == (0, 4, 1)


def test_of_a_longer_period_the_rate_is_by_year() -> None:
    period = CountedPeriod("2024-01-02", "2026-01-01")
    found = whole(*TEAM, stay("dina", "2025-01-11"), period=period)
    assert found.years == 731 / 365.25
    assert found.by_year == found.rate / found.years
    leap = whole(*TEAM, period=CountedPeriod("2024-01-02", "2025-01-01"))
    assert leap.years == 1


def test_women_and_men_are_those_whose_civility_lists_give() -> None:
    women = [stay(f"w{n}", civility="Mme") for n in range(3)]
    men = [stay(f"m{n}", civility="M.") for n in range(4)]
    found = figures(*women, *men, stay("nobody"))
    assert {part: one.headcount for part, one in found.items()} == {
        ("", ""): 8,
        ("", "femmes"): 3,
        ("", "hommes"): 4,
    }


def test_of_fewer_than_three_people_nothing_is_said() -> None:
    assert figures(*TEAM[:2]) == {}
    assert set(figures(*TEAM, stay("dina", civility="Mme"), stay("eve", civility="Mme"))) == {
        ("", "")
    }
    # Three people, but two and a half on average.
    assert figures(*TEAM[:2], stay("dina", "2025-02-20")) == {}
    assert set(figures(*TEAM[:2], stay("dina", "2024-12-31"))) == {("", "")}


def test_a_stay_counts_in_the_group_of_each_day() -> None:
    # The member goes from one group to another on the 51st day, with the staff; Ève leaves before.
    held = {"A": [("OLD", "2023-01-01", "2025-02-20"), ("NEW", "2025-02-20", "")]}
    staff = [stay(f"p{n}", group="NEW") for n in range(6)]
    found = figures(*staff, stay("eve", fin="2025-01-11", group="OLD"), held=held)
    assert found["OLD", ""][:5] == (7, 1, 3.1, 0, 1)
    assert found["NEW", ""][:5] == (6, 0, 3, 0, 0)
    assert found["", ""][:5] == (7, 1, 6.1, 0, 1)


def test_a_stay_that_ends_later_is_in_no_group_where_that_of_the_time_is_not_known() -> None:
    later = [stay(f"p{n}", fin="2026-01-01", group="NEW") for n in range(4)]
    assert set(figures(*later)) == {("", "")}
    # The last list that has it is the last day's, so its own group is that of the period.
    ended = [one._replace(fin="2025-04-11", fin_apres="2025-04-10") for one in later]
    assert set(figures(*ended)) == {("", ""), ("NEW", "")}


@pytest.mark.parametrize(
    ("lasted", "median"),
    [
        ([(1, True), (2, True), (3, True)], 2),
        ([(1, True), (2, True), (3, True), (4, True)], 2),
        # Cut off before anybody left: one of two, then both.
        ([(1, False), (2, False), (5, True), (9, True)], 5),
        # One of four leaves (3/4), one is cut off, one of two leaves (3/8).
        ([(1, True), (2, False), (3, True), (4, False)], 3),
        ([(1, True), (2, False), (3, False), (4, False)], None),
        # Who is cut off on a day was there when others left.
        ([(2, True), (2, False)], 2),
        ([(2, True), (2, False), (2, False)], None),
    ],
)
def test_half_have_left_where_stays_in_progress_are_cut_off(
    lasted: list[tuple[int, bool]], median: int | None
) -> None:
    assert median_lasting(lasted) == median


def test_the_length_is_of_those_who_arrive_in_the_period_up_to_the_last_list() -> None:
    came = [stay(f"p{n}", "2025-01-11", fin) for n, fin in enumerate(("2025-04-21", "2026-01-11"))]
    assert whole(*TEAM, *came).lasting is None
    # Of 100 days, 365, and 486 so far: at the 100th one of three leaves, at the 365th one of two.
    found = whole(*TEAM, *came, stay("dina", "2025-03-01"))
    assert found.lasting == Lasting(365, 3)


def test_a_headcount_is_what_lists_show_on_each_day() -> None:
    stays = [stay("ada", "2024-01-02", "2024-01-04", "Mme"), stay("bea", "2024-01-03"), stay("x")]
    assert headcounts(counted(stays), FIRST, "2024-01-05") == {
        "": [1, 2, 3, 2, 2],
        "femmes": [0, 1, 1, 0, 0],
        "hommes": [0, 0, 0, 0, 0],
    }


def test_a_year_is_counted_whole_and_a_term_from_its_first_list_to_its_last() -> None:
    hole = Gap("2021-11-01", "2022-01-05")
    days = ["2020-12-31", "2021-06-01", "2021-11-01", "2022-01-05", "2022-06-10", "2022-06-24"]
    days += ["2022-12-31", "2023-06-23", "2024-06-01"]
    lists = Coverage(days[0], days[-1], holes=(hole,))
    found = {one.name: one for one in years_and_terms("assemblee", lists, days)}
    assert {name: one.given for name, one in found.items()} == {
        **{"2020": False, "2021": False, "2022": False, "2023": True, "2024": False},
        **{"2017-2022": True, "2022-2024": True},
    }
    assert found["2021"].counted.gap == hole
    assert found["2017-2022"].counted == ("2021-01-01", "2022-06-10", None, (hole,))
    assert found["2022-2024"].counted == ("2022-06-25", "2024-06-01", None, ())


def test_no_term_begins_with_a_dissolution() -> None:
    days = ["2024-06-01", "2024-06-10", "2024-07-01", "2024-07-10", "2024-07-20"]
    found = years_and_terms("assemblee", Coverage(days[0], days[-1]), days)
    assert [one.name for one in found] == ["2024", "2024-"]


@pytest.mark.parametrize(("last", "given"), [("2023-06-23", False), ("2023-06-24", True)])
def test_of_less_than_a_year_of_a_term_nothing_is_said(last: str, given: bool) -> None:
    lists = Coverage("2022-06-24", last)
    *_, term = years_and_terms("assemblee", lists, ["2022-06-24", last])
    assert (term.name, term.given) == ("2022-2024", given)


@pytest.mark.parametrize("seed", range(5))
def test_what_is_read_is_what_is_counted_of_each_stay(tmp_path: Path, seed: int) -> None:
    chance, stays, movements = Random(seed), [], []
    for number in range(60):
        fin = f"2025-02-{chance.randrange(1, 28):02}" if chance.random() < 0.6 else ""
        # Of some the name is withheld: each is a person.
        person = chance.choice(["ada", "bea", "Béa", ""])
        begun = chance.choice([FIRST, f"2025-01-{chance.randrange(1, 31):02}"])
        one = stay(person, begun, fin, chance.choice(["M.", ""]))
        ended = f"mvt_{number:020}" if fin else ""
        stays.append(one._replace(id=f"col_{number:020}", mouvement_fin=ended))
        if fin:
            context = chance.choice(["", "elu_sortant"])
            movements.append(Movement(ended, fin, "senat", "depart", contexte=context))
    rows = [tuple(value or None for value in one) for one in stays]
    write(tmp_path / "x.db", [("x", enumerate(movements, 1))], {TENURES: rows}, NOW)
    with closing(connect(tmp_path / "x.db")) as db:
        read = read_chamber(db, "senat", Coverage(FIRST, LAST), {}).stays
    gone = {one.id for one in movements if one.contexte}
    stays.sort(key=lambda one: (one.debut, one.id))
    assert read == counted(stays, gone)
    assert {one.leaves for one in read if one.end < NEVER} == {False, True}


@pytest.mark.skipif(not all_lists(), reason="needs every list: MOUVEMENTS_LISTS")
def test_the_assemblee_of_a_year_is_near_what_others_published(tmp_path: Path) -> None:
    """Regards Citoyens published 66.5 % for October 2017 to October 2018."""
    given = all_lists()
    repositories = [path for path in given if (path / ".git").exists()]
    files = walk([path for path in given if path not in repositories], repositories).files
    inputs = update.Inputs(lists=files, members=Members.read(DATA / "elus"))
    update.build(tmp_path / "movements.db", inputs, NOW)
    with closing(Snapshot(tmp_path / "movements.db")) as snapshot:
        lists = snapshot.coverage["assemblee"]
        with closing(connect(snapshot.path)) as db:
            known = read_chamber(db, "assemblee", lists, returns(db))
    period = lists.period("2017-10-01", "2018-09-30")
    assert period.gap is None
    assert 0.65 <= known.rotations(period)["", ""].rate <= 0.675
