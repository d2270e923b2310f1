"""Beside which list a new one is kept: which one is sound, and what the new one is called."""

from __future__ import annotations

import datetime
from dataclasses import replace

import pytest

from parlement_lists.sources.keeping.earlier_lists import EarlierLists
from parlement_lists.sources.kept_list import to_csv
from parlement_lists.sources.repository import Repository
from parlement_lists.sources.source import OriginalRefused, StaffRow

from .misbehaving import says
from .test_fetcher import files

MEMBER = "10000A"


def kept(shift=0, **changed):
    """Forty senators with a staff member each; `shift` moves all staff to somebody else."""
    members = [f"100{n:02}A" for n in range(40)]
    names = [changed.get(member, f"AUBE{n}") for n, member in enumerate(members)]
    pairs = zip(members, names[shift:] + names[:shift], strict=True)
    return to_csv("senat", [StaffRow(id, "X", "Y", "", "", name, "Paul") for id, name in pairs])


def sound(folder, *bodies):
    """Who works for one member in the last sound list of some days."""
    for number, body in enumerate(bodies, 1):
        (folder / f"2026-09-{number:02}.csv").write_bytes(body)
    rows = EarlierLists(sorted(folder.iterdir())).sound_rows(())
    return [row.collab_nom for row in rows if row.elu_id == MEMBER]


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "senat"
    path.mkdir()
    return path


@pytest.mark.parametrize(
    ("lists", "expected"),
    [
        ([{}], "AUBE0"),
        ([{}, {MEMBER: "NEUF"}], "NEUF"),
        # A wrong list, the newest one, or seen again after it was, or with right ones after it.
        ([{}, {"shift": 7}], "AUBE0"),
        ([{}, {"shift": 7}, {"shift": 7}, {"shift": 7}], "AUBE0"),
        ([{}, {}, {"shift": 7}, {"shift": 7}, {"shift": 7}], "AUBE0"),
        ([{}, {"shift": 7}, {MEMBER: "NEUF"}], "NEUF"),
        # The oldest one is wrong.
        ([{"shift": 7}, {}, {MEMBER: "NEUF"}], "NEUF"),
        # A wrong original that lasts, and changes each day as right ones do.
        (
            [
                *({MEMBER: f"NOM{n}"} for n in range(10)),
                *({"shift": 7, MEMBER: f"FAUX{n}"} for n in range(9)),
            ],
            "NOM9",
        ),
        # What is older than the last 24 is not looked at.
        ([{}, {}, *({"shift": n} for n in range(7, 31))], "AUBE7"),
    ],
)
def test_the_last_sound_list_is_one_that_others_bear_out(folder, lists, expected):
    assert sound(folder, *(kept(**one) for one in lists)) == [expected]


def test_a_last_list_that_is_garbage_is_passed_over(folder):
    assert sound(folder, kept(), b"\0garbage") == ["AUBE0"]


def test_where_no_list_can_be_read_there_is_none(folder):
    assert sound(folder, b"\0garbage") == []


PARIS_0250 = datetime.datetime(2026, 10, 25, 0, 50, tzinfo=datetime.UTC)


def test_in_the_hour_that_comes_twice_the_newer_list_is_named_after_the_older(
    server, fetcher, source, clock
):
    server.answer_with(*(says(b"14263U,%s\n" % name) for name in (b"A", b"B", b"C", b"D")))
    clock.now = PARIS_0250
    for _ in range(4):
        assert fetcher.fetch([source])[0].status == "new"
        clock.passes(minutes=20)
    assert files(fetcher) == [
        *("2026-10-25.csv", "2026-10-25T0210.csv", "2026-10-25T0230.csv", "2026-10-25T0250.csv")
    ]
    clock.passes(minutes=-60)
    server.answer_with(says(b"14263U,E\n"))
    fetcher.fetch([source])
    assert files(fetcher)[-1] == "2026-10-25T0251.csv"
    last = fetcher.repository.latest("senat")
    assert last is not None
    assert b",E," in last.read_bytes()


def test_a_day_without_a_minute_left_takes_no_other_list(tmp_path):
    repository = Repository(tmp_path / "listes")
    day, late = datetime.date(2026, 9, 14), datetime.datetime(2026, 9, 14, 23, 59)
    with repository.locked():
        for body in (b"a\n", b"b\n"):
            repository.store("senat", body, day, late, "essai")
        with pytest.raises(OriginalRefused, match="its last minute is kept"):
            repository.store("senat", b"c\n", day, late, "essai")
        morning = late.replace(hour=6)
        with pytest.raises(OriginalRefused, match="its last minute is kept"):
            repository.store("senat", b"c\n", day, morning, "essai")


def test_a_fault_deep_in_a_library_is_placed_in_the_source(server, fetcher, source):
    class Faulty(type(source)):
        def read(self, originals, members, day):
            return datetime.date.fromisoformat(replace(self, name="no day").name)

    server.answer_with(says(b"14263U,A\n"))
    (result,) = fetcher.fetch([Faulty(source.name, source.chamber, source.addresses)])
    # Without the message, which may hold a name.
    assert result.detail.startswith("ValueError in tests.sources.test_earlier_lists, line ")
