"""`datasette mouvements read`: one list, made of originals that a maintainer has."""

from __future__ import annotations

import datetime
import gzip
import io
import zlib
from pathlib import Path

import click

from ..movement import PARIS, is_date
from ..regular_file import open_regular, read_bytes, write_whole
from ..tracebacks import place_of
from ..tracking.members.known_members import Members, MembersError
from ..tracking.reading import origins
from ..tracking.reading.list_file import ListFilesError
from .earlier_lists import EarlierLists
from .hooks import PackagesMissing, SourceError
from .kept_list import examine_day, to_csv
from .members import in_memory
from .registry import choose
from .repository import lists_of
from .source import Original, OriginalRefused, Source, StaffList

# The largest originals are archives of 5 MB; a file over this is no original, and is unpacked no further.
MOST_BYTES = 100_000_000


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
    help="Folder with mandats.csv and groupes.csv; members in the originals are added",
)
@click.option(
    "--date",
    "day",
    metavar="YYYY-MM-DD",
    callback=_day,
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
    day: datetime.date | None,
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
        read = _read(chosen, originals, folders, day, into)
        if into and read.day is None:
            raise click.UsageError("these originals do not say their day: give --date")
        body = to_csv(chosen.chamber, read.rows)
        for sentence in (*broken, *read.told):
            click.echo(sentence, err=True)
        pairs = body.count(b"\n") - 1
        told = f"{chosen.chamber}/{read.day or 'no day'}: {pairs} rows, from {read.origin}"
        click.echo(told, err=True)
        if into and read.day:
            _keep(into, f"{chosen.chamber}/{read.day}", body, read)
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
    """The list with its day, the rows it repeats from earlier lists in `into`, and all that is to be told.

    Raises OriginalRefused and MembersError.
    """
    # Until the originals are read nobody may know their day: they are read again as of their own.
    today = datetime.datetime.now(PARIS).date()
    as_of = day or today
    read = _read_as_of(as_of, source, originals, folders, day, into)
    examine_day(read, today)
    if read.day and read.day != as_of:
        read = _read_as_of(read.day, source, originals, folders, day, into)
    told = [*read.told]
    if read.carried:
        who = ", ".join(read.carried[:20])
        told.append(
            f"nothing could be read of {len(read.carried)} members, and what the list before has of"
            f" them stands, if there is one: {who}"
        )
    if day and read.day and day != read.day:
        told.append(f"the originals are of {read.day}, not of {day}")
    return read._replace(day=read.day or day, told=told)


def _read_as_of(
    as_of: datetime.date,
    source: Source,
    originals: list[Original],
    folders: tuple[Path, ...],
    day: datetime.date | None,
    into: Path | None,
) -> StaffList:
    """The list, with the members and the earlier lists in `into` as of a day; `day` is that of `--date`."""
    folder = into / source.chamber if into else None
    paths = [*lists_of(folder), *folder.glob("*.csv.gz")] if folder else []
    earlier = sorted(
        (path for path in paths if path.name < as_of.isoformat()), key=lambda path: path.name
    )
    listed = source.members(originals, as_of)
    known = Members()
    if listed or folders:
        known = in_memory(folders, source.chamber, listed, as_of)
    read = EarlierLists(earlier).complete(source, originals, known, day)
    return read._replace(told=[*(listed.told if listed else ()), *read.told])


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


def _keep(folder: Path, name: str, body: bytes, read: StaffList) -> None:
    """Write the list of that name into a folder; another list of that name is never replaced."""
    path, packed = folder / f"{name}.csv", folder / f"{name}.csv.gz"
    if packed.exists():
        raise click.ClickException(f"{packed}: a list of that day is there, and stays")
    if path.exists() and read_bytes(path, follow=False) != body:
        raise click.ClickException(f"{path}: another list of that day is there, and stays")
    folder.mkdir(parents=True, exist_ok=True)
    origins.note(folder, name, read.origin, read.carried)
    _write(path, body)


def _write(path: Path, body: bytes) -> None:
    # `write_whole` would put a file in the place of a device.
    if path.exists() and not path.is_file():
        raise click.ClickException(f"{path}: not a regular file")
    write_whole(path, body)
