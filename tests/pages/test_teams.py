"""Whether the mandate of a team that a list shows goes on."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

import pytest

from datasette_mouvements.pages.counts.mandates import End, mandate_end

LAST, TODAY = "2026-09-21", datetime.date(2026, 9, 22)
WHOLE = "2024-07-08"  # the last renewal of the Assemblée


def end(
    *mandates: tuple[str, str],
    chamber: str = "assemblee",
    begun: str = "2026-01-05",
    last: str = LAST,
    today: datetime.date = TODAY,
    former: Sequence[str] = (),
) -> End | None:
    return mandate_end(chamber, mandates, begun, last, today, former)


def test_a_mandate_that_goes_on_has_no_end() -> None:
    assert end(("2024-07-08", "")) is None
    assert end(("2022-06-22", "2024-06-09"), ("2024-07-08", "")) is None
    assert end(("2024-07-08", "2026-12-31")) is None
    assert end(("2024-07-08", "2026-09-22")) is None  # today is its last day


def test_a_mandate_that_ended_is_told_with_its_last_day() -> None:
    assert end(("2024-07-08", "2026-09-10")) == End("2026-09-10")
    # After the last list, and before today.
    assert end(("2024-07-08", "2026-09-21")) == End("2026-09-21")
    # A mandate of long after it is not that of the list.
    after = end(
        ("2017-06-21", "2020-10-01"), ("2022-06-22", ""), last="2020-09-20", begun="2019-01-01"
    )
    assert after == End("2020-10-01")


def test_members_that_lists_have_long_after_a_mandate_have_another_one_that_nobody_told() -> None:
    assert end(("2017-06-21", "2022-06-21")) is None
    # Where the list has nobody, what is known stands.
    assert end(("2017-06-21", "2022-06-21"), begun="") == End("2022-06-21")


def test_stays_begun_long_after_a_mandate_tell_of_another_one_though_nobody_is_left() -> None:
    known = ("2017-06-21", "2022-08-04")
    sat_again = ["2018-01-01", "2022-10-20"]
    assert end(known, begun="", former=sat_again) is None
    whole = End("2024-06-09", renewal=True)
    assert end(known, begun="", former=sat_again, last="2024-06-12") == whole
    # Lists are late by so many days: who came then came to a mandate that had ended.
    soon = ["2018-01-01", "2022-09-04"]
    assert end(known, begun="", former=soon) == End("2022-08-04")


@pytest.mark.parametrize("mandates", [(), (("2022-06-22", ""),), (("", ""),)])
@pytest.mark.parametrize("chamber", ["assemblee", "europarl"])
def test_a_renewal_ends_all_mandates_of_a_chamber(mandates, chamber) -> None:
    renewal = {"assemblee": "2024-06-09", "europarl": "2024-07-16"}[chamber]
    for last in (renewal, "2024-06-05"):
        given = {"begun": "2023-01-05", "last": last, "chamber": chamber}
        assert end(*mandates, **given) == End(renewal, renewal=True)
        before = datetime.date.fromisoformat("2024-06-08")
        assert end(*mandates, **given, today=before) is None
    # So long after it the list has those who sit.
    assert end(*mandates, begun="2023-01-05", chamber=chamber) is None


def test_those_who_came_with_the_new_assembly_stay() -> None:
    for mandates in ((), ((WHOLE, ""),), (("2022-06-22", "2024-06-09"), (WHOLE, ""))):
        assert end(*mandates, begun="2024-07-20", last="2024-07-25") is None
    # Elected some weeks before the first day of the new assembly.
    early = end(("2024-06-30", ""), chamber="europarl", begun="2024-07-18", last="2024-07-25")
    assert early is None


def test_a_renewal_of_one_half_ends_no_mandate_by_itself() -> None:
    assert end(chamber="senat", begun="2019-01-05", last="2023-10-03") is None


def test_a_list_without_staff_needs_no_mandate() -> None:
    assert end(begun="", last="2024-06-12") is None
