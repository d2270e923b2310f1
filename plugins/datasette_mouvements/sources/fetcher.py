"""The fetcher takes every source's list; a source that fails does not keep the others back."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ..movement import PARIS
from ..regular_file import read_bytes
from ..tracking.git import GitFailed
from .attempts import FetchFailed, repeat
from .download import Limits, Validators, download
from .hooks import Source
from .repository import Repository


class FetchResult(NamedTuple):
    """The result of one source. `status` is new, unchanged or failed; `detail` says why it failed."""

    source: str
    status: str
    path: str = ""
    detail: str = ""


class Fetcher:
    """A fetcher stores into one repository of lists, and asks under one user agent.

    `clock` dates what is received, and bounds a run's attempts together with `sleep`.
    """

    def __init__(
        self,
        directory: Path,
        agent: str,
        clock: Callable[[], datetime],
        sleep: Callable[[float], None],
    ) -> None:
        self.repository = Repository(directory)
        self.agent = agent
        self.clock = clock
        self.sleep = sleep

    def fetch(self, sources: Iterable[Source]) -> list[FetchResult]:
        """One result a source, in their order."""
        results, begun = [], self.clock()
        for source in sources:
            attempt = partial(self._fetch, source)
            try:
                path, new = repeat(attempt, self.clock, self.sleep, begun)
                results.append(FetchResult(source.name, "new" if new else "unchanged", str(path)))
            except (FetchFailed, GitFailed, OSError) as error:
                results.append(FetchResult(source.name, "failed", detail=str(error)))
        return results

    def _fetch(self, source: Source) -> tuple[Path, bool]:
        last = self.repository.latest(source.chamber)
        known = self._validators(source, last)
        limits = Limits(source.most_bytes, source.seconds)
        body = io.BytesIO()
        validators = download(source.url, body, known, limits, self.agent)
        now = self.clock().astimezone(PARIS)
        if validators is None:
            assert last is not None
            unchanged = read_bytes(last, follow=False)
            return self.repository.store(source.chamber, unchanged, now)
        # Some servers send an error page with status 200 and call it text/csv.
        if body.getvalue().lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"<"):
            raise FetchFailed("a page instead of a list")
        stored = self.repository.store(source.chamber, body.getvalue(), now)
        seen = _whose(source.url, body.getvalue()) | validators._asdict()
        self.repository.remember(self.repository.last_seen() | {source.name: seen})
        return stored

    def _validators(self, source: Source, last: Path | None) -> Validators:
        """What the server said of the list that is the newest here; nothing where it said it of another.

        "Not changed" would otherwise make the newest list here, whatever it is, the server's.
        """
        seen = self.repository.last_seen().get(source.name, {})
        if (
            last is None
            or not _whose(source.url, read_bytes(last, follow=False)).items() <= seen.items()
        ):
            return Validators()
        return Validators(str(seen.get("etag", "")), str(seen.get("last_modified", "")))


def _whose(url: str, body: bytes) -> dict[str, str]:
    """What names a list that a server sent."""
    return {"url": url, "sha256": hashlib.sha256(body).hexdigest()}
