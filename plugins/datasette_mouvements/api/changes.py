"""The feed of changes as it is answered: its parameters, its pages and their envelope."""

from __future__ import annotations

from collections.abc import Iterable
from json.encoder import encode_basestring
from pathlib import Path
from typing import NamedTuple

from .. import addresses
from ..dataset.changes import CursorGone, Runs, has_place, parse_cursor
from ..dataset.schema import PUBLISHED, WITHDRAWN
from ..dataset.served.snapshot import Change, Snapshot
from ..refusal import SITE, Refusal
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
)
PARAMETERS = (CURSOR, BY_NAME["limit"]._replace(meaning="Nombre de changements par page"))
_BY_NAME = {parameter.name: parameter for parameter in PARAMETERS}


class Page(NamedTuple):
    """A page of the feed: its items as joined JSON objects, the cursor after them, whether more follow."""

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
    """The number after which the feed goes on; None where the cursor is of another history."""
    if cursor == NOW:
        return feed.end.seq
    place = parse_cursor(cursor)
    if place is None:
        return 0
    try:
        return feed.place(place)
    except CursorGone:
        return None


def comes_soon(path: Path, cursor: str) -> bool:
    """Whether the file at `path`, which is adopted within seconds, has the place of a cursor."""
    place = parse_cursor(cursor)
    return place is not None and has_place(path, place)


def gone() -> Refusal:
    """The refusal of a cursor that is not of the history served."""
    return Refusal(
        "cursor_gone",
        "Ce curseur n’est pas de l’historique servi aujourd’hui, qui a été restauré ou refait à neuf :"
        " ce qui a changé depuis n’est pas connu. Reprenez votre copie depuis le début, par"
        f" {SITE}{addresses.CHANGES} sans curseur ou par le fichier entier, {SITE}{addresses.WHOLE_FILE}.",
    )


def page(snapshot: Snapshot, after: int, limit: int) -> Page:
    """The changes after a number; a fraction of a millisecond, or sqlite3.Error."""
    found, more = snapshot.changes(after, limit)
    cursor = snapshot.feed.at(found[-1].seq) if more else snapshot.feed.end
    return Page(b",".join(map(_item, found)), str(cursor), more)


def _item(change: Change) -> bytes:
    """A change as JSON; an identifier of a maintainer's own file may hold anything."""
    nature = PUBLISHED if change.line else WITHDRAWN
    head = f'{{"publie_le":"{change.published_at}","nature":"{nature}","id":{encode_basestring(change.id)}'
    return (
        b'%b,"mouvement":%b}' % (head.encode(), change.line)
        if change.line
        else head.encode() + b"}"
    )


def around(service: Service, snapshot: Snapshot, page: Page) -> bytes:
    """The body of an answer: the members of `ENVELOPE`, the page among them."""
    more = "true" if page.more else "false"
    tail = f'],"curseur":"{page.cursor}","encore":{more},"version":"{snapshot.version}",'
    return b"".join((b'{"changements":[', page.items, tail.encode(), service.credits))


def links(page: Page, limit: int) -> Iterable[str]:
    """The page that follows, if one does, as a link of RFC 8288."""
    if page.more:
        query = query_string(page.cursor, limit)
        yield f'<{SITE}{addresses.CHANGES}?{query}>; rel="next"'


def fresh_starts(origin: str) -> Iterable[str]:
    """Where a copy begins anew whose cursor is gone: the whole file, and the beginning of the feed."""
    yield f'<{origin}{addresses.WHOLE_FILE}>; rel="alternate"; type="application/zip"'
    yield f'<{origin}{addresses.CHANGES}>; rel="first"'
