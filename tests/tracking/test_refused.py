"""Refused lists: by name, while their content is kept again, and when the newest one calls for a look."""

from __future__ import annotations

import pytest

from parlement_lists.tracking.corrections import Corrections, Entry
from parlement_lists.tracking.report import Report
from tests.tracking.lists import AFTER, STAFF, data, of_senate

ADVICE = "look at it, and accept or refuse it by name in the corrections, or wait for the next"
CONTENTS = {
    "good": data("senat", STAFF),
    "next": data("senat", AFTER),
    "other": data("senat", {**AFTER, 8: ["Zoé INVENTEE"]}),
    "few": data("senat", {8: AFTER[8]}),
    "empty": b"",
    "broken": b"nothing\n",
    "garbled": data("senat", {n: [f"{s[0]}\ufffd", *s[1:]] for n, s in AFTER.items()}),
}


def read(lists: str, said: str) -> Report:
    """What is reported of lists of September, `DAY CONTENT`, with corrections, `KIND DAY`."""
    days = (list_.split() for list_ in lists.split(" | "))
    entries = [
        Entry(line, "2026-10-01", "x", kind, f"senat/2026-09-{day}")
        for line, (kind, day) in enumerate(one.split() for one in said.split(" | ") if one)
    ]
    dated = [(f"2026-09-{day}", CONTENTS[content]) for day, content in days]
    return of_senate(*dated, corrections=Corrections(entries)).report


@pytest.mark.rule("record-list-by-name")
@pytest.mark.parametrize(
    ("lists", "said", "expected"),
    [
        ("01 good | 02 few", "accepter 02", "accepted accepted"),
        ("01 good | 02 next", "refuser 02", "accepted refused"),
        ("01 good | 02 few | 03 few", "refuser 02 | accepter 03", "accepted refused accepted"),
        # Refused while it is kept again, also after one that is empty; what comes again after an accepted
        # list is looked at anew.
        (
            "01 good | 02 other | 03 other | 04 next | 05 other",
            "refuser 02",
            "accepted refused refused accepted accepted",
        ),
        (
            "01 good | 02 other | 03 empty | 04 other | 05 next",
            "refuser 02",
            "accepted refused refused refused accepted",
        ),
        # An accepted content that the name of a day refuses is accepted on the next.
        (
            "01 next | 02T0100 other | 02T0900 next | 03 next",
            "refuser 02",
            "accepted refused refused accepted",
        ),
        # What names one list of a day prevails over what names the day.
        (
            "01 good | 02T0100 few | 02T0900 next",
            "accepter 02 | refuser 02T0900",
            "accepted accepted refused",
        ),
    ],
)
def test_a_list_is_accepted_or_refused_by_name(lists: str, said: str, expected: str) -> None:
    assert " ".join(record.status for record in read(lists, said).records) == expected


EMPTY, NOTHING = "the file is empty", "unknown format, header: nothing"


@pytest.mark.parametrize(
    ("lists", "said", "alarm"),
    [
        ("01 good | 02 empty | 03 next", "", ""),
        ("01 good | 02 empty", "", f": senat/2026-09-02: {EMPTY} [2026-09-02]"),
        (
            "01 good | 02 empty | 03 next | 05 empty | 06 broken",
            "",
            f" (the last 2 are, from senat/2026-09-05): senat/2026-09-06: {NOTHING} [2026-09-06]",
        ),
        # Somebody has looked at what a correction refuses, and at no other.
        ("01 good | 02 empty", "refuser 02", ""),
        ("01 good | 02 few | 03 few", "refuser 03", ""),
        (
            "01 good | 02 broken | 03 next",
            "refuser 03",
            f": senat/2026-09-02: {NOTHING} [2026-09-02]",
        ),
        # Refused once, it raises an alarm where it comes back, and the list whose file stays is named.
        (
            "01 good | 02 few | 03 next | 04 few | 05 few",
            "refuser 02",
            " (the last 2 are, from senat/2026-09-04): senat/2026-09-04, unchanged until senat/2026-09-05: ",
        ),
        # An accepted list is not named where the same content is refused on the next day.
        ("01 next | 02 garbled | 03 garbled", "accepter 02", ": senat/2026-09-03: "),
    ],
)
def test_a_newest_list_that_is_refused_calls_for_a_look(lists: str, said: str, alarm: str) -> None:
    alarms = read(lists, said).alarms
    assert len(alarms) == bool(alarm)
    for told in alarms:
        assert told.startswith(f"senat: the newest list is refused{alarm}")
        assert told.endswith(f"; {ADVICE}")
