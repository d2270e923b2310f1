"""One run's downloads for one source: what did not change is not sent again, what is older is refused."""

from __future__ import annotations

import datetime
import email.utils
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

from ..movement import PARIS
from .attempts import PAUSES, FetchFailed, PassingFailure, repeat
from .download import Validators, download
from .originals import KeptOriginals, digest
from .source import Address, Original, OriginalRefused


class Seen(NamedTuple):
    """What was said of an original when it was last sent, and where it is kept."""

    url: str
    sha256: str
    path: str
    validators: Validators

    @classmethod
    def of(cls, noted: object) -> Seen | None:
        """What was noted, None where it is nothing of the kind."""
        names = ("url", "sha256", "path", *Validators._fields)
        if not isinstance(noted, dict) or noted.keys() != set(names):
            return None
        url, sha256, path, *said = (str(noted[name]) for name in names)
        return cls(url, sha256, path, Validators(*said))

    def noted(self) -> dict[str, str]:
        """What `of` reads."""
        return {"url": self.url, "sha256": self.sha256, "path": self.path} | (
            self.validators._asdict()
        )


def accept(original: Original) -> None:
    """Examine nothing."""


class SourceDownloads:
    """The downloads of one source in one run (see `source.Downloads`).

    `seen` is what was said of each original when it was last sent, by its name: changed in place,
    as `memory` is. `told` are the sentences for the report.
    """

    def __init__(
        self,
        source: str,
        kept: KeptOriginals,
        seen: dict[str, Any],
        memory: dict[str, Any],
        agent: str,
        clock: Callable[[], datetime.datetime],
        sleep: Callable[[float], None],
    ) -> None:
        self.source = source
        self.memory = memory
        self.told: list[str] = []
        self.begun = clock()
        self.day = self.begun.astimezone(PARIS).date()
        self._kept, self._seen = kept, seen
        self._agent, self._clock, self._sleep = agent, clock, sleep

    def tell(self, sentence: str) -> None:
        """Say something in the maintainer's report, once."""
        if sentence not in self.told:
            self.told.append(sentence)

    def get(
        self,
        address: Address,
        examine: Callable[[Original], object] = accept,
        attempts: int = len(PAUSES) + 1,
    ) -> Original:
        """The original; raises FetchFailed after the last attempt.

        OriginalRefused by `examine` is a failed attempt, too: it may be an error page.
        """
        attempt = partial(self._attempt, address, examine)
        return repeat(attempt, self._clock, self._sleep, self.begun, attempts)

    def get_all(
        self,
        addresses: Iterable[Address],
        examine: Callable[[Original], object] = accept,
        attempts: int = len(PAUSES) + 1,
        at_once: int = 1,
    ) -> tuple[list[Original], dict[str, str]]:
        """The originals that could be had, in order, and of each other one, by name, why not."""

        def one(address: Address) -> Original | tuple[str, str]:
            try:
                return self.get(address, examine, attempts)
            except FetchFailed as error:
                return address.name, str(error)

        with ThreadPoolExecutor(at_once) as pool:
            found = list(pool.map(one, addresses))
        originals = [each for each in found if isinstance(each, Original)]
        return originals, dict(each for each in found if not isinstance(each, Original))

    def _attempt(self, address: Address, examine: Callable[[Original], object]) -> Original:
        seen = Seen.of(self._seen.get(address.name))
        if seen is None or seen.url != address.url:
            # What was said at another address is not said of this one.
            seen = Seen(address.url, "", "", Validators())
        before = self._kept.body(seen.path, seen.sha256) if seen.path else None
        known = seen.validators if before is not None else Validators()
        got = download(address, known, self._agent)
        if got is None:
            assert before is not None
            original = Original(address.name, before, _day(known.last_modified))
            _examine(original, examine)
            return original
        self._refuse_older(seen.validators.last_modified, got.validators.last_modified)
        original = Original(address.name, got.body, _day(got.validators.last_modified))
        _examine(original, examine)
        if got.url != address.url:
            self.tell(f"{address.name}: {address.url} leads to {got.url} now")
        path = seen.path
        if got.body != before:
            received = self._clock().astimezone(PARIS)
            path = self._kept.keep(self.source, received, address.name, got.body)
        said = Seen(address.url, digest(got.body), path, got.validators)
        self._seen[address.name] = said.noted()
        return original

    def _refuse_older(self, before: str, now: str) -> None:
        """Raises PassingFailure for a version that was made before the one received last."""
        old, new = _instant(before), _instant(now)
        if old and new and new < old:
            raise PassingFailure(f"made {now}, older than the one received before, of {before}")


def _examine(original: Original, examine: Callable[[Original], object]) -> None:
    try:
        examine(original)
    except OriginalRefused as error:
        raise PassingFailure(str(error)) from error


def _instant(last_modified: str) -> datetime.datetime | None:
    """The moment that a Last-Modified header says, None where it says none."""
    try:
        moment = email.utils.parsedate_to_datetime(last_modified)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)


def _day(last_modified: str) -> datetime.date | None:
    moment = _instant(last_modified)
    return moment.astimezone(PARIS).date() if moment else None
