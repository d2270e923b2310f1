"""What all pages of one Datasette instance share: addresses, what they say of the site, the pages that are kept."""

from __future__ import annotations

import datetime
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote, urlencode

from datasette.app import Datasette
from datasette.resources import TableResource
from datasette.utils.asgi import Request
from markupsafe import Markup

from parlement_lists.movement import slug_of
from parlement_lists.sources.credits import Credit

from .. import addresses
from ..api.front import front_of
from ..api.service import Service
from ..config import Config
from ..dataset.coverage import Coverage, credits
from ..dataset.schema import GROUPS, TABLE
from ..dataset.served import DataVersion
from ..lru import LRUCache

# Bytes of rendered pages, feeds and tables that one worker keeps.
CACHE_BYTES = 16_000_000
# Seconds for which Datasette is not asked again whether visitors without an account may see a table.
OPEN_FOR = 1.0
_ATTRIBUTE = "_mouvements_site"


class NoData(Exception):
    """No movements can be served now."""


class PageMissing(Exception):
    """Nothing is known of what an address names, or no more (410); the message tells a visitor so."""

    def __init__(self, why: str, status: int = 404, heading: str = "Page introuvable") -> None:
        super().__init__(why)
        self.status, self.heading = status, heading


class Site:
    """The pages of one Datasette instance."""

    def __init__(self, datasette: Datasette, service: Service) -> None:
        self.datasette = datasette
        self.service = service
        self.title = ""
        self.cache: LRUCache[tuple[str, ...], Any] = LRUCache(CACHE_BYTES)
        self._open_until: dict[str, float] = {}

    @property
    def config(self) -> Config:
        """The settings in force, whose attribution changes with the file where people are invented (see `Service`)."""
        return self.service.config

    @property
    def version(self) -> DataVersion:
        """The version served now; NoData if there is none."""
        if self.service.version is None:
            raise NoData
        return self.service.version

    async def read_title(self) -> None:
        """Read once what the site is called."""
        if not self.title:
            metadata = await self.datasette.get_instance_metadata()
            self.title = metadata.get("title") or "Mouvements"

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
        """Whether everyone may have the file of all data."""
        return self.config.open_whole_file and await self.may_view(None)

    # Addresses.

    def path(self, path: str, **query: object) -> str:
        """A page's address on this site; parameters without a value are left out."""
        return with_query(self.service.prefix + path, query)

    def asset(self, name: str) -> str:
        """The address of a static file, with the digest of its content."""
        # The name of the module, which holds whether or not the package is installed.
        return str(self.datasette.static(name, plugin=__name__.partition(".")[0]))

    def member(self, chamber: str, identifier: str | None) -> str:
        """The elected member's page; "" without an identifier."""
        return self.path(f"/elus/{chamber}/{quote(identifier, safe='')}") if identifier else ""

    def group(self, chamber: str, code: str) -> dict[str, str]:
        """What the file tells of a group: `nom`, `couleur` and its `page`; of one that movements alone name the explorer."""
        sql = f"select nom, couleur from {GROUPS} where chambre = ? and code = ?"
        row = self.version.db.execute(sql, [chamber, code]).fetchone()
        if row is None:
            page = self.path("/explorer", chambre=chamber, groupe=code)
            return {"nom": code, "couleur": "", "page": page}
        page = self.path(f"/groupes/{chamber}/{quote(code, safe='')}")
        return {"nom": row[0], "couleur": row[1], "page": page}

    def staff(self, family_name: str | None, given_name: str | None) -> str:
        """The page of a staff member's name; "" for a name that was withdrawn."""
        slug = slug_of(family_name, given_name)
        return self.path(f"/collaborateurs/{quote(slug, safe='')}") if slug else ""

    def movement(self, identifier: str) -> str:
        """The page of a movement."""
        return self.path(f"/mouvements/{quote(identifier, safe='')}")

    def table(self, name: str = TABLE, **filters: object) -> str:
        """Datasette's page of a public table, filtered by what is given; that of the movements is the explorer."""
        return with_query(str(self.datasette.urls.table(self.config.database, name)), filters)

    def origin(self, request: Request) -> str:
        """The absolute address of this site as this request reached it, "" if it is not known."""
        return self.service.address(request.scope).removesuffix(addresses.SEARCH)

    def absolute(self, request: Request, path: str) -> str:
        """One of this site's addresses, in full."""
        return self.origin(request) + self.service.below(path)

    def call(self, request: Request, path: str, **query: object) -> str:
        """The absolute address of the interface that gives what these parameters select."""
        return self.absolute(request, self.path(path, **query))

    def public(self, path: str) -> str:
        """A path of the site in full; "" without `public_url`, because then any Host header is accepted."""
        return "" if self.service.reflects_host else self.service.url(self.service.below(path))

    def address(
        self, request: Request, kept: Mapping[str, object] | None = None, path: str | None = None
    ) -> str:
        """The address of a page in one spelling, whatever the request's, because the cache keeps it for everyone.

        `kept` is what of the query says which part is shown; `path` is that of a page that was asked for by another.
        """
        parts = (quote(unquote(part), safe=":~.-") for part in (path or request.path).split("/"))
        return with_query("/".join(parts), kept or {})

    # What the frame of every page says.

    def current(self, path: str, shown: str) -> Markup:
        """The `aria-current` of the link to `path` on the page `shown`: whether it is that page, or one above it."""
        here, there = self.service.below(shown), self.service.below(path)
        if here == there or (there == "/explorer" and here == self.service.below(self.table())):
            return Markup(' aria-current="page"')
        return Markup(' aria-current="true"') if here.startswith(f"{there}/") else Markup()

    @property
    def credits(self) -> list[tuple[Credit, str]]:
        """The sources of the lists served now; none of invented ones."""
        version = self.service.version
        return credits(version.coverage) if version and not self.service.invented else []

    @property
    def last_lists(self) -> list[tuple[str, str]]:
        """The chambers that have lists, each with the day of the last one."""
        version = self.service.version
        coverage = version.coverage.items() if version else ()
        return [(chamber, lists.last) for chamber, lists in coverage if lists.last]

    @property
    def today(self) -> datetime.date:
        """The day on which pages speak; see `Service.today`."""
        return self.service.today

    def late(self, lists: Coverage) -> bool:
        """Whether the last list of a chamber is older than the settings allow."""
        return lists.late(self.today, self.config.late_days)

    @property
    def contact_link(self) -> str:
        """The contact as a link, "" if none is set."""
        contact = self.config.contact
        if "@" in contact and "/" not in contact:
            return "mailto:" + quote(contact, safe="@+.-_")
        return contact if contact.startswith(("https://", "http://")) else ""


def site_of(datasette: Datasette) -> Site | None:
    """The instance's pages, made once; None where no movements are served."""
    site: Site | None = getattr(datasette, _ATTRIBUTE, None)
    if site is None and (front := front_of(datasette)) is not None:
        site = Site(datasette, front.service)
        setattr(datasette, _ATTRIBUTE, site)
        # A global, because core renders its error page without the variables that plugins add.
        datasette.get_jinja_environment().globals["mouvements"] = site
    return site


def with_query(address: str, query: Mapping[str, object]) -> str:
    """An address with a query string, which leaves out parameters without a value."""
    text = urlencode({name: value for name, value in query.items() if value})
    return address + (f"?{text}" if text else "")
