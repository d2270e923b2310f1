"""What a request may ask of the movements: a search, the feed of changes, one movement."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from datasette.utils.sqlite import sqlite3

from ..dataset.schema import Filter
from ..dataset.served.snapshot import NotServable, Snapshot
from ..refusal import Refusal, unavailable
from . import changes, search
from .conditional import etag
from .parameters.search_parameters import Search, check_member, parse, query_string, read
from .service import Service

# Parsed query strings are cached: clients repeat few. With every parameter at its longest, one is shorter than this.
PARSED_MOST = 2048
PARSED_LONGEST = 1024


class Question(Protocol):
    """A question about one version of the movements; hashable, and equal to one that asks the same."""

    def etag(self, service: Service, snapshot: Snapshot) -> bytes:
        """The ETag of the answer, if there is one."""

    def has_answer(self, snapshot: Snapshot) -> bool:
        """Whether the answer is a 200; asked only for a client that shows its ETag, before its key is known."""

    async def answer(self, service: Service, snapshot: Snapshot) -> tuple[bytes, Iterable[str]]:
        """The body, and its links to other pages.

        Raises Refusal where there is no answer, sqlite3.Error or NotServable when the file cannot be read.
        """


class SearchQuestion(NamedTuple):
    """A page of a search, and the query in normal form of its first page."""

    search: Search
    start: str

    def etag(self, service: Service, snapshot: Snapshot) -> bytes:
        return etag(service, snapshot.version, search.at_offset(self.start, self.search.offset))

    def has_answer(self, snapshot: Snapshot) -> bool:
        return True

    async def answer(self, service: Service, snapshot: Snapshot) -> tuple[bytes, Iterable[str]]:
        page = search.page_at_once(snapshot, self.search)
        page = page or await search.find_page(snapshot, self.search)
        if not page.total:
            asked = Filter(member=self.search.elu, team=self.search.equipe)
            of_member = snapshot.known(asked)  # None: many
            if of_member is not None and not len(of_member):
                check_member(self.search)
        links = search.links(self.search, self.start, page.total)
        return search.body(service, self.search, page), links


@dataclass(frozen=True)
class FeedQuestion:
    """A page of the feed: what changed after `cursor` ("" is the beginning, `changes.NOW` the end)."""

    cursor: str
    limit: int

    def etag(self, service: Service, snapshot: Snapshot) -> bytes:
        """Also of the last change: after a restored backup another history may reach its number."""
        question = f"{snapshot.feed.end} {changes.query_string(self.cursor, self.limit)}"
        return etag(service, snapshot.version, question)

    def has_answer(self, snapshot: Snapshot) -> bool:
        return changes.after(snapshot.feed, self.cursor) is not None

    async def answer(self, service: Service, snapshot: Snapshot) -> tuple[bytes, Iterable[str]]:
        after = changes.after(snapshot.feed, self.cursor)
        if after is None:
            # Of several processes one adopts a new file before the others.
            if await asyncio.to_thread(changes.comes_soon, service.live.path, self.cursor):
                raise unavailable()
            raise changes.gone()
        page = changes.page(snapshot, after, self.limit)
        return changes.body(service, snapshot.version, page), changes.links(page, self.limit)


@dataclass(frozen=True)
class MovementQuestion:
    """One movement, by its identifier."""

    id: str

    def etag(self, service: Service, snapshot: Snapshot) -> bytes:
        return etag(service, snapshot.version, f"mouvement {self.id}")

    def has_answer(self, snapshot: Snapshot) -> bool:
        try:
            change = snapshot.movement(self.id)
        except (sqlite3.Error, NotServable):  # `answer` fails too, after the charge
            return False
        return change is not None and bool(change.line)

    async def answer(self, service: Service, snapshot: Snapshot) -> tuple[bytes, Iterable[str]]:
        change = snapshot.movement(self.id)
        if change is None:
            raise Refusal(
                "unknown_movement",
                "Aucun mouvement n’a jamais été publié sous cet identifiant ; vérifiez qu’il est entier.",
            )
        if not change.line:
            day = change.published_at[:10]
            raise Refusal(
                "withdrawn", f"Ce mouvement a été retiré le {day} : effacez-le de vos copies."
            )
        return b'{"mouvement":%b,%b' % (change.line, service.credits), []


def of_search(query: bytes) -> SearchQuestion:
    """The search that a query string asks for; Refusal as `search_parameters.read` raises it."""
    return (_of_search if len(query) <= PARSED_LONGEST else _of_search.__wrapped__)(query)


@functools.lru_cache(maxsize=PARSED_MOST)
def _of_search(query: bytes) -> SearchQuestion:
    parsed = parse(query)
    return SearchQuestion(parsed, query_string(parsed._replace(offset=0)))


def of_feed(query: bytes) -> FeedQuestion:
    """The page of the feed that a query string asks for; Refusal likewise."""
    return FeedQuestion(*changes.parse(query))


def of_movement(id: str, query: bytes) -> MovementQuestion:
    """One movement; Refusal for any parameter."""
    read(query, {})
    return MovementQuestion(id)
