"""`datasette mouvements ...`: thin commands over the rooms.

Exit status: 0 done, 1 the input was refused (says why, changes nothing), 2 wrong usage.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import NoReturn

import click

from .access.commands import keys
from .dataset.build import write
from .dataset.check import inspect
from .dataset.files import InputRefused, read
from .upkeep.commands import COMMANDS


@click.group()
def mouvements() -> None:
    """Build, check, track and serve movements of parliamentary staff; manage keys."""


for command in (*COMMANDS, keys):
    mouvements.add_command(command)


def refused(error: InputRefused) -> NoReturn:
    """Say what was wrong with the input, one fault a line, and end with status 1."""
    for line in error.lines():
        click.echo(line, err=True)
    click.echo("Refused: nothing was changed.", err=True)
    sys.exit(1)


@mouvements.command()
@click.argument("database", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--movements",
    "files",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="CSV, JSON array or NDJSON of movements, may be .gz",
)
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON")
def build(database: Path, files: tuple[Path, ...], as_json: bool) -> None:
    """Build DATABASE from sources, atomically: refused input changes nothing."""
    if not files:
        raise click.UsageError("Give at least one source: --movements")
    try:
        built = write(database, [(str(file), read(file)) for file in files])
    except InputRefused as error:
        refused(error)
    if as_json:
        click.echo(json.dumps({"database": str(database), **built._asdict()}))
    else:
        click.echo(f"{database}: {built.movements} movements, version {built.version}")


@mouvements.command()
@click.argument("database", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def check(database: Path) -> None:
    """Verify the tables, indexes and invariants of DATABASE; exit 1 and a line per fault."""
    faults = inspect(database)
    for fault in faults:
        click.echo(f"{database}: {fault}", err=True)
    if faults:
        sys.exit(1)
    click.echo(f"{database}: sound")
