"""Whether a mandate goes on, what is said of one of which nobody knows, and how many sit: never more than there are seats."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path

import pytest

from datasette_mouvements.dataset.check import alarms
from datasette_mouvements.dataset.mandates import (
    FORMER,
    NOT_TOLD,
    RENEWED,
    UNKNOWN,
    MandateEnd,
    NamedStaff,
    mandate_end,
)
from datasette_mouvements.dataset.schema import MANDATES, TENURES
from parlement_lists.movement import seats_on
from parlement_lists.tenure import Tenure
from tests.contract import environment
from tests.published import write
from tests.tracking import lists

LAST, TODAY = "2026-09-21", datetime.date(2026, 9, 22)
WHOLE = "2024-07-08"  # the last renewal of the Assemblée


def end(
    *mandates: tuple[str, str],
    chamber: str = "assemblee",
    begun: str = "2026-01-05",
    last: str = LAST,
    today: datetime.date = TODAY,
    former: Sequence[str] = (),
    listed: str = "",
    read: str = "",
) -> MandateEnd | None:
    latest = max(begun, *former, "")
    staff = NamedStaff(begun, former, latest, listed or (last if begun else latest))
    found = mandate_end(chamber, mandates, staff, last, read)
    return found.on(today.isoformat()) if found else None


def test_a_mandate_that_goes_on_has_no_end() -> None:
    assert end(("2024-07-08", "")) is None
    assert end(("2024-07-08", "2026-12-31")) is None
    assert end(("2024-07-08", "2026-09-22")) is None  # today is its last day


def test_a_mandate_that_ended_is_told_with_its_last_day() -> None:
    assert end(("2024-07-08", "2026-09-10")) == MandateEnd("2026-09-10")
    # After the last list, and before today.
    assert end(("2024-07-08", "2026-09-21")) == MandateEnd("2026-09-21")
    # A mandate of long after it is not that of the list.
    after = end(
        ("2017-06-21", "2020-10-01"), ("2022-06-22", ""), last="2020-09-20", begun="2019-01-01"
    )
    assert after == MandateEnd("2020-10-01")


def test_members_that_lists_have_long_after_a_mandate_have_another_one_that_nobody_told() -> None:
    assert end(("2017-06-21", "2022-06-21")) is None
    # Where the list has nobody, what is known stands.
    assert end(("2017-06-21", "2022-06-21"), begun="") == MandateEnd("2022-06-21")


def test_stays_begun_long_after_a_mandate_tell_of_another_one_though_nobody_is_left() -> None:
    known = ("2017-06-21", "2022-08-04")
    sat_again = ["2018-01-01", "2022-10-20"]
    unknown = MandateEnd("2024-06-09", UNKNOWN)
    assert end(known, begun="", former=sat_again) == unknown
    assert end(known, begun="", former=sat_again, today=datetime.date(2024, 6, 8)) is None
    whole = MandateEnd("2024-06-09", RENEWED)
    assert end(known, begun="", former=sat_again, last="2024-06-12") == whole
    # Lists are late by so many days: who came then came to a mandate that had ended.
    soon = ["2018-01-01", "2022-09-04"]
    assert end(known, begun="", former=soon) == MandateEnd("2022-08-04")


@pytest.mark.parametrize("mandates", [(), (("2022-06-22", ""),), (("", ""),)])
@pytest.mark.parametrize("chamber", ["assemblee", "europarl"])
def test_a_renewal_ends_all_mandates_of_a_chamber(mandates, chamber) -> None:
    renewal = {"assemblee": "2024-06-09", "europarl": "2024-07-16"}[chamber]
    for last in (renewal, "2024-06-05"):
        given = {"begun": "2023-01-05", "last": last, "chamber": chamber}
        assert end(*mandates, **given) == MandateEnd(renewal, RENEWED)
        before = datetime.date.fromisoformat("2024-06-08")
        assert end(*mandates, **given, today=before) is None
    # So long after it the list has those who sit.
    assert end(*mandates, begun="2023-01-05", chamber=chamber) is None


def test_a_mandate_whose_team_vanished_and_whom_no_list_names_for_60_days_ended_on_an_unknown_day() -> (
    None
):
    sat, gone = ("2024-07-08", ""), "2026-07-22"  # 61 days before the last list
    vanished = end(sat, begun="", listed=gone)
    assert vanished == MandateEnd(gone, NOT_TOLD)
    assert (vanished.until, vanished.over) == (gone, "2026-07-23")
    assert not vanished.known
    assert end(sat, begun="", listed="2026-07-23") is None  # 60 days
    assert end(sat, begun="2025-01-05") is None  # with staff
    # A source that is read each day says that the mandate goes on.
    assert end(sat, begun="", listed=gone, read="2026-07-23") is None
    assert end(sat, begun="", listed=gone, read="2026-07-22") == vanished
    # No renewal or dissolution that comes later closes it.
    early = end(("2022-06-22", ""), begun="", listed="2023-08-02", last="2024-06-12")
    assert early == MandateEnd("2023-08-02", NOT_TOLD)


def test_those_who_came_with_the_new_assembly_stay() -> None:
    for mandates in ((), ((WHOLE, ""),), (("2022-06-22", "2024-06-09"), (WHOLE, ""))):
        assert end(*mandates, begun="2024-07-20", last="2024-07-25") is None
    # Elected some weeks before the first day of the new assembly.
    early = end(("2024-06-30", ""), chamber="europarl", begun="2024-07-18", last="2024-07-25")
    assert early is None


def test_a_mandate_that_no_list_confirms_is_not_known_since_the_renewal() -> None:
    for mandates in ((("2022-06-22", ""),), (("", ""),)):
        assert end(*mandates, begun="", listed="2024-06-05") == MandateEnd("2024-06-09", UNKNOWN)
    # Later lists name staff, or somebody came: the mandate is another one, and goes on.
    sat = ("2022-06-22", "")
    assert end(sat, begun="", listed="2024-08-10", read=LAST) is None
    assert end(sat, begun="", former=["2024-07-20"], listed="2024-07-21", read=LAST) is None
    # They may name staff for some weeks.
    late = end(("2017-06-21", ""), begun="", listed="2024-07-10", read=LAST)
    assert late == MandateEnd("2024-06-09", UNKNOWN)
    later = end(("2017-06-21", ""), begun="", listed="2024-07-11", read=LAST)
    assert later == MandateEnd("2024-07-08", UNKNOWN)  # the next renewal


def test_a_member_without_mandates_whom_no_list_names_since_all_were_renewed_is_a_former_one() -> (
    None
):
    former = end(begun="", listed="2022-06-07")
    assert former == MandateEnd("2022-06-22", FORMER, "2022-06-07", "2022-06-22")
    assert former.until == "2022-06-07"
    assert not former.known
    assert end(begun="", listed="2022-06-07", today=datetime.date(2022, 6, 21)) is None
    assert end(begun="", listed="2026-01-05") is None
    # Nobody was ever named.
    assert end(begun="") is None


@pytest.mark.parametrize(
    ("since", "renewal"),
    [
        ("2017-10-02", "2023-10-02"),
        ("2020-10-01", "2026-10-01"),
        ("2014-10-01", "2026-10-01"),  # it was renewed in 2020, when lists named the staff
        ("2019-03-04", "2023-10-02"),  # of a half that the day does not tell
        ("", "2023-10-02"),
    ],
)
def test_a_renewal_of_half_the_senate_says_nothing_of_the_other_half(since, renewal) -> None:
    told = end(
        (since, ""),
        chamber="senat",
        begun="",
        listed="2022-06-01",
        today=datetime.date(2026, 10, 1),
        read=LAST,
    )
    assert told == MandateEnd(renewal, UNKNOWN)


def test_of_a_senator_without_mandates_both_halves_must_have_been_renewed() -> None:
    def former(today: datetime.date, last: str = "2026-11-01") -> MandateEnd | None:
        return end(chamber="senat", begun="", listed="2022-06-01", today=today, last=last)

    assert former(datetime.date(2023, 10, 1)) is None
    one = former(datetime.date(2023, 10, 2))
    assert one is not None
    assert (one.day, one.how) == ("2023-10-02", UNKNOWN)
    assert former(datetime.date(2026, 10, 1)) == MandateEnd(
        "2023-10-02", FORMER, "2022-06-01", "2026-10-01"
    )
    # No list shows who sits since.
    unseen = former(datetime.date(2026, 12, 1), last="2026-09-30")
    assert unseen == MandateEnd("2023-10-02", UNKNOWN, "2022-06-01")


def test_staff_on_a_list_after_the_renewal_of_a_half_are_of_a_mandate_that_goes_on() -> None:
    assert end(("2017-10-02", ""), chamber="senat", begun="2019-01-05", last="2023-10-03") is None
    assert end(chamber="senat", begun="2019-01-05", last="2023-10-03") is None
    # The list of the very day shows who stays: the staff of the others are off it.
    assert end(("2017-10-02", ""), chamber="senat", begun="2019-01-05", last="2023-10-02") is None
    assert end(chamber="senat", begun="2019-01-05", last="2023-10-02") is None
    gone = end(
        ("2017-10-02", ""), chamber="senat", begun="", listed="2023-10-01", last="2023-10-02"
    )
    assert gone == MandateEnd("2023-10-02", UNKNOWN)


DAYS = ["2023-01-02", "2023-06-01", "2023-12-01"]


class Seats:
    """A file in which each seat of the Assemblée has a mandate and a stay; the alarms of it with one more member."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.mandates: list[tuple[str, ...]] = []
        self.stays: list[Tenure] = []
        for number in range(1, 578):
            self.add(f"PA{number}", "2022-06-22", DAYS[-1])

    def add(self, member: str, since: str, listed: str, mandate: bool = True) -> None:
        if mandate:
            self.mandates.append(("assemblee", member, since, ""))
        end = "" if listed == DAYS[-1] else DAYS[DAYS.index(listed) + 1]
        days = {"debut": since, "fin": end, "fin_apres": listed}
        self.stays.append(Tenure(f"col_{member}", "assemblee", member, collab_nom=member, **days))

    def alarms(self) -> list[str]:
        tables = {
            "listes": [
                (f"assemblee/{day}", "assemblee", day, "acceptee", "", "", 1, 0, 0, 0, None)
                for day in DAYS
            ],
            TENURES: [[value or None for value in stay] for stay in self.stays],
            MANDATES: self.mandates,
        }
        write(self.path, [], tables)
        return [
            alarm.removesuffix(": mandates that ended are open in mandats.csv")
            for alarm in alarms(self.path)
        ]


@pytest.fixture
def seats(tmp_path: Path) -> Seats:
    return Seats(tmp_path / "movements.db")


@pytest.mark.rule("record-seats")
def test_no_more_members_sit_than_there_are_seats(seats: Seats) -> None:
    assert seats.alarms() == []
    # One who came in May sits in the place of nobody whom the file knows to have left.
    seats.add("PA600", "2023-05-02", DAYS[-1], mandate=False)
    assert seats.alarms() == [
        "578 members sit at assemblee on 2023-06-01, which has 577 seats, and on 1 more days"
    ]


def test_check_fails_where_more_sit_than_there_are_seats(tmp_path: Path) -> None:
    assert [
        seats_on("europarl", datetime.date.fromisoformat(day))
        for day in ("2020-01-31", "2020-02-01", "2024-07-15", "2024-07-16")
    ] == [74, 79, 79, 81]
    folder, database = tmp_path / "lists", tmp_path / "movements.db"
    for number in (79, 80):
        european = lists.data("europarl", lists.many(number, each=1), lists.KEPT)
        lists.write(folder, "europarl", "2023-11-02", european)
        environment.done("build", database, "--lists", folder)
        done = environment.command("check", database)
        expected = "80 members sit at europarl on 2023-11-02, which has 79 seats"
        assert (done.exit_code, expected in done.stderr) == (number - 79, number == 80)


@pytest.mark.rule("record-seats")
def test_an_open_mandate_whose_team_vanished_ends_after_the_last_list_that_names_it(
    seats: Seats,
) -> None:
    seats.add("PA600", "2022-06-22", DAYS[0])
    assert seats.alarms() == [f"578 members sit at assemblee on {DAYS[0]}, which has 577 seats"]


def test_where_no_mandate_is_known_the_last_list_counts(seats: Seats) -> None:
    seats.mandates = []
    seats.add("PA600", "2022-06-22", DAYS[1], mandate=False)
    assert seats.alarms() == []
    seats.add("PA601", "2022-06-22", DAYS[-1], mandate=False)
    assert seats.alarms() == [f"578 members sit at assemblee on {DAYS[-1]}, which has 577 seats"]
