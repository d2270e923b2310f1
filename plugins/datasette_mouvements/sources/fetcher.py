"""The fetcher takes from every source once; a source that fails does not keep the others back."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ..movement import PARIS
from ..tracking.git import GitFailed
from .attempts import FetchFailed, PassingFailure, repeat
from .download import Limits, Validators, download
from .hooks import Source
from .repository import ASIDE, Repository


class FetchResult(NamedTuple):
    """The result of one source. `status` is new, unchanged or failed; `detail` says why it failed."""

    source: str
    status: str
    path: str = ""
    detail: str = ""


class Fetcher:
    """A fetcher writes into one repository of lists, under one user agent.

    `clock` and `sleep` are the time that passes between attempts, and the date of what is received.
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
        kinds = {"list": self._fetch_list, "git": self._fetch_clone, "file": self._fetch_file}
        results = []
        for source in sources:
            try:
                path, new = repeat(partial(kinds[source.kind], source), self.clock, self.sleep)
                results.append(FetchResult(source.name, "new" if new else "unchanged", str(path)))
            except (FetchFailed, GitFailed, OSError) as error:
                results.append(FetchResult(source.name, "failed", detail=str(error)))
        return results

    def _fetch_list(self, source: Source) -> tuple[Path, bool]:
        seen = self.repository.last_seen().get(source.name, {})
        last = self.repository.latest(source.chamber)
        body = io.BytesIO()
        validators = self._download(source, body, seen if last else {})
        now = self.clock().astimezone(PARIS)
        if validators is None:
            assert last is not None
            return self.repository.store(source.chamber, last.read_bytes(), now)
        # Some servers send an error page with status 200 and call it text/csv.
        if body.getvalue().lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"<"):
            raise FetchFailed("a page instead of a list")
        stored = self.repository.store(source.chamber, body.getvalue(), now)
        self._remember(source, validators._asdict())
        return stored

    def _fetch_clone(self, source: Source) -> tuple[Path, bool]:
        given = (source.name, source.url, source.seconds, source.most_bytes)
        try:
            return self.repository.mirror(*given)
        except GitFailed as error:
            if error.passing:
                raise PassingFailure(str(error)) from error
            raise

    def _fetch_file(self, source: Source) -> tuple[Path, bool]:
        path = self.repository.directory / ASIDE / source.name / source.url.rpartition("/")[2]
        path.parent.mkdir(parents=True, exist_ok=True)
        seen = self.repository.last_seen().get(source.name, {}) if path.exists() else {}
        part = path.with_name(f".{path.name}.part")
        try:
            with part.open("w+b") as sink:
                validators = self._download(source, sink, seen)
            if validators is None:
                return path, False
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
        self._remember(source, validators._asdict())
        return path, True

    def _download(self, source: Source, sink: Any, seen: dict[str, Any]) -> Validators | None:
        known = Validators(str(seen.get("etag", "")), str(seen.get("last_modified", "")))
        limits = Limits(source.most_bytes, source.seconds)
        return download(source.url, sink, known, limits, self.agent)

    def _remember(self, source: Source, seen: dict[str, Any]) -> None:
        self.repository.remember({**self.repository.last_seen(), source.name: seen})
