"""What the pages of one instance share: its service, counted facts, cached pages, addresses."""

from __future__ import annotations

import datetime
import re
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from datasette.app import Datasette
from datasette.plugins import pm
from datasette.resources import TableResource
from datasette.utils import tilde_encode
from datasette.utils.asgi import Request, Response

from parlement_lists.movement import slug_of
from parlement_lists.sources.credits import Credit

from ... import addresses
from ...api.service import Service
from ...config import Config
from ...dataset.coverage import Coverage, credits
from ...dataset.schema import TABLE
from ...dataset.served import DataVersion
from ...lru import LRUCache
from ...turns import Turns, take_turn
from ..counts import facts
from ..counts.facts import Facts, Group, Part, Row
from ..counts.latest_facts import LatestFacts
from ..files.file_cache import FileCache
from .page_headers import PRIVATE, page_headers
from .response_cache import CachedPage, compress

# Concurrent downloads per worker.
DOWNLOADS = 8
# The same of the file that everyone may have (`open_whole_file`), and for one client address: many people
# may share it, and all of them do where a proxy does not name its clients.
OPEN_DOWNLOADS = 32
OPEN_DOWNLOADS_OF_ONE = 8
# Rendered pages and feeds that one worker keeps.
CACHE_BYTES = 16_000_000
# Bytes that earlier times take, about ten of a chamber: visitors choose the days, and must not push out the rest.
PAST_BYTES = 6_000_000
# The same of Datasette's pages of movements and stays, which visitors may filter without end.
TABLES_BYTES = 4_000_000
# Pages that contain the site's address are cached per Host, for the ORIGINS hosts asked for last:
# without `public_url` any Host header is accepted.
ORIGINS = 8
# Seconds for which Datasette is not asked again whether visitors without an account may see a table.
OPEN_FOR = 1.0

T = TypeVar("T")


class NoData(Exception):
    """No movements can be served now."""


class PageMissing(Exception):
    """Nothing is known of what an address names; the message tells a visitor so."""


class Site:
    """The pages of one Datasette instance."""

    def __init__(self, datasette: Datasette, service: Service) -> None:
        self.datasette = datasette
        self.service = service
        self.title = ""
        self.description = ""
        self.downloads = Turns(DOWNLOADS)
        self.open_downloads = Turns(OPEN_DOWNLOADS, OPEN_DOWNLOADS_OF_ONE)
        self.file_cache = FileCache(service.served.folder, service.served.path)
        self.cache: LRUCache[tuple[str, ...], Any] = LRUCache(CACHE_BYTES)
        self.past_cache: LRUCache[tuple[str, ...], Any] = LRUCache(PAST_BYTES)
        self.tables_cache: LRUCache[tuple[str, ...], Any] = LRUCache(TABLES_BYTES)
        self._origins: OrderedDict[str, None] = OrderedDict()
        self._assets: dict[str, str] = {}
        self._open_until: dict[str, float] = {}
        self.latest_facts = LatestFacts()

    @property
    def config(self) -> Config:
        """The settings in force, whose attribution changes with the file where people are invented (see `Service`)."""
        return self.service.config

    async def read_title(self) -> None:
        """Read once what the site is called."""
        if not self.title:
            metadata = await self.datasette.get_instance_metadata()
            self.description = metadata.get("description") or ""
            self.title = metadata.get("title") or "Mouvements"

    def snapshot(self) -> DataVersion:
        """The version served now; NoData if there is none."""
        if self.service.version is None:
            raise NoData
        return self.service.version

    async def facts(self, part: Part = Part.FIGURES) -> Facts:
        """What is told of the data as a whole; see `LatestFacts.get`. NoData if there is none."""
        return await self.latest_facts.get(self.snapshot(), part)

    def count(self) -> None:
        """Begin to count the version served now, unless that is done or under way; NoData if there is none."""
        self.latest_facts.count(self.snapshot())

    async def may_view(self, actor: dict[str, Any] | None, table: str = TABLE) -> bool:
        """Whether Datasette shows the movements, or another table, to this visitor (`allow` in its configuration)."""
        if actor is None and time.monotonic() < self._open_until.get(table, 0.0):
            return True
        allowed: bool = await self.datasette.allowed(
            action="view-table", resource=TableResource(self.config.database, table), actor=actor
        )
        if actor is None and allowed:
            self._open_until[table] = time.monotonic() + OPEN_FOR
        return allowed

    async def whole_file_is_open(self) -> bool:
        """Whether everyone may have the files of all data."""
        return self.config.open_whole_file and await self.may_view(None)

    async def rows(self, rest: str, parameters: Any) -> list[Row]:
        """Movements of the version served now: `rest` is what follows the table in the query."""
        rows = await self.read(f"select {facts.SHOWN} from {TABLE} {rest}", parameters)
        return [dict(row) for row in rows]

    async def read(self, sql: str, parameters: Any) -> Sequence[Any]:
        """The rows of a query of the version served now."""
        database = self.datasette.databases[self.config.database]
        rows: Sequence[Any] = (await database.execute(sql, parameters, page_size=100_000)).rows
        return rows

    def asset(self, name: str) -> str:
        """The address of a static file, with the digest of its content."""
        if name not in self._assets:
            # The name of the module, which holds whether or not the package is installed.
            self._assets[name] = str(self.datasette.static(name, plugin=__name__.partition(".")[0]))
        return self._assets[name]

    def path(self, path: str, **query: object) -> str:
        """A page's address on this site; parameters without a value are left out."""
        return with_query(self.service.prefix + path, query)

    def member(self, chamber: str, identifier: str | None) -> str:
        """The elected member's page; "" without an identifier."""
        return self.path(f"/elus/{chamber}/{quote(identifier, safe='')}") if identifier else ""

    def group_page(self, chamber: str, code: str) -> str:
        """The page of a group; that of all where a browser takes the code for a folder, however it is written."""
        if code in (".", ".."):
            return self.path("/groupes") + f"#{chamber}"
        return self.path(f"/groupes/{chamber}/{quote(code, safe='')}")

    def staff(self, family_name: str | None, given_name: str | None) -> str:
        """The page of a staff member's name; "" for a name that was withdrawn."""
        slug = slug_of(family_name, given_name)
        return self.path(f"/collaborateurs/{quote(slug, safe='')}") if slug else ""

    @property
    def table(self) -> str:
        """Datasette's page of the movements table, the explorer."""
        return str(self.datasette.urls.table(self.config.database, TABLE))

    def sidebar_table(self, name: str, **filters: str) -> str:
        """Datasette's page of one of the other public tables, filtered by what is given."""
        return with_query(str(self.datasette.urls.table(self.config.database, name)), filters)

    def movement(self, identifier: str) -> str:
        return f"{self.table}/{tilde_encode(identifier)}"

    @property
    def invented(self) -> bool:
        """Whether what is served is invented."""
        return self.service.invented

    @property
    def credits(self) -> list[tuple[Credit, str]]:
        """The sources of the lists served now; none of invented ones."""
        snapshot = self.service.version
        return credits(snapshot.coverage) if snapshot is not None and not self.invented else []

    @property
    def last_lists(self) -> list[tuple[str, str]]:
        """The chambers that have lists, each with the day of the last one."""
        snapshot = self.service.version
        known = snapshot.coverage.items() if snapshot else ()
        return [(chamber, lists.last) for chamber, lists in known if lists.last]

    @property
    def today(self) -> datetime.date:
        """The day on which pages speak; see `Service.today`."""
        return self.service.today

    def late(self, lists: Coverage) -> bool:
        """Whether the last list of a chamber is older than the settings allow."""
        return lists.late(self.today, self.config.late_days)

    def origin(self, request: Request) -> str:
        """The absolute address of this site as this request reached it, "" if it is not known."""
        return self.service.address(request.scope).removesuffix(addresses.SEARCH)

    def absolute(self, request: Request, path: str) -> str:
        """One of this site's addresses, in full."""
        return self.origin(request) + self.service.below(path)

    def call(self, request: Request, **query: object) -> str:
        """The address of the interface that gives what these parameters select."""
        return with_query(self.service.address(request.scope), query)

    def group(self, chamber: str, code: str) -> Group:
        """What is known of a group: its name, which is its code until another is known, and its colour."""
        known = self.latest_facts.known
        return known.group(chamber, code) if known else Group(chamber, code, code)

    def group_since(self, chamber: str, identifier: str) -> str:
        """The first day on which a member's group is known, "" where that is not."""
        known = self.latest_facts.known
        return known.group_since(chamber, identifier) if known else ""

    @property
    def contact_link(self) -> str:
        """The contact as a link, "" if none is set."""
        contact = self.config.contact
        if "@" in contact and "/" not in contact:
            return "mailto:" + quote(contact, safe="@+.-_")
        return contact if contact.startswith(("https://", "http://")) else ""

    @cached_property
    def plugin_routes(self) -> list[re.Pattern[str]]:
        """The paths that plugins answer."""
        return [
            re.compile(route[0])
            for routes in pm.hook.register_routes(datasette=self.datasette)
            for route in routes or []
            if isinstance(route[0], str)
        ]

    async def page(
        self,
        request: Request,
        template: str,
        context: Mapping[str, Any],
        status: int = 200,
        indexed: bool = False,
    ) -> Response:
        """A page for this request alone, in its turn; what says that something is wrong waits for nobody."""
        if status < 400:
            await take_turn()
        await self.read_title()
        text = await self.datasette.render_template(
            f"mouvements/{template}.html", dict(context), request=request
        )
        return Response.html(text, status, page_headers(self.service, PRIVATE, indexed))

    async def cached(
        self,
        request: Request,
        key: tuple[str, ...],
        template: str,
        context: Callable[[], Awaitable[Mapping[str, Any]]],
        indexed: bool = False,
    ) -> Response:
        """A page that is the same for everyone: from the response cache, else rendered of `context()`.

        `key` names the build, and the origin where the page contains it.
        """
        # A list is late, and a mandate has ended, from one day to the next.
        key = (*key, self.today.isoformat())

        async def render() -> CachedPage:
            answer = await self.page(request, template, await context(), indexed=indexed)
            return compress(answer, indexed)

        page = await self.kept(key, render, lambda page: page.weight, request=request)
        return page.answer(self.service, request)

    async def kept(
        self,
        key: tuple[str, ...],
        make: Callable[[], Awaitable[T]],
        weight: Callable[[T], int],
        past: bool = False,
        request: Request | None = None,
    ) -> T:
        """What `make()` made for `key`, from the response cache; `weight` gives its bytes.

        What tells of a `past` day has a cache of its own. Where `key` names the origin of the `request`, that
        origin counts as used, and the one used longest ago may be dropped.
        """
        cache = self.past_cache if past else self.cache
        value: T | None = cache.get(key)
        if value is None:
            await take_turn()
            value = cache.get(key)  # another may have made it meanwhile
        if value is None:
            value = await make()
            cache.put(key, value, weight(value))
        if request is not None:
            self._use_origin(request, key)
        return value

    def _use_origin(self, request: Request, key: tuple[str, ...]) -> None:
        """Note that an origin was asked for; what was kept of the one asked for longest ago goes."""
        origin = self.origin(request)
        if origin not in key:
            return
        self._origins[origin] = None
        self._origins.move_to_end(origin)
        if len(self._origins) > ORIGINS:
            oldest, _ = self._origins.popitem(last=False)
            self.cache.drop([kept for kept in self.cache if oldest in kept])


def with_query(address: str, query: Mapping[str, object]) -> str:
    """An address with a query string, which leaves out parameters without a value."""
    text = urlencode({name: value for name, value in query.items() if value})
    return address + (f"?{text}" if text else "")
