"""Beside which list a new one is kept: from which one rows are carried, and what the new one is called."""

from __future__ import annotations

import datetime
from dataclasses import replace

import pytest

from parlement_lists.sources.repository import Repository
from parlement_lists.sources.source import OriginalRefused

from .misbehaving import says
from .test_fetcher import files

CARRIED = "10000A"


def lines(shift=0, without=(), **changed):
    """Forty senators with a staff member each; `shift` moves all staff to somebody else."""
    members = [f"100{n:02}A" for n in range(40)]
    names = [changed.get(member, f"AUBE{n}") for n, member in enumerate(members)]
    moved = names[shift:] + names[:shift]
    pairs = zip(members, moved, strict=True)
    return "".join(f"{m},{name}\n" for m, name in pairs if m not in without).encode()


def carries(source):
    class Carries(type(source)):
        def read(self, originals, members, day):
            return super().read(originals, members, day)._replace(carried=(CARRIED,))

    return Carries(source.name, source.chamber, source.addresses)


def staff_of(fetcher, name):
    text = (fetcher.repository.directory / "senat" / name).read_text()
    return [line.split(",")[6] for line in text.splitlines() if f",{CARRIED}," in line]


@pytest.mark.parametrize(
    ("kept", "expected"),
    [
        ([{}], "AUBE0"),
        ([{}, {CARRIED: "NEUF"}], "NEUF"),
        # A wrong list, the newest one, or seen again after it was, or with right ones after it.
        ([{}, {"shift": 7}], "AUBE0"),
        ([{}, {"shift": 7}, {"shift": 7}, {"shift": 7}], "AUBE0"),
        ([{}, {}, {"shift": 7}, {"shift": 7}, {"shift": 7}], "AUBE0"),
        ([{}, {"shift": 7}, {CARRIED: "NEUF"}], "NEUF"),
        # The oldest one is wrong.
        ([{"shift": 7}, {}, {CARRIED: "NEUF"}], "NEUF"),
    ],
)
def test_rows_are_carried_from_a_list_that_others_bear_out(
    server, fetcher, source, clock, kept, expected
):
    server.answer_with(*(says(lines(**one)) for one in kept), says(lines(without=(CARRIED,))))
    for _ in kept:
        assert fetcher.fetch([source])[0].status in ("new", "unchanged")
        clock.passes(days=1)
    assert fetcher.fetch([carries(source)])[0].status in ("new", "unchanged")
    assert staff_of(fetcher, files(fetcher)[-1]) == [expected]


def test_a_last_list_that_is_garbage_is_passed_over(server, fetcher, source, clock):
    server.answer_with(says(lines()), says(lines(without=(CARRIED,))))
    fetcher.fetch([source])
    (fetcher.repository.directory / "senat" / "2026-09-15.csv").write_bytes(b"\0garbage")
    clock.passes(days=2)
    assert fetcher.fetch([carries(source)])[0].status == "new"
    assert staff_of(fetcher, files(fetcher)[-1]) == ["AUBE0"]


def test_where_no_list_can_be_read_nothing_is_carried(server, fetcher, source, clock):
    server.answer_with(says(lines()))
    fetcher.fetch([source])
    (fetcher.repository.directory / "senat" / "2026-09-14.csv").write_bytes(b"\0garbage")
    clock.passes(days=1)
    (result,) = fetcher.fetch([carries(source)])
    assert result.status == "refused"
    assert result.detail == "the last list is needed, and none can be read"


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
            repository.store("senat", body, day, late, "essai", ())
        with pytest.raises(OriginalRefused, match="its last minute is kept"):
            repository.store("senat", b"c\n", day, late, "essai", ())
        morning = late.replace(hour=6)
        with pytest.raises(OriginalRefused, match="its last minute is kept"):
            repository.store("senat", b"c\n", day, morning, "essai", ())


def test_a_message_that_holds_a_name_is_not_told(server, fetcher, source):
    class Faulty(type(source)):
        def read(self, originals, members, day):
            return {}["Jeanne Exemple"]

    server.answer_with(says(b"14263U,A\n"))
    (result,) = fetcher.fetch([Faulty(source.name, source.chamber, source.addresses)])
    assert result.detail.startswith("KeyError in tests.sources.test_last_list, line ")
    assert "Exemple" not in result.detail


def test_a_fault_deep_in_a_library_is_placed_in_the_source(server, fetcher, source):
    class Faulty(type(source)):
        def read(self, originals, members, day):
            return datetime.date.fromisoformat(replace(self, name="no day").name)

    server.answer_with(says(b"14263U,A\n"))
    (result,) = fetcher.fetch([Faulty(source.name, source.chamber, source.addresses)])
    assert result.detail.startswith("ValueError in tests.sources.test_last_list, line ")
