"""The table `nuits`, made of the journals beside the lists, and `datasette mouvements nights`, which tells it."""

from __future__ import annotations

import datetime
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import click
from datasette.utils.sqlite import sqlite3

from parlement_lists.bounds import NIGHT_DAYS
from parlement_lists.movement import PARIS
from parlement_lists.sources import journal
from parlement_lists.sources.commands import now
from parlement_lists.tracking.report import REASONS, UNITS, Report

from ..dataset import nights
from ..dataset.connections import connect_read_only
from ..dataset.nights import NEW, REFUSED, SAME, WENT_WELL, Night
from ..dataset.schema import OUTCOMES, RUN_OUTCOMES
from .failures import FAILURES, sentences
from .standing import Row, Standing

SILENT = "silent"
NONE = "no run of these days has told of its night"
_WORDS = dict(zip(OUTCOMES, ("ok", "same", "refused", "failed"), strict=True)) | dict(
    zip(RUN_OUTCOMES, ("ok", "alarm"), strict=True)
)
_ENGLISH = {french: english for english, french in (journal.CAUSES | REASONS | UNITS).items()}


def nights_of(folders: Iterable[Path]) -> Callable[[Report, list[Row]], list[Row]]:
    """What makes the rows of `nuits` of the journals in some folders of lists."""

    def make(report: Report, lists: list[Row]) -> list[Row]:
        refused = {row[0]: row for row in lists if row[3] == "refusee"}
        entries = (entry for folder in folders for entry in journal.read(folder))
        return [*nights.kept(_night(entry, refused) for entry in entries)]

    return make


def _night(entry: journal.Line, refused: dict[str, Row]) -> Night:
    """The night of an entry; what the guard said of the list stands in the place of what the source gave."""
    name = entry.liste if "/" in entry.liste else ""
    outcome = entry.resultat, entry.raison, entry.mesure
    if name in refused:
        outcome = REFUSED, *refused[name][4:6]
    return Night(
        entry.jour, entry.source, entry.chamber, *outcome, name, entry.original, entry.sha256
    )


def invented_nights(report: Report, lists: list[Row]) -> list[Row]:
    """The nights on which invented lists would have been taken: nobody fetched them."""
    rows = []
    for name, chamber, day, status, reason, figure, _, gained, lost, *_ in lists:
        if status == "refusee":
            night = Night(day, chamber, chamber, REFUSED, reason, figure, liste=name)
        else:
            night = Night(day, chamber, chamber, NEW if gained or lost else SAME, liste=name)
        rows += [night, Night(day, resultat=WENT_WELL)]
    return [*nights.kept(rows)]


@click.command("nights")
@click.argument("database", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--days",
    default=30,
    show_default=True,
    type=click.IntRange(1, NIGHT_DAYS),
    help="Days up to today",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON")
def nights_command(database: Path, days: int, as_json: bool) -> None:
    """Tell what each run found: ok, same, refused, failed, or silent where none came."""
    try:
        Standing(database)
        today = now().astimezone(PARIS).date()
        with closing(connect_read_only(database)) as db:
            rows = latest(nights.read(db), today, days)
    except (*FAILURES, sqlite3.Error) as error:
        for line in sentences(error):
            click.echo(line, err=True)
        sys.exit(1)
    if as_json:
        report = {"days": days, "nights": [_as_json(night) for night in rows]}
        click.echo(json.dumps(report, ensure_ascii=False))
    else:
        for line in [_line(night) for night in rows] or [NONE]:
            click.echo(line)


def latest(known: Sequence[Night], today: datetime.date, number: int) -> list[Night]:
    """The nights of the last days, the newest first, and those without a run."""
    days = nights.days_until(today, number, known)
    rows = [night for night in known if night.jour in days]
    for source, own in nights.by_source(known).items():
        # A run may still come today.
        missing = {*days[:-1]} - {night.jour for night in own}
        rows += [Night(day, source, own[0].chambre) for day in missing if day > own[0].jour]
    rows.sort(key=lambda night: night.source)
    return sorted(rows, key=lambda night: night.jour, reverse=True)


def _as_json(night: Night) -> dict[str, Any]:
    original = {"name": night.original, "sha256": night.original_sha256}
    return {
        "day": night.jour,
        "source": night.source or None,
        "chamber": night.chambre or None,
        "outcome": _WORDS.get(night.resultat, SILENT),
        "reason": _reason(night),
        "figure": night.mesure,
        "list": night.liste or None,
        "original": original if night.original else None,
    }


def _line(night: Night) -> str:
    outcome = _WORDS.get(night.resultat, SILENT)
    original = f" [{night.original}]" if night.original else ""
    line = f"{night.jour}  {night.source or 'run':12} {outcome:9}{_reason(night)}{original}"
    return line.rstrip()


def _reason(night: Night) -> str:
    figure = " ".join(_ENGLISH.get(word, word) for word in night.mesure.split(" "))
    reason = ", ".join(filter(None, (_ENGLISH.get(night.motif, night.motif), figure)))
    return reason or ("no run came" if not night.source and not night.resultat else "")
