"""The European Parliament's source: its French members, and a page for each one's staff."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...movement import shown
from ...tracking.members.known_members import Members
from ..downloading.retry_policy import FetchFailed
from ..source import (
    NOT_ASKED,
    Address,
    Credit,
    Downloads,
    ListRead,
    MemberRead,
    MembersRead,
    Original,
    OriginalRefused,
    Source,
)
from .emptied import FEW_EMPTIED, newly_emptied, note_staffed
from .failing import failing_for_days, remember
from .meps import LIMIT, is_members, read_members
from .page import MOST_BYTES, MemberPage, read_page
from .rows import has_staff, headings_unknown, member_name, staff_rows
from .seated import NAMED, get_members

# How many members' pages may be missing from a list.
MOST_CARRIED = 3
# Days after which a page is told to be old: of 353 pages each was of its day, or of the day before. It
# is not refused, because a copy that its server says is unchanged keeps its date.
OLDEST_PAGE = 3
# So many members without anybody are a fault of the site, not a chamber without staff.
_MANY_PAGES = 20
_NUMBERED = re.compile(r"(?:.*-)?([1-9][0-9]{0,8})\.html?(?:\.gz)?")


@dataclass(frozen=True)
class Europarl(Source):
    """The French members' staff, of which there is a list only when every member's page was read."""

    def download(self, downloads: Downloads) -> list[Original]:
        """The members' list and their pages.

        The pages of the same few members may be missing once they have failed for days on end; any
        other page that cannot be had is FetchFailed, as are many that have nobody any more.
        """
        listed = get_members(self.addresses, downloads, self.chamber)
        members = {member.id: member for member in read_members(listed).members}
        template = self.addresses["page"]
        if "{id}" not in template.url:
            raise FetchFailed(f"{template.url}: no {{id}}, the place of a member's number")
        addresses = {
            f"{id}.html": template._replace(name=f"{id}.html", url=template.url.replace("{id}", id))
            for id in members
        }
        pages, failures = downloads.get_all(
            addresses.values(),
            examine=_examine_page,
            attempts=3,
            at_once=2,
            most_failures=MOST_CARRIED,
        )
        failed = {name.removesuffix(".html"): reason for name, reason in failures.items()}
        self._examine_failed(failed, members, downloads)
        self._examine_emptied(pages, members, downloads)
        return [*listed, *pages]

    def _examine_failed(
        self, failed: Mapping[str, str], members: Mapping[str, MemberRead], downloads: Downloads
    ) -> None:
        """Raises FetchFailed unless no page failed, or the same few have for days."""
        unasked = [id for id, why in failed.items() if why.startswith(NOT_ASKED)]
        asked = {id: why for id, why in failed.items() if id not in unasked}
        failures = remember(downloads.memory, asked, unasked, downloads.day)
        if not failed:
            return
        told = _of_members(
            {id: f"{why}; since {failures[id][0]}" for id, why in asked.items()}, members
        )
        if unasked:
            told += f"; {len(unasked)} were not asked for"
        if len(failed) > MOST_CARRIED or not failing_for_days(failures.values(), downloads.day):
            raise FetchFailed(f"{len(failed)} of {len(members)} members' pages failed: {told}")
        downloads.tell(
            f"{len(failed)} of {len(members)} members' pages have failed for days: {told}"
        )

    def _examine_emptied(
        self, pages: Sequence[Original], members: Mapping[str, MemberRead], downloads: Downloads
    ) -> None:
        """Raises FetchFailed where many have lost all staff since the last list, on the first day of it."""
        staffed = {page.member: has_staff(page) for page in map(read_page, pages)}
        emptied = newly_emptied(downloads.memory, staffed, downloads.day)
        if len(emptied) > FEW_EMPTIED:
            who = _of_members(dict.fromkeys(emptied, "nobody"), members)
            raise FetchFailed(
                f"{len(emptied)} members had staff and have nobody, which a second day must say,"
                f" too: {who}"
            )
        note_staffed(downloads.memory, staffed)

    def members(self, originals: Sequence[Original], day: datetime.date) -> MembersRead | None:
        lists = [original for original in originals if is_members(original)]
        return read_members(lists) if lists else None

    def read(
        self, originals: Sequence[Original], members: Members, day: datetime.date | None
    ) -> ListRead:
        lists = [original for original in originals if is_members(original)]
        pages = _by_member([original for original in originals if not is_members(original)])
        listed = {member.id: member for member in read_members(lists).members} if lists else {}
        carried = sorted(set(listed) - set(pages))
        if len(carried) > MOST_CARRIED:
            missing = _of_members(dict.fromkeys(carried, "no page"), listed)
            raise OriginalRefused(f"{len(carried)} of {len(listed)} members' pages: {missing}")
        rows = [
            row
            for id, (original, page) in pages.items()
            for row in staff_rows(
                page,
                member_name(members, self.chamber, page, listed.get(id), original),
                members.group(self.chamber, id, day) if day else "",
            )
        ]
        if not pages or (not rows and len(pages) >= _MANY_PAGES):
            raise OriginalRefused(f"{len(pages)} members' pages without any staff")
        told = _told([page for _, page in pages.values()], day)
        if carried:
            missing = _of_members(dict.fromkeys(carried, "no page"), listed)
            told.append(f"what was last known stands for {len(carried)} members: {missing}")
        return ListRead(rows, "europarl-pages", None, carried, told)


def _examine_page(original: Original) -> None:
    """Refuse what is not the page of the member whose number its name is."""
    page = read_page(original)
    if f"{page.member}.html" != original.name:
        # The page of a site that lost its data may have an empty list, and name nobody.
        who = f"member {page.member}" if page.member else "a member whom it does not name"
        raise OriginalRefused(f"{original.name}: the page of {who}")


def _told(pages: Sequence[MemberPage], day: datetime.date | None) -> list[str]:
    told = [
        f"heading {shown(heading)}, of {people} people, is not known, and kept as it stands"
        for heading, people in headings_unknown(pages).items()
    ]
    old = [
        page.made for page in pages if page.made and day and (day - page.made).days > OLDEST_PAGE
    ]
    if old:
        told.append(f"{len(old)} pages are more than {OLDEST_PAGE} days old, from {min(old)} on")
    return told


def _by_member(originals: Sequence[Original]) -> dict[str, tuple[Original, MemberPage]]:
    """The pages by member's number, which the page says, or else its name."""
    pages: dict[str, tuple[Original, MemberPage]] = {}
    for original in originals:
        page = read_page(original)
        named = _NUMBERED.fullmatch(original.name.rpartition("/")[2])
        id = page.member or (named[1] if named else "")
        if not id:
            raise OriginalRefused(f"{original.name}: neither page nor name has a member's number")
        if id in pages:
            raise OriginalRefused(f"{original.name}: member {id} has a page: {pages[id][0].name}")
        pages[id] = original, page._replace(member=id)
    return pages


def _of_members(reasons: Mapping[str, str], members: Mapping[str, MemberRead]) -> str:
    """Who and why, of the first of them, and how many more there are."""
    who = {id: f"{members[id].given} {members[id].family} ({id})" for id in reasons}
    first = [f"{who[id]}: {reasons[id]}" for id in list(reasons)[:NAMED]]
    rest = len(reasons) - len(first)
    return "; ".join(first) + (f"; and {rest} more" if rest else "")


SOURCE = Europarl(
    "europarl",
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
            most_bytes=MOST_BYTES,
            seconds=30.0,
            html=True,
        ),
    },
    credit=Credit(
        "Parlement européen",
        "réutilisation autorisée, source citée",
        "https://www.europarl.europa.eu/legal-notice/fr/",
    ),
)
