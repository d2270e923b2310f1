"""Atom feeds of the latest publications: of a search, or under a staff member's name."""

from __future__ import annotations

import json
from datetime import datetime
from email.utils import format_datetime
from hashlib import blake2s
from typing import NamedTuple
from urllib.parse import unquote

from datasette.utils.asgi import Request, Response

from parlement_lists.movement import slug_of

from ...api import replies
from ...refusal import Refusal
from ..counts.facts import Read
from ..counts.publications import FeedCondition, FeedEntry, latest
from ..counts.stay_links import link_arrivals
from ..explorer import filters
from ..frame.page_headers import FILE_SECONDS, page_headers, public
from ..frame.site import Site
from ..people.staff_member import of_name
from ..words import french
from . import atom


class FeedDocument(NamedTuple):
    """A feed as it is sent, its ETag, and when its data changed last."""

    body: bytes
    tag: str
    changed: str


async def search(site: Site, request: Request) -> Response:
    """The latest movements that the filters select; open, and free of charge."""
    try:
        asked = filters.of_feed(site.snapshot(), request)
    except Refusal as refused:
        return as_response(replies.refuse(site.service, refused, site.origin(request)))
    query = asked.query
    key = ("feed", site.snapshot().build, site.origin(request), query)

    async def make() -> FeedDocument:
        entries = await _entries(site.read, filters.feed_condition(asked))
        here = site.path("/flux") + (f"?{query}" if query else "")
        page = site.path("/explorer", **asked.explored) if query else site.path("/")
        feed = atom.Feed(filters.title(asked, entries), here, page, site.snapshot().published_at)
        return _document(site, request, feed, entries)

    return _send(site, request, await site.kept(key, make, _weight, request=request))


async def staff(site: Site, request: Request) -> Response:
    """The latest movements under a staff member's name."""
    slug = slug_of(unquote(request.url_vars["nom"]), "")
    facts = await site.facts()
    key = ("staff-feed", facts.build, site.origin(request), slug)

    async def make() -> FeedDocument:
        found = await of_name(facts.reader, slug)
        family, given = found.spellings[0]
        ids = json.dumps([row["id"] for row in found.movements])
        of_these = FeedCondition("m.id in (select value from json_each(?))", [ids], few=True)
        page = site.staff(slug, "")
        title = f"Mouvements sous le nom {french.full_name(given, family)}"
        feed = atom.Feed(title, f"{page}/flux", page, facts.changed_at)
        return _document(site, request, feed, await _entries(facts.reader.rows, of_these))

    return _send(site, request, await site.kept(key, make, _weight, request=request))


def as_response(reply: replies.Reply) -> Response:
    """An answer of the interface's, from a page."""
    headers = {name.decode(): value.decode() for name, value in reply.headers}
    kind = headers.pop("content-type", "text/plain")
    return Response(reply.body, reply.status, headers, kind)


async def _entries(read: Read, wanted: FeedCondition) -> list[FeedEntry]:
    entries = await latest(read, wanted)
    await link_arrivals(read, [row for entry in entries for row in entry.movements])
    return entries


def _document(
    site: Site, request: Request, feed: atom.Feed, entries: list[FeedEntry]
) -> FeedDocument:
    body = atom.document(site, request, feed, entries)
    tag = f'W/"{blake2s(body, digest_size=8).hexdigest()}"'
    changed = format_datetime(datetime.fromisoformat(feed.changed), usegmt=True)
    return FeedDocument(body, tag, changed)


def _weight(feed: FeedDocument) -> int:
    return len(feed.body)


def _send(site: Site, request: Request, feed: FeedDocument) -> Response:
    headers = page_headers(site.service, public(FILE_SECONDS))
    headers |= {"etag": feed.tag, "last-modified": feed.changed}
    headers["content-security-policy"] = "default-src 'none'"
    headers["access-control-allow-origin"] = "*"
    kind = f"{atom.TYPE}; charset=utf-8"
    given = replies.header(request.scope, b"if-none-match")
    if replies.matches(given, feed.tag.encode()):
        return Response(b"", 304, headers, kind)
    return Response(feed.body, 200, headers, kind)
