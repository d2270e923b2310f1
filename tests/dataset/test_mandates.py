"""Whether a mandate goes on, what is said of one of which nobody knows, and how many sit: never more than there are seats."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
from parlement_lists.movement import CHAMBERS, seats_on
from parlement_lists.tenure import Tenure
from tests.contract import environment
from tests.published import write
from tests.tracking import lists

# A sentence, and under it cases: the chamber, unless it is the Assemblée; mandates, `FIRST..LAST`; what else is not as
# in USUAL -> the end that is told, as a MandateEnd has it.
USUAL = {"begun": "2026-01-05", "last": "2026-09-21", "today": "2026-09-22"}
USUAL |= {"former": "", "listed": "", "read": ""}
CASES = """
a mandate that goes on has no end, and today may be its last day
    2024-07-08.. -> nothing
    2024-07-08..2026-12-31 -> nothing
    2024-07-08..2026-09-22 -> nothing
a mandate that ended is told with its last day, also where that is after the last list
    2024-07-08..2026-09-10 -> 2026-09-10 termine
    2024-07-08..2026-09-21 -> 2026-09-21 termine
a mandate of long after the list is not that of the list
    2017-06-21..2020-10-01 2022-06-22.. last=2020-09-20 begun=2019-01-01 -> 2020-10-01 termine
members whom lists have long after a mandate have another one that nobody told
    2017-06-21..2022-06-21 -> nothing
where the list has nobody, what is known stands
    2017-06-21..2022-06-21 begun= -> 2022-06-21 termine
stays begun long after a mandate tell of another one, though nobody is left
    2017-06-21..2022-08-04 begun= former=2018-01-01,2022-10-20 -> 2024-06-09 inconnu
    2017-06-21..2022-08-04 begun= former=2018-01-01,2022-10-20 today=2024-06-08 -> nothing
    2017-06-21..2022-08-04 begun= former=2018-01-01,2022-10-20 last=2024-06-12 -> 2024-06-09 renouvele
lists are late by some days: who came then came to a mandate that had ended
    2017-06-21..2022-08-04 begun= former=2018-01-01,2022-09-04 -> 2022-08-04 termine
a renewal ends all mandates of a chamber, once the day is there
    begun=2023-01-05 last=2024-06-09 -> 2024-06-09 renouvele
    2022-06-22.. begun=2023-01-05 last=2024-06-09 -> 2024-06-09 renouvele
    .. begun=2023-01-05 last=2024-06-05 -> 2024-06-09 renouvele
    .. begun=2023-01-05 last=2024-06-05 today=2024-06-08 -> nothing
    europarl 2022-06-22.. begun=2023-01-05 last=2024-07-16 -> 2024-07-16 renouvele
    europarl begun=2023-01-05 last=2024-06-05 -> 2024-07-16 renouvele
    europarl begun=2023-01-05 last=2024-06-05 today=2024-06-08 -> nothing
long after a renewal the list has those who sit
    begun=2023-01-05 -> nothing
    2022-06-22.. begun=2023-01-05 -> nothing
    europarl .. begun=2023-01-05 -> nothing
whose team vanished and whom no list names for more than 60 days ended on an unknown day
    2024-07-08.. begun= listed=2026-07-22 -> 2026-07-22 fin-inconnue
    2024-07-08.. begun= listed=2026-07-23 -> nothing
    2024-07-08.. begun=2025-01-05 -> nothing
a source that is read each day says that the mandate goes on
    2024-07-08.. begun= listed=2026-07-22 read=2026-07-23 -> nothing
    2024-07-08.. begun= listed=2026-07-22 read=2026-07-22 -> 2026-07-22 fin-inconnue
no renewal or dissolution that comes later closes it
    2022-06-22.. begun= listed=2023-08-02 last=2024-06-12 -> 2023-08-02 fin-inconnue
those who came with the new assembly stay
    begun=2024-07-20 last=2024-07-25 -> nothing
    2024-07-08.. begun=2024-07-20 last=2024-07-25 -> nothing
    2022-06-22..2024-06-09 2024-07-08.. begun=2024-07-20 last=2024-07-25 -> nothing
also those elected some weeks before its first day
    europarl 2024-06-30.. begun=2024-07-18 last=2024-07-25 -> nothing
a mandate that no list confirms is not known since the renewal
    2022-06-22.. begun= listed=2024-06-05 -> 2024-06-09 inconnu
    .. begun= listed=2024-06-05 -> 2024-06-09 inconnu
where later lists name staff, or somebody came, it is another one, and goes on
    2022-06-22.. begun= listed=2024-08-10 read=2026-09-21 -> nothing
    2022-06-22.. begun= former=2024-07-20 listed=2024-07-21 read=2026-09-21 -> nothing
lists may name staff for some weeks; after them the next renewal counts
    2017-06-21.. begun= listed=2024-07-10 read=2026-09-21 -> 2024-06-09 inconnu
    2017-06-21.. begun= listed=2024-07-11 read=2026-09-21 -> 2024-07-08 inconnu
a member without mandates whom no list names since all were renewed is a former one
    begun= listed=2022-06-07 -> 2022-06-22 ancien 2022-06-07 2022-06-22
    begun= listed=2022-06-07 today=2022-06-21 -> nothing
    begun= listed=2026-01-05 -> nothing
of whom nobody was ever named nothing is told
    begun= -> nothing
a renewal of half the Sénat says nothing of the other half
    senat 2017-10-02.. begun= listed=2022-06-01 today=2026-10-01 read=2026-09-21 -> 2023-10-02 inconnu
    senat 2020-10-01.. begun= listed=2022-06-01 today=2026-10-01 read=2026-09-21 -> 2026-10-01 inconnu
it was renewed in 2020, when lists named the staff
    senat 2014-10-01.. begun= listed=2022-06-01 today=2026-10-01 read=2026-09-21 -> 2026-10-01 inconnu
of a half that the day does not tell, the first that comes
    senat 2019-03-04.. begun= listed=2022-06-01 today=2026-10-01 read=2026-09-21 -> 2023-10-02 inconnu
    senat .. begun= listed=2022-06-01 today=2026-10-01 read=2026-09-21 -> 2023-10-02 inconnu
of a senator without mandates both halves must have been renewed, and lists show who sits since
    senat begun= listed=2022-06-01 today=2023-10-01 last=2026-11-01 -> nothing
    senat begun= listed=2022-06-01 today=2023-10-02 last=2026-11-01 -> 2023-10-02 inconnu 2022-06-01 2026-10-01
    senat begun= listed=2022-06-01 today=2026-10-01 last=2026-11-01 -> 2023-10-02 ancien 2022-06-01 2026-10-01
    senat begun= listed=2022-06-01 today=2026-12-01 last=2026-09-30 -> 2023-10-02 inconnu 2022-06-01
staff on a list of the very day or after the renewal of a half are of a mandate that goes on
    senat 2017-10-02.. begun=2019-01-05 last=2023-10-03 -> nothing
    senat begun=2019-01-05 last=2023-10-03 -> nothing
    senat 2017-10-02.. begun=2019-01-05 last=2023-10-02 -> nothing
    senat begun=2019-01-05 last=2023-10-02 -> nothing
the staff of the others are off it
    senat 2017-10-02.. begun= listed=2023-10-01 last=2023-10-02 -> 2023-10-02 inconnu
"""


def cases() -> Iterator[Any]:
    sentence = ""
    for line in CASES.strip().splitlines():
        if not line.startswith(" "):
            sentence = line
        else:
            yield pytest.param(*line.split(" -> "), id=f"{sentence}: {line.strip()}")


@pytest.mark.parametrize(("said", "expected"), [*cases()])
def test_a_mandate_ended_or_goes_on(said: str, expected: str) -> None:
    words = said.split()
    given = USUAL | dict(word.split("=") for word in words if "=" in word)
    chamber = words[0] if words[0] in CHAMBERS else "assemblee"
    mandates = [(first, last) for first, dots, last in (w.partition("..") for w in words) if dots]
    former = given["former"].split(",") if given["former"] else []
    latest = max(given["begun"], *former, "")
    listed = given["listed"] or (given["last"] if given["begun"] else latest)
    staff = NamedStaff(given["begun"], former, latest, listed)
    found = mandate_end(chamber, mandates, staff, given["last"], given["read"])
    told = found.on(given["today"]) if found else None
    assert (" ".join(filter(None, told)) if told else "nothing") == expected


@pytest.mark.parametrize(
    ("end", "until", "over", "known"),
    [
        (MandateEnd("2026-09-10"), "2026-09-10", "2026-09-11", True),
        (MandateEnd("2024-06-09", RENEWED), "2024-06-09", "2024-06-09", True),  # a dissolution
        (MandateEnd("2024-07-16", RENEWED), "2024-07-15", "2024-07-16", True),
        (MandateEnd("2023-10-02", UNKNOWN), "2023-10-01", "2023-10-02", False),
        (MandateEnd("2026-07-22", NOT_TOLD), "2026-07-22", "2026-07-23", False),
        (MandateEnd("2022-06-22", FORMER, "2022-06-07"), "2022-06-07", "2022-06-22", False),
    ],
)
def test_what_is_told_of_an_end(end: MandateEnd, until: str, over: str, known: bool) -> None:
    assert (end.until, end.over, end.known) == (until, over, known)


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
def test_an_open_mandate_whose_team_vanished_ends_after_its_last_list(seats: Seats) -> None:
    seats.add("PA600", "2022-06-22", DAYS[0])
    assert seats.alarms() == [f"578 members sit at assemblee on {DAYS[0]}, which has 577 seats"]


def test_where_no_mandate_is_known_the_last_list_counts(seats: Seats) -> None:
    seats.mandates = []
    seats.add("PA600", "2022-06-22", DAYS[1], mandate=False)
    assert seats.alarms() == []
    seats.add("PA601", "2022-06-22", DAYS[-1], mandate=False)
    assert seats.alarms() == [f"578 members sit at assemblee on {DAYS[-1]}, which has 577 seats"]
