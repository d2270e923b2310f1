"""The real pages, where they are at hand, against a second reading by other means."""

from __future__ import annotations

import gzip
import html
import re
import tarfile
from collections import Counter
from collections.abc import Iterator
from datetime import date

import pytest

from parlement_lists.sources.europarl import SOURCE
from parlement_lists.sources.europarl.meps import read_members
from parlement_lists.sources.europarl.page import read_page
from parlement_lists.sources.originals import Original, OriginalRefused
from tests.real.windows import DATA

FOLDER = DATA / "sources" / "europarl"
PAGES = FOLDER / "pages.tar.xz"
pytestmark = pytest.mark.skipif(
    not PAGES.exists(), reason=f"no real pages in {FOLDER}; MOUVEMENTS_DATA says where they are"
)
# What stands above names, and names, in both families of pages, as text alone shows them.
MARKS = re.compile(
    r'erpl-meps-asst-type-title">.*?ep_name">(?P<old_heading>[^<]*)<'
    r'|erpl-meps-asst">\s*<span class="ep_name">(?P<old_name>[^<]*)<'
    r'|<h4 class="erpl_title-h4">(?P<heading>[^<]*)<'
    r'|<span class="erpl_assistant">(?P<name>.*?)</(?:span|div)>',
    re.DOTALL,
)
NO_LIST = {"no list of assistants, where one is expected": 5, "cut off after 3,651 bytes": 1}


def pages() -> Iterator[Original]:
    with tarfile.open(PAGES) as archive:
        for member in archive:
            file = archive.extractfile(member)
            if file is not None and member.name.endswith(".html"):
                yield Original(member.name.rpartition("/")[2], file.read())


@pytest.fixture(scope="module")
def originals() -> list[Original]:
    return list(pages())


def second_reading(text: str) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    heading = ""
    for mark in MARKS.finditer(text):
        said = html.unescape(re.sub(r"<[^>]*>", " ", mark[mark.lastgroup or 0]))
        said = " ".join(said.split())
        if mark.lastgroup in ("old_heading", "heading"):
            heading = said
        else:
            found[heading, said] += 1
    return found


def test_each_name_and_heading_is_read_and_no_list_is_refused(originals: list[Original]) -> None:
    refused: Counter[str] = Counter()
    names = empty = 0
    for original in originals:
        second = second_reading(original.body.decode())
        try:
            page = read_page(original)
        except OriginalRefused as error:
            refused[str(error).partition(": ")[2].partition(":")[0]] += 1
            assert not second
            continue
        read = Counter((block.heading, name) for block in page.blocks for name in block.names)
        assert read == second, original.name
        assert original.name.endswith(f"-{page.member}.html")
        assert page.name
        names += read.total()
        empty += not read
    assert refused == NO_LIST
    assert (len(originals), names, empty) == (353, 2906, 9)


def test_the_lists_of_members_are_read_or_refused() -> None:
    packed = (FOLDER / "full-list-fr-2019-03-27.xml.gz").read_bytes()
    everybody = members_in(gzip.decompress(packed))
    french = members_in((FOLDER / "full-list-fr-only-2019-03-27.xml").read_bytes())
    assert everybody == french
    assert len(french) == 74
    broken = (FOLDER / "full-list-2025-08-15-not-well-formed.xml.gz").read_bytes()
    with pytest.raises(OriginalRefused, match="not the full list in XML"):
        read_members(Original("full-list.xml", gzip.decompress(broken)))


def members_in(body: bytes) -> dict[str, str]:
    found = SOURCE.members([Original("full-list.xml", body)], date(2019, 3, 27))
    assert found is not None
    assert not found.remarks
    assert set(found.group_names) == {
        *("ALDE", "EFDD", "ENF", "EPP", "GUE/NGL", "Greens/EFA", "NI", "S&D")
    }
    return {member.id: member.group for member in found.members}
