"""A real service behind real HTTP, to be copied: what it publishes, and what it answers, can be changed."""

from __future__ import annotations

import contextlib
import datetime
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from datasette_mouvements.api.front import front_of
from datasette_mouvements.dataset.connections import publication
from parlement_lists.movement import Movement
from tests.contract import environment
from tests.contract.service import Answer, InProcess
from tests.published import write

NOW = datetime.datetime(2026, 9, 14, 4, 0, tzinfo=datetime.UTC)
QUOTA = 1_000_000  # no walk of a test comes near it
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


class OriginalService(ThreadingHTTPServer):
    """What is asked over HTTP is answered by a service of this process.

    `behave` gets each target before the service does, and may answer in its place.
    """

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        folder.mkdir(parents=True, exist_ok=True)
        self.database, self.internal = folder / "movements.db", folder / "internal.sqlite3"
        self.targets: list[str] = []
        self.keys: list[str] = []
        self.behave: Behaviour = lambda target: None
        self.table: dict[str, Movement] = {}
        self.key = environment.issue("copiste", self.internal)
        self.key_file = folder / "cle"
        self.key_file.write_text(f"{self.key}\n")
        self.publish(*(movement(number) for number in range(1, 8)))
        datasette = environment.datasette(self.database, self.internal, {"quota": QUOTA})
        self.service = InProcess(datasette, self.internal)
        self._thread = threading.Thread(target=self.serve_forever, args=(0.01,))
        self._thread.start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing where a client goes away before the answer ends."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def publish(self, *movements: Movement) -> None:
        """Publish these movements and no others."""
        self.table = {movement.id: movement for movement in movements}
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
        routes = front_of(self.service.datasette)
        assert routes is not None
        live, edition = routes.service.served, publication(self.database)["edition"]
        until = time.monotonic() + 20
        # The service looks too, and may have found the moment when there was no file.
        while live.version is None or live.version.edition != edition:
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
