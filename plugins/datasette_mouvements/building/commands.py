"""`datasette mouvements build`: what is read, and what is said of a build."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import click

from parlement_lists.movement import SOURCES
from parlement_lists.sources.repository import NOT_LISTS
from parlement_lists.tracking.corrections_file import read as read_corrections
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.reading.lists import Walk
from parlement_lists.tracking.reading.walk import walk

from .build import Inputs
from .build import build as build_file
from .failures import refusals, tell
from .masks import KEY_FILE
from .nights import nights_of
from .standing import WITHDRAWN_AT_MOST, WITHDRAWN_PART

DATABASE = click.Path(dir_okay=False, path_type=Path)
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)

corrections_option = click.option(
    "--corrections",
    type=FILE,
    envvar="MOUVEMENTS_CORRECTIONS",
    help="YAML file of reviewed corrections",
)
withdraw_option = click.option(
    "--withdraw",
    metavar="N",
    type=click.IntRange(0),
    help="Let N movements of DATABASE be withdrawn, and a chamber's last lists or its mandates go; else more"
    f" than {WITHDRAWN_AT_MOST} and 1 in {WITHDRAWN_PART} are refused",
)


@click.command()
@click.argument("database", type=DATABASE)
@click.option("--movements", "files", multiple=True, type=FILE, help="CSV of movements, may be .gz")
@click.option(
    "--lists",
    "folders",
    multiple=True,
    type=FOLDER,
    help="Folder of lists, CHAMBRE/DATE[Thhmm].csv[.gz]",
)
@click.option("--git", "repositories", multiple=True, type=FOLDER, help="Git history of lists")
@click.option("--members", type=FOLDER, help="Folder with mandats.csv and groupes.csv")
@click.option("--corrections", type=FILE, help="YAML file of reviewed corrections")
@click.option(
    "--source",
    type=click.Choice(SOURCES),
    default="archives",
    show_default=True,
    help="Value of `source` of movements made from lists; after `suivi` later lists come, and an absence of"
    " some days waits for them",
)
@click.option(
    "--invented",
    is_flag=True,
    help="Mark DATABASE: its people are invented, and every answer says so",
)
@withdraw_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON")
def build(
    database: Path,
    files: tuple[Path, ...],
    folders: tuple[Path, ...],
    repositories: tuple[Path, ...],
    members: Path | None,
    corrections: Path | None,
    source: str,
    invented: bool,
    withdraw: int | None,
    as_json: bool,
) -> None:
    """Make the whole of DATABASE from lists or movements; refused input changes nothing."""
    if not (files or folders or repositories):
        raise click.UsageError("Give at least one source: --movements, --lists or --git")
    lists = None
    with refusals("Refused: nothing was changed."):
        inputs = Inputs(
            files=list(files),
            members=Members.read(members) if members else Members(),
            corrections=read_corrections(corrections) if corrections else None,
            invented=invented,
            key_folder=folders[0] if folders else None,
            nights=lambda report, rows: nights_of(folders, rows),
        )
        if folders or repositories:
            lists = walk(folders, repositories, source, source)
            inputs.lists = lists.files
        built = build_file(database, inputs, datetime.now(UTC), withdraw=withdraw)
    report, written = built.report, built.written
    report.ignored = unread(lists, folders, members, corrections) if lists else []
    about = {"database": str(database), **written._asdict(), "remarks": built.remarks}
    last = f"{database}: {written.movements} movements, version {written.version}"
    text = [*built.remarks, *(report.lines() if lists else []), last]
    tell(about | (report.as_json() if lists else {}), text, as_json, report.alarms)
    if report.alarms:
        sys.exit(1)


def unread(lists: Walk, folders: Iterable[Path], *read: Path | None) -> list[str]:
    """What lies in folders of lists and is neither a list, nor one of our own files, nor `read` beside them."""
    own = {folder / name for folder in folders for name in (*NOT_LISTS, KEY_FILE)} | {*read}
    # An unfinished file is of a disk that is full.
    return [p for p in lists.ignored if Path(p) not in own and not p.endswith(".part")]
