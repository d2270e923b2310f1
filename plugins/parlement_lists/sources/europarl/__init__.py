"""The European Parliament's source: its French members, and a page for each one's staff."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from ...bounds import PAGE_BYTES
from ...movement import shown, words
from ...tracking.members.known_members import Members
from ...tracking.reading.names import civility_and_name, family_and_given
from ..download import CHALLENGE, Downloads, Source
from ..originals import (
    Address,
    ChamberMembers,
    FetchFailed,
    Original,
    OriginalRefused,
    StaffList,
    StaffRow,
    list_some,
)
from .meps import LIMIT, get_members, is_members, names_by_id, read_members, split_name
from .page import MemberPage, read_page

# Number of pages that may fail before the others are not asked for.
MOST_FAILED = 3
# Number of pages that are asked for at once.
AT_ONCE = 2
# Number of members without any staff that is a fault of the site, not a chamber without staff.
_MANY_PAGES = 20
# Scripts of pages that let a browser in after a challenge.
_CHALLENGE_SCRIPTS = (b"/challenge.js", b"AwsWafIntegration", b"/cdn-cgi/challenge-platform/")
# What the classes of members' pages begin with.
_OF_PAGES = b"erpl"
# Companies and accountants that a member pays, whatever else stands in their heading.
_FIRMS = re.compile(r"paying agent|service provider", re.IGNORECASE)
_KNOWN = re.compile(
    r"(?:accredited assistants|local assistants)(?: \(grouping\))?|trainees"
    r"|assistants to the (?:vice-presidency|quaestorate|vice-presidency/to the quaestorate)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Europarl(Source):
    """The French members' staff; there is a list only if every member's page was read."""

    def download(self, downloads: Downloads) -> list[Original]:
        """The members' list and every one of their pages; FetchFailed if one of them cannot be had."""
        listing = get_members(self.addresses, downloads)
        names = names_by_id(read_members(listing))
        template = self.addresses["page"]
        if "{id}" not in template.url:
            raise FetchFailed(f"{template.url}: no {{id}}, the place of a member's number")
        failures: dict[str, str] = {}

        def get(id: str) -> Original | None:
            if len(failures) > MOST_FAILED:
                return None
            address = template._replace(name=f"{id}.html", url=template.url.replace("{id}", id))
            try:
                return downloads.get(address, _examine_page)
            except FetchFailed as error:
                failures[id] = str(error).removeprefix(f"{address.name}: ")
                return None

        with ThreadPoolExecutor(AT_ONCE) as pool:
            pages = [page for page in pool.map(get, names) if page]
        if not failures:
            return [listing, *pages]
        remarks = [f"{names[id]}: {why}" for id, why in sorted(failures.items())]
        remark = list_some(remarks, separator="; ")
        failed = len(names) - len(pages)
        if unasked := failed - len(failures):
            remark += f"; {unasked} were not asked for"
            if all(why.startswith(CHALLENGE) for why in failures.values()):
                raise FetchFailed(self._challenged(remark, downloads.day))
        raise FetchFailed(f"{failed} of {len(names)} members' pages failed: {remark}")

    def _challenged(self, remark: str, day: datetime.date) -> str:
        """What a maintainer can do where no page is sent to a program."""
        listing = self.addresses["members"]
        return (
            f"the site lets browsers read the members' pages and no programs: {CHALLENGE}, which is not"
            f" circumvented ({remark}). The API, which has the members, does not say who works for them. Save"
            f" the pages with a browser, and {listing.url} as {listing.name}, and read them: datasette"
            f" mouvements read europarl {listing.name} PAGE.html... --date {day} -o lists/"
        )

    def members(self, originals: Sequence[Original], day: datetime.date) -> ChamberMembers | None:
        """The members in the listing, None without one."""
        lists = [original for original in originals if is_members(original)]
        if len(lists) > 1:
            raise lists[1].refusal("a second list of members")
        return read_members(lists[0]) if lists else None

    def read(
        self, originals: Sequence[Original], members: Members, day: datetime.date | None
    ) -> StaffList:
        """A row for each person on the pages; each member of the listing has one."""
        listing = self.members(originals, day or datetime.date.min)
        pages = _by_member([original for original in originals if not is_members(original)])
        listed = names_by_id(listing) if listing else {}
        if missing := [name for id, name in listed.items() if id not in pages]:
            raise OriginalRefused(f"no page of {list_some(missing)}")
        rows: list[StaffRow] = []
        for id, (original, page) in pages.items():
            # A member is called as the members say, else as the page does.
            name = members.name(self.chamber, id)
            full = name.full if name and name.full else page.name
            if not full:
                raise original.refusal(f"no name of member {id}")
            named = (name.family, name.given) if name and name.family else split_name(full)
            group = members.group(self.chamber, id, day) if day else ""
            rows += _rows(page, named, group)
        if not pages or (not rows and len(pages) >= _MANY_PAGES):
            raise OriginalRefused(f"{len(pages)} members' pages without any staff")
        # The headings that are not known, and the number of names below each.
        people: Counter[str] = Counter()
        for block in (block for _, page in pages.values() for block in page.blocks):
            if not _KNOWN.fullmatch(block.heading):
                people[block.heading] += len(block.names)
        remarks = [
            f"heading {shown(heading)}, of {number} people, is not known, and kept as it stands"
            for heading, number in sorted(people.items())
        ]
        return StaffList(rows, "europarl-pages", None, remarks)


def _examine_page(original: Original) -> None:
    """Refuse a page that is not of the member whose number is in its name."""
    try:
        page = read_page(original)
    except OriginalRefused:
        # A site may have such a script on its own pages, too.
        own = _OF_PAGES in original.body
        if not own and any(script in original.body for script in _CHALLENGE_SCRIPTS):
            raise original.refusal(f"{CHALLENGE} (a page)") from None
        raise
    if f"{page.member}.html" != original.name:
        # A site that lost its data may send an empty list that names nobody.
        who = f"member {page.member}" if page.member else "a member whom it does not name"
        raise original.refusal(f"the page of {who}")


def _by_member(originals: Sequence[Original]) -> dict[str, tuple[Original, MemberPage]]:
    """The pages, without firms, by member's number, which stands in the page."""
    pages: dict[str, tuple[Original, MemberPage]] = {}
    for original in originals:
        page = read_page(original)
        id = page.member
        if not id:
            raise original.refusal("no member's number")
        if id in pages:
            raise original.refusal(f"member {id} has a page: {pages[id][0].name}")
        blocks = [block for block in page.blocks if not _FIRMS.search(block.heading)]
        pages[id] = original, page._replace(blocks=blocks)
    return pages


def _rows(page: MemberPage, member: tuple[str, str], group: str) -> Iterator[StaffRow]:
    """A row for each person on a page.

    A person under several headings is one row, with the headings in the page's order, because a person
    who passes from one heading to another has the same employer.
    """
    people: dict[tuple[str, str], tuple[str, list[str]]] = {}
    for block in page.blocks:
        for full in block.names:
            civility, bare = civility_and_name(full)
            _, headings = people.setdefault((civility, words(bare)), (bare, []))
            if block.heading not in headings:
                headings.append(block.heading)
    for (civility, _), (bare, headings) in people.items():
        name = family_and_given(bare, "", "")
        yield StaffRow(page.member, *member, group, civility, *name, ", ".join(headings))


SOURCE = Europarl(
    "europarl",
    {
        "members": Address(
            "members.json",
            "https://data.europarl.europa.eu/api/v2/meps/show-current"
            "?country-of-representation=FR&format=application%2Fld%2Bjson"
            f"&offset=0&limit={LIMIT}",
            most_bytes=2_000_000,
        ),
        "full_list": Address(
            "full-list.xml",
            "https://www.europarl.europa.eu/meps/en/full-list/xml?country=FR",
            most_bytes=2_000_000,
        ),
        # Any text works in the place of a member's name.
        "page": Address(
            "page.html",
            "https://www.europarl.europa.eu/meps/en/{id}/NAME/assistants",
            most_bytes=PAGE_BYTES,
            seconds=30.0,
            html=True,
        ),
    },
    needs="selectolax",
)
