"""One run's downloads for one source: unchanged files are not sent again, older ones are refused."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

from ...movement import PARIS
from ..source import Address, Original, OriginalRefused
from .download import DownloadedFile, Validators
from .originals import FOLDER, REFUSED, KeptOriginals, digest
from .retry_policy import PATIENCE, PAUSES, FetchFailed, PassingFailure, read_http_date, repeat


class LastAnswer(NamedTuple):
    """The last answer with an original: its address, its content, the path of the copy, its validators.

    `asked` is the day on which the original was last asked for.
    """

    url: str
    sha256: str = ""
    path: str = ""
    asked: str = ""
    etag: str = ""
    last_modified: str = ""


def forget_unasked(answers: dict[str, dict[str, str]], before: datetime.date) -> set[str]:
    """Forget originals that were not asked for since a day; returns the paths of the others."""
    for name in [name for name, noted in answers.items() if noted["asked"] < before.isoformat()]:
        del answers[name]
    return {noted["path"] for noted in answers.values()}


def accept(original: Original) -> None:
    """Accept any original."""


class SourceDownloads:
    """The downloads of one source in one run; `source.Downloads` says what each method does.

    `answers` has the `LastAnswer` with each original, by name; it is changed in place.
    `told` are the sentences for the report. After `deadline` nothing is asked for.
    """

    def __init__(
        self,
        source: str,
        kept: KeptOriginals,
        answers: dict[str, dict[str, str]],
        download: Callable[[Address, Validators], DownloadedFile | None],
        clock: Callable[[], datetime.datetime],
        sleep: Callable[[float], None],
        deadline: datetime.datetime,
    ) -> None:
        self.source = source
        self.told: list[str] = []
        self.begun = clock()
        self.day = self.begun.astimezone(PARIS).date()
        self._kept, self._answers = kept, answers
        self._download, self._clock, self._sleep = download, clock, sleep
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
        """The original, asked for again after a failure that may pass."""
        try:
            return self._repeat(address, examine, attempts)
        except FetchFailed as error:
            raise FetchFailed(f"{address.name}: {error}") from error

    def get_all(
        self,
        addresses: Iterable[Address],
        examine: Callable[[Original], object] = accept,
        attempts: int = len(PAUSES) + 1,
        at_once: int = 1,
        most_failures: int | None = None,
    ) -> tuple[list[Original], dict[str, str]]:
        """The originals that could be had, and the reason of each failure by name."""
        reasons: dict[str, str] = {}

        def get(address: Address) -> Original | None:
            if most_failures is not None and len(reasons) > most_failures:
                return None
            try:
                return self._repeat(address, examine, attempts)
            except FetchFailed as error:
                reasons[address.name] = str(error)
                return None

        with ThreadPoolExecutor(at_once) as pool:
            originals = list(filter(None, pool.map(get, addresses)))
        return originals, dict(sorted(reasons.items()))

    def _repeat(
        self, address: Address, examine: Callable[[Original], object], attempts: int
    ) -> Original:
        attempt = partial(self._attempt, address, examine)
        return repeat(address.name, attempt, self._clock, self._sleep, self._until, attempts)

    def _attempt(self, address: Address, examine: Callable[[Original], object]) -> Original:
        left = (self._deadline - self._clock()).total_seconds()
        if left <= 0:
            raise FetchFailed("no time is left in this run")
        address = address._replace(seconds=min(address.seconds, left))
        today = self.day.isoformat()
        last = LastAnswer(**self._answers.get(address.name, {"url": ""}))
        if last.url == address.url:
            self._answers[address.name] = last._replace(asked=today)._asdict()
        else:
            # The validators of another address are not valid for this one.
            last = LastAnswer(address.url)
        before = self._kept.body(last.path, last.sha256) if last.path else None
        known = self._without_future(Validators(last.etag, last.last_modified))
        got = self._download(address, known if before is not None else Validators())
        if got is None:
            assert before is not None
            return self._examined(address.name, before, known, examine)
        said = self._without_future(got.validators)
        if got.body != before:
            self._refuse_older(known, said)
        original = self._examined(address.name, got.body, said, examine)
        if got.url != address.url:
            self.tell(f"{address.name}: {address.url} leads to {got.url} now")
        path = last.path
        if got.body != before:
            received = self._clock().astimezone(PARIS)
            path = self._kept.keep(self.source, received, address.name, got.body)
        answer = LastAnswer(address.url, digest(got.body), path, today, *said)
        self._answers[address.name] = answer._asdict()
        return original

    def _without_future(self, said: Validators) -> Validators:
        """The validators without a future date: after it every new original would pass for an older one."""
        moment = read_http_date(said.last_modified)
        return said if moment and moment <= self._clock() else said._replace(last_modified="")

    def _refuse_older(self, before: Validators, now: Validators) -> None:
        """Raises PassingFailure for a version that was made before the one received last."""
        old, new = read_http_date(before.last_modified), read_http_date(now.last_modified)
        if old and new and new < old:
            raise PassingFailure(
                f"made {now.last_modified}, older than the one received before, of"
                f" {before.last_modified}"
            )

    def _examined(
        self, name: str, body: bytes, said: Validators, examine: Callable[[Original], object]
    ) -> Original:
        """The original; raises PassingFailure if it is refused, and keeps that of the last attempt."""
        made = read_http_date(said.last_modified)
        original = Original(name, body, made.astimezone(PARIS).date() if made else None)
        try:
            examine(original)
        except OriginalRefused as error:
            why = str(error).removeprefix(f"{name}: ")
            # One folder for all attempts: the last one stays.
            run = self.begun.astimezone(PARIS)
            try:
                path = self._kept.keep(self.source, run, f"{REFUSED}{name}", body)
            except OSError as full:
                raise PassingFailure(f"{why}; it could not be kept: {full.strerror}") from error
            raise PassingFailure(f"{why}; it is kept as {FOLDER}/{path}") from error
        return original
