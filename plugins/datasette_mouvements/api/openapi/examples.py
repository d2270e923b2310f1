"""The examples of the OpenAPI description: one invented movement, and answers about it alone.

The parameters' examples, sent together, are a search that would find this movement. Nothing of the
served data is shown, because what is generated from a description outlives a withdrawal.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from parlement_lists.movement import CHAMBERS, FIELDS

from ...access.charging import Charge
from ...dataset.changes import Cursor
from ...dataset.coverage import Coverage, Gap
from ...dataset.served.snapshot import PublicationChange
from ...refusal import KINDS, SITE, Refusal
from .. import changes as feed
from .. import coverage as coverages
from .. import problems, replies
from .. import search as search_page
from ..parameters.search_parameters import Search, parse
from ..service import Freshness, Service

# Of an arrival: only a transfer has a member left.
MOVEMENT = {
    field.name: field.example for field in FIELDS if not field.name.startswith("elu_origine_")
}
CURSOR = str(Cursor("5b1f0c3a9d2e8746", 1204, "c07e64a1f3b8d952"))
VERSION = "4f0a6c1d2b93e857"
ETAG = f'W/"{VERSION}-6e1d0a94-3c5b7f2081"'
FILE_ETAG = '"8e2d4b90c1f7a63508bd29e4"'
INSTANT = "2026-09-15T05:12:40Z"
LAST_MODIFIED = "Tue, 15 Sep 2026 05:12:40 GMT"
_LINE = json.dumps(MOVEMENT, ensure_ascii=False).encode()
_WITHDRAWN = "mvt_9f8e7d6c5b4a39281706"


def search(service: Service) -> dict[str, Any]:
    """The page that has the movement alone."""
    return _loaded(search_page.body(service, Search(), search_page.SearchPage(_LINE, 1)))


def movement(service: Service) -> dict[str, Any]:
    """The movement by its identifier."""
    return _loaded(b'{"mouvement":%b,%b' % (_LINE, service.credits))


def changes(service: Service) -> dict[str, Any]:
    """The end of the feed: the movement's publication, and a withdrawal."""
    items = (
        PublicationChange(1203, MOVEMENT["id"], INSTANT, _LINE),
        PublicationChange(1204, _WITHDRAWN, INSTANT, b""),
    )
    page = feed.FeedPage(b",".join(map(feed.item, items)), CURSOR, more=False)
    return _loaded(feed.body(service, VERSION, page))


def quota(service: Service) -> dict[str, Any]:
    """A key of which one request of the day is used."""
    charge = Charge(1, "", service.config.quota, 1, True, MOVEMENT["date_event"])
    return replies.quota_body(service, charge, datetime.fromisoformat("2026-09-14T16:14:29+00:00"))


def coverage(service: Service) -> dict[str, Any]:
    """One chamber with lists and a hole, two without lists."""
    lists = Coverage("2026-01-05", INSTANT[:10], "", (Gap("2026-04-13", "2026-04-27"),), 171)
    freshness = {name: Freshness(Coverage(), None, late=False) for name in CHAMBERS}
    freshness[MOVEMENT["chambre"]] = Freshness(lists, 1, late=False)
    return _loaded(coverages.body(service, freshness))


def lines(form: str) -> str:
    """The file of a search that finds the movement, in one of its forms."""
    if form == "ndjson":
        return json.dumps(MOVEMENT, ensure_ascii=False) + "\n"
    names = [field.name for field in FIELDS]
    rows = (names, [MOVEMENT.get(name, "") for name in names])
    return "".join(",".join(row) + "\r\n" for row in rows)


def problem(service: Service, kind: str) -> dict[str, Any]:
    """The body of a refusal."""
    refused = Refusal(kind, KINDS[kind].meaning)
    if kind == "parameter":
        try:
            parse(b"limit=1000")
        except Refusal as real:
            refused = real
    return _loaded(problems.details(service, refused, SITE))


def _loaded(body: bytes) -> dict[str, Any]:
    members: dict[str, Any] = json.loads(body)
    return members
