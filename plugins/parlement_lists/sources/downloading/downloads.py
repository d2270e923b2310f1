"""One run's downloads for one source: what did not change is not sent again, what is older is refused."""

from __future__ import annotations

import datetime
import email.utils
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

from ...movement import PARIS
from ..source import NOT_ASKED, Address, Original, OriginalRefused
from .download import Validators, download
from .originals import FOLDER, KeptOriginals, digest
from .retry_policy import PATIENCE, PAUSES, FetchFailed, PassingFailure, repeat


class Seen(NamedTuple):
    """What was said of an original when it was last sent, where it is kept, and when it was asked for."""

    url: str
    sha256: str
    path: str
    asked: str
    validators: Validators

    @classmethod
    def of(cls, noted: object) -> Seen | None:
        """What was noted, None where it is nothing of the kind."""
        names = (*cls._fields[:-1], *Validators._fields)
        if not isinstance(noted, dict) or noted.keys() != set(names):
            return None
        url, sha256, path, asked, *said = (str(noted[name]) for name in names)
        return cls(url, sha256, path, asked, Validators(*said))

    def noted(self) -> dict[str, str]:
        """What `of` reads."""
        *own, validators = self
        return dict(zip(self._fields[:-1], own, strict=True)) | validators._asdict()


def forget_unasked(seen: dict[str, Any], before: datetime.date) -> set[str]:
    """Forget originals that were not asked for since a day; returns where the others are kept."""
    found = {name: Seen.of(noted) for name, noted in seen.items()}
    paths = set()
    for name, one in found.items():
        if one is None or one.asked < before.isoformat():
            del seen[name]
        else:
            paths.add(one.path)
    return paths


def accept(original: Original) -> None:
    """Examine nothing."""


class SourceDownloads:
    """The downloads of one source in one run (see `source.Downloads`).

    `seen` is what was said of each original when it was last sent, by its name: changed in place,
    as `memory` is. `told` are the sentences for the report. After `deadline` nothing is asked for.
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
        deadline: datetime.datetime,
    ) -> None:
        self.source = source
        self.memory = memory
        self.told: list[str] = []
        self.begun = clock()
        self.day = self.begun.astimezone(PARIS).date()
        self._kept, self._seen = kept, seen
        self._agent, self._clock, self._sleep = agent, clock, sleep
        self._deadline = deadline
        self._until = min(deadline, self.begun + datetime.timedelta(seconds=PATIENCE))

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
        return repeat(attempt, self._clock, self._sleep, self._until, attempts)

    def get_all(
        self,
        addresses: Iterable[Address],
        examine: Callable[[Original], object] = accept,
        attempts: int = len(PAUSES) + 1,
        at_once: int = 1,
        most_failures: int | None = None,
    ) -> tuple[list[Original], dict[str, str]]:
        """The originals that could be had, in order, and of each other one, by name, why not.

        Once more than `most_failures` could not be had, the others are not asked for.
        """
        reasons: dict[str, str] = {}

        def one(address: Address) -> Original | None:
            failed = len(reasons)
            if most_failures is not None and failed > most_failures:
                return None
            try:
                return self.get(address, examine, attempts)
            except FetchFailed as error:
                reasons[address.name] = str(error)
                return None

        asked = list(addresses)
        with ThreadPoolExecutor(at_once) as pool:
            found = list(pool.map(one, asked))
        failed = f"{NOT_ASKED}: {len(reasons)} others failed"
        missing = [a.name for a, got in zip(asked, found, strict=True) if got is None]
        # Those that say what is wrong stand first.
        missing.sort(key=lambda name: name not in reasons)
        return [got for got in found if got], {n: reasons.get(n, failed) for n in missing}

    def _attempt(self, address: Address, examine: Callable[[Original], object]) -> Original:
        left = (self._deadline - self._clock()).total_seconds()
        if left <= 0:
            raise FetchFailed("no time is left in this run")
        address = address._replace(seconds=min(address.seconds, left))
        seen = Seen.of(self._seen.get(address.name))
        if seen is None or seen.url != address.url:
            # What was said at another address is not said of this one.
            seen = Seen(address.url, "", "", "", Validators())
        else:
            self._seen[address.name] = seen._replace(asked=self.day.isoformat()).noted()
        before = self._kept.body(seen.path, seen.sha256) if seen.path else None
        known = self._believed(seen.validators) if before is not None else Validators()
        got = download(address, known, self._agent)
        if got is None:
            assert before is not None
            original = Original(address.name, before, self._made(known))
            self._examine(original, examine)
            return original
        if got.body != before:
            self._refuse_older(seen.validators, got.validators)
        original = Original(address.name, got.body, self._made(got.validators))
        self._examine(original, examine)
        if got.url != address.url:
            self.tell(f"{address.name}: {address.url} leads to {got.url} now")
        path = seen.path
        if got.body != before:
            received = self._clock().astimezone(PARIS)
            path = self._kept.keep(self.source, received, address.name, got.body)
        said = Seen(
            address.url,
            digest(got.body),
            path,
            self.day.isoformat(),
            self._believed(got.validators),
        )
        self._seen[address.name] = said.noted()
        return original

    def _refuse_older(self, before: Validators, now: Validators) -> None:
        """Raises PassingFailure for a version that was made before the one received last."""
        old, new = self._instant(before), self._instant(now)
        if old and new and new < old:
            raise PassingFailure(
                f"made {now.last_modified}, older than the one received before, of"
                f" {before.last_modified}"
            )

    def _examine(self, original: Original, examine: Callable[[Original], object]) -> None:
        """Raises PassingFailure for one that is refused; that of the last attempt is kept to be looked at."""
        try:
            examine(original)
        except OriginalRefused as error:
            # One folder for all attempts: the last one stays.
            run = self.begun.astimezone(PARIS)
            try:
                path = self._kept.keep_refused(self.source, run, original.name, original.body)
            except OSError as full:
                raise PassingFailure(f"{error}; it could not be kept: {full.strerror}") from error
            raise PassingFailure(f"{error}; it is kept as {FOLDER}/{path}") from error

    def _believed(self, said: Validators) -> Validators:
        """What a server said, without a date to come: everything made since would be older, or unchanged."""
        return said if self._instant(said) else said._replace(last_modified="")

    def _instant(self, said: Validators) -> datetime.datetime | None:
        """The moment of a Last-Modified header, None where it says none, or one to come."""
        try:
            moment = email.utils.parsedate_to_datetime(said.last_modified)
            utc = (moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)).astimezone(
                datetime.UTC
            )
        except (ValueError, OverflowError):
            return None
        return utc if utc <= self._clock() else None

    def _made(self, said: Validators) -> datetime.date | None:
        moment = self._instant(said)
        return moment.astimezone(PARIS).date() if moment else None
