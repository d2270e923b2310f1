"""The chambers' servers: each serves the originals of an invented day, and misbehaves where it is told to."""

from __future__ import annotations

import datetime
import email.utils
import hashlib
import http.server
import re
import threading
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from parlement_lists.sources.hooks import MemberRecord
from parlement_lists.sources.registry import choose
from tests.sources import amo10

from .originals import Spoiled, ended, originals, read
from .world import World

Answer = Callable[["Request"], None]
PARIS_MORNING = datetime.time(3, 17)  # UTC: when the run asks
ZIP = "application/zip"
# Of each chamber, because sources at one host are one witness of the day.
HOSTS = {"assemblee": "127.0.0.1", "senat": "localhost", "europarl": "127.1"}
LEGISLATURE = re.compile("(?<=^/assemblee)/repository/[0-9]+")
# Mornings whose originals can be served again.
REMEMBERED = 45


class Chambers(http.server.ThreadingHTTPServer):
    """Serves a world's originals under `/CHAMBRE/WORD`, and a member's page under `/europarl/page/ID`.

    `answers` says which paths are answered otherwise; one path may be the beginning of others. The Assemblée's
    have the legislature behind the chamber, `/assemblee/repository/17/zip`; those of a legislature that has ended are
    served for ever. `past` are the originals of the days before, the newest last.
    """

    daemon_threads = True

    def __init__(self, world: World) -> None:
        super().__init__(("127.0.0.1", 0), Request)
        self.world = world
        self.answers: dict[str, Answer] = {}
        self.spoiled: dict[str, Spoiled] = {}
        self.past: deque[tuple[datetime.date, Mapping[str, bytes]]] = deque(maxlen=REMEMBERED)
        self.now: Mapping[str, bytes] = {}
        self.day, self.legislature = world.day, world.legislature
        self.deputies: list[MemberRecord] = []
        # Whether the next election ends all mandates in the zip of the legislature before; else it stays as it was.
        self.mandates_end = False
        self.ended: dict[str, tuple[datetime.date, bytes]] = {}
        self.stopping = threading.Event()
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,))
        self._thread.start()
        self.publish()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def publish(self) -> None:
        """Serve the originals of the world's day from now on."""
        if self.now:
            self.past.append((self.day, self.now))
            if self.legislature != self.world.legislature:
                self.ended |= {
                    _of_legislature(path, self.legislature): (self.day, body)
                    for path, body in self.now.items()
                    if path.startswith("/assemblee")
                }
                if self.mandates_end:
                    zip_ = amo10.make([], members=ended(self.deputies, self.day), made=self.day)
                    self.ended[_of_legislature("/assemblee/zip", self.legislature)] = (
                        self.world.day,
                        zip_,
                    )
        self.deputies = [read(m, self.world.elections) for m in self.world.seated_in("assemblee")]
        self.day, self.legislature = self.world.day, self.world.legislature
        self.now = originals(self.world, self.spoiled)

    def sources_file(self) -> str:
        """The addresses of this server, for `--sources`."""
        lines = []
        for source in choose(()):
            folder = f"/{source.name}"
            address = self.address.replace("127.0.0.1", HOSTS[source.name])
            if source.name == "assemblee":
                folder = _of_legislature(folder, self.legislature)
            lines += [f"{source.name}:", "  adresses:"]
            lines += [
                f"    {word}: {address}{folder}/{word}" + "/{id}" * (word == "page")
                for word in source.addresses
            ]
        return "\n".join(lines) + "\n"

    def close(self) -> None:
        self.stopping.set()
        self.shutdown()
        self._thread.join()
        self.server_close()


def _of_legislature(path: str, legislature: int) -> str:
    return path.replace("/assemblee", f"/assemblee/repository/{legislature}")


class Request(http.server.BaseHTTPRequestHandler):
    """One request; the server's clock shows the world's morning."""

    protocol_version = "HTTP/1.1"
    server: Chambers

    def do_GET(self) -> None:
        self.close_connection = True
        where = self.where
        found = [path for path in self.server.answers if where.startswith(path)]
        try:
            if found and self.of_today:
                self.server.answers[max(found, key=len)](self)
            else:
                self.serve(where)
        except ConnectionError:
            pass

    @property
    def where(self) -> str:
        """The path without what follows `?`, and without the legislature."""
        return LEGISLATURE.sub("", self.path.partition("?")[0])

    @property
    def of_today(self) -> bool:
        """Whether the address is none of another legislature than today's."""
        named = LEGISLATURE.search(self.path)
        return named is None or named[0].endswith(f"/{self.server.legislature}")

    def serve(self, where: str) -> None:
        """What the chamber publishes at a path; an address of a legislature to come is not there yet."""
        server = self.server
        if self.of_today:
            self.send(server.now.get(where), server.day)
        else:
            day, body = server.ended.get(self.path, (server.day, None))
            self.send(body, day)

    def date_time_string(self, timestamp: float | None = None) -> str:
        now = datetime.datetime.combine(self.server.day, PARIS_MORNING, datetime.UTC)
        return email.utils.format_datetime(now, usegmt=True)

    def send(
        self, body: bytes | None, day: datetime.date, status: int = 200, **headers: str
    ) -> None:
        if body is None:
            self.send(b"not here", day, 404)
            return
        tag = f'"{hashlib.sha256(body).hexdigest()}"'
        if status == 200 and self.headers["if-none-match"] == tag:
            status, body = 304, b""
        # As the chambers do: what a morning finds was made the evening before.
        evening = day - datetime.timedelta(1)
        made = datetime.datetime.combine(evening, datetime.time(20), datetime.UTC)
        told = {
            "connection": "close",
            "content-length": str(len(body)),
            "etag": tag,
            "last-modified": email.utils.format_datetime(made, usegmt=True),
            **headers,
        }
        self.send_response(status)
        for name, value in told.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: Any) -> None:
        pass
