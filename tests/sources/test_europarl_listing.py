"""A short list of members is no list: whom it misses, the other listing must miss too."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from parlement_lists.sources.europarl import SOURCE
from parlement_lists.sources.originals import FetchFailed

from .europarl_pages import api_answer, full_list, member
from .europarl_site import Site, SiteDownloads

ALL = range(1001, 1082)


def serve(site: Site, name: str, numbers: Iterable[int]) -> None:
    maker = api_answer if name == "members.json" else full_list
    site.answers[name] = maker([member(number) for number in numbers])


def run(site: Site) -> list[str]:
    downloads = SiteDownloads(site)
    SOURCE.download(downloads)
    return downloads.remarks


@pytest.mark.rule("record-half-read")
@pytest.mark.parametrize("number", [66, 78])
def test_a_short_answer_of_the_api_is_no_list(number: int) -> None:
    site = Site()
    serve(site, "members.json", ALL[:number])
    with pytest.raises(FetchFailed) as failed:
        run(site)
    said = str(failed.value)
    assert said.startswith(f"{81 - number} members are in the full list alone: ")
    assert f"Anne Élu{1001 + number} ({1001 + number})" in said


def test_a_few_may_have_left_in_one_of_the_two() -> None:
    site = Site()
    serve(site, "members.json", ALL[:79])
    assert run(site) == []
    serve(site, "full-list.xml", ALL[:66])
    assert run(site) == []


@pytest.mark.parametrize(("number", "believed"), [(79, True), (78, False)])
def test_without_the_full_list_nearly_every_seat_must_have_its_member(
    number: int, believed: bool
) -> None:
    site = Site()
    site.answers["full-list.xml"] = "status 500"
    serve(site, "members.json", ALL[:number])
    told = "the full list cannot be had, and members are not compared: full-list.xml: status 500"
    if believed:
        assert run(site) == [told]
    else:
        with pytest.raises(FetchFailed, match=f"^78 members for 81 seats; {told}$"):
            run(site)
