"""`datasette mouvements fetch` and `read`: today's lists of the chambers' originals, one list of originals at hand."""

from __future__ import annotations

import datetime
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from .. import DISTRIBUTION
from ..bounds import ORIGINAL_BYTES
from ..movement import PARIS
from ..regular_file import FilesError, private, read_bytes, write_whole
from ..tracebacks import place_of
from ..tracking.reading.lists import ListRefused, decompress
from . import kept_list
from .chambers import SOURCES, SourceError, choose
from .download import Source
from .fetch import Run, fetch
from .members import combine
from .originals import Original, OriginalRefused, StaffList

_NAMES = ", ".join(source.chamber for source in SOURCES)


def now() -> datetime.datetime:
    """The moment, in UTC."""
    return datetime.datetime.now(datetime.UTC)


def fetch_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of a fetch: `as_json`, and those that `start` takes."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print JSON"),
        click.option(
            "--contact",
            envvar="MOUVEMENTS_CONTACT",
            default="",
            help="Your address, for the servers that are asked; part of the user agent",
        ),
        click.option(
            "--sources",
            "file",
            envvar="MOUVEMENTS_SOURCES",
            type=click.Path(path_type=Path),
            help="YAML file of other addresses",
        ),
        click.option(
            "--source",
            "names",
            multiple=True,
            help=f"Source by name ({_NAMES}); default: all",
        ),
    ):
        command = option(command)
    return command


def start(directory: Path, names: tuple[str, ...], file: Path | None, contact: str) -> Run:
    """The fetch that the options ask for; raises what `fetch` does, SourceError and OSError."""
    # The contact stands in a header. It is examined here and not with the options, because the daily run
    # masks names first.
    if not (contact.isascii() and contact.isprintable()):
        raise SourceError(f"--contact: {contact!r} is not in ASCII")
    agent = f"{DISTRIBUTION} (daily copy of public lists; {contact or 'no contact'})"
    return fetch(directory, choose(names, file), agent, now, time.sleep)


@click.command("fetch")
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@fetch_options
@private()
def fetch_command(directory: Path, as_json: bool, **options: Any) -> None:
    """Fetch lists into DIRECTORY, a git repository: one commit a run.

    Exit 1 if a source failed or was refused.
    """
    try:
        run = start(directory, **options)
    except (FilesError, OSError) as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        reports = [result.as_json() for result in run.results]
        click.echo(json.dumps(reports, ensure_ascii=False))
    for result in run.results if not as_json else ():
        click.echo(result.sentence, err=not result.is_kept)
        for remark in result.remarks:
            click.echo(f"{result.line.source}: {remark}", err=True)
    for fault in run.faults:
        click.echo(fault, err=True)
    if run.faults or any(result.alarm for result in run.results):
        sys.exit(1)


@click.command("read")
@click.argument("source")
@click.argument(
    "files",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, path_type=Path),
    metavar="FILE...",
)
@click.option(
    "--members",
    "members_folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with mandats.csv and groupes.csv; members in the originals are added",
)
@click.option(
    "--date",
    "moment",
    metavar="YYYY-MM-DD",
    type=click.DateTime(["%Y-%m-%d"]),
    help="Day of the list, if the originals do not say it",
)
@click.option(
    "-o", "output", help="File to write, or a folder with / at its end: DIR/CHAMBRE/DATE.csv"
)
@click.pass_obj
def read_command(
    sources: Sequence[Source] | None,
    source: str,
    files: tuple[Path, ...],
    members_folder: Path | None,
    moment: datetime.datetime | None,
    output: str | None,
) -> None:
    """Make one list from the originals FILE... of SOURCE, gzip or not.

    The list goes to standard output or to -o, remarks to standard error. Exit 1 with the reason, and no
    list, when an original is refused.
    """
    (chosen,) = choose((source,), among=sources or SOURCES)
    chamber, day = chosen.chamber, moment.date() if moment else None
    folder = Path(output) if output and (output.endswith("/") or Path(output).is_dir()) else None
    try:
        originals = [_original(path) for path in files]
        read = _read(chosen, originals, members_folder, day, folder)
        if folder and read.day is None:
            raise click.UsageError("these originals do not say their day: give --date")
        body = kept_list.to_csv(chamber, read.rows)
        for remark in read.remarks:
            click.echo(remark, err=True)
        rows = body.count(b"\n") - 1
        click.echo(f"{chamber}/{read.day or 'no day'}: {rows} rows, from {read.origin}", err=True)
        if output:
            path = folder / chamber / f"{read.day}.csv" if folder else Path(output)
            _write(path, body, stays=folder is not None)
        else:
            click.echo(body, nl=False)
    except (OriginalRefused, FilesError, OSError) as error:
        raise click.ClickException(str(error)) from error
    except click.ClickException:
        raise
    except Exception as error:
        # The text of it may hold a name.
        raise click.ClickException(place_of(error, "parlement_lists")) from None


def _read(
    source: Source,
    originals: list[Original],
    members_folder: Path | None,
    day: datetime.date | None,
    folder: Path | None,
) -> StaffList:
    """The list with its day, and all remarks; raises OriginalRefused, also beside a list in `folder`, and FilesError."""
    today = now().astimezone(PARIS).date()
    as_of = day or today
    # Until the originals are read nobody may know their day: they are read again as of their own.
    for _ in range(2):
        listed = source.members(originals, as_of)
        members = combine(members_folder, source.chamber, listed, as_of)
        read = source.read(originals, members, day)
        kept_list.examine_day(read, today)
        if read.day in (None, as_of):
            break
        as_of = read.day
    # Names of files are in order of time.
    lists = sorted((folder / source.chamber).glob("*.csv*")) if folder else []
    kept_list.examine_unknown(read, [path for path in lists if path.name < as_of.isoformat()])
    remarks = [*(listed.remarks if listed else ()), *read.remarks]
    if day and read.day and day != read.day:
        remarks.append(f"the originals are of {read.day}, not of {day}")
    return read._replace(day=read.day or day, remarks=remarks)


def _original(path: Path) -> Original:
    """The original in a regular file, unpacked if it is gzip; raises OriginalRefused and OSError."""
    body = read_bytes(path, follow=False, most=ORIGINAL_BYTES + 1)
    try:
        unpacked = decompress(body, ORIGINAL_BYTES)
    except ListRefused as error:
        raise OriginalRefused(f"{path}: {error}") from error
    return Original(path.name if unpacked is body else path.name.removesuffix(".gz"), unpacked)


def _write(path: Path, body: bytes, stays: bool) -> None:
    """Write a list; another one in its place is replaced, unless it `stays`."""
    packed = path.with_name(f"{path.name}.gz")
    if stays and packed.exists():
        raise click.ClickException(f"{packed}: a list of that day is there, and stays")
    # `write_whole` would put a file in the place of a device.
    if path.exists() and not path.is_file():
        raise click.ClickException(f"{path}: not a regular file")
    if stays and path.exists() and read_bytes(path, follow=False) != body:
        raise click.ClickException(f"{path}: another list of that day is there, and stays")
    write_whole(path, body)
