"""A short list of members is no list: whom it misses, the other listing must miss too."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Any

import pytest

from parlement_lists.sources.downloading.retry_policy import FetchFailed
from parlement_lists.sources.europarl import SOURCE

from .europarl_pages import api_answer, full_list, member, staff
from .europarl_site import DAY, Site, SiteDownloads

ALL = range(1001, 1082)


def serve(site: Site, name: str, numbers: Iterable[int]) -> None:
    maker = api_answer if name == "members.json" else full_list
    site.answers[name] = maker([member(number) for number in numbers])


def run(site: Site, memory: dict[str, Any], days: int) -> SiteDownloads:
    downloads = SiteDownloads(site, memory, days)
    SOURCE.download(downloads)
    return downloads


def failing(site: Site, memory: dict[str, Any], days: int) -> str:
    with pytest.raises(FetchFailed) as failed:
        run(site, memory, days)
    return str(failed.value)


@pytest.mark.parametrize("number", [66, 78])
def test_a_short_answer_of_the_api_is_no_list_on_any_day(number: int) -> None:
    site, memory = Site(), {}
    run(site, memory, 0)
    serve(site, "members.json", ALL[:number])
    for days in (1, 2, 9):
        said = failing(site, memory, days)
        assert said.startswith(f"{81 - number} members are in the other listing alone: ")
        assert f"Anne Élu{1001 + number} ({1001 + number})" in said
    serve(site, "members.json", ALL)
    assert run(site, memory, 10).told == []


def test_a_short_full_list_is_none_either() -> None:
    site, memory = Site(), {}
    run(site, memory, 0)
    site.answers["members.json"] = "status 500"
    serve(site, "full-list.xml", ALL[:70])
    said = failing(site, memory, 1)
    assert said.startswith("11 members are missing since 2026-09-15, and the other listing cannot")
    assert "status 500" in said


def test_a_listing_that_is_alone_for_days_is_believed() -> None:
    """Else nobody could leave while the other one is dead."""
    site, memory = Site(), {}
    run(site, memory, 0)
    serve(site, "members.json", ALL[:76])
    site.answers["full-list.xml"] = full_list([member(number) for number in ALL[:20]])
    for days in range(1, 8):
        assert failing(site, memory, days).endswith("it is waited for during 7 days")
    assert "full-list.xml: 20 French members" in (told := run(site, memory, 8).told[-1])
    assert told.endswith("one listing is believed")
    assert "missing" not in memory
    assert run(site, memory, 9).told == []


def test_others_who_are_missing_wait_for_days_of_their_own() -> None:
    site, memory = Site(), {}
    run(site, memory, 0)
    site.answers["full-list.xml"] = "status 500"
    serve(site, "members.json", ALL[:76])
    failing(site, memory, 1)
    serve(site, "members.json", ALL[:75])
    assert "missing since 2026-09-22" in failing(site, memory, 8)


def test_a_first_listing_is_compared_with_the_other() -> None:
    site, memory = Site(), {}
    serve(site, "members.json", ALL[:69])
    assert failing(site, memory, 0).startswith("12 members are in the other listing alone: ")
    serve(site, "members.json", ALL[:79])
    assert run(site, memory, 1).told == []


def test_a_first_listing_may_be_alone() -> None:
    site = Site()
    site.answers["full-list.xml"] = "status 500"
    assert run(site, {}, 0).told == [
        "the other listing cannot be had: full-list.xml: status 500; one listing is believed"
    ]


def test_what_both_listings_say_is_so_and_told_once() -> None:
    site, memory = Site(), {}
    run(site, memory, 0)
    site.put("1082", [])
    for name in ("members.json", "full-list.xml"):
        serve(site, name, [*ALL[3:], 1082])
    assert run(site, memory, 1).told == [
        "3 members are no longer listed: Anne Élu1001 (1001), Anne Élu1002 (1002),"
        " Anne Élu1003 (1003)",
        "1 members are new: Anne Élu1082 (1082)",
    ]
    assert run(site, memory, 2).told == []


@pytest.mark.parametrize(("day", "believed"), [("2029-07-17", True), ("2029-07-01", False)])
def test_a_few_may_leave_and_at_a_renewal_everybody(day: str, believed: bool) -> None:
    """The other listing is not asked then."""
    site, memory = Site(), {}
    days = (datetime.date.fromisoformat(day) - DAY).days
    run(site, memory, days - 1)
    serve(site, "members.json", ALL[2:])
    assert run(site, memory, days - 1).names.count("full-list.xml") == 0
    new = range(2001, 2082)
    serve(site, "members.json", new)
    for number in new:
        site.put(str(number), [staff(f"Jeanne Exemple{number}", member=str(number))])
    if believed:
        assert "full-list.xml" not in run(site, memory, days).names
    else:
        assert failing(site, memory, days).startswith("81 members are in the other listing alone")
