"""`datasette mouvements person`: what is held under a name."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import PARIS, words
from parlement_lists.sources.commands import now
from parlement_lists.tracking.corrections import Corrections
from parlement_lists.tracking.corrections_file import read as read_corrections

from ..failures import FAILURES, sentences
from .near_names import entry, free_reasons
from .person import PersonalFile

_EXISTING = click.Path(exists=True, path_type=Path)


@click.command("person")
@click.argument("name")
@click.option("--db", "database", type=_EXISTING, help="Database")
@click.option("--lists", "folder", type=_EXISTING, help="Folder of lists")
@click.option(
    "--corrections",
    type=_EXISTING,
    envvar="MOUVEMENTS_CORRECTIONS",
    help="YAML file of reviewed corrections",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON")
def person_command(
    name: str,
    database: Path | None,
    folder: Path | None,
    corrections: Path | None,
    as_json: bool,
) -> None:
    """Tell all that is held under NAME and, apart, under near names."""
    if not words(name):
        raise click.UsageError("NAME has no letters")
    if not (database or folder):
        raise click.UsageError("give --db, --lists or both")
    try:
        given = read_corrections(corrections) if corrections else None
        holdings = PersonalFile(name, given)
        holdings.take(database, folder)
    except (*FAILURES, sqlite3.Error) as error:
        for line in sentences(error):
            click.echo(line, err=True)
        sys.exit(1)
    today = now().astimezone(PARIS).date()
    mask = entry(today, next(free_reasons(given or Corrections())), "masquer", {"nom": name})
    if as_json:
        click.echo(json.dumps({**holdings.as_json(), "correction": mask}, ensure_ascii=False))
    else:
        lines = [*holdings.lines(), "this correction withholds the name:", mask]
        click.echo("\n".join(lines))
