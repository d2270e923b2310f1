"""Whose turn it is: the places that pages wait for, of visitors and accounts, here and at other plugins."""

from __future__ import annotations

import re
from contextlib import AbstractAsyncContextManager
from typing import Any

from datasette.app import Datasette
from datasette.plugins import pm

from ..access.places import FairQueue, GiveBack, Queue
from ..pages.routes import routes
from .exports import Exports

# Core's static files and those of plugins, which cost next to nothing where they exist.
STATIC = ("/-/static/", "/-/static-plugins/")
STATIC_AT_ONCE = 8
# Pages of other plugins may wait for the network, those of other databases for their SQL: they wait
# for each other, never for ours nor ours for them.
OF_OTHERS_AT_ONCE = 4
# What accounts send to them beyond the bounds of a body, one at a time each: as slow as its client.
STREAMED_AT_ONCE = 16


class Turns:
    """The queues of one service."""

    def __init__(self, datasette: Datasette, exports: Exports) -> None:
        self._exports = exports
        self.static = Queue(STATIC_AT_ONCE)
        self.visitors = Queue()
        self.accounts = FairQueue()
        self.visitors_of_others = Queue(OF_OTHERS_AT_ONCE)
        self.accounts_of_others = FairQueue(OF_OTHERS_AT_ONCE)
        self.streamed = FairQueue(STREAMED_AT_ONCE)
        ours = {pattern for pattern, _ in routes(datasette)}
        # In core's order: the first route that matches answers, and those of plugins come before its own.
        self._routes = [
            (re.compile(pattern), pattern not in ours)
            for found in pm.hook.register_routes(datasette=datasette)
            for pattern, _ in found
        ]

    def of_another_plugin(self, path: str, otherwise: bool = False) -> bool:
        """Whether a page of another plugin is at `path`, as core reads it; `otherwise` where no plugin's is."""
        return next((others for route, others in self._routes if route.match(path)), otherwise)

    def place(
        self, path: str, actor: Any, streamed: bool = False
    ) -> AbstractAsyncContextManager[GiveBack]:
        """The place that a page at `path`, as core reads it, needs for `actor` (None is a visitor)."""
        of_others = self.of_another_plugin(path, self._exports.of_another_database(path))
        if actor:
            accounts = self.accounts_of_others if of_others else self.accounts
            if streamed:
                accounts = self.streamed
            return accounts.place(f"account {actor.get('id')}")
        if path.startswith(STATIC):
            return self.static.place()
        return (self.visitors_of_others if of_others else self.visitors).place()
