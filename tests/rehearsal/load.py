"""Clients of a rehearsal: what they were answered, counted."""

from __future__ import annotations

import http.client
import threading
from contextlib import closing

CLIENTS = 4


class Load:
    """Clients that ask without a pause, each on a connection of its own."""

    def __init__(self, port: int, key: str) -> None:
        self.port, self.key = port, key
        self.answers: dict[str, int] = {}
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._ask) for _ in range(CLIENTS)]
        for thread in self._threads:
            thread.start()

    def _ask(self) -> None:
        while not self._stop.is_set():
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
                with closing(connection):
                    while not self._stop.is_set():
                        connection.request("GET", "/v1/mouvements", headers={"X-API-Key": self.key})
                        response = connection.getresponse()
                        whole = len(response.read()) == int(response.headers["content-length"])
                        self._count(str(response.status) if whole else "cut off")
            except (OSError, http.client.HTTPException) as error:
                self._count(type(error).__name__)

    def _count(self, answer: str) -> None:
        with self._lock:
            self.answers[answer] = self.answers.get(answer, 0) + 1

    @property
    def asked(self) -> int:
        return sum(self.answers.values())

    @property
    def failed(self) -> int:
        return sum(count for answer, count in self.answers.items() if answer != "200")

    def stop(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()
