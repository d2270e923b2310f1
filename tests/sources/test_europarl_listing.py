"""A short list of members is no list: whom it misses, the other listing must miss too."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Any

import pytest

from parlement_lists.sources.downloading.retry_policy import FetchFailed
from parlement_lists.sources.europarl import SOURCE
from parlement_lists.sources.europarl.listing import change, note_listed

from .europarl_pages import api_answer, full_list, member
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


@pytest.mark.parametrize("number", [66, 70, 76, 78])
def test_a_short_answer_of_the_api_is_no_list_on_any_day(number: int) -> None:
    site, memory = Site(), {}
    run(site, memory, 0)
    serve(site, "members.json", ALL[:number])
    for days in (1, 2, 9):
        said = failing(site, memory, days)
        gone = 81 - number
        assert said.startswith(
            f"{gone} members of the last listing are missing since 2026-09-15, of whom the other"
            f" listing has {gone}:"
        )
        assert f"Anne Élu{1001 + number} ({1001 + number})" in said
    serve(site, "members.json", ALL)
    assert run(site, memory, 10).told == []


def test_a_short_full_list_is_none_either() -> None:
    site, memory = Site(), {}
    run(site, memory, 0)
    site.answers["members.json"] = "status 500"
    serve(site, "full-list.xml", ALL[:70])
    said = failing(site, memory, 1)
    assert said.startswith("11 members of the last listing are missing since 2026-09-15, and the")
    assert "status 500" in said


def test_without_the_other_listing_there_is_no_list() -> None:
    site, memory = Site(), {}
    run(site, memory, 0)
    serve(site, "members.json", ALL[:76])
    site.answers["full-list.xml"] = full_list([member(number) for number in ALL[:20]])
    assert "full-list.xml: 20 French members" in failing(site, memory, 1)


def test_a_listing_that_is_alone_for_days_is_believed() -> None:
    """Else nobody could leave while the other one is dead."""
    site, memory = Site(), {}
    run(site, memory, 0)
    serve(site, "members.json", ALL[:76])
    site.answers["full-list.xml"] = "status 500"
    for days in range(1, 8):
        assert failing(site, memory, days).endswith("after 7 days it is done without")
    told = run(site, memory, 8).told
    assert told[-1].endswith("after 7 days they are believed to have left")
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
    assert failing(site, memory, 0) == "the other listing has 12 members more, of 81"
    serve(site, "members.json", ALL[:79])
    assert run(site, memory, 1).told == []


def test_a_first_listing_may_be_alone() -> None:
    site = Site()
    site.answers["full-list.xml"] = "status 500"
    (told,) = run(site, {}, 0).told
    assert told.startswith("members are those of one listing; the other cannot be had: ")


def test_what_both_listings_say_is_so_and_told_once() -> None:
    site, memory = Site(), {}
    run(site, memory, 0)
    site.put("1082", [])
    for name in ("members.json", "full-list.xml"):
        serve(site, name, [*ALL[3:], 1082])
    assert run(site, memory, 1).told == [
        "3 members are no longer listed: Anne Élu1001 (1001), Anne Élu1002 (1002),"
        " Anne Élu1003 (1003)",
        "1 members are listed anew: Anne Élu1082 (1082)",
    ]
    assert run(site, memory, 2).told == []


def test_a_few_who_leave_are_told_and_nobody_else_is_asked() -> None:
    site, memory = Site(), {}
    run(site, memory, 0)
    serve(site, "members.json", ALL[2:])
    downloads = run(site, memory, 1)
    assert "full-list.xml" not in {address.name for address in downloads.asked}
    assert downloads.told == [
        "2 members are no longer listed: Anne Élu1001 (1001), Anne Élu1002 (1002)"
    ]


def test_at_a_renewal_everybody_may_leave() -> None:
    memory: dict[str, Any] = {}
    note_listed(memory, [member(number) for number in ALL], datetime.date(2029, 7, 16))
    new = [member(number) for number in range(2001, 2082)]
    found = change(memory, new, datetime.date(2029, 7, 17), "europarl")
    assert (len(found.left), len(found.come), found.many_left) == (81, 81, False)
    assert change(memory, new, datetime.date(2029, 9, 1), "europarl").many_left is False
    note_listed(memory, [member(number) for number in ALL], datetime.date(2029, 9, 1))
    assert change(memory, new, datetime.date(2029, 9, 2), "europarl").many_left


@pytest.mark.parametrize(
    "noted", [None, [], {"day": "x", "names": {}}, {"day": "2026-09-13", "names": []}]
)
def test_a_memory_that_is_none_begins_anew(noted: object) -> None:
    assert change({"members": noted}, [member(1001)], DAY, "europarl") == ({}, {}, False)
