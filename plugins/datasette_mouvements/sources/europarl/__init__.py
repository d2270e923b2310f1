"""The European Parliament's source: its French members, and a page for each one's staff."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ...movement import shown
from ...tracking.members import Members
from ..attempts import FetchFailed
from ..source import (
    NOT_ASKED,
    Address,
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
from .listing import (
    ALONE_DAYS,
    FEW_LEFT,
    Change,
    change,
    is_first,
    missing_since,
    note_listed,
)
from .meps import LIMIT, is_members, read_members, records
from .page import MOST_BYTES, MemberPage, read_page
from .rows import has_staff, headings_unknown, member_name, staff_rows

# How many members' pages may be missing from a list.
MOST_CARRIED = 3
# Days after which a page is told to be old: of 353 pages each was of its day, or of the day before. It
# is not refused, because a copy that its server says is unchanged keeps its date.
OLDEST_PAGE = 3
# So many members without anybody are a fault of the site, not a chamber without staff.
_MANY_PAGES = 20
# Members whom a message names, of those it speaks of.
_NAMED = 10
_OFFSET = re.compile(r"(?<=[?&]offset=)[0-9]+")
_NUMBERED = re.compile(r"(?:.*-)?([1-9][0-9]{0,8})\.html?(?:\.gz)?")


@dataclass(frozen=True)
class Europarl(Source):
    """The French members' staff, of which there is a list only when every member's page was read."""

    def download(self, downloads: Downloads) -> list[Original]:
        """The members' list and their pages.

        The pages of the same few members may be missing once they have failed for days on end; any
        other page that cannot be had is FetchFailed, as are many that have nobody any more.
        """
        listed = self._get_members(downloads)
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

    def _get_members(self, downloads: Downloads) -> list[Original]:
        """The members' list; FetchFailed where many are missing in it whom the other listing has."""
        other = self._get_full_list
        try:
            listed = self._get_answers(downloads)
        except (FetchFailed, OriginalRefused) as error:
            downloads.tell(f"members are read from the full list, because the API failed: {error}")
            listed, other = self._get_full_list(downloads), self._get_answers
        members = read_members(listed).members
        changed = change(downloads.memory, members, downloads.day, self.chamber)
        for sentence in changed.told():
            downloads.tell(sentence)
        if changed.many_left:
            self._confirm(changed, other, downloads)
        elif is_first(downloads.memory):
            self._compare_first(members, other, downloads)
        note_listed(downloads.memory, members, downloads.day)
        return listed

    def _confirm(
        self,
        changed: Change,
        other: Callable[[Downloads], list[Original]],
        downloads: Downloads,
    ) -> None:
        """Raises FetchFailed unless the other listing misses those whom the first one does.

        One that cannot be had for days leaves the first one to be believed.
        """
        since = missing_since(downloads.memory, changed.left, downloads.day)
        what = f"{len(changed.left)} members of the last listing are missing since {since}"
        try:
            listed = {member.id for member in read_members(other(downloads)).members}
        except (FetchFailed, OriginalRefused) as error:
            alone = f"{what}, and the other listing cannot be had: {error}"
            if (downloads.day - since).days >= ALONE_DAYS:
                downloads.tell(f"{alone}; after {ALONE_DAYS} days they are believed to have left")
                return
            raise FetchFailed(f"{alone}; after {ALONE_DAYS} days it is done without") from error
        if there := [who for id, who in changed.left.items() if id in listed]:
            raise FetchFailed(
                f"{what}, of whom the other listing has {len(there)}: {', '.join(there[:_NAMED])}"
            )

    def _compare_first(
        self,
        members: Sequence[MemberRead],
        other: Callable[[Downloads], list[Original]],
        downloads: Downloads,
    ) -> None:
        """Raises FetchFailed where the other listing has many more, and none was noted to compare with."""
        try:
            listed = read_members(other(downloads)).members
        except (FetchFailed, OriginalRefused) as error:
            downloads.tell(f"members are those of one listing; the other cannot be had: {error}")
            return
        more = {member.id for member in listed} - {member.id for member in members}
        if len(more) > FEW_LEFT:
            raise FetchFailed(f"the other listing has {len(more)} members more, of {len(listed)}")

    def _get_full_list(self, downloads: Downloads) -> list[Original]:
        address = self.addresses["full_list"]
        try:
            return [downloads.get(address, examine=lambda one: read_members([one]), attempts=3)]
        except FetchFailed as error:
            raise FetchFailed(f"{address.name}: {error}") from error

    def _get_answers(self, downloads: Downloads) -> list[Original]:
        """Every answer of the API: it is asked for more while answers are full.

        Raises FetchFailed, and OriginalRefused where together they are no list of members.
        """
        address = self.addresses["members"]
        answers = [downloads.get(address, examine=records, attempts=3)]
        while len(records(answers[-1])) >= LIMIT and _OFFSET.search(address.url):
            offset = len(answers) * LIMIT
            if offset >= 10 * LIMIT:
                raise OriginalRefused(f"{address.name}: more than {offset} records")
            url = _OFFSET.sub(str(offset), address.url)
            name = f"members-{offset}.json"
            answers.append(
                downloads.get(address._replace(name=name, url=url), examine=records, attempts=3)
            )
        read_members(answers)
        return answers

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
    first = [f"{who[id]}: {reasons[id]}" for id in list(reasons)[:_NAMED]]
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
)
