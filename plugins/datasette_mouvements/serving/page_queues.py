"""Queues that limit how many page requests run at once, fair among accounts and among visitors' addresses."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from functools import partial
from typing import Any, NamedTuple

from datasette.app import Datasette
from datasette.plugins import pm

from ..access.slots import AT_ONCE, WAIT_SECONDS, FairQueue, PageTurn, busy
from ..pages.routes import SEARCHING, routes
from .exports import Exports
from .limits import PAGE_MILLISECONDS

# Static files of core and of plugins cost next to nothing where they exist.
STATIC = ("/-/static/", "/-/static-plugins/")
STATIC_AT_ONCE = 8
# Pages of other plugins may wait for the network, so they have queues of their own.
OF_OTHERS_AT_ONCE = 4
# Queries of other databases use Datasette's three SQL threads, which our pages share.
OF_DATABASES_AT_ONCE = 1
# Requests of accounts whose body is beyond the bounds: each takes as long as its client sends.
STREAMED_AT_ONCE = 16
# Requests of one address that wait or run in a process, static files apart: several tabs, not a program.
OF_ONE_ADDRESS = 8


class PageKind(Enum):
    """What waits apart from the rest."""

    LIGHT = "static files, and addresses that nothing answers"
    PAGES = "our pages, and core's own"
    SEARCHES = "searches, feeds and files"
    EXPLORER = "tables and rows of the movements"
    PLUGINS = "pages of other plugins"
    DATABASES = "other databases"


class VisitLimits(NamedTuple):
    """How long a page waits for its slot, and how long all its SQL runs."""

    wait_seconds: float = WAIT_SECONDS
    page_milliseconds: float = PAGE_MILLISECONDS


class PageQueues:
    """The queues of one service: one of each kind for visitors, who take turns by address, as accounts do."""

    def __init__(self, datasette: Datasette, exports: Exports, limits: VisitLimits) -> None:
        self._exports = exports
        self._visits: Counter[str] = Counter()
        queue = partial(FairQueue, seconds=limits.wait_seconds)
        at_once = {PageKind.LIGHT: STATIC_AT_ONCE, PageKind.PLUGINS: OF_OTHERS_AT_ONCE}
        self._visitors = {kind: queue(at_once.get(kind, AT_ONCE)) for kind in PageKind}
        self.accounts = queue()
        self._accounts = {
            PageKind.PLUGINS: queue(OF_OTHERS_AT_ONCE),
            PageKind.DATABASES: queue(OF_DATABASES_AT_ONCE),
        }
        self._streamed = queue(STREAMED_AT_ONCE)
        ours = {
            pattern: PageKind.SEARCHES if pattern in SEARCHING else PageKind.PAGES
            for pattern, _ in routes(datasette)
        }
        # In core's order: the first route that matches answers, and plugins' routes come before core's.
        self._routes = [
            (re.compile(pattern), ours.get(pattern, PageKind.PLUGINS))
            for plugin_routes in pm.hook.register_routes(datasette=datasette)
            for pattern, _ in plugin_routes
        ]

    def _of_a_plugin(self, path: str) -> PageKind | None:
        """The kind of the page at `path`, undecoded; None where no plugin answers."""
        return next((kind for route, kind in self._routes if route.match(path)), None)

    def shows(self, path: str) -> bool:
        """Whether a page of ours or of core is at `path`, undecoded, and none of another plugin."""
        return self._of_a_plugin(path) is not PageKind.PLUGINS

    def takes_long_bodies(self, method: str, path: str) -> bool:
        """Whether an account may send more there than our pages take.

        Other plugins' pages take what they allow, and so does what core writes into other databases.
        """
        if method in ("GET", "HEAD"):
            return False
        of_plugin = self._of_a_plugin(path)
        if of_plugin is not None:
            return of_plugin is PageKind.PLUGINS
        return method == "POST" and "/-/" in path and self._exports.of_another_database(path)

    @contextmanager
    def visit(self, path: str, address: str) -> Iterator[None]:
        """Count a request of a visitor while the block runs; Refusal("busy") beyond OF_ONE_ADDRESS."""
        if path.startswith(STATIC):
            yield
            return
        if self._visits[address] >= OF_ONE_ADDRESS:
            raise busy()
        self._visits[address] += 1
        try:
            yield
        finally:
            self._visits[address] -= 1
            if not self._visits[address]:
                del self._visits[address]

    def turn(
        self, path: str, actor: Any, address: str, streamed: bool = False
    ) -> tuple[PageTurn, bool]:
        """The turn of a request for the page at `path`, undecoded, by `actor` or by a visitor at `address`.

        And whether the page takes it by itself, once something must be made, as ours do.
        """
        of_plugin = self._of_a_plugin(path)
        kind = of_plugin or self._of_core(path)
        if actor:
            queue = self._streamed if streamed else self._accounts.get(kind, self.accounts)
            who = f"account {actor.get('id')}"
        else:
            queue, who = self._visitors[kind], address
        return PageTurn(queue.slot(who)), of_plugin in (PageKind.PAGES, PageKind.SEARCHES)

    def _of_core(self, path: str) -> PageKind:
        if self._exports.of_another_database(path):
            return PageKind.DATABASES
        if self._exports.of_the_movements(path):
            return PageKind.EXPLORER
        light = path.startswith(STATIC) or not path.startswith("/-")
        return PageKind.LIGHT if light else PageKind.PAGES
