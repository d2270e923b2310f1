"""One run's downloads for one source: what did not change is not sent again, what is older is refused."""

from __future__ import annotations

import datetime
import email.utils
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC
from functools import partial
from typing import Any, NamedTuple

from ...movement import PARIS
from ..source import NOT_ASKED, Address, Original, OriginalRefused
from .download import Validators, download
from .originals import FOLDER, KeptOriginals, digest
from .retry_policy import PATIENCE, PAUSES, FetchFailed, PassingFailure, repeat


class LastAnswer(NamedTuple):
    """The last answer with an original: from where, its content, where that is kept, its validators.

    `asked` is the day on which the original was last asked for.
    """

    url: str
    sha256: str = ""
    path: str = ""
    asked: str = ""
    etag: str = ""
    last_modified: str = ""

    @property
    def validators(self) -> Validators:
        """What the server said of this version."""
        return Validators(self.etag, self.last_modified)


def forget_unasked(answers: dict[str, dict[str, str]], before: datetime.date) -> set[str]:
    """Forget originals that were not asked for since a day; returns where the others are kept."""
    for name in [name for name, noted in answers.items() if noted["asked"] < before.isoformat()]:
        del answers[name]
    return {noted["path"] for noted in answers.values()}


def accept(original: Original) -> None:
    """Accept any original."""


class SourceDownloads:
    """The downloads of one source in one run; `source.Downloads` says what each method does.

    `answers` is the `LastAnswer` with each original, by its name: changed in place, as `memory` is.
    `told` are the sentences for the report. After `deadline` nothing is asked for.
    """

    def __init__(
        self,
        source: str,
        kept: KeptOriginals,
        answers: dict[str, dict[str, str]],
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
        self._kept, self._answers = kept, answers
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
        """The original, asked for again after what may pass."""
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
        """The originals that could be had, and of each other one why not."""
        reasons: dict[str, str] = {}

        def get(address: Address) -> Original | None:
            if most_failures is not None and len(reasons) > most_failures:
                return None
            try:
                return self.get(address, examine, attempts)
            except FetchFailed as error:
                reasons[address.name] = str(error)
                return None

        wanted = list(addresses)
        with ThreadPoolExecutor(at_once) as pool:
            originals = list(pool.map(get, wanted))
        unasked = f"{NOT_ASKED}: {len(reasons)} others failed"
        missing = [a.name for a, got in zip(wanted, originals, strict=True) if got is None]
        # Those that say what is wrong stand first.
        missing.sort(key=lambda name: name not in reasons)
        return [got for got in originals if got], {n: reasons.get(n, unasked) for n in missing}

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
        known = self._believed(last.validators) if before is not None else Validators()
        got = download(address, known, self._agent)
        if got is None:
            assert before is not None
            original = Original(address.name, before, self._made(known))
            self._examine(original, examine)
            return original
        if got.body != before:
            self._refuse_older(last.validators, got.validators)
        original = Original(address.name, got.body, self._made(got.validators))
        self._examine(original, examine)
        if got.url != address.url:
            self.tell(f"{address.name}: {address.url} leads to {got.url} now")
        path = last.path
        if got.body != before:
            received = self._clock().astimezone(PARIS)
            path = self._kept.keep(self.source, received, address.name, got.body)
        said = self._believed(got.validators)
        answer = LastAnswer(address.url, digest(got.body), path, today, *said)
        self._answers[address.name] = answer._asdict()
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
        """Raises PassingFailure for an original that is refused; that of the last attempt is kept."""
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
        """The validators without a future date, after which every new original would pass for an older one."""
        return said if self._instant(said) else said._replace(last_modified="")

    def _instant(self, said: Validators) -> datetime.datetime | None:
        """The moment in a Last-Modified header; None where there is none, or it is in the future."""
        try:
            moment = email.utils.parsedate_to_datetime(said.last_modified)
            utc = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, OverflowError):
            return None
        return utc if utc <= self._clock() else None

    def _made(self, said: Validators) -> datetime.date | None:
        moment = self._instant(said)
        return moment.astimezone(PARIS).date() if moment else None
