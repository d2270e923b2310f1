"""`datasette mouvements read`: originals at hand become one list."""

from __future__ import annotations

import datetime
import gzip
import io
import zlib
from pathlib import Path
from typing import NamedTuple

import click

from ..movement import PARIS, is_date
from ..regular_file import open_regular, read_bytes, write_whole
from ..tracking import origins
from ..tracking.list_file import ListFilesError
from ..tracking.members import Members, MembersError
from .hooks import SourceError
from .kept_list import to_csv
from .members import in_memory
from .registry import choose
from .source import Original, OriginalRefused, Source

# The largest originals are archives of 5 MB; past this a file is none, and is not unpacked further.
MOST_BYTES = 100_000_000


class Made(NamedTuple):
    """A list as made of originals, and what is told of it."""

    day: datetime.date | None
    body: bytes
    origin: str
    told: list[str]


def _day(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> datetime.date | None:
    if value is not None and not is_date(value):
        raise click.BadParameter(f"{value!r} is not a day YYYY-MM-DD")
    return datetime.date.fromisoformat(value) if value else None


@click.command()
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
    "folders",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of mandats.csv and groupes.csv; members among the originals are added to it",
)
@click.option(
    "--date",
    "day",
    metavar="YYYY-MM-DD",
    callback=_day,
    help="Day of originals that do not say theirs",
)
@click.option(
    "-o", "output", help="File to write, or a folder (with / at its end): DIR/CHAMBRE/DATE.csv"
)
@click.option(
    "--sources",
    "described",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="YAML file of further sources, as for fetch",
)
def read(
    source: str,
    files: tuple[Path, ...],
    folders: tuple[Path, ...],
    day: datetime.date | None,
    output: str | None,
    described: Path | None,
) -> None:
    """Make one list of the originals FILE..., some of them gzip or not, as SOURCE reads them.

    On standard output, or in the file that -o names; what is to be known is told on standard error.
    Exit 1, with the reason and without a list, when an original is refused.
    """
    try:
        (chosen,) = choose((source,), described)
    except SourceError as error:
        raise click.UsageError(str(error)) from error
    try:
        made = _made(chosen, [_original(path) for path in files], folders, day)
    except (OriginalRefused, MembersError, OSError) as error:
        raise click.ClickException(str(error)) from error
    into_folder = output is not None and (output.endswith("/") or Path(output).is_dir())
    if into_folder and made.day is None:
        raise click.UsageError("these originals do not say their day: give --date")
    for sentence in made.told:
        click.echo(sentence, err=True)
    pairs = made.body.count(b"\n") - 1
    click.echo(f"{chosen.chamber}/{made.day or 'no day'}: {pairs} rows", err=True)
    try:
        if output is None:
            click.echo(made.body, nl=False)
        elif into_folder:
            _keep(Path(output), chosen.chamber, made)
        else:
            _write(Path(output), made.body)
    except (ListFilesError, OSError) as error:
        raise click.ClickException(str(error)) from error


def _made(
    source: Source,
    originals: list[Original],
    folders: tuple[Path, ...],
    day: datetime.date | None,
) -> Made:
    """The list; raises OriginalRefused and MembersError."""
    told: list[str] = []
    # Members who are given without a day are those of today.
    of = day or datetime.datetime.now(PARIS).date()
    read = source.members(originals, of)
    if read is not None:
        told += read.told
    members = in_memory(folders, source.chamber, read, of) if read or folders else Members()
    found = source.read(originals, members, day)
    if found.carried:
        who = ", ".join(found.carried[:20])
        raise OriginalRefused(f"nothing could be read of {len(found.carried)} members: {who}")
    told += found.told
    told.append(f"read from {found.origin}")
    if day and found.day and day != found.day:
        told.append(f"the originals are of {found.day}, not of {day}")
    return Made(found.day or day, to_csv(source.chamber, found.rows), found.origin, told)


def _original(path: Path) -> Original:
    """The original in a regular file, unpacked if it is gzip; raises OriginalRefused and OSError."""
    with open_regular(path, follow=False) as file:
        body = file.read(MOST_BYTES + 1)
    name = path.name
    if body[:2] == b"\x1f\x8b":
        name = name.removesuffix(".gz")
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(body)) as packed:
                body = packed.read(MOST_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise OriginalRefused(f"{path}: damaged gzip: {error}") from error
    if len(body) > MOST_BYTES:
        raise OriginalRefused(f"{path}: more than {MOST_BYTES} bytes: not an original")
    return Original(name, body)


def _keep(folder: Path, chamber: str, made: Made) -> None:
    """Put the list among those of a folder, where another of its day is never replaced."""
    path = folder / chamber / f"{made.day}.csv"
    if path.exists() and read_bytes(path, follow=False) != made.body:
        raise click.ClickException(f"{path}: another list of that day is there, and stays")
    folder.mkdir(parents=True, exist_ok=True)
    origins.note(folder, f"{chamber}/{made.day}", made.origin)
    _write(path, made.body)


def _write(path: Path, body: bytes) -> None:
    # Writing would put a file in the place of a device.
    if path.exists() and not path.is_file():
        raise click.ClickException(f"{path}: not a regular file")
    write_whole(path, body)
