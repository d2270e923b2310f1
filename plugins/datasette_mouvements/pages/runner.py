"""How a page is answered: its address is read, its rows are read in a thread, it is rendered, and kept.

A page is a row of the table in `routes`: an address, a template, a function that reads its rows.
"""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar
from urllib.parse import unquote

from datasette.app import Datasette
from datasette.utils.asgi import Forbidden, Request, Response
from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import FIELD_NAMES
from parlement_lists.tenure import Tenure

from ..api import replies
from ..api.compression import accepts_gzip
from ..api.service import Service
from ..dataset.connections import connect_read_only
from ..dataset.coverage import Coverage
from ..dataset.schema import TABLE, TEAMS, TENURES
from ..dataset.served import DataVersion
from ..keys.store import StoreUnavailable
from ..refusal import RETRY_SECONDS, UNAVAILABLE, Refusal
from ..turns import take_turn
from .site import NoData, PageMissing, Site, site_of

PRIVATE = "private, no-store"
# Seconds for which caches may keep a page, and a file or a feed: an erasure reaches nobody sooner.
PAGE_SECONDS, FILE_SECONDS = 60, 300
# Everything comes from this site and nothing is inline, so that no plugin and no name can add a script.
STRICT = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# A value of a query string that is longer is no name and no code.
LONGEST_VALUE = 100
# A member has the name of the latest list on every page, whatever the list of the day wrote.
_LATEST = {
    "elu_nom": f"""
        select e.elu_nom from {TEAMS} e where e.chambre = {{0}}.chambre and e.elu_id = {{0}}.elu_id
    """,
    "elu_origine_nom": f"""
        select e.elu_nom from {TENURES} s join {TEAMS} e using (chambre, elu_id)
        where s.mouvement_fin = {{0}}.id and {{0}}.type = 'transfert'
    """,
}


def _columns(table: str, names: Iterable[str]) -> str:
    latest = {
        name: f"coalesce(({sql.format(table)}), {table}.{name}) as {name}"
        for name, sql in _LATEST.items()
    }
    return ", ".join(latest.get(name, name) for name in names)


# What pages show of a movement: `apres` is the day after which it was, as its stay tells it.
MOVEMENT_COLUMNS = f"""
    {_columns(TABLE, FIELD_NAMES)}, coalesce(
      (select debut_apres from {TENURES} where mouvement_debut = {TABLE}.id and debut = date_event),
      (select fin_apres from {TENURES} where mouvement_fin = {TABLE}.id and fin = date_event)
    ) as apres
"""
_STAY_COLUMNS = _columns(TENURES, Tenure._fields)
Context = Mapping[str, Any]
T = TypeVar("T")


class Moved(Exception):
    """The page has another address, the argument."""


@dataclass(frozen=True)
class View:
    """What a page reads: one version of the data, and what its address says.

    `path` are the named parts of the address, `query` its parameters that the page has, "" without value: queries may
    name each of them, and `today`.
    """

    site: Site
    request: Request
    db: sqlite3.Connection
    path: Mapping[str, str]
    query: Mapping[str, str]
    served: DataVersion | None

    @property
    def today(self) -> str:
        """The day on which the page speaks."""
        return self.site.today.isoformat()

    @property
    def version(self) -> DataVersion:
        """The version that is read; an `open` page may raise NoData by it."""
        if self.served is None:
            raise NoData
        return self.served

    @property
    def coverage(self) -> Mapping[str, Coverage]:
        """The lists of each chamber."""
        return self.version.coverage

    def rows(self, sql: str, **values: object) -> list[sqlite3.Row]:
        """The rows of a query with named parameters."""
        asked = {"today": self.today, **self.path, **self.query}
        rows: list[sqlite3.Row] = self.db.execute(sql, asked | values).fetchall()
        return rows

    def row(self, sql: str, **values: object) -> sqlite3.Row | None:
        """The first row of a query, if there is one."""
        return next(iter(self.rows(sql, **values)), None)

    def movements(self, rest: str, **values: object) -> list[dict[str, Any]]:
        """Movements with `apres`: `rest` is what follows the table in the query."""
        sql = f"select {MOVEMENT_COLUMNS} from {TABLE} {rest}"
        return [dict(row) for row in self.rows(sql, **values)]

    def stays(self, rest: str, **values: object) -> list[Tenure]:
        """Stays: `rest` is what follows the table in the query."""
        return [
            Tenure._make(value or "" for value in row)
            for row in self.rows(f"select {_STAY_COLUMNS} from {TENURES} {rest}", **values)
        ]


class PageRow(NamedTuple):
    """A kind of page: `read` gives the template its variables, beside the parts of the address.

    It is called in a thread, and may raise PageMissing, Moved, Refusal.

    The page is the same for everyone who asks for the same address and the same values of the parameters `query`.
    Search engines may index it where it is `indexed`: no page that names staff is. An `open` page shows no movement:
    everyone may read it, and it answers without data, too.
    """

    template: str
    read: Callable[[View], Context] = lambda view: {}
    query: Sequence[str] = ()
    indexed: bool = False
    open: bool = False


async def run(page: PageRow, site: Site, request: Request) -> Response:
    """The answer to a request for a page: the one that is kept, else a new one."""
    version = site.service.version if page.open else site.version
    path = {name: unquote(value or "") for name, value in request.url_vars.items()}
    query = {name: (request.args.get(name) or "").strip()[:LONGEST_VALUE] for name in page.query}
    # A list is late, and a mandate has ended, from one day to the next.
    build = version.build if version else ""
    key = (page.template, build, site.today.isoformat(), site.origin(request))
    key += (*path.values(), *query.values(), str(await site.may_view(None)))

    async def make() -> tuple[bytes, bytes]:
        context = {
            "here": site.address(request, query),
            "coverage": version.coverage if version else {},
            **path,
            **await read(page.read, site, request, version, path, query),
        }
        body = (await render(site, request, page.template, context)).body.encode()
        return body, gzip.compress(body, 6, mtime=0)

    body, gzipped = await keep(site, key, make, lambda made: sum(map(len, made)))
    headers = page_headers(site.service, public(PAGE_SECONDS), page.indexed)
    headers["vary"] = ", ".join(filter(None, ("Accept-Encoding", headers.get("vary"))))
    if accepts_gzip(request.scope["headers"]):
        headers["content-encoding"] = "gzip"
        body = gzipped
    headers["content-length"] = str(len(body))
    return Response(body, 200, headers, "text/html; charset=utf-8")


async def read(
    function: Callable[[View], Context],
    site: Site,
    request: Request,
    version: DataVersion | None,
    path: Mapping[str, str] | None = None,
    query: Mapping[str, str] | None = None,
) -> Context:
    """What a page's function reads of a version, in a thread and by a connection of its own."""

    def read_in_thread() -> Context:
        if version:
            db = connect_read_only(version.path, immutable=True)
        else:
            db = sqlite3.connect(":memory:")
        with closing(db):
            db.row_factory = sqlite3.Row
            return function(View(site, request, db, path or {}, query or {}, version))

    return await asyncio.to_thread(read_in_thread)


async def keep(
    site: Site,
    key: tuple[str, ...],
    make: Callable[[], Awaitable[T]],
    weight: Callable[[T], int],
) -> T:
    """What is kept of `key`, else what `make()` makes of it, in its turn; `weight` gives its bytes."""
    value: T | None = site.cache.get(key)
    if value is None:
        await take_turn()
        value = site.cache.get(key)  # another may have made it meanwhile
    if value is None:
        value = await make()
        site.cache.put(key, value, weight(value))
    return value


async def render(
    site: Site, request: Request, template: str, context: Context, status: int = 200
) -> Response:
    """A page for this request alone; the caller has taken its turn where it costs something."""
    text = await site.datasette.render_template(
        f"mouvements/{template}.html", dict(context), request=request
    )
    return Response.html(text, status, page_headers(site.service, PRIVATE))


async def say(site: Site, request: Request, status: int, heading: str, why: str) -> Response:
    """A page that says why it has nothing to show, with ways on."""
    context = {"heading": heading, "message": why}
    return await render(site, request, "absent", context, status)


def handler(
    make: Callable[[Site, Request], Awaitable[Response]],
    guarded: bool = False,
    methods: Sequence[str] = ("GET", "HEAD"),
) -> Callable[[Datasette, Request], Awaitable[Response]]:
    """What core calls: it answers what `make` does, or says why not; `guarded` pages need the permission to view movements."""

    async def answer(datasette: Datasette, request: Request) -> Response:
        site = site_of(datasette)
        if site is None:
            return Response.text("Le service n’a pas démarré.", 503)
        if request.method not in methods:
            return Response.text("Méthode refusée", 405, {"allow": ", ".join(methods)})
        if guarded and not await site.may_view(request.actor):
            raise Forbidden("view-table")
        try:
            response = await make(site, request)
        except Moved as moved:
            response = Response.redirect(str(moved), status=301)
        except PageMissing as missing:
            response = await say(site, request, missing.status, missing.heading, str(missing))
        except (NoData, StoreUnavailable):
            why = f"{UNAVAILABLE}."
            response = await say(site, request, 503, "Momentanément indisponible", why)
            response.headers["retry-after"] = str(RETRY_SECONDS)
        except Refusal as refused:
            reply = replies.for_visitor(site.service, request.scope, refused)
            headers = {name.decode(): value.decode() for name, value in reply.headers}
            kind = headers.pop("content-type", "text/plain")
            response = Response(reply.body, reply.status, headers, kind)
        if request.method == "HEAD":
            response.body = b""
        return response

    return answer


def with_tag(request: Request, body: bytes, headers: dict[str, str], kind: str) -> Response:
    """The body with its ETag; 304 to who has it."""
    tag = replies.tag_of(body)
    headers = headers | {"etag": tag.decode()}
    if replies.matches(replies.header(request.scope, b"if-none-match"), tag):
        return Response(b"", 304, headers, kind)
    return Response(body, 200, headers, kind)


def public(seconds: int) -> str:
    """Cache-Control of what is the same for everyone and may be up to `seconds` old."""
    return f"public, max-age={seconds}"


def page_headers(service: Service, caching: str, indexed: bool = False) -> dict[str, str]:
    """The headers of a page; `caching` is its Cache-Control."""
    headers = {
        "cache-control": caching,
        "content-security-policy": STRICT,
        "referrer-policy": "same-origin",
        "x-content-type-options": "nosniff",
    }
    if service.reflects_host and caching != PRIVATE:
        headers["vary"] = "Host"
    if not indexed:
        headers["x-robots-tag"] = "noindex"
    return headers
