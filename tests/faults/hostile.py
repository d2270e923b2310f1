"""Clients that send what no client should, while others go on being served."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Callable, Iterator
from pathlib import Path

from datasette_mouvements.keys import keys
from tests.contract import environment

from .client import closed, load, response
from .kills import charged, judge
from .outcome import Outcome
from .processes import Server

# Stands in every hostile key, path and value: no log line may hold it.
MARK = "Zorglub"
# Refused by the HTTP server before or after a look at it, or by the service: all are good refusals.
REFUSED = frozenset(
    (200, 204, 301, 302, 303, 400, 401, 403, 404, 405, 408, 411, 413, 414, 417, 431)
)
SLOW = 50
END = b"\r\n\r\n"
Kind = Callable[[random.Random], bytes]
GOOD = "/v1/mouvements?limit=5"


def _get(target: str, *headers: str, method: str = "GET") -> bytes:
    return "\r\n".join((f"{method} {target} HTTP/1.1", "Host: a", *headers, "", "")).encode(
        "latin-1"
    )


def unknown_key(chance: random.Random) -> bytes:
    """Well formed: it takes a look-up to refuse it."""
    return _get(GOOD, f"Authorization: Bearer {keys.issue(chance)}")


def malformed_key(chance: random.Random) -> bytes:
    return _get(GOOD, f"X-API-Key: mvt_{MARK}{chance.randrange(10**9):030}")


def many_headers(chance: random.Random) -> bytes:
    return _get(GOOD, *(f"X-{MARK}-{n}: {'a' * 200}" for n in range(100)))


def long_header(chance: random.Random) -> bytes:
    return _get(GOOD, f"Cookie: ds_actor={MARK * 8000}")


def many_keys(chance: random.Random) -> bytes:
    return _get(GOOD, *["X-API-Key: mvt_" + "a" * 36, "Authorization: Bearer x"] * 50)


def long_query(chance: random.Random) -> bytes:
    return _get(f"/v1/mouvements?elu={MARK * 9000}")


def many_parameters(chance: random.Random) -> bytes:
    return _get("/v1/mouvements?" + "&".join(f"a{n}={MARK[:3]}" for n in range(5000)))


def bad_escapes(chance: random.Random) -> bytes:
    value = chance.choice(("%00", "%FF%FE", "%C0%AF", "%ED%A0%80", "%", "%zz", "%0D%0AX-A:%20b"))
    paths = ("/v1/mouvements", f"/v1/{value}", f"/movements/{value}", f"/{value}")
    path = chance.choice((*paths, "/v1/changements", f"/v1/mouvements/{value}"))
    return _get(f"{path}?elu={value}{MARK}&curseur={value}&{value}=1")


def raw_bytes(chance: random.Random) -> bytes:
    """Not percent-encoded: no URL."""
    path = bytes(chance.choices(range(128, 256), k=8)).decode("latin-1")
    return _get(f"/{path}?q={path}{MARK}")


def junk_host(chance: random.Random) -> bytes:
    host = chance.choice(('"><script>', "a b", "\xff", "a" * 5000, "..", "[::", "", "a:b:c"))
    return f"GET {GOOD} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode("latin-1")


def odd_method(chance: random.Random) -> bytes:
    method = chance.choice(("TRACE", "PROPFIND", "LOCK", "DELETE", "PUT", "OPTIONS", "PURGE"))
    return _get(chance.choice((GOOD, "/v1/nothing", "/movements.json")), method=method)


def no_http(chance: random.Random) -> bytes:
    return chance.choice(
        (chance.randbytes(300), b"\x16\x03\x01\x02\x00", b"GET\r\n\r\n", b"\0" * 50)
    )


def odd_conditions(chance: random.Random) -> bytes:
    tags = ",".join('W/"x"' for _ in range(2000))
    return _get(
        GOOD, f"If-None-Match: {tags}", "Accept-Encoding: gzip;q=x, *;q=9, ;;", "Range: bytes=0-"
    )


def export(chance: random.Random) -> bytes:
    return _get(f"/movements/mouvements.json?_where={MARK}&sql=select+1")


def upgrade(chance: random.Random) -> bytes:
    return _get(
        f"/movements?{MARK}", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: a"
    )


def unfinished_body(chance: random.Random) -> bytes:
    return _get(GOOD, "Content-Length: 99999999", method="POST") + b"a" * 1000


KINDS: tuple[Kind, ...] = (
    *(unknown_key, unknown_key, unknown_key, malformed_key, malformed_key, malformed_key),
    *(many_headers, long_header, many_keys, long_query, many_parameters, bad_escapes, raw_bytes),
    *(junk_host, odd_method, no_http, odd_conditions, export, upgrade, unfinished_body),
)


def run(folder: Path, database: Path, times: int, seed: int = 1) -> Outcome:
    outcome = Outcome("hostile requests, 2 workers")
    server = Server(database, folder / "internal.sqlite3")
    good = Outcome("the others")
    try:
        key = environment.issue("charge", server.internal, "--quota", 10_000_000)
        bad = environment.issue("hostile", server.internal, "--quota", 10_000_000)
        asyncio.run(_besiege(server, key, bad, times, random.Random(seed), outcome, good))
    finally:
        server.close()
    good.reckon(charged(server.internal, "charge"))
    outcome.wrong += good.wrong
    outcome.lost_charges, outcome.longest = good.lost_charges, good.longest
    outcome.note = f"{good.sent:,} other requests served meanwhile"
    told = server.log.read_text(encoding="utf-8", errors="replace")
    if MARK in told or "Traceback" in told:
        outcome.wrong.append(f"in the log: {told[-2000:]}")
    return outcome


async def _besiege(
    server: Server,
    key: str,
    bad: str,
    times: int,
    chance: random.Random,
    outcome: Outcome,
    good: Outcome,
) -> None:
    async with load(lambda: server.port, lambda: GOOD, key, good, judge, clients=2):
        slow = [asyncio.create_task(_slow(server.port)) for _ in range(SLOW)]
        kinds = itertools.islice(itertools.cycle(KINDS), times)
        await asyncio.gather(
            *(_attack(server.port, bad, kinds, chance, outcome) for _ in range(16))
        )
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)
    outcome.tried = outcome.sent


async def _attack(
    port: int, key: str, kinds: Iterator[Kind], chance: random.Random, outcome: Outcome
) -> None:
    """One connection after the other, each kept as long as the server keeps it."""
    writer = None
    for kind in kinds:
        outcome.sent += 1
        if writer is None:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        request, known = kind(chance), chance.random() < 0.5
        if known:
            request = request.replace(END, b"\r\nAuthorization: Bearer " + key.encode() + END, 1)
        try:
            async with asyncio.timeout(10):
                writer.write(request)
                method = request.partition(b" ")[0].decode("latin-1")
                got = await response(reader, 0.0, method)
        except TimeoutError:
            outcome.wrong.append(f"{kind.__name__}: no answer")
            status, keep = 0, False
        except (ConnectionError, asyncio.IncompleteReadError):
            status, keep = 0, False  # closed without a word, as bytes that are not HTTP deserve
        except ValueError as error:
            outcome.wrong.append(f"{kind.__name__}: {error}")
            status, keep = 0, False
        else:
            status, keep = got.status, got.headers.get("connection") != "close"
            outcome.statuses[status] += 1
            # All come from one address, of which few are served at once; the data are never short.
            busy = status == 503 and b"site-occupe" in got.body
            if not (busy or status in REFUSED) or (
                status == 200 and b"mvt_" in got.body and not known
            ):
                outcome.wrong.append(f"{kind.__name__}: {status} {got.body[:200]!r}")
            if kind is unfinished_body or "content-length" not in got.headers:
                keep = False  # the rest of the request, or of the answer, would follow
        if not keep:
            await closed(writer)
            writer = None
    if writer is not None:
        await closed(writer)


async def _slow(port: int) -> None:
    """A byte of a header now and then."""
    while True:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            for byte in _get(GOOD, f"X-Slow: {MARK * 20}"):
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(0.2)
        except ConnectionError:
            continue  # given up on: again
        finally:
            await closed(writer)
