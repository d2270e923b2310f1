"""What a request may ask of the movements: a search, the feed of changes, one movement."""

from __future__ import annotations

import asyncio
import functools
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from datasette.utils.sqlite import sqlite3

from ..dataset.served.snapshot import NotServable, Snapshot
from ..refusal import Refusal, unavailable
from . import changes, envelope, replies
from .conditional import matches
from .parameters.search_parameters import Search, parse, query_string, read
from .replies import PreparedPage
from .search import find_page, page_at_once
from .service import Service

# So many query strings are remembered as parsed; clients repeat few.
PARSED_MOST = 2048
# A longer one is not remembered: every parameter at its longest takes less.
PARSED_LONGEST = 1024


class Question(Protocol):
    """What is asked of one version of the movements; hashable, and equal to one that asks the same."""

    def held(self, service: Service, snapshot: Snapshot, given: bytes) -> bytes:
        """The ETag of the answer if it is among those `given` (If-None-Match), else empty."""

    async def prepare(self, service: Service, snapshot: Snapshot) -> PreparedPage:
        """The answer.

        Raises Refusal where there is none, sqlite3.Error or NotServable when the file cannot be read.
        """


class Searching(NamedTuple):
    """A page of a search, and its query in normal form."""

    search: Search
    normalised: str

    def held(self, service: Service, snapshot: Snapshot, given: bytes) -> bytes:
        tag = self._etag(service, snapshot)
        return tag if matches(given, tag) else b""

    def _etag(self, service: Service, snapshot: Snapshot) -> bytes:
        return envelope.etag(service, snapshot.version, self.normalised)

    async def prepare(self, service: Service, snapshot: Snapshot) -> PreparedPage:
        search = self.search
        page = page_at_once(snapshot, search) or await find_page(snapshot, search)
        body = envelope.around(service, search, page)
        links = envelope.links(search, page.total)
        return replies.prepared_page(service, body, links, self._etag(service, snapshot))


@dataclass(frozen=True)
class Following:
    """A page of the feed: what changed after `cursor` ("" is the beginning, `changes.NOW` the end)."""

    cursor: str
    limit: int

    def held(self, service: Service, snapshot: Snapshot, given: bytes) -> bytes:
        tag = self._etag(service, snapshot)
        held = matches(given, tag) and changes.after(snapshot.feed, self.cursor) is not None
        return tag if held else b""

    def _etag(self, service: Service, snapshot: Snapshot) -> bytes:
        """Also of the last change: after a restored backup another history may reach its number."""
        asked = f"{snapshot.feed.end} {changes.query_string(self.cursor, self.limit)}"
        return envelope.etag(service, snapshot.version, asked)

    async def prepare(self, service: Service, snapshot: Snapshot) -> PreparedPage:
        after = changes.after(snapshot.feed, self.cursor)
        if after is None:
            # Of several processes one adopts a new file before the others.
            if await asyncio.to_thread(changes.comes_soon, service.live.path, self.cursor):
                raise unavailable()
            raise changes.gone()
        page = changes.page(snapshot, after, self.limit)
        body = changes.around(service, snapshot, page)
        links = changes.links(page, self.limit)
        return replies.prepared_page(service, body, links, self._etag(service, snapshot))


@dataclass(frozen=True)
class Naming:
    """One movement, by its identifier."""

    id: str

    def held(self, service: Service, snapshot: Snapshot, given: bytes) -> bytes:
        """Nothing is read for who shows no tag that fits: the key is not known yet."""
        tag = self._etag(service, snapshot)
        if not matches(given, tag):
            return b""
        try:
            found = snapshot.movement(self.id)
        except (sqlite3.Error, NotServable):  # told when it is read again, once it is charged
            return b""
        return tag if found and found.line else b""

    def _etag(self, service: Service, snapshot: Snapshot) -> bytes:
        return envelope.etag(service, snapshot.version, f"mouvement {self.id}")

    async def prepare(self, service: Service, snapshot: Snapshot) -> PreparedPage:
        found = snapshot.movement(self.id)
        if found is None:
            raise Refusal(
                "unknown_movement",
                "Aucun mouvement n’a jamais été publié sous cet identifiant ; vérifiez qu’il est entier.",
            )
        if not found.line:
            raise Refusal(
                "withdrawn",
                f"Ce mouvement a été retiré le {found.published_at[:10]} : effacez-le de vos copies.",
            )
        body = b'{"mouvement":%b,%b' % (found.line, service.credits)
        return replies.prepared_page(service, body, [], self._etag(service, snapshot))


def search(query: bytes) -> Searching:
    """What a query string asks of the search; Refusal as `parameters.parse` raises it."""
    return (_search if len(query) <= PARSED_LONGEST else _search.__wrapped__)(query)


@functools.lru_cache(maxsize=PARSED_MOST)
def _search(query: bytes) -> Searching:
    asked = parse(query)
    return Searching(asked, query_string(asked))


def following(query: bytes) -> Following:
    """What a query string asks of the feed; Refusal as `changes.parse` raises it."""
    return Following(*changes.parse(query))


def naming(id: str, query: bytes) -> Naming:
    """One movement, which takes no parameter: Refusal if one is given."""
    read(query, {})
    return Naming(id)
