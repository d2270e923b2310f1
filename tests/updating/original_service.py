"""A real service behind real HTTP, to be copied: what it publishes, and what it answers, can be changed."""

from __future__ import annotations

import contextlib
import datetime
import io
import json
import threading
import time
import zipfile
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from datasette.utils.sqlite import sqlite3

from datasette_mouvements.api.routes import routes_of
from datasette_mouvements.copying.copy_report import CopyReport
from datasette_mouvements.copying.copy_run import PAGES_A_WRITE, follow
from datasette_mouvements.copying.service_client import Bounds, Key, ServiceClient
from datasette_mouvements.dataset.served.snapshot import Snapshot
from datasette_mouvements.dataset.writer import write
from parlement_lists.bounds import ANSWER_ITEMS
from parlement_lists.movement import Movement
from tests.contract import environment
from tests.contract.service import Answer, InProcess

NOW = datetime.datetime(2026, 9, 14, 4, 0, tzinfo=datetime.UTC)
QUOTA = 1_000_000  # no walk of a test comes near it
QUICK = Bounds(5_000_000, 20.0, 5.0)
Behaviour = Callable[[str], Answer | None]


def movement(number: int, **given: str) -> Movement:
    """An invented movement, of its own identifier."""
    plain = {
        "id": f"mvt_{number:020x}",
        "date_event": f"2026-03-{number % 20 + 1:02}",
        "chambre": "senat",
        "type": "arrivee",
        "collab_nom": f"NOM{number}",
        "collab_prenom": "Zoé",
        "elu_id": "99001Z",
    }
    return Movement(**(plain | given))


def answer(status: int = 200, body: object = b"", **headers: str) -> Answer:
    """An answer that no service gave; a body that is no bytes becomes JSON."""
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Answer(status, [(n.replace("_", "-"), value) for n, value in headers.items()], sent)


class OriginalService(ThreadingHTTPServer):
    """What is asked over HTTP is answered by a service of this process.

    `behave` gets each target before the service does, and may answer in its place; `hear` gets what was
    answered. `begin` makes the first file; by default it holds some movements.
    """

    daemon_threads = True

    def __init__(self, folder: Path, begin: Callable[[Path], object] | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        folder.mkdir(parents=True, exist_ok=True)
        self.database, self.internal = folder / "movements.db", folder / "internal.sqlite3"
        self.targets: list[str] = []
        self.failures: list[AssertionError] = []
        self.keys: list[str] = []
        self.behave: Behaviour = lambda target: None
        self.hear: Callable[[str, bytes], None] = lambda target, body: None
        self.table: dict[str, Movement] = {}
        self.key = environment.issue("copiste", self.internal)
        self.key_file = folder / "cle"
        self.key_file.write_text(f"{self.key}\n")
        if begin is None:
            self.publish(*(movement(number) for number in range(1, 8)))
        else:
            begin(self.database)
        datasette = environment.datasette(self.database, self.internal, {"quota": QUOTA})
        self.service = InProcess(datasette, self.internal)
        self._thread = threading.Thread(target=self.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def publish(self, *movements: Movement, anew: bool = False) -> None:
        """Publish these movements and no others; `anew`, in a file of another lineage."""
        self.table = {movement.id: movement for movement in movements}
        if anew:
            self.database.unlink()
        write(self.database, [("test", enumerate(movements, 1))], None, NOW)
        self.adopt()

    def change(self, *movements: Movement, gone: tuple[int, ...] = ()) -> None:
        """Publish what is there with these movements added or replaced, and these gone."""
        without = {movement(number).id for number in gone}
        table = self.table | {one.id: one for one in movements}
        self.publish(*(one for id, one in table.items() if id not in without))

    def adopt(self) -> None:
        """Have the running service serve the file as it is now."""
        if not hasattr(self, "service"):
            return
        routes = routes_of(self.service.datasette)
        assert routes is not None
        live, edition = routes.service.live, said(self.database)["edition"]
        until = time.monotonic() + 20
        # The service looks too, and may have found the moment when there was no file.
        while live.snapshot is None or live.snapshot.edition != edition:
            self.service.run(live.look())
            assert time.monotonic() < until, live.refused

    def close(self) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()
        self.service.close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: OriginalService

    def do_GET(self) -> None:
        server = self.server
        server.targets.append(self.path)
        server.keys.append(self.headers.get("authorization", ""))
        sent = {name: value for name, value in self.headers.items() if name.lower() != "connection"}
        found = server.behave(self.path)
        found = found or server.service.ask(self.path, sent)
        self.send_response(found.status)
        for name, value in found.headers:
            if name not in ("content-length", "date", "server"):
                self.send_header(name, value)
        self.send_header("content-length", str(len(found.body)))
        self.end_headers()
        with contextlib.suppress(ConnectionError):
            self.wfile.write(found.body)

    def log_message(self, *arguments: Any) -> None:
        pass


def whole_file(database: Path, lines: bytes | None = None, **described: object) -> bytes:
    """The file of everything of a database, as a service would hand it out but for what is given."""
    with contextlib.closing(Snapshot(database)) as snapshot:
        each = (b"".join(snapshot.lines([rowid])) for rowid in range(snapshot.rows, 0, -1))
        newest_first = b"\n".join([*each, b""])
        package = {
            "curseur": str(snapshot.feed.end),
            "version": snapshot.version,
            "attribution": "Les essais",
            "licenses": [{"title": "Licence des essais", "path": "https://example.org/"}],
        }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mouvements.ndjson", newest_first if lines is None else lines)
        archive.writestr("datapackage.json", json.dumps(package | described))
    return file.getvalue()


def copy(
    original: OriginalService,
    database: Path,
    slept: list[float] | None = None,
    url: str = "",
    page: int = ANSWER_ITEMS,
    pages_a_write: int = PAGES_A_WRITE,
    clock: Callable[[], datetime.datetime] = lambda: NOW,
) -> CopyReport:
    """One run over a copy; nobody waits."""
    sleep = ([] if slept is None else slept).append
    address = url or original.url
    with ServiceClient(
        address, Key(original.key), "test", lambda: NOW, sleep, QUICK, QUICK, page
    ) as asked:
        return follow(database, asked, clock, pages_a_write)


def rows(database: Path, order: str = "rowid") -> list[tuple[Any, ...]]:
    """The movements of a file, as they are stored."""
    with contextlib.closing(sqlite3.connect(database)) as db:
        return db.execute(f"select * from mouvements order by {order}").fetchall()


def said(database: Path) -> dict[str, str]:
    """What a file says of itself."""
    with contextlib.closing(sqlite3.connect(database)) as db:
        return dict(db.execute("select cle, valeur from _publication"))
