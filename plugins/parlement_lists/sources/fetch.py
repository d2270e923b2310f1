"""A run: a list of each source's originals, kept, committed and noted; a source that fails stops no other."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ..movement import PARIS
from ..regular_file import FilesError
from ..tracebacks import place_of
from . import journal, kept_list, members, repository
from .download import FOLDER, Downloads, Source, digest
from .journal import CAUSES, NO_MEMBERS, Line
from .originals import FetchFailed, OriginalRefused

_OF_MEMBERS = "members: "
MOST_TIME = datetime.timedelta(minutes=30)  # of all sources' downloads together


@dataclass
class Result:
    """What a run did at a source: its line of the journal, and the sentences of the report.

    `detail` is the list that was kept, or why there is none; `remarks` are what else a maintainer should know.
    """

    line: Line
    detail: str = ""
    remarks: list[str] = field(default_factory=list)

    @property
    def is_kept(self) -> bool:
        """Whether there is a list, new or not."""
        return self.line.resultat in journal.KEPT

    @property
    def alarm(self) -> str:
        """The sentence that calls for a look; "" if nothing is wrong."""
        if not self.is_kept:
            return self.sentence
        refused = [remark for remark in self.remarks if remark.startswith(_OF_MEMBERS)]
        return f"{self.line.source}: {refused[0]}" if refused else ""

    @property
    def sentence(self) -> str:
        """The result in a line."""
        return f"{self.line.source}: {journal.ENGLISH[self.line.resultat]} {self.detail}"

    def as_json(self) -> dict[str, Any]:
        """The result for programs: the journal's fields, and the sentences."""
        return {**self.line._asdict(), "detail": self.detail, "remarks": self.remarks}


class Run(NamedTuple):
    """What a run did: a result for each source, and the faults of the repository."""

    results: list[Result]
    faults: list[str]


def fetch(
    directory: Path,
    sources: Iterable[Source],
    agent: str,
    clock: Callable[[], datetime.datetime],
    sleep: Callable[[float], None],
) -> Run:
    """Fetch the sources in their order into a repository of lists, under one user agent.

    `clock` dates what is received; with `sleep` it bounds a source's attempts. Raises FilesError during
    another run, and for a journal that cannot be used.
    """
    with repository.locked(directory):
        deadline = clock() + MOST_TIME
        results = []
        for source in sources:
            answers = repository.last_answers(directory)
            own = answers.setdefault(source.chamber, {})
            folder = directory / FOLDER / source.chamber
            downloads = Downloads(folder, own, agent, clock, sleep, deadline)
            results.append(_result(source, directory, downloads, clock))
            repository.remember(directory, answers)
        day = clock().astimezone(PARIS).date()
        lines = [result.line for result in results]
        outcomes = ", ".join(f"{line.liste} {line.resultat}" for line in lines)
        return Run(results, repository.note(directory, lines, f"{day}: {outcomes}"))


def _result(
    source: Source, directory: Path, downloads: Downloads, clock: Callable[[], datetime.datetime]
) -> Result:
    """The result of one source; a failure, foreseen or not, is one."""
    line = Line(downloads.day.isoformat(), source.chamber, "", liste=source.chamber)
    result = Result(line, remarks=downloads.remarks)
    try:
        _fetch(source, directory, downloads, clock, result)
        return result
    except OriginalRefused as error:
        outcome, cause, result.detail = "refusee", "unusable", str(error)
    except FetchFailed as error:
        outcome, cause, result.detail = "echouee", "unreachable", str(error)
    except (FilesError, OSError) as error:
        outcome, cause, result.detail = "echouee", "local", str(error)
    except Exception as error:
        # The text of it may hold a name.
        outcome, cause = "echouee", "unforeseen"
        result.detail = place_of(error, "parlement_lists")
    result.line = result.line._replace(resultat=outcome, raison=CAUSES[cause])
    return result


def _fetch(
    source: Source,
    directory: Path,
    downloads: Downloads,
    clock: Callable[[], datetime.datetime],
    result: Result,
) -> None:
    """Read and store the list; `result` is filled step by step, so that a failure keeps the steps before."""
    chamber, day, folder = source.chamber, downloads.day, directory / repository.MEMBERS
    originals = source.download(downloads)
    downloads.forget_others()
    first = originals[0]
    result.line = result.line._replace(original=first.name, sha256=digest(first.body))
    sitting, reason = None, ""
    try:
        sitting = source.members(originals, day)
        if sitting is not None:
            result.remarks += sitting.remarks
            last = journal.read_on(journal.read(directory)).get(chamber)
            members.merge(folder, chamber, sitting, day, last)
    except OriginalRefused as error:
        # The files of members stay as they are.
        result.remarks.append(f"{_OF_MEMBERS}{error}")
        reason = NO_MEMBERS
    known = members.combine(folder if folder.exists() else None, chamber, sitting, day)
    read = source.read(originals, known, day)
    kept_list.examine_unknown(read, repository.lists(directory, chamber))
    kept_list.examine_day(read, day)
    body = kept_list.to_csv(chamber, read.rows)
    now = clock().astimezone(PARIS)
    path, new = repository.store(directory, chamber, body, read.day or day, now)
    result.detail = f"{path}, from {read.origin}"
    result.remarks += read.remarks
    result.line = result.line._replace(
        resultat="nouvelle" if new else "identique",
        raison=reason,
        liste=f"{chamber}/{path.stem}",
    )
