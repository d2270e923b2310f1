"""A page of a feed of changes: its parameters, its items and its envelope (specification, "Changes")."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from .. import addresses
from ..dataset.changes import CursorGone, Runs, has_place, parse_cursor
from ..dataset.schema import Resource
from ..dataset.served.rows import ServedRows
from ..refusal import SITE, Refusal
from .listings import Listing
from .parameters.parameter import LIMIT_DEFAULT, Parameter
from .parameters.search_parameters import BY_NAME, read
from .service import Service

ENVELOPE = ("changements", "curseur", "encore", "version", "licence", "attribution")
NOW = "maintenant"
CURSOR_LENGTH = 80
CURSOR = Parameter(
    "curseur",
    "Où reprendre les changements ; absent, depuis le début",
    f"le curseur d’une réponse, tel quel, ou {NOW}",
    NOW,
    longest=CURSOR_LENGTH,
    pattern="^[0-9a-z-]+$",
    is_one=lambda text: text == NOW or parse_cursor(text) is not None,
    english="Where to go on in the changes; without it, from the beginning",
)
PARAMETERS = (
    CURSOR,
    BY_NAME["limit"]._replace(
        meaning="Nombre de changements par page", english="Changes on a page"
    ),
)
_BY_NAME = {parameter.name: parameter for parameter in PARAMETERS}


class FeedPage(NamedTuple):
    """Changes as joined JSON objects, the cursor after them, and whether more follow."""

    items: bytes
    cursor: str
    more: bool


def parse(query: bytes) -> tuple[str, int]:
    """The cursor, "" without one, and the limit that a raw query string asks for.

    Raises Refusal as `parameters.read` does.
    """
    given = read(query, _BY_NAME)
    return str(given.get("curseur", "")), int(given.get("limit", LIMIT_DEFAULT))


def query_string(cursor: str, limit: int) -> str:
    """The normalised query string: known order, defaults left out."""
    given = [f"curseur={cursor}"] * bool(cursor) + [f"limit={limit}"] * (limit != LIMIT_DEFAULT)
    return "&".join(given)


def after(feed: Runs, cursor: str) -> int | None:
    """The number after which the feed continues; None for a cursor of another history."""
    if cursor == NOW:
        return feed.end.seq
    place = parse_cursor(cursor)
    if place is None:
        return 0
    try:
        return feed.place(place)
    except CursorGone:
        return None


def comes_soon(path: Path, of: Resource, cursor: str) -> bool:
    """Whether a cursor is of a feed of the file at `path`, which this process adopts within seconds."""
    place = parse_cursor(cursor)
    return place is not None and has_place(path, of, place)


def gone(listing: Listing) -> Refusal:
    """The refusal of a cursor of another history, with links to the whole file and the beginning of the feed."""
    return Refusal(
        "cursor_gone",
        "Ce curseur n’est pas de l’historique servi aujourd’hui, qui a été restauré ou refait à neuf :"
        " ce qui a changé depuis n’est pas connu. Reprenez votre copie depuis le début, par"
        f" {SITE}{listing.feed} sans curseur ou par le fichier entier, {SITE}{addresses.WHOLE_FILE}.",
        links=(
            f'<{SITE}{addresses.WHOLE_FILE}>; rel="alternate"; type="application/zip"',
            f'<{SITE}{listing.feed}>; rel="first"',
        ),
    )


def page(rows: ServedRows, one: str, after: int, limit: int) -> FeedPage:
    """The changes after a number; a fraction of a millisecond, or sqlite3.Error. `one` as of `ServedRows.changes`."""
    items, last = rows.changes(after, limit, one)
    end = rows.feed.end
    more = bool(items) and last < end.seq
    return FeedPage(items, str(rows.feed.at(last) if more else end), more)


def body(service: Service, version: str, page: FeedPage) -> bytes:
    """The JSON of an answer: the members of `ENVELOPE`, in this order."""
    more = "true" if page.more else "false"
    tail = f'],"curseur":"{page.cursor}","encore":{more},"version":"{version}",'
    return b"".join((b'{"changements":[', page.items, tail.encode(), service.credits))


def links(listing: Listing, page: FeedPage, limit: int) -> Iterable[str]:
    """The next page, if there is one, as a link of RFC 8288."""
    if page.more:
        query = query_string(page.cursor, limit)
        yield f'<{SITE}{listing.feed}?{query}>; rel="next"'
