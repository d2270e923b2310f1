"""`datasette mouvements person`: what is held under a name, and the register of requests."""

from __future__ import annotations

import datetime
import json
import re
import sys
from pathlib import Path
from typing import Any

import click
from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import PARIS, plain, words
from parlement_lists.sources.commands import now
from parlement_lists.tracking.corrections import Corrections
from parlement_lists.tracking.corrections_file import read as read_corrections

from ..failures import FAILURES, sentences
from .near_names import entry, free_reasons
from .person import PersonalFile
from .requests import RequestRegister

_EXISTING = click.Path(exists=True, path_type=Path)
_DAY = click.DateTime(["%Y-%m-%d"])


@click.command("person")
@click.argument("name", required=False)
@click.option("--db", "database", type=_EXISTING, help="Database")
@click.option("--lists", "folder", type=_EXISTING, help="Folder of lists")
@click.option(
    "--corrections",
    type=_EXISTING,
    envvar="MOUVEMENTS_CORRECTIONS",
    help="YAML file of reviewed corrections",
)
@click.option("--reference", help="Note the request in the register beside the database")
@click.option("--received", type=_DAY, help="Day of its receipt; default: today")
@click.option("--answered", is_flag=True, help="It was answered today")
@click.option("--json", "as_json", is_flag=True, help="Print JSON")
def person_command(
    name: str | None,
    database: Path | None,
    folder: Path | None,
    corrections: Path | None,
    reference: str | None,
    received: datetime.datetime | None,
    answered: bool,
    as_json: bool,
) -> None:
    """Tell all that is held under NAME and, apart, under near names; without NAME, the requests and the days left.

    The register has no names.
    """
    for wrong, why in (
        (name is not None and not words(name), "NAME has no letters"),
        (not (database or folder), "give --db, --lists or both"),
        (not (name or database), "the register is beside a database: give --db, or a NAME"),
        (reference and not database, "the register is beside a database: give --db"),
        (not reference and (answered or received), "--received and --answered need --reference"),
        # It is kept longer than the request: no name may stand in it.
        (
            reference and not re.fullmatch(r"(?=.*\d)[\w/-]+", reference),
            "--reference takes letters, digits, / - _ and at least one digit",
        ),
        (
            {*plain(reference or "").split()} & {*words(name or "").split()},
            "--reference must not repeat the name",
        ),
    ):
        if wrong:
            raise click.UsageError(why)
    today = now().astimezone(PARIS).date()
    told: dict[str, Any] = {}
    lines: list[str] = []
    try:
        if name is not None:
            given = read_corrections(corrections) if corrections else None
            found = PersonalFile(name, given)
            found.take(database, folder)
            reason = next(free_reasons(given or Corrections()))
            mask = entry(today, reason, "masquer", {"nom": name})
            told = {**found.as_json(), "correction": mask}
            lines = [*found.lines(), "this correction withholds the name:", mask]
        if database is not None and (reference or name is None):
            register = RequestRegister(database)
            if reference:
                register.note(reference, today, received, answered)
            requests = [r for r in register.requests() if reference in (None, r.reference)]
            told["requests"] = [one.as_json(today) for one in requests]
            lines += [one.line(today) for one in requests]
    except (*FAILURES, sqlite3.Error) as error:
        for line in sentences(error):
            click.echo(line, err=True)
        sys.exit(1)
    click.echo(json.dumps(told, ensure_ascii=False) if as_json else "\n".join(lines))
