"""Fetch every source once; one that fails does not keep the others back."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from ..tracking.git import GitFailed
from .attempts import FetchFailed, PassingFailure, repeat
from .download import Limits, Validators, download
from .hooks import Source
from .repository import ASIDE, Repository

PARIS = ZoneInfo("Europe/Paris")


class FetchResult(NamedTuple):
    """What came of one source. `status` is new, unchanged or failed; `detail` says why it failed."""

    source: str
    status: str
    path: str = ""
    detail: str = ""


class Fetcher:
    """Fetches into one repository of lists, as one named user agent."""

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
        """One outcome a source, in their order."""
        kinds = {"list": self._list, "git": self._git, "file": self._file}
        outcomes = []
        for source in sources:
            try:
                path, new = repeat(partial(kinds[source.kind], source), self.clock, self.sleep)
                outcomes.append(FetchResult(source.name, "new" if new else "unchanged", str(path)))
            except (FetchFailed, GitFailed, OSError) as error:
                outcomes.append(FetchResult(source.name, "failed", detail=str(error)))
        return outcomes

    def _list(self, source: Source) -> tuple[Path, bool]:
        seen = self.repository.state().get(source.name, {})
        last = self.repository.latest(source.chamber)
        body = io.BytesIO()
        validators = self._download(source, body, seen if last else {})
        now = self.clock().astimezone(PARIS)
        if validators is None:
            assert last is not None
            kept = self.repository.keep(source.chamber, last.read_bytes(), now)
            return kept.path, kept.new
        # Some servers answer an error page with status 200 and call it text/csv.
        if body.getvalue().lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"<"):
            raise FetchFailed("a page instead of a list")
        kept = self.repository.keep(source.chamber, body.getvalue(), now)
        self._remember(source, validators._asdict())
        return kept.path, kept.new

    def _git(self, source: Source) -> tuple[Path, bool]:
        given = (source.name, source.url, source.seconds, source.most_bytes)
        try:
            return self.repository.mirror(*given)
        except GitFailed as error:
            if error.passing:
                raise PassingFailure(str(error)) from error
            raise

    def _file(self, source: Source) -> tuple[Path, bool]:
        path = self.repository.directory / ASIDE / source.name / source.url.rpartition("/")[2]
        path.parent.mkdir(parents=True, exist_ok=True)
        seen = self.repository.state().get(source.name, {}) if path.exists() else {}
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
        self.repository.remember({**self.repository.state(), source.name: seen})
