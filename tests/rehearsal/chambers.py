"""The chambers' servers: each serves the originals of an invented day, and misbehaves where it is told to."""

from __future__ import annotations

import datetime
import email.utils
import hashlib
import http.server
import threading
from collections.abc import Callable, Mapping
from typing import Any

from parlement_lists.sources.hooks import MemberRecord, Source, StaffRow
from parlement_lists.sources.registry import choose
from tests.sources import amo10, europarl_pages, senate_files, senate_pdf

from .world import Member, World

Fault = Callable[["_Request"], None]
PARIS_MORNING = datetime.time(3, 17)  # UTC: when the run asks
ZIP = "application/zip"


class Chambers(http.server.ThreadingHTTPServer):
    """Serves a world's originals under `/CHAMBRE/WORD`, and a member's page under `/europarl/page/ID`.

    `faults` says which paths misbehave, and how; one path may be the beginning of others. `before`
    are the originals of the day before, for a server that serves those again.
    """

    daemon_threads = True

    def __init__(self, world: World) -> None:
        super().__init__(("127.0.0.1", 0), _Request)
        self.world = world
        self.faults: dict[str, Fault] = {}
        self.now: dict[str, bytes] = {}
        self.before: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.stopping = threading.Event()
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,))
        self._thread.start()
        self.publish()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def publish(self) -> None:
        """Serve the originals of the world's day from now on."""
        self.before, self.now = self.now, dict(originals(self.world))
        self.day_before, self.day = getattr(self, "day", self.world.day), self.world.day

    def sources(self) -> list[Source]:
        """The three chambers' sources, with the addresses of this server."""
        return [
            source.at(
                {
                    word: f"{self.address}/{source.name}/{word}" + ("/{id}" * (word == "page"))
                    for word in source.addresses
                }
            )
            for source in choose(())
        ]

    def sources_file(self) -> str:
        """The same for `--sources`."""
        lines = []
        for source in self.sources():
            lines += [f"{source.name}:", "  adresses:"]
            lines += [f"    {word}: {address.url}" for word, address in source.addresses.items()]
        return "\n".join(lines) + "\n"

    def close(self) -> None:
        self.stopping.set()
        self.shutdown()
        self._thread.join()
        self.server_close()


def originals(world: World) -> Mapping[str, bytes]:
    """What the chambers publish on the world's day, by path."""
    edition = world.day - datetime.timedelta(1)
    rows = {chamber: world.rows(chamber) for chamber in world.members}
    deputies, senators, meps = (
        [_read(member) for member in world.members[c]] for c in ("assemblee", "senat", "europarl")
    )
    pages = {
        f"/europarl/page/{member.id}": europarl_pages.make(
            member.id,
            f"{member.given} {member.family.upper()}",
            [r._replace(fonction=_HEADING) for r in rows["europarl"] if r.elu_id == member.id],
        )
        for member in meps
    }
    return {
        "/assemblee/zip": amo10.make(rows["assemblee"], members=deputies, made=world.day),
        "/assemblee/csv": amo10.staff_csv(rows["assemblee"]),
        "/assemblee/deputes": amo10.deputies_csv(deputies),
        "/senat/par_senateur": senate_pdf.make(_sorted(rows["senat"]), edition),
        "/senat/alphabetique": senate_pdf.make(rows["senat"], edition, alphabetical=True),
        "/senat/senateurs": senate_files.senateurs_json(senators),
        "/senat/general": senate_files.general(senators),
        "/europarl/members": europarl_pages.api_answer(meps),
        "/europarl/full_list": europarl_pages.full_list(meps),
        **pages,
    }


_HEADING = "Accredited assistants"


def _read(member: Member) -> MemberRecord:
    return MemberRecord(member.id, member.family, member.given, member.civility, member.group)


def _sorted(rows: list[StaffRow]) -> list[StaffRow]:
    """In the order of the senators' names, as the PDF has them."""
    return sorted(rows, key=lambda row: (row.elu_nom.lower(), row.elu_prenom, row.collab_nom))


class _Request(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Chambers

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self.close_connection = True
        found = [path for path in self.server.faults if self.path.startswith(path)]
        try:
            if found:
                self.server.faults[max(found, key=len)](self)
            else:
                self.send(self.server.now.get(self.path.partition("?")[0]), self.server.day)
        except ConnectionError:
            pass

    def date_time_string(self, timestamp: float | None = None) -> str:
        """The server's clock is that of the world."""
        now = datetime.datetime.combine(self.server.world.day, PARIS_MORNING, datetime.UTC)
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
        made = datetime.datetime.combine(day, datetime.time(1), datetime.UTC)
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


def not_found(request: _Request) -> None:
    request.send(b"not here", request.server.day, 404)


def accepted_and_empty(request: _Request) -> None:
    request.send(b"", request.server.day, 202)


def broken(request: _Request) -> None:
    request.send(b"sorry", request.server.day, 500)


def cut(request: _Request) -> None:
    """Half of what was promised."""
    body = request.server.now[request.path.partition("?")[0]]
    request.send_response(200)
    request.send_header("content-length", str(len(body)))
    request.end_headers()
    request.wfile.write(body[: len(body) // 2])


def cut_and_whole(request: _Request) -> None:
    """Half a file whose length is told as if it were all."""
    body = request.server.now[request.path.partition("?")[0]]
    request.send(body[: len(body) // 2], request.server.day)


def a_page(request: _Request) -> None:
    body = b"<!DOCTYPE html><html lang='en'><title>Maintenance</title><p>Back soon.</p></html>"
    request.send(body, request.server.day, content_type="text/html; charset=utf-8")


def a_page_called_otherwise(request: _Request) -> None:
    request.send(b"<!DOCTYPE html><html><p>Back soon.</p></html>", request.server.day)


def another_type(request: _Request) -> None:
    """A zip in the place of whatever was asked for, or a PDF in that of a zip."""
    of = "/senat/par_senateur" if request.path == "/assemblee/zip" else "/assemblee/zip"
    request.send(request.server.now[of], request.server.day, content_type=ZIP)


def moved(request: _Request) -> None:
    """The same file, elsewhere."""
    if request.path.endswith("?here"):
        request.send(request.server.now[request.path.partition("?")[0]], request.server.day)
    else:
        request.send(b"", request.server.day, 301, location=f"{request.path}?here")


def of_yesterday(request: _Request) -> None:
    """What was there the day before, with its date."""
    request.send(
        request.server.before.get(request.path.partition("?")[0]), request.server.day_before
    )
