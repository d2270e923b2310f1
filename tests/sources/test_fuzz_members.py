"""Whatever the days and sources tell, spans of members are true. MOUVEMENTS_FUZZ says how many are tried."""

from __future__ import annotations

import datetime
import os

from hypothesis import given, settings
from hypothesis import strategies as st

from parlement_lists.sources.members import merge_rows
from parlement_lists.sources.originals import (
    ChamberMembers,
    MemberRecord,
    OriginalRefused,
)
from parlement_lists.tracking.members.members_files import MemberRows
from parlement_lists.tracking.members.spans import SAME_STAY, Span

from .members_seen import D1, D2, D3, day, seen

COUNT = int(os.environ.get("MOUVEMENTS_FUZZ", "200"))

History = list[tuple[int, dict[str, str]]]
presence = st.dictionaries(st.sampled_from("ABCDEF"), st.sampled_from(["", "GRA", "GRB"]))
histories = st.lists(st.tuples(st.integers(1, 40), presence), min_size=1, max_size=8)


@settings(max_examples=COUNT, deadline=None)
@given(histories)
def test_whoever_is_missing_for_less_than_a_month_sat_on(history: History) -> None:
    kept, when, last = MemberRows(), day("2020-01-01"), None
    truth: dict[datetime.date, dict[str, str]] = {}
    for gap, groups in history:
        when += datetime.timedelta(gap)
        try:
            kept = merge_rows(kept, "senat", seen(**groups), when, last)
        except OriginalRefused:
            continue
        truth[when] = groups
        last = when
    for when, groups in truth.items():
        sitting = {r.elu_id[-1] for r in kept.mandates if r.span.covers(when)}
        back = {
            letter
            for letter in "ABCDEF"
            for before in truth
            for after in truth
            if before < when < after <= before + SAME_STAY
            and letter in truth[before].keys() & truth[after].keys()
        }
        assert groups.keys() <= sitting <= groups.keys() | back
        assert back <= sitting
        if any(groups.values()):
            found = {r.elu_id[-1]: r.span.value for r in kept.groups if r.span.covers(when)}
            assert {x: g for x, g in found.items() if x in groups} == {
                letter: group for letter, group in groups.items() if group
            }
    _assert_sound(kept)


def _assert_sound(kept: MemberRows) -> None:
    """No span ends before it begins, and none of a member begins within another."""
    for table in (kept.mandates, kept.groups):
        for one in table:
            assert one.span.until is None or one.span.since <= one.span.until
            of = [r for r in table if r.elu_id == one.elu_id and r is not one]
            assert not any(r.span.covers(one.span.since) for r in of)


spans = st.tuples(st.integers(0, 60), st.integers(0, 20), st.sampled_from(["GRA", "GRB"]))


@settings(max_examples=COUNT, deadline=None)
@given(st.lists(spans, max_size=5), st.lists(spans, max_size=3), st.booleans())
def test_what_a_source_dates_is_true_afterwards(old: list, new: list, same: bool) -> None:
    start = day("2020-01-01")

    def read(table: list, origin: str) -> ChamberMembers:
        groups, at = [], 0
        for gap, length, code in table:
            since = start + datetime.timedelta(at + gap)
            at += gap + length + 1
            groups.append(Span(since, since + datetime.timedelta(length), code))
        one = MemberRecord("10000A", "Nom", "", "", "", [Span(start)], groups)
        return ChamberMembers([one], True, origin)

    first, second = read(old, "a"), read(new, "a" if same else "b")
    kept = merge_rows(MemberRows(), "senat", first, D1)
    kept = merge_rows(kept, "senat", second, D2, D1)
    again = merge_rows(kept, "senat", second, D3, D2)
    # Whatever the order of rows.
    assert [set(again.mandates), set(again.groups)] == [set(kept.mandates), set(kept.groups)]
    assert again[2:] == kept[2:]
    ends = {p.since for r in (first, second) for p in r.members[0].groups}
    ends |= {p.until for r in (first, second) for p in r.members[0].groups}
    for when in {end + datetime.timedelta(by) for end in ends for by in (-1, 0, 1)}:
        shown = [p.value for p in second.members[0].groups if p.since <= when <= p.until]
        found = [r.span.value for r in kept.groups if r.span.covers(when)]
        assert len(found) <= 1
        if shown:
            assert found == shown
        before = [p.value for p in first.members[0].groups if p.since <= when <= p.until]
        assert set(found) <= {*shown, *before}
