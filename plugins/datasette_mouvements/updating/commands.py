"""`datasette mouvements build`, `track` and `mask`: what is read, and what is said of a run."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from parlement_lists.movement import SOURCES
from parlement_lists.tracking.corrections import Corrections
from parlement_lists.tracking.corrections_file import read as read_corrections
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.reading.list_file import ListFile
from parlement_lists.tracking.reading.walk import walk

from ..dataset.coverage import covered
from . import update
from .continuity import WITHDRAWN_AT_MOST, WITHDRAWN_PART
from .erasure.mask import mask as mask_names
from .failures import FAILURES, sentences

DATABASE = click.Path(dir_okay=False, path_type=Path)
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
# More than the contracts that end with a month, fewer than a renewal: a person should look.
HOLD_LIMIT = 250
hold_option = click.option(
    "--hold-limit",
    default=HOLD_LIMIT,
    show_default=True,
    type=click.IntRange(0),
    help="Exit 1 when more changes than this wait for later lists",
)


def _list_options(command: Callable[..., None]) -> Callable[..., None]:
    for option in (
        click.option(
            "-v",
            "--verbose",
            is_flag=True,
            help="Report every list, not only those that need a look",
        ),
        click.option("--json", "as_json", is_flag=True, help="Print JSON"),
        click.option("--corrections", type=FILE, help="YAML file of reviewed corrections"),
        click.option("--members", type=_FOLDER, help="Folder with mandats.csv and groupes.csv"),
        click.option(
            "--lists",
            "folders",
            multiple=True,
            type=_FOLDER,
            help="Folder of lists, CHAMBRE/DATE[Thhmm].csv[.gz]",
        ),
    ):
        command = option(command)
    return command


@click.command()
@click.argument("database", type=DATABASE)
@click.option(
    "--movements",
    "files",
    multiple=True,
    type=FILE,
    help="CSV or NDJSON of movements, may be .gz",
)
@click.option("--git", "repositories", multiple=True, type=_FOLDER, help="Git history of lists")
@click.option(
    "--source",
    type=click.Choice(SOURCES),
    default="archives",
    show_default=True,
    help="Value of `source` of movements made from lists",
)
@click.option(
    "--invented",
    is_flag=True,
    help="Mark DATABASE: its people are invented, and every answer says so",
)
@click.option(
    "--withdraw",
    metavar="N",
    type=click.IntRange(0),
    help="Let N movements of DATABASE be withdrawn, and a chamber's last lists go; else more than"
    f" {WITHDRAWN_AT_MOST} and 1 in {WITHDRAWN_PART} are refused",
)
@_list_options
def build(
    database: Path,
    files: tuple[Path, ...],
    repositories: tuple[Path, ...],
    source: str,
    invented: bool,
    withdraw: int | None,
    **options: Any,
) -> None:
    """Make DATABASE anew from lists or movements; refused input changes nothing."""
    if not (files or options["folders"] or repositories):
        raise click.UsageError("Give at least one source: --movements, --lists or --git")

    def run(inputs: update.Inputs) -> update.UpdateResult:
        inputs.files, inputs.source, inputs.invented = list(files), source, invented
        return update.build(database, inputs, datetime.now(UTC), withdraw=withdraw)

    _run(database, run, HOLD_LIMIT, repositories=repositories, **options)


@click.command()
@click.argument("database", type=DATABASE)
@click.option(
    "--settle",
    is_flag=True,
    help="Publish the changes that wait for a later list: none will follow",
)
@hold_option
@_list_options
def track(database: Path, settle: bool, hold_limit: int, **options: Any) -> None:
    """Add to DATABASE what the lists show that are newer than the last ones read."""
    if not options["folders"]:
        raise click.UsageError("Give the folder of lists: --lists")

    def run(inputs: update.Inputs) -> update.UpdateResult:
        return update.track(database, inputs, datetime.now(UTC), settle)

    _run(database, run, hold_limit, **options)


def _run(
    database: Path,
    run: Callable[[update.Inputs], update.UpdateResult],
    hold_limit: int,
    folders: tuple[Path, ...],
    members: Path | None,
    corrections: Path | None,
    as_json: bool,
    verbose: bool,
    repositories: tuple[Path, ...] = (),
) -> None:
    """Read what the options name, run, and report: what `build` and `track` have in common."""
    ignored: list[str] = []
    with _refusals():
        inputs = update.Inputs(
            members=Members.read(members) if members else Members(),
            corrections=read_corrections(corrections) if corrections else None,
        )
        if folders or repositories:
            found = walk(folders, repositories)
            ignored = found.ignored
            inputs.lists = _with_progress(found.files, found.total, as_json)
        done = run(inputs)
    done.report.ignored = ignored
    done.report.judge(hold_limit)
    _report(database, done, as_json, verbose, lists=inputs.lists is not None)


@click.command()
@click.argument("databases", nargs=-1, required=True, type=FILE)
@click.option("--corrections", required=True, type=FILE, help="The corrections whose masks apply")
def mask(databases: tuple[Path, ...], corrections: Path) -> None:
    """Apply the masks of a corrections file to DATABASES as they are, such as older copies.

    A mask that matches nothing in a file is named on stderr; one that matches in none of them ends
    with status 1, after the others were applied.
    """
    applied: dict[Path, frozenset[str]] = {}
    with _refusals():
        masks = read_corrections(corrections)
    for database in databases:
        with _refusals(f"{database} is as it was"):
            done = mask_names(database, masks, datetime.now(UTC))
        applied[database] = done.applied
        noun = "movement" if done.movements == 1 else "movements"
        stays = "stay" if done.tenures == 1 else "stays"
        click.echo(f"{database}: {done.movements} {noun} and {done.tenures} {stays} masked")
    _warn_of_unmatched(masks, applied)


def _warn_of_unmatched(masks: Corrections, applied: dict[Path, frozenset[str]]) -> None:
    """Name each mask that missed a file, by its line: who reads the log must not learn the name.

    Ends with status 1 when one matched in no file.
    """
    useless = False
    for entry in masks.masks:
        missed = [str(path) for path, found in applied.items() if entry.digest not in found]
        if not missed:
            continue
        nowhere = len(missed) == len(applied)
        useless |= nowhere
        where = "any of the files: check the name" if nowhere else ", ".join(missed)
        click.echo(
            f"{masks.file}: line {entry.line} ({entry.date}): masquer: matches nothing in {where}",
            err=True,
        )
    if useless:
        sys.exit(1)


@contextmanager
def _refusals(unchanged: str = "nothing was changed") -> Iterator[None]:
    """Say what was wrong, one fault a line, and what is unchanged; end with status 1."""
    try:
        yield
        return
    except FAILURES as error:
        lines = sentences(error)
    for line in [*lines, f"Refused: {unchanged}."]:
        click.echo(line, err=True)
    sys.exit(1)


def _with_progress(files: Iterator[ListFile], total: int, quiet: bool) -> Iterator[ListFile]:
    if quiet or not sys.stderr.isatty():
        yield from files
        return
    with click.progressbar(
        files,
        length=total,
        label="lists",
        file=sys.stderr,
        item_show_func=lambda file: file.name if file else "",
    ) as bar:
        yield from bar


def _report(
    database: Path, done: update.UpdateResult, as_json: bool, verbose: bool, lists: bool
) -> None:
    """Print what was done; end with status 1 when the report raises an alarm."""
    built = done.built
    found = {chamber: one for chamber, one in covered(done.lists).items() if one.last}
    if as_json:
        summary: dict[str, Any] = {"database": str(database), "changed": built is not None}
        summary |= built._asdict() if built else {}
        if lists:
            summary |= done.report.as_json()
            summary["coverage"] = {chamber: one.as_json() for chamber, one in found.items()}
        click.echo(json.dumps(summary, ensure_ascii=False))
    else:
        if lists:
            for line in done.report.lines(verbose):
                click.echo(line)
            for chamber, one in found.items():
                click.echo(f"coverage  {chamber}: {one.line()}")
        what = f"{built.movements} movements, version {built.version}" if built else "nothing new"
        click.echo(f"{database}: {what}")
    for alarm in done.report.alarms:
        click.echo(alarm, err=True)
    if done.report.alarms:
        sys.exit(1)
