"""Limits on visitors' page requests: what an address may ask for, and how long a page may run."""

from __future__ import annotations

import asyncio
import functools
import time
import types
from collections import Counter
from collections.abc import Awaitable, Collection, Coroutine, Generator
from contextlib import closing
from typing import Any
from urllib.parse import parse_qsl

from datasette.utils.sqlite import sqlite3

from ..api.service import Receive, Send
from ..dataset import schema
from ..refusal import Refusal

ADDRESS_BYTES = 2048
FACETS = 3  # more than the table's configuration shows
FACET_SIZE = 30
PAGE_ROWS = 100
_MOST = {"_facet_size": FACET_SIZE, "_size": PAGE_ROWS}
# Processor time of all SQL of a page; the rest of the page takes up to 100 ms more.
PAGE_MILLISECONDS = 200
FILTERS = 8
FILTERS_OF_ONE = 2
BEYOND = (
    "Sans compte, cette page admet au plus {}. Connectez-vous, ou envoyez votre clé, pour demander"
    " davantage."
)
# A page rests after a step that held the event loop for so long, because /v1 waits for no page.
STEP_SECONDS = 0.002
REST_SECONDS = 0.001


def check_address(
    path: bytes, query: bytes, configured: Collection[str], table: str = schema.TABLE
) -> None:
    """Raise Refusal("bounds") for what only an account or a key may ask of a table's page.

    `configured` are the facets that the table's configuration shows. Refusal("parameter") for what
    core would answer with an error, and a traceback in the log.
    """
    if len(path) + len(query) + 1 > ADDRESS_BYTES:
        raise _beyond(f"une adresse de {ADDRESS_BYTES} octets")
    pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
    # Core counts a facet as often as it is asked for, and once where the configuration shows it.
    facets = Counter(
        pair for pair in pairs if pair[0].startswith("_facet") and pair[0] != "_facet_size"
    )
    if (facets - Counter(("_facet", name) for name in set(configured))).total() > FACETS:
        raise _beyond(f"{FACETS} facettes ajoutées (_facet)")
    for name, value in pairs:
        most = _MOST.get(name)
        # Core reads a number in every form that Python knows; here only digits are within the bound.
        if most is not None and not (_is_number(value) and int(value) <= most):
            raise _beyond(f"{name}={most}")
    filters = Counter(name.rpartition("__")[0] or name for name, _ in pairs if _filters(name))
    if filters.total() > FILTERS:
        raise _beyond(f"{FILTERS} filtres")
    column, most_of_one = next(iter(filters.most_common(1)), ("", 0))
    if most_of_one > FILTERS_OF_ONE:
        named = f" ({column})" if table in schema.TABLES and column in _columns(table) else ""
        raise _beyond(f"{FILTERS_OF_ONE} filtres d’une même colonne{named}")
    if table in schema.TABLES and any(_ends_in_an_error(table, *pair) for pair in pairs):
        raise Refusal("parameter", "Cette page ne comprend pas un des paramètres de l’adresse.")


def _filters(name: str) -> bool:
    """Whether core takes a parameter for a filter of rows."""
    return not name.startswith("_") or name.startswith(("_search", "_q", "_equipe"))


def _ends_in_an_error(table: str, name: str, value: str) -> bool:
    """Whether core ends in an error for a parameter of the page of one of our tables."""
    return (
        name in ("_through", "_facet_array")  # no table of ours has links or lists
        or (name in ("_facet", "_facet_date") and value not in _columns(table))
        or (name == "_timelimit" and not _is_number(value))
        or (name.endswith(("__in", "__notin")) and value.startswith("["))
    )


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


@functools.cache
def _columns(table: str) -> frozenset[str]:
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(schema.TABLES[table])
        names = {name for _, name, *_ in db.execute(f"pragma table_info({table})")}
    return frozenset(names | {"rowid"})


def _beyond(bound: str) -> Refusal:
    return Refusal("bounds", BEYOND.format(bound))


def too_long(visiting: bool) -> str:
    """The French message when SQL took longer than a visitor, or an account, may use."""
    if visiting:
        return BEYOND.format(f"{PAGE_MILLISECONDS} ms pour toutes ses requêtes SQL")
    return "La requête SQL a pris plus de temps ou de mémoire qu’il n’est admis : resserrez-la."


class ResponseMonitor:
    """Whether a response was sent whole; its `send` is ASGI's."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.whole = False

    async def send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.body" and not message.get("more_body"):
            self.whole = True
        await self._send(message)


async def run_until_gone(
    receive: Receive, work: Awaitable[None], response: ResponseMonitor
) -> None:
    """Run `work`, and cancel it when the client goes; `receive` must take nothing that `work` reads.

    What still runs after the response (another plugin's log, say) goes on.
    """
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(receive())
    try:
        await asyncio.wait((task, gone), return_when=asyncio.FIRST_COMPLETED)
        if gone.done() and gone.result()["type"] == "http.disconnect" and not response.whole:
            task.cancel()
        await asyncio.wait((task,))
    finally:
        gone.cancel()
        task.cancel()
    if not task.cancelled():
        task.result()


@types.coroutine
def run_in_steps(work: Coroutine[Any, Any, None]) -> Generator[Any, Any, None]:
    """Run `work` step by step, with a rest after each step that took long.

    A step is what a coroutine does between two awaits, while the event loop does nothing else. A
    request that awaits its turn needs a few rounds of the loop, and would wait for a step in each.
    The rest comes after the awaited result is there, so that a cancellation reaches that wait too.
    """
    result: Any = None
    failure: BaseException | None = None
    while True:
        began = time.perf_counter()
        try:
            awaited = work.send(result) if failure is None else work.throw(failure)
        except StopIteration:
            return
        result = failure = None
        long = time.perf_counter() - began > STEP_SECONDS
        try:
            result = yield awaited
            if long:
                yield from asyncio.sleep(REST_SECONDS).__await__()
        except BaseException as raised:  # a cancellation, which `work` must see
            failure = raised
