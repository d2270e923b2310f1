"""Whose turn it is: the places that pages wait for, of visitors and accounts, here and at other plugins."""

from __future__ import annotations

import re
from contextlib import AbstractAsyncContextManager
from typing import Any

from datasette.app import Datasette
from datasette.plugins import pm

from ..access.slots import FairQueue, GiveBack, Queue
from ..pages.routes import routes
from .exports import Exports

# Core's static files and those of plugins, which cost next to nothing where they exist.
STATIC = ("/-/static/", "/-/static-plugins/")
STATIC_AT_ONCE = 8
# Pages of other plugins may wait for the network: they wait for each other, never for ours nor ours for them.
OF_OTHERS_AT_ONCE = 4
# Those of other databases keep threads of Datasette's busy, which are three, and ours need them too.
OF_DATABASES_AT_ONCE = 1
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
        self.visitors_of_databases = Queue(OF_DATABASES_AT_ONCE)
        self.accounts_of_databases = FairQueue(OF_DATABASES_AT_ONCE)
        self.streamed = FairQueue(STREAMED_AT_ONCE)
        ours = {pattern for pattern, _ in routes(datasette)}
        # In core's order: the first route that matches answers, and those of plugins come before its own.
        self._routes = [
            (re.compile(pattern), pattern not in ours)
            for found in pm.hook.register_routes(datasette=datasette)
            for pattern, _ in found
        ]

    def of_another_plugin(self, path: str) -> bool | None:
        """Whether a page at `path`, as core reads it, is another plugin's; None if it is no plugin's."""
        return next((others for route, others in self._routes if route.match(path)), None)

    def takes_more(self, method: str, path: str) -> bool:
        """Whether an account may send there more than our pages take of a body.

        Other plugins' pages take what they allow, and so does what core writes into other databases.
        """
        if method in ("GET", "HEAD"):
            return False
        of_plugin = self.of_another_plugin(path)
        if of_plugin is not None:
            return of_plugin
        return method == "POST" and "/-/" in path and self._exports.of_another_database(path)

    def place(
        self, path: str, actor: Any, streamed: bool = False
    ) -> AbstractAsyncContextManager[GiveBack]:
        """The place that a page at `path`, as core reads it, needs for `actor` (None is a visitor)."""
        visitors, accounts = self.visitors, self.accounts
        of_plugin = self.of_another_plugin(path)
        if of_plugin:
            visitors, accounts = self.visitors_of_others, self.accounts_of_others
        elif of_plugin is None and self._exports.of_another_database(path):
            visitors, accounts = self.visitors_of_databases, self.accounts_of_databases
        if actor:
            return (self.streamed if streamed else accounts).place(f"account {actor.get('id')}")
        return (self.static if path.startswith(STATIC) else visitors).place()
