"""The table `nuits`, made of the journals beside the lists, and `datasette mouvements nights`, which tells it."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from parlement_lists.bounds import NIGHT_DAYS
from parlement_lists.movement import PARIS
from parlement_lists.sources import journal
from parlement_lists.sources.commands import now
from parlement_lists.tracking.report import REASONS, UNITS

from ..dataset import nights
from ..dataset.connections import connect_read_only
from ..dataset.nights import REFUSED, Night
from ..dataset.schema import OUTCOMES, RUN_OUTCOMES
from .failures import refusals, tell
from .standing import Row, Standing

NONE = "no run of these days has told of its night"
_WORDS = dict(
    zip(
        ("", *OUTCOMES, *RUN_OUTCOMES),
        ("silent", "ok", "same", "refused", "failed", "ok", "alarm"),
        strict=True,
    )
)
_ENGLISH = {french: english for english, french in (journal.CAUSES | REASONS | UNITS).items()}


def nights_of(folders: Iterable[Path], lists: Iterable[Row]) -> list[Row]:
    """The rows of `nuits` of the journals in some folders of lists; `lists` are the rows of `listes`.

    What the guard said of a list stands in the place of what the source gave.
    """
    refused = {row[0]: (REFUSED, row[4], row[5]) for row in lists if row[3] == "refusee"}
    rows: dict[tuple[str, str], Row] = {}
    for line in (line for folder in folders for line in journal.read(folder)):
        name = line.liste if "/" in line.liste else ""
        outcome = refused.get(name, (line.resultat, line.raison, line.mesure))
        original = line.original, line.sha256
        night = Night(line.jour, line.source, line.chamber, *outcome, name, *original)
        rows[line.jour, line.source] = night
    return [rows[key] for key in sorted(rows)]


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
    with refusals():
        Standing(database)
        today = now().astimezone(PARIS).date()
        with closing(connect_read_only(database)) as db:
            rows = [_as_json(night) for night in latest(nights.read(db), today, days)]
    tell({"days": days, "nights": rows}, list(map(_line, rows)) or [NONE], as_json)


def latest(every: Sequence[Night], today: datetime.date, number: int) -> list[Night]:
    """The nights of the last days, the newest first, and those without a run."""
    days = nights.days_until(today, number, every)
    rows = [night for night in every if night.jour in days]
    for source, own in nights.by_source(every).items():
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
        "outcome": _WORDS[night.resultat],
        "reason": _reason(night),
        "figure": night.mesure,
        "list": night.liste or None,
        "original": original if night.original else None,
    }


def _line(row: dict[str, Any]) -> str:
    original = f" [{row['original']['name']}]" if row["original"] else ""
    source = row["source"] or "run"
    return f"{row['day']}  {source:12} {row['outcome']:9}{row['reason']}{original}".rstrip()


def _reason(night: Night) -> str:
    figure = " ".join(_ENGLISH.get(word, word) for word in night.mesure.split(" "))
    reason = ", ".join(filter(None, (_ENGLISH.get(night.motif, night.motif), figure)))
    return reason or ("no run came" if not night.source and not night.resultat else "")
