"""A list that mostly has people back is an old one that was added to, or late: refused, or less sure."""

from __future__ import annotations

import datetime
from collections import Counter

import pytest

from parlement_lists.movement import words
from parlement_lists.tracking.guard import AWAY, mostly_back
from parlement_lists.tracking.reading.list_file import ListFile
from parlement_lists.tracking.reading.lists import List, Pairs, Reader
from tests.tracking.lists import Staff, list_, list_file, many, tracked
from tests.tracking.windows import DATA, MISSING, lists_of

STAFF = many(100)
LEFT = {n: s[1:] if n <= 24 else s for n, s in STAFF.items()}
HOLIDAYS = DATA / "audit" / "an-fetes-2017.tar.xz"


def back(count: int, new: int = 1) -> Staff:
    """Some of those who left are back, and some others come who never were there."""
    return {
        n: [*(s if n <= count else LEFT[n]), *([f"Une{n} NOUVELLE{n}"] if n > 100 - new else [])]
        for n, s in STAFF.items()
    }


def refusals(days: list[tuple[str, Staff]]) -> list[str]:
    found = tracked([list_file("senat", day, staff) for day, staff in days])
    return [r.message for r in found.report.records if r.status == "refused"]


@pytest.mark.rule("record-list-stale")
@pytest.mark.parametrize(
    ("before", "day", "staff", "refused"),
    [
        ("2026-04-02", "2026-04-03", back(24), "24 of 25"),
        ("2026-04-02", "2026-04-02", back(24), ""),  # 31 days after they left
        ("2026-04-02", "2026-04-03", back(20), "20 of 21"),
        ("2026-04-02", "2026-04-03", back(19), ""),
        ("2026-04-02", "2026-04-03", back(24, new=23), "24 of 47"),
        ("2026-04-02", "2026-04-03", back(24, new=24), ""),
        ("2026-04-02", "2026-07-03", back(24), "24 of 25"),  # 92 days without a list
        ("2026-04-02", "2026-08-04", back(24), ""),
        ("2026-09-30", "2026-10-01", back(24), ""),  # a renewal
    ],
)
def test_mostly_people_who_left_long_ago_make_a_stale_list(
    before: str, day: str, staff: Staff, refused: str
) -> None:
    days = [("2026-03-01", STAFF), ("2026-03-02", LEFT), (before, LEFT), (f"{day}T1200", staff)]
    said = [f"{refused} new pairs are people back at a member they left more than 31 days before"]
    assert refusals(days) == (said if refused else [])


def test_who_left_is_remembered_for_two_years() -> None:
    keys = [pair.key for pair in list_("senat", "2026-03-01", STAFF).pairs.values()][:25]
    departed = dict.fromkeys(keys, datetime.date(2024, 3, 1))
    assert len(mostly_back(departed, keys, datetime.date(2026, 3, 2), AWAY)) == 25
    assert mostly_back(departed, keys, datetime.date(2026, 3, 3), AWAY) == []


def made(day: str, pairs: Pairs) -> ListFile:
    """A list of some pairs as if it were of another day."""
    date = datetime.date.fromisoformat(day)
    found = List("assemblee", date, pairs, len(pairs))
    return ListFile("assemblee", date, "", day, data=lambda: found)


@pytest.mark.skipif(not HOLIDAYS.exists(), reason=MISSING)
def test_who_is_back_on_2017_12_28_arrives_on_a_day_that_is_less_sure() -> None:
    """Of 61 new pairs 9 are missing for some days, 20 left up to 31 days before, 15 longer before.

    The lists from before the window are not at hand: three made of its first one stand for them.
    """
    files = lists_of(HOLIDAYS)
    lists = {file.name: file.read(Reader()) for file in files}
    before, after = (next(n for n in lists if f"2017-12-{day}" in n) for day in ("27", "28"))
    gained = sorted(lists[after].pairs.keys() - lists[before].pairs.keys())
    flickers = [key for key in gained if key in lists[files[0].name].pairs]
    assert (len(gained), len(flickers)) == (61, 9)
    away = [key for key in gained if key not in flickers][:35]
    known = lists[files[0].name].pairs
    longer, shorter = ({k: lists[after].pairs[k] for k in some} for some in (away[20:], away[:20]))
    earlier = [
        *(made("2017-10-20", known | longer | shorter), made("2017-11-10", known | shorter)),
        made("2017-12-08", known),
    ]
    told = tracked([*earlier, *files])
    assert all(r.status == "accepted" for r in told.report.records)
    that_day = [m for m in told.movements if m.date_event == "2017-12-28"]
    sure = {(m.elu_id, words(m.collab_nom, m.collab_prenom)): m.confiance for m in that_day}
    assert {sure[key] for key in away} == {"moyen"}
    assert {c for key, c in sure.items() if key not in away} == {"fort"}


@pytest.mark.rule("record-back")
@pytest.mark.parametrize(
    ("day", "staff", "less_sure"),
    [
        ("2026-03-20", back(24), 24),
        ("2026-03-20", back(20), 20),
        ("2026-03-20", back(19), 0),
        ("2026-03-20", back(24, new=23), 24),
        ("2026-03-20", back(24, new=24), 0),
        ("2026-10-02", back(24), 0),  # a renewal
    ],
)
def test_who_is_back_with_many_others_is_less_sure_and_who_is_new_as_sure_as_ever(
    day: str, staff: Staff, less_sure: int
) -> None:
    days = [("2026-03-01", STAFF), ("2026-03-02", LEFT), (f"{day[:8]}01", LEFT), (day, staff)]
    if day == "2026-03-20":
        days[2] = ("2026-03-19", LEFT)
    found = tracked([list_file("senat", *one) for one in days]).movements
    arrivals = [m for m in found if m.type == "arrivee"]
    assert {m.confiance for m in arrivals if m.collab_nom.startswith("NOUVELLE")} == {"fort"}
    assert Counter(m.confiance for m in arrivals)["moyen"] == less_sure
