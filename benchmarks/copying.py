"""The ways of keeping a copy of a service's movements, as their users would write them."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import httpx2

from .history import Movement, movement_of, movements_of

PAGE = 100


class Way:
    """A copy, kept in one way by one who has a key of his own."""

    name = ""

    def __init__(self, address: str, key: str, folder: Path) -> None:
        self.address, self.key, self.folder = address, key, folder
        self._client = httpx2.Client(headers={"Authorization": f"Bearer {key}"}, timeout=30)

    def update(self, today: date) -> None:
        """Bring the copy up to date, as is done once a day."""
        raise NotImplementedError

    def rows(self) -> list[Movement]:
        """What the copy holds."""
        raise NotImplementedError

    def close(self) -> None:
        self._client.close()

    def ask(self, address: str, tag: str = "") -> httpx2.Response:
        """An answer: 200, 304 or 410."""
        headers = {"If-None-Match": tag} if tag else {}
        answer = self._client.get(address, headers=headers)
        if answer.status_code not in (200, 304, 410):
            raise RuntimeError(f"{address}: {answer.status_code} {answer.text}")
        return answer


class AllPages(Way):
    """Every page each day, in the place of the copy; `meanwhile` is called before each page."""

    name = "all pages, each day"

    def __init__(self, address: str, key: str, folder: Path) -> None:
        super().__init__(address, key, folder)
        self.meanwhile: Callable[[int], None] = lambda page: None
        self._rows: list[Movement] = []

    def update(self, today: date) -> None:
        self._rows = list(self.walk(f"{self.address}/v1/mouvements?limit={PAGE}"))

    def walk(self, address: str) -> Iterator[Movement]:
        """What a page and those that follow it hold."""
        following: str | None = address
        page = 0
        while following:
            page += 1
            self.meanwhile(page)
            answer = self.ask(following)
            yield from map(movement_of, answer.json()["mouvements"])
            link = re.search(r'<([^>]*)>; rel="next"', answer.headers["Link"])
            following = link[1] if link else None

    def rows(self) -> list[Movement]:
        return self._rows


class SinceYesterday(AllPages):
    """All pages once; then each day what happened since the day before, by identifier."""

    name = "depuis=yesterday, each day"

    def update(self, today: date) -> None:
        since = f"&depuis={today - timedelta(days=1)}" if self._rows else ""
        found = self.walk(f"{self.address}/v1/mouvements?limit={PAGE}{since}")
        self._rows = list({row.id: row for row in [*self._rows, *found]}.values())


class WholeFile(Way):
    """The whole file each day, in the place of the copy."""

    name = "the whole file, each day"
    conditional = False

    def __init__(self, address: str, key: str, folder: Path) -> None:
        super().__init__(address, key, folder)
        self.cursor = self._tag = ""
        self.copy: dict[str, Movement] = {}

    def update(self, today: date) -> None:
        answer = self.ask(f"{self.address}/fichiers/tout", self._tag)
        if answer.status_code == 304:
            return
        self.cursor = answer.headers["Mouvements-Curseur"]
        if self.conditional:
            self._tag = answer.headers["ETag"]
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
            lines = archive.read("mouvements.ndjson").splitlines()
        found = map(movement_of, map(json.loads, lines))
        self.copy = {movement.id: movement for movement in found}

    def rows(self) -> list[Movement]:
        return list(self.copy.values())


class ChangedFile(WholeFile):
    """The same, on condition that it changed."""

    name = "the whole file, if changed"
    conditional = True


class Feed(WholeFile):
    """The whole file once; then each day the feed."""

    name = "the whole file once, then the feed"

    def update(self, today: date) -> None:
        if not self.cursor:
            super().update(today)
        more = True
        while more:
            address = f"{self.address}/v1/changements?curseur={self.cursor}&limit=500"
            answer = self.ask(address, self._tag)
            if answer.status_code == 304:
                return
            if answer.status_code == 410:
                self.cursor = self._tag = ""
                return self.update(today)
            page = answer.json()
            self._apply(page["changements"])
            self._tag = answer.headers["ETag"] if page["curseur"] == self.cursor else ""
            self.cursor, more = page["curseur"], page["encore"]

    def _apply(self, changes: list[dict[str, Any]]) -> None:
        for change in changes:
            if change["nature"] == "retrait":
                self.copy.pop(change["id"], None)
            else:
                self.copy[change["id"]] = movement_of(change["mouvement"])


class CopyFrom(Way):
    """The command of this package, each day."""

    name = "copy-from, each day"

    def update(self, today: date) -> None:
        key_file = self.folder / "key"
        key_file.touch(mode=0o600)
        key_file.write_text(self.key)
        command = [sys.executable, "-m", "datasette", "mouvements", "copy-from", self.address]
        command += [str(self.folder / "copy.db"), "--key-file", str(key_file)]
        subprocess.run(command, check=True, capture_output=True)

    def rows(self) -> list[Movement]:
        return movements_of(self.folder / "copy.db")


WAYS: tuple[type[Way], ...] = (AllPages, SinceYesterday, WholeFile, ChangedFile, Feed, CopyFrom)
