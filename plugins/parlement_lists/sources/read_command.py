"""`datasette mouvements read`: one list, made of originals that a maintainer has."""

from __future__ import annotations

import datetime
from pathlib import Path

import click

from ..bounds import ORIGINAL_BYTES
from ..movement import PARIS
from ..regular_file import open_regular, read_bytes, write_whole
from ..tracebacks import place_of
from ..tracking.members.known_members import MembersError
from ..tracking.reading.list_file import ListFilesError
from ..tracking.reading.lists import ListRefused, decompress
from .hooks import PackagesMissing, SourceError
from .keeping.earlier_lists import EarlierLists
from .kept_list import examine_day, to_csv
from .members import combine
from .registry import choose
from .source import Original, OriginalRefused, Source, StaffList


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
    help="Folder with mandats.csv and groupes.csv; members in the originals are added",
)
@click.option(
    "--date",
    "day",
    metavar="YYYY-MM-DD",
    type=click.DateTime(["%Y-%m-%d"]),
    help="Day of the list, if the originals do not say it",
)
@click.option(
    "-o", "output", help="File to write, or a folder with / at its end: DIR/CHAMBRE/DATE.csv"
)
@click.option(
    "--sources",
    "described",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="YAML file of other addresses and more sources, as for fetch",
)
def read(
    source: str,
    files: tuple[Path, ...],
    folders: tuple[Path, ...],
    day: datetime.datetime | None,
    output: str | None,
    described: Path | None,
) -> None:
    """Make one list from the originals FILE... of SOURCE, gzip or not.

    The list goes to standard output or to -o, remarks to standard error. Exit 1 with the reason, and no
    list, when an original is refused.
    """
    try:
        broken: list[str] = []
        (chosen,) = choose((source,), described, broken)
    except PackagesMissing as error:
        raise click.ClickException(str(error)) from error
    except SourceError as error:
        raise click.UsageError(str(error)) from error
    try:
        into = Path(output) if output and (output.endswith("/") or Path(output).is_dir()) else None
        originals = [_original(path) for path in files]
        read = _read(chosen, originals, folders, day.date() if day else None, into)
        if into and read.day is None:
            raise click.UsageError("these originals do not say their day: give --date")
        body = to_csv(chosen.chamber, read.rows)
        for sentence in (*broken, *read.told):
            click.echo(sentence, err=True)
        pairs = body.count(b"\n") - 1
        told = f"{chosen.chamber}/{read.day or 'no day'}: {pairs} rows, from {read.origin}"
        click.echo(told, err=True)
        if into and read.day:
            _keep(into, f"{chosen.chamber}/{read.day}", body)
        elif output:
            _write(Path(output), body)
        else:
            click.echo(body, nl=False)
    except (OriginalRefused, MembersError, ListFilesError, OSError) as error:
        raise click.ClickException(str(error)) from error
    except click.ClickException:
        raise
    except Exception as error:
        # Another package's source may raise anything, and the text of it may hold a name.
        raise click.ClickException(
            place_of(error, type(chosen).__module__.partition(".")[0])
        ) from None


def _read(
    source: Source,
    originals: list[Original],
    folders: tuple[Path, ...],
    day: datetime.date | None,
    into: Path | None,
) -> StaffList:
    """The list with its day, and all that is to be told; members of the earlier lists in `into` are known by name.

    Raises OriginalRefused and MembersError.
    """

    def read_as_of(as_of: datetime.date) -> StaffList:
        # Names of files are in order of time.
        lists = sorted((into / source.chamber).glob("*.csv*")) if into else []
        earlier = EarlierLists([path for path in lists if path.name < as_of.isoformat()])
        listed = source.members(originals, as_of)
        known = combine(folders, source.chamber, listed, as_of)
        read = earlier.read_with(source, originals, known, day)
        return read._replace(told=[*(listed.told if listed else ()), *read.told])

    # Until the originals are read nobody may know their day: they are read again as of their own.
    today = datetime.datetime.now(PARIS).date()
    read = read_as_of(day or today)
    examine_day(read, today)
    if read.day and read.day != (day or today):
        read = read_as_of(read.day)
    told = [*read.told]
    if day and read.day and day != read.day:
        told.append(f"the originals are of {read.day}, not of {day}")
    return read._replace(day=read.day or day, told=told)


def _original(path: Path) -> Original:
    """The original in a regular file, unpacked if it is gzip; raises OriginalRefused and OSError."""
    with open_regular(path, follow=False) as file:
        body = file.read(ORIGINAL_BYTES + 1)
    try:
        unpacked = decompress(body, ORIGINAL_BYTES)
    except ListRefused as error:
        raise OriginalRefused(f"{path}: {error}") from error
    return Original(path.name if unpacked is body else path.name.removesuffix(".gz"), unpacked)


def _keep(folder: Path, name: str, body: bytes) -> None:
    """Write the list of that name into a folder; another list of that name is never replaced."""
    path, packed = folder / f"{name}.csv", folder / f"{name}.csv.gz"
    if packed.exists():
        raise click.ClickException(f"{packed}: a list of that day is there, and stays")
    if path.exists() and read_bytes(path, follow=False) != body:
        raise click.ClickException(f"{path}: another list of that day is there, and stays")
    folder.mkdir(parents=True, exist_ok=True)
    _write(path, body)


def _write(path: Path, body: bytes) -> None:
    # `write_whole` would put a file in the place of a device.
    if path.exists() and not path.is_file():
        raise click.ClickException(f"{path}: not a regular file")
    write_whole(path, body)
