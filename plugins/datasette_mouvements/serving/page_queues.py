"""Queues that limit how many page requests run at once."""

from __future__ import annotations

import re
from contextlib import AbstractAsyncContextManager
from typing import Any

from datasette.app import Datasette
from datasette.plugins import pm

from ..access.slots import FairQueue, Release, SlotQueue
from ..pages.routes import routes
from .exports import Exports

# Static files of core and of plugins cost next to nothing where they exist.
STATIC = ("/-/static/", "/-/static-plugins/")
STATIC_AT_ONCE = 8
# Pages of other plugins may wait for the network, so they have queues of their own.
OF_OTHERS_AT_ONCE = 4
# Queries of other databases use Datasette's three SQL threads, which our pages share.
OF_DATABASES_AT_ONCE = 1
# Requests of accounts whose body is beyond the bounds: each takes as long as its client sends.
STREAMED_AT_ONCE = 16


class PageQueues:
    """The queues of one service: of visitors, who share slots, and of accounts, who take turns."""

    def __init__(self, datasette: Datasette, exports: Exports) -> None:
        self._exports = exports
        self._static = SlotQueue(STATIC_AT_ONCE)
        self.accounts = FairQueue()
        self._ours = SlotQueue(), self.accounts
        self._of_plugins = SlotQueue(OF_OTHERS_AT_ONCE), FairQueue(OF_OTHERS_AT_ONCE)
        self._of_databases = SlotQueue(OF_DATABASES_AT_ONCE), FairQueue(OF_DATABASES_AT_ONCE)
        self._streamed = FairQueue(STREAMED_AT_ONCE)
        ours = {pattern for pattern, _ in routes(datasette)}
        # In core's order: the first route that matches answers, and plugins' routes come before core's.
        self._routes = [
            (re.compile(pattern), pattern not in ours)
            for plugin_routes in pm.hook.register_routes(datasette=datasette)
            for pattern, _ in plugin_routes
        ]

    def of_another_plugin(self, path: str) -> bool | None:
        """Whether the page at `path`, undecoded, is another plugin's; None if it is no plugin's."""
        return next((others for route, others in self._routes if route.match(path)), None)

    def takes_long_bodies(self, method: str, path: str) -> bool:
        """Whether an account may send more there than our pages take.

        Other plugins' pages take what they allow, and so does what core writes into other databases.
        """
        if method in ("GET", "HEAD"):
            return False
        of_plugin = self.of_another_plugin(path)
        if of_plugin is not None:
            return of_plugin
        return method == "POST" and "/-/" in path and self._exports.of_another_database(path)

    def slot(
        self, path: str, actor: Any, streamed: bool = False
    ) -> AbstractAsyncContextManager[Release]:
        """The slot that the page at `path`, undecoded, needs for `actor` (None is a visitor)."""
        visitors, accounts = self._ours
        of_plugin = self.of_another_plugin(path)
        if of_plugin:
            visitors, accounts = self._of_plugins
        elif of_plugin is None and self._exports.of_another_database(path):
            visitors, accounts = self._of_databases
        if actor:
            return (self._streamed if streamed else accounts).slot(f"account {actor.get('id')}")
        return (self._static if path.startswith(STATIC) else visitors).slot()
