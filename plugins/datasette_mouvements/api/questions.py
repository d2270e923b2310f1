"""What a request may ask of the movements and the stays: a search, the feed of changes, one of them."""

from __future__ import annotations

import asyncio
import functools
import json
from collections.abc import Callable, Hashable, Iterable
from typing import Any, NamedTuple, Protocol, TypeVar

from datasette.utils.sqlite import sqlite3

from .. import addresses
from ..dataset.served.snapshot import NotServable, Snapshot
from ..refusal import KINDS, Refusal, unavailable
from . import changes, search
from .conditional import etag
from .listings import STAYS_LISTING, AnySearch, Listing
from .parameters.search_parameters import check_member, query_string, read
from .parameters.stay_parameters import STAYS_QUOTED, MemberSearch, StaySearch, parse_members
from .service import Service

Of = TypeVar("Of", bound=Hashable)
Asked = TypeVar("Asked")
# Parsed query strings are kept: clients repeat few. With every parameter at its longest, one is shorter than this.
PARSED_MOST = 2048
PARSED_LONGEST = 1024


class Question(Protocol):
    """A question about one version of the movements; hashable, and equal to one that asks the same.

    A tuple, whose hash costs least. No two kinds have as many members of the same types.
    """

    def etag(self, service: Service, snapshot: Snapshot) -> bytes:
        """The ETag of the answer, if there is one."""

    def has_answer(self, snapshot: Snapshot) -> bool:
        """Whether the answer is a 200; asked only for a client that shows its ETag, before its key is known."""

    async def answer(self, service: Service, snapshot: Snapshot) -> tuple[bytes, Iterable[str]]:
        """The body, and its links to other pages.

        Raises Refusal where there is no answer, sqlite3.Error or NotServable when the file cannot be read.
        """


class PageQuestion(NamedTuple):
    """A page of a search for movements or stays: the query in normal form of its first page, and its own name.

    `today` is the day for which who is present is asked, as mandates end; "" where that is not asked.
    """

    listing: Listing
    search: AnySearch
    start: str
    name: str
    today: str = ""

    def etag(self, service: Service, snapshot: Snapshot) -> bytes:
        name = f"{self.name} {self.today}" if self.today else self.name
        return etag(service, self.listing.rows(snapshot).version, name)

    def has_answer(self, snapshot: Snapshot) -> bool:
        return True

    async def answer(self, service: Service, snapshot: Snapshot) -> tuple[bytes, Iterable[str]]:
        listing, wanted = self.listing, self.search
        rows, filter_ = listing.rows(snapshot), wanted.filter(self.today)
        page = search.page_at_once(rows, filter_, wanted)
        page = page or await search.find_page(rows, filter_, wanted)
        if not page.total:
            name, value = wanted.member
            alone: dict[str, Any] = {name: value}
            of_member = rows.known(type(wanted)(**alone).filter())  # None: many
            if of_member is not None and not len(of_member):
                check_member(name, value)
        links = search.links(listing.address, wanted, self.start, page.total)
        after = listing.after(snapshot, wanted)
        return search.body(service, listing.many, wanted, page, after), links


class MembersQuestion(NamedTuple):
    """A page of members: the query in normal form of its first page, and its own name; as of the day `today`."""

    search: MemberSearch
    start: str
    name: str
    today: str

    def etag(self, service: Service, snapshot: Snapshot) -> bytes:
        return etag(service, snapshot.edition, self.name)

    def has_answer(self, snapshot: Snapshot) -> bool:
        return True

    async def answer(self, service: Service, snapshot: Snapshot) -> tuple[bytes, Iterable[str]]:
        members, wanted = snapshot.members, self.search
        every = members.known(self.today) or await members.read_once(self.today)
        found = every.find(wanted.chambre, wanted.groupe, wanted.elu, wanted.le)
        if not found and wanted.elu and not every.find("", "", wanted.elu, ""):
            check_member("elu", wanted.elu)
        asked = found[wanted.offset : wanted.offset + wanted.limit]
        page = search.SearchPage([b",".join([one.line for one in asked])], len(found))
        links = search.links(addresses.MEMBERS, wanted, self.start, page.total)
        return search.body(service, "elus", wanted, page), links


class FeedQuestion(NamedTuple):
    """A page of a feed: what changed after `cursor` ("" is the beginning, `changes.NOW` the end); `name` is its own."""

    listing: Listing
    name: str
    cursor: str
    limit: int

    def etag(self, service: Service, snapshot: Snapshot) -> bytes:
        """Also of the last change: after a restored backup another history may reach its number."""
        rows = self.listing.rows(snapshot)
        return etag(service, rows.version, f"{rows.feed.end} {self.name}")

    def has_answer(self, snapshot: Snapshot) -> bool:
        return changes.after(self.listing.rows(snapshot).feed, self.cursor) is not None

    async def answer(self, service: Service, snapshot: Snapshot) -> tuple[bytes, Iterable[str]]:
        listing = self.listing
        rows = listing.rows(snapshot)
        after = changes.after(rows.feed, self.cursor)
        if after is None:
            # Of several processes one adopts a new file before the others.
            path = service.live.path
            if await asyncio.to_thread(changes.comes_soon, path, listing.of, self.cursor):
                raise unavailable()
            raise changes.gone(listing)
        page = changes.page(rows, listing.one, after, self.limit)
        body = changes.body(service, rows.version, page)
        return body, changes.links(listing, page, self.limit)


class OneQuestion(NamedTuple):
    """One movement or stay, by its identifier."""

    listing: Listing
    id: str

    def etag(self, service: Service, snapshot: Snapshot) -> bytes:
        """Of all that the file says: stays and lists stand beside a movement."""
        return etag(service, snapshot.edition, f"{self.listing.one} {self.id}")

    def has_answer(self, snapshot: Snapshot) -> bool:
        if snapshot.pages.get(self) is not None:
            return True
        try:
            change = self.listing.rows(snapshot).change_of(self.id)
        except (sqlite3.Error, NotServable):  # `answer` fails too, after the charge
            return False
        return change is not None and bool(change.line)

    async def answer(self, service: Service, snapshot: Snapshot) -> tuple[bytes, Iterable[str]]:
        listing = self.listing
        change = listing.rows(snapshot).change_of(self.id)
        if change is None:
            meaning = KINDS[listing.unknown].meaning
            raise Refusal(listing.unknown, f"{meaning[:-1]} ; vérifiez qu’il est entier.")
        if not change.line:
            said, _, then = KINDS[listing.withdrawn].meaning.partition(" : ")
            raise Refusal(listing.withdrawn, f"{said} le {change.published_at[:10]} : {then}")
        made_of = listing.beside(snapshot, change.line)
        beside = json.dumps(made_of, ensure_ascii=False, separators=(",", ":"))[1:-1].encode()
        members = b'"%b":%b,' % (listing.one.encode(), change.line) + beside + b"," * bool(beside)
        return b"{" + members + service.credits, []


def _kept(parse: Callable[[Of, bytes], Asked]) -> Callable[[Of, bytes], Asked]:
    """`parse`, of which what it makes of short query strings is kept."""
    kept = functools.lru_cache(maxsize=PARSED_MOST)(parse)

    @functools.wraps(parse)
    def parsed(of: Of, query: bytes) -> Asked:
        return (kept if len(query) <= PARSED_LONGEST else parse)(of, query)

    return parsed


@_kept
def of_page(listing: Listing, query: bytes) -> PageQuestion:
    """The search that a query string asks for; Refusal as `search_parameters.read` raises it."""
    parsed = listing.parse(query)
    start = query_string(parsed, listing.quoted)
    name = f"{listing.many} {start} {parsed.offset}"
    return PageQuestion(listing, parsed, start, name)


def of_stays(service: Service, query: bytes) -> PageQuestion:
    """The search for stays that a query string asks for; Refusal likewise."""
    question = of_page(STAYS_LISTING, query)
    present = isinstance(question.search, StaySearch) and question.search.present
    return question._replace(today=service.today.isoformat()) if present else question


def of_members(service: Service, query: bytes) -> MembersQuestion:
    """The search for members that a query string asks for; Refusal likewise."""
    return _of_members(service.today.isoformat(), query)


@_kept
def _of_members(today: str, query: bytes) -> MembersQuestion:
    parsed = parse_members(query)
    start = query_string(parsed, STAYS_QUOTED)
    name = f"elus {today} {start} {parsed.offset}"
    return MembersQuestion(parsed, start, name, today)


@_kept
def of_feed(listing: Listing, query: bytes) -> FeedQuestion:
    """The page of a feed that a query string asks for; Refusal likewise."""
    cursor, limit = changes.parse(query)
    name = f"{listing.feed} {changes.query_string(cursor, limit)}"
    return FeedQuestion(listing, name, cursor, limit)


def of_one(listing: Listing, id: str, query: bytes) -> OneQuestion:
    """One movement or stay; Refusal for any parameter."""
    read(query, {})
    return OneQuestion(listing, id)
