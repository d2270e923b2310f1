"""`datasette mouvements daily`: the morning run as one command, with one report."""

from __future__ import annotations

import functools
import json
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from parlement_lists.regular_file import private
from parlement_lists.sources.commands import fetch_options, now, start

from .commands import DATABASE, FILE, hold_option
from .morning import MorningRun
from .nights.heartbeat import beat


@click.command()
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@click.argument("database", type=DATABASE)
@click.option(
    "--serve",
    "served",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File that the service reads; replaced in one step after the check",
)
@click.option(
    "--corrections",
    type=FILE,
    envvar="MOUVEMENTS_CORRECTIONS",
    help="YAML file of reviewed corrections",
)
@click.option(
    "--heartbeat",
    default="",
    envvar="MOUVEMENTS_HEARTBEAT",
    help="Address of a monitor, asked after the run; with /fail after it where anything is open",
)
@hold_option
@fetch_options
@private()
def daily(
    directory: Path,
    database: Path,
    served: Path | None,
    corrections: Path | None,
    heartbeat: str,
    hold_limit: int,
    as_json: bool,
    **options: Any,
) -> None:
    """Fetch lists into DIRECTORY, track them into DATABASE, check it, publish it.

    Exit 1 when a step failed or something was refused; the other steps were done. A second run continues.
    """
    if served is not None and served.resolve() == database.resolve():
        raise click.UsageError("--serve needs a path of its own, not DATABASE")
    begin = functools.partial(start, directory, **options)
    mode = 0o600
    if served is None and database.exists():
        mode = stat.S_IMODE(database.stat().st_mode)  # it may itself be what is served
    _give(database, mode)
    done = MorningRun(directory, begin, database, served, corrections, hold_limit, now).morning()
    _give(database, mode)
    if as_json:
        click.echo(json.dumps(done.as_json(), ensure_ascii=False))
    else:
        for line in done.lines():
            click.echo(line)
    for alarm in done.alarms:
        click.echo(alarm, err=True)
    if heartbeat and (unheard := beat(heartbeat, done.good)):
        click.echo(unheard, err=True)
    if done.alarms:
        sys.exit(1)


def _give(database: Path, mode: int) -> None:
    with suppress(FileNotFoundError, PermissionError):
        database.chmod(mode)
