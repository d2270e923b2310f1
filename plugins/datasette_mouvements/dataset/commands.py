"""`datasette mouvements check`: is the file sound?"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from .check import alarms, inspect


@click.command()
@click.argument("database", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def check(database: Path) -> None:
    """Verify the tables, indexes and invariants of DATABASE; exit 1 and a line per fault.

    So does a chamber where more members sit on the day of a list than it has seats.
    """
    faults = inspect(database) or alarms(database)
    for fault in faults:
        click.echo(f"{database}: {fault}", err=True)
    if faults:
        sys.exit(1)
    click.echo(f"{database}: sound")
