"""What the pages of one instance share: its service, counted facts, rendered pages, addresses."""

from __future__ import annotations

import datetime
import re
import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any
from urllib.parse import quote, urlencode

from datasette.app import Datasette
from datasette.plugins import pm
from datasette.resources import TableResource
from datasette.utils import tilde_encode
from datasette.utils.asgi import Request, Response

from parlement_lists.movement import slug_of

from ... import addresses
from ...access.slots import FairQueue
from ...api.service import Service
from ...config import Config
from ...dataset.coverage import Coverage
from ...dataset.schema import TABLE
from ...dataset.served.lru import LRUCache
from ...dataset.served.snapshot import Snapshot
from ..counts import facts
from ..counts.facts import Facts, Group, Part, Row
from ..counts.latest_facts import LatestFacts
from ..files.archive import Archive
from ..files.credits import Credited, credits
from ..files.file_cache import MadeFiles
from .page_headers import PRIVATE, page_headers
from .response_cache import Rendered, rendered

# Files that one worker sends at once; each is sent as slowly as its client reads.
DOWNLOADS = 8
# The same of the file that everyone may have, where the setting says so: in all, and to one address, behind
# which may be many people, and all of them where a proxy does not say whose request it brings.
OPEN_DOWNLOADS = 32
OPEN_DOWNLOADS_OF_ONE = 8
# What one worker remembers of rendered pages and feeds, at most.
CACHE_BYTES = 16_000_000
# Those that show the site's own address are remembered for so many: without a public one each host is believed.
ORIGINS = 8
# Visitors who are not signed in may read on for so many seconds after the table was closed to them.
OPEN_FOR = 1.0


class NoData(Exception):
    """No movements can be served now."""


class Site:
    """The pages of one Datasette instance."""

    def __init__(self, datasette: Datasette, service: Service) -> None:
        self.datasette = datasette
        self.service = service
        self.title = ""
        self.description = ""
        self.downloads = FairQueue(DOWNLOADS)
        self.open_downloads = FairQueue(OPEN_DOWNLOADS, OPEN_DOWNLOADS_OF_ONE)
        self.archive = Archive(service)
        self.made_files = MadeFiles(service.live.folder, service.live.path)
        self.cache: LRUCache[tuple[str, ...], Any] = LRUCache(CACHE_BYTES)
        self._origins: set[str] = set()
        self._assets: dict[str, str] = {}
        self._open_until = 0.0
        self.latest_facts = LatestFacts()

    @property
    def config(self) -> Config:
        """The settings in force, which change with the file where it is a copy (see `Service`)."""
        return self.service.config

    async def read_title(self) -> None:
        """Read once what the site is called."""
        if not self.title:
            metadata = await self.datasette.get_instance_metadata()
            self.description = metadata.get("description") or ""
            self.title = self.archive.title = metadata.get("title") or "Mouvements"

    def snapshot(self) -> Snapshot:
        """The version served now; NoData if there is none."""
        if self.service.live.snapshot is None:
            raise NoData
        return self.service.live.snapshot

    async def facts(self, part: Part = Part.FIGURES) -> Facts:
        """What is told of the data as a whole; see `LatestFacts.get`. NoData if there is none."""
        return await self.latest_facts.get(self.snapshot(), part)

    def count(self) -> None:
        """Begin to count the version served now, unless that is done or under way; NoData if there is none."""
        self.latest_facts.count(self.snapshot())

    async def may_view(self, actor: dict[str, Any] | None) -> bool:
        """Whether Datasette shows the movements table to this visitor (`allow` in its configuration)."""
        if actor is None and time.monotonic() < self._open_until:
            return True
        allowed: bool = await self.datasette.allowed(
            action="view-table", resource=TableResource(self.config.database, TABLE), actor=actor
        )
        if actor is None and allowed:
            self._open_until = time.monotonic() + OPEN_FOR
        return allowed

    async def rows(self, rest: str, parameters: Any) -> list[Row]:
        """Movements of the version served now: `rest` is what follows the table in the query."""
        found = await self.read(f"select {facts.SHOWN} from {TABLE} {rest}", parameters)
        return [dict(row) for row in found]

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
        given = urlencode({name: value for name, value in query.items() if value})
        return self.service.prefix + path + (f"?{given}" if given else "")

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

    def beside(self, name: str, **filters: str) -> str:
        """Datasette's page of one of the tables beside the movements, filtered by what is given."""
        given = urlencode({column: value for column, value in filters.items() if value})
        address = str(self.datasette.urls.table(self.config.database, name))
        return address + (f"?{given}" if given else "")

    def movement(self, identifier: str) -> str:
        return f"{self.table}/{tilde_encode(identifier)}"

    @property
    def invented(self) -> bool:
        """Whether what is served is invented."""
        return self.service.invented

    @property
    def credits(self) -> list[Credited]:
        """The sources of the lists served now; none of invented ones."""
        snapshot = self.service.live.snapshot
        return credits(snapshot.coverage) if snapshot is not None and not self.invented else []

    @property
    def today(self) -> datetime.date:
        """The day on which pages speak; see `Service.today`."""
        return self.service.today

    def late(self, known: Coverage) -> bool:
        """Whether the last list of a chamber is older than the settings allow."""
        return known.late(self.today, self.config.late_days)

    def origin(self, request: Request) -> str:
        """The absolute address of this site as this request reached it, "" if it is not known."""
        return self.service.address(request.scope).removesuffix(addresses.SEARCH)

    def absolute(self, request: Request, path: str) -> str:
        """One of this site's addresses, in full."""
        return self.origin(request) + self.service.below(path)

    def call(self, request: Request, **query: object) -> str:
        """The address of the interface that gives what these parameters select."""
        given = urlencode({name: value for name, value in query.items() if value})
        return self.service.address(request.scope) + (f"?{given}" if given else "")

    def group(self, chamber: str, code: str) -> Group:
        """What is known of a group: its name, which is its code until another is known, and its colour."""
        known = self.latest_facts.known
        return known.group(chamber, code) if known else Group(chamber, code, code)

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
        found = []
        for routes in pm.hook.register_routes(datasette=self.datasette):
            found += [re.compile(route[0]) for route in routes or [] if isinstance(route[0], str)]
        return found

    async def page(
        self,
        request: Request,
        template: str,
        context: Mapping[str, Any],
        status: int = 200,
        indexed: bool = False,
    ) -> Response:
        """A page for this request alone."""
        await self.read_title()
        text = await self.datasette.render_template(
            f"mouvements/{template}.html", dict(context), request=request
        )
        return Response.html(text, status, page_headers(self.service, PRIVATE, indexed))

    def cached_page(self, request: Request, key: tuple[str, ...]) -> Response | None:
        """The page remembered under `key`, which names the build, and the origin where the page shows it."""
        found: Rendered | None = self.cache.get(self._page_key(key))
        return None if found is None else found.answer(self.service, request)

    def _page_key(self, key: tuple[str, ...]) -> tuple[str, ...]:
        """What a page depends on: a list is late, and a mandate has ended, from one day to the next."""
        return (*key, self.today.isoformat())

    def remember(self, request: Request, key: tuple[str, ...], made: Any, weight: int) -> None:
        """Keep what was made for a request; under its origin only that of the first few."""
        origin = self.origin(request)
        if len(self._origins) < ORIGINS:
            self._origins.add(origin)
        if origin not in key or origin in self._origins:
            self.cache.put(key, made, weight)

    async def cache_page(
        self,
        request: Request,
        key: tuple[str, ...],
        template: str,
        context: Mapping[str, Any],
        status: int = 200,
        indexed: bool = False,
    ) -> Response:
        """A page that is the same for everyone: rendered, remembered, answered."""
        answer = await self.page(request, template, context, status, indexed)
        page = rendered(answer, indexed)
        self.remember(request, self._page_key(key), page, page.weight)
        return page.answer(self.service, request)
