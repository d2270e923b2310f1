"""`datasette mouvements daily`: the lists of the day, then the whole file anew; one report."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import click
import httpx2

from parlement_lists.movement import PARIS
from parlement_lists.regular_file import private
from parlement_lists.sources import journal, kept_list
from parlement_lists.sources.commands import fetch_options, now, start
from parlement_lists.sources.fetch import Result, Run
from parlement_lists.sources.originals import list_some
from parlement_lists.sources.repository import MEMBERS
from parlement_lists.tracking.corrections_file import read as read_corrections
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.reading.walk import walk
from parlement_lists.tracking.report import Report

from ..dataset.check import alarms
from ..dataset.connections import is_invented
from ..dataset.coverage import HOLE_DAYS
from ..dataset.schema import RUN_OUTCOMES
from .build import Built, Inputs, build
from .commands import DATABASE, FOLDER, corrections_option, unread, withdraw_option
from .failures import sentences, tell
from .nights import nights_of
from .standing import Row, Standing

WENT_WELL, ALARM = RUN_OUTCOMES
# How long a monitor is waited for, and what its address ends with after a bad run.
SECONDS, FAIL = 10.0, "/fail"
# Of a file that the service reads, which another user may run.
_READABLE = 0o644


@dataclass
class Morning:
    """What a morning's run did; `faults` are sentences of what it could not do, `remarks` of what else it found."""

    day: str
    fetched: list[Result] = field(default_factory=list)
    built: Built | None = None
    faults: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    @property
    def alarms(self) -> list[str]:
        """Everything that calls for a look, a sentence each: told every morning while it lasts."""
        fetched = [result.alarm for result in self.fetched if result.alarm]
        built = self.built.report.alarms if self.built else []
        return list(dict.fromkeys([*fetched, *built, *self.faults]))

    def as_json(self) -> dict[str, Any]:
        """The report for programs."""
        return {
            "day": self.day,
            "fetched": [result.as_json() for result in self.fetched],
            "built": self.built.report.as_json() if self.built else None,
            "remarks": self.remarks,
            "faults": self.faults,
            "alarms": self.alarms,
            "published": self.built.written.version if self.built else None,
        }

    def lines(self) -> Iterator[str]:
        """The report for people; the alarms are not among it."""
        yield from self.remarks
        for result in self.fetched:
            if result.is_kept:
                yield result.sentence
            remarks = (f"{result.line.source}: {remark}" for remark in result.remarks)
            yield from (remark for remark in remarks if remark != result.alarm)
        if self.built:
            yield from self.built.report.lines()
            yield f"published {self.built.written.version}"
        else:
            yield "published nothing: what stands is as it was"

    @contextmanager
    def step(self) -> Iterator[None]:
        """Turns a failure of the block, foreseen or not, into sentences of the report."""
        try:
            yield
        except Exception as error:
            self.faults += sentences(error)

    def write_down(self, folder: Path, report: Report | None = None) -> None:
        """Write the run itself into the journal; `report` is that of a build that is not written yet."""
        alarms = [*self.alarms, *(report.alarms if report else [])]
        outcome = (ALARM, "points à voir", str(len(alarms))) if alarms else (WENT_WELL,)
        with self.step():
            journal.add(folder, [journal.Line(self.day, "", *outcome)])


def run(
    folder: Path,
    database: Path,
    fetch: Callable[[], Run],
    archives: Sequence[Path],
    corrections: Path | None,
    clock: Callable[[], datetime.datetime],
    withdraw: int | None = None,
) -> Morning:
    """Fetch, then build; a fetch that failed stops no build, because an erasure does not wait for it.

    `fetch` fetches the lists into the folder, or raises. The file that stands stays where anything that
    the build reads is at fault. `withdraw`: see `build`.
    """
    moment = clock()
    # The target of a link is replaced, not the link: names would stay in the target.
    database = database.resolve()
    morning = Morning(moment.astimezone(PARIS).date().isoformat())
    with morning.step():
        morning.fetched, faults = fetch()
        morning.faults += faults

    def nights(report: Report, rows: list[Row]) -> list[Row]:
        morning.faults += _of_clock(journal.read(folder), rows, moment.astimezone(PARIS).date())
        # A list of a day to come is taken away where a clock was ahead. The file that follows is made without what is
        # gone: this morning alone can tell it.
        if gone := [name for name in report.gone if name.partition("/")[2][:10] <= morning.day]:
            morning.faults.append(
                f"{folder}: no longer there, or changed since they were published: {list_some(gone, 3)}: put back"
                " from its history what should be there"
            )
        morning.write_down(folder, report)
        return nights_of([folder], rows)

    with morning.step():
        lists = walk([folder], archives, kind="suivi")
        entries = read_corrections(corrections) if corrections else None
        journal_lines = journal.read(folder)
        if is_invented(database):
            morning.remarks += _set_aside(database, {file.name for file in walk([folder]).files})
        elif not database.exists() and any(not line.source for line in journal_lines):
            morning.remarks.append(
                f"{database} was not there, though {folder / journal.FILE} tells of runs before: its feeds begin anew"
            )
        members = folder / MEMBERS
        inputs = Inputs(
            lists=lists.files,
            members=Members.read(members, journal.read_on(journal_lines))
            if members.exists()
            else Members(),
            corrections=entries,
            invented=is_invented(database),
            key_folder=folder,
            nights=nights,
        )
        morning.built = build(database, inputs, moment, withdraw=withdraw, mode=_READABLE)
        morning.remarks += morning.built.remarks
        morning.built.report.ignored = unread(lists, [folder], members, corrections)
        morning.faults += alarms(database)
    if morning.built is None:
        morning.write_down(folder)
    return morning


def _of_clock(lines: Sequence[journal.Line], rows: list[Row], today: datetime.date) -> list[str]:
    """What a journal and the rows of `listes` show of a clock that is or was ahead, and all of the cure; else nothing.

    On the morning on which it is first ahead, only the days since the run before can tell: of so many nothing is
    known, whatever the reason.
    """
    runs = sorted({datetime.date.fromisoformat(line.jour) for line in lines})
    before = max((day for day in runs if day < today), default=today)
    last = today + kept_list.EARLY + kept_list.MOST_APART
    why = "a run or a list is of a day to come"
    if (missed := today - before) > datetime.timedelta(HOLE_DAYS):
        last = before + datetime.timedelta(HOLE_DAYS)
        why = f"the run before was on {before}, {missed.days} days ago"
    lists = [name for name, _, day, status, *_ in rows if status != "refusee" and day > str(last)]
    away = [f"the list {name}" for name in lists]
    away += [f"the lines of {day} in {journal.FILE}" for day in runs if day > last]
    if not away:
        return []
    return [
        f"look at the clock of this machine: {why}; if it was ahead, set it right, take {', '.join(away)} away, and"
        " run again"
    ]


def _set_aside(database: Path, names: set[str]) -> list[str]:
    """Move invented people away, because no real list goes on over them; those whom these very lists name stay."""
    rows = Standing(database).lists.values()
    if {name for name, _, _, status, *_ in rows if status != "refusee"} <= names:
        return []
    aside = database.with_suffix(".invented.db")
    database.replace(aside)
    return [f"{database} held invented people: it is {aside} now"]


def beat(address: str, good: bool) -> str:
    """Ask the monitor at an address, with FAIL after its path where the run was bad; "" if it answered.

    Else a sentence, which does not repeat the address: it is a secret of the maintainer's.
    """
    agent = {"User-Agent": "mouvements"}
    try:
        url = httpx2.URL(address)
        if not good:
            url = url.copy_with(path=url.path.rstrip("/") + FAIL)
        response = httpx2.get(url, headers=agent, timeout=SECONDS, follow_redirects=True)
        fault = "" if response.is_success else str(response.status_code)
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
        fault = type(error).__name__
    return fault and f"heartbeat: the monitor did not take it ({fault})"


@click.command()
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@click.argument("database", type=DATABASE)
@click.option(
    "--git",
    "archives",
    multiple=True,
    type=FOLDER,
    envvar="MOUVEMENTS_ARCHIVES",
    help="Git history of older lists: the file is made of them, too",
)
@corrections_option
@withdraw_option
@click.option(
    "--heartbeat",
    default="",
    envvar="MOUVEMENTS_HEARTBEAT",
    help="Address of a monitor, asked after the run; with /fail after it where anything is open",
)
@fetch_options
@private()
def daily(
    directory: Path,
    database: Path,
    archives: tuple[Path, ...],
    corrections: Path | None,
    withdraw: int | None,
    heartbeat: str,
    as_json: bool,
    **options: Any,
) -> None:
    """Fetch lists into DIRECTORY, build DATABASE of all of them, check it, put it in place.

    Exit 1 when a step failed or something calls for a look. A second run continues.
    """
    fetch = partial(start, directory, **options)
    morning = run(directory, database, fetch, archives, corrections, now, withdraw)
    tell(morning.as_json(), morning.lines(), as_json, morning.alarms)
    if heartbeat and (unheard := beat(heartbeat, not morning.alarms)):
        click.echo(unheard, err=True)
    if morning.alarms:
        sys.exit(1)
