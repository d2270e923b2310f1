"""`datasette mouvements nights`: what each run found, by source, and the matters that are open."""

from __future__ import annotations

import datetime
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click
from datasette.utils.sqlite import sqlite3

from parlement_lists.bounds import NIGHT_DAYS
from parlement_lists.movement import PARIS
from parlement_lists.sources.commands import now
from parlement_lists.tracking.report import REASONS, UNITS

from ...dataset.input_files import InputRefused
from ...dataset.schema import OUTCOMES, RUN_OUTCOMES
from ...dataset.served import nights
from ...dataset.served.nights import Night
from ..failures import FAILURES, sentences
from ..published import Published
from ..state_file import StateFile
from .book import BookedNight, Matter, NightBook
from .night_rows import BEGUN, CAUSES, OPEN, WITHOUT

SILENT = "silent"
NONE = "no run of these days has told of its night"
_WORDS = dict(zip(OUTCOMES, ("ok", "same", "stand-in", "refused", "failed"), strict=True)) | dict(
    zip(RUN_OUTCOMES, ("ok", "alarm", "cut off"), strict=True)
)

# Of a file without its tracking state only the words of the public table are known.
_ENGLISH = {french: english for english, french in (CAUSES | REASONS | UNITS).items()} | {
    BEGUN: "cut off",
    OPEN: "open",
    WITHOUT: "original not read",
}


@click.command("nights")
@click.argument("database", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--days",
    default=30,
    show_default=True,
    type=click.IntRange(1, NIGHT_DAYS),
    help="Days up to today",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON")
def nights_command(database: Path, days: int, as_json: bool) -> None:
    """Tell what each run found: ok, same, stand-in, refused, failed, or silent where none came.

    Beside its tracking state, reasons are in full and open matters are told.
    """
    try:
        if not (database.exists() or StateFile(database).path.exists()):
            raise InputRefused([f"{database}: neither it nor its tracking state is there"])
        found = nights_of(database, now().astimezone(PARIS).date(), days)
        open_ = NightBook(database).matters()
    except (*FAILURES, sqlite3.Error) as error:
        for line in sentences(error):
            click.echo(line, err=True)
        sys.exit(1)
    if as_json:
        told = {
            "days": days,
            "nights": [_as_json(one) for one in found],
            "open": [matter._asdict() for matter in open_],
        }
        click.echo(json.dumps(told, ensure_ascii=False))
    else:
        for line in (*(_lines(found) or [NONE]), *_open_lines(open_, found)):
            click.echo(line)


def nights_of(database: Path, today: datetime.date, number: int) -> list[BookedNight]:
    """The nights of the last days, the newest first: those of the book, else of the file, and those without a run."""
    published = [Night(*row) for row in Published(database).nights]
    known = {(night.passage, night.source): BookedNight(night) for night in published}
    known |= {(one.night.passage, one.night.source): one for one in NightBook(database).nights()}
    told = [one.night for one in known.values()]
    days = nights.days_until(today, number, told)
    # A run may still come today.
    missing = nights.silent(nights.by_source(told), days[:-1])
    found = [one for one in (*known.values(), *map(BookedNight, missing)) if one.night.jour in days]
    # In a run its own row comes first.
    found.sort(key=lambda one: one.night.source)
    return sorted(found, key=lambda one: (one.night.jour, one.night.passage), reverse=True)


def _outcome(night: Night) -> str:
    return _WORDS.get(night.resultat, SILENT)


def _reason(one: BookedNight) -> str:
    night = one.night
    figure = " ".join(_ENGLISH.get(word, word) for word in night.mesure.split(" "))
    public = ", ".join(filter(None, (_ENGLISH.get(night.motif, night.motif), figure)))
    return (
        one.detail or public or ("no run came" if not night.source and not night.resultat else "")
    )


def _lines(found: Iterable[BookedNight]) -> list[str]:
    lines = []
    for one in found:
        night = one.night
        original = (
            f" [{night.original} of {night.original_du or 'no day'}]" if night.original else ""
        )
        at = night.passage[11:16] or "--:--"
        line = f"{night.jour} {at}  {night.source or 'run':12} {_outcome(night):9}{_reason(one)}{original}"
        lines.append(line.rstrip())
    return lines


def _open_lines(matters: Iterable[Matter], above: Iterable[BookedNight]) -> Iterator[str]:
    """The open matters; one whose sentence stands above is named by its source alone."""
    said = tuple(one.detail for one in above if one.detail)
    for matter in matters:
        source = matter.key.partition("/")[0]
        what = f"{source}, as above" if matter.sentence.startswith(said) else matter.sentence
        yield f"open since {matter.since[:10]}, told {matter.told[:10]}: {what}"


def _as_json(one: BookedNight) -> dict[str, Any]:
    night = one.night
    original = {
        "name": night.original,
        "sha256": night.original_sha256,
        "date": night.original_du or None,
    }
    return {
        "day": night.jour,
        "at": night.passage or None,
        "source": night.source or None,
        "chamber": night.chambre or None,
        "outcome": _outcome(night),
        "reason": _reason(one),
        "figure": night.mesure,
        "left_out": night.elus_absents,
        "list_changed": night.liste_changee_le or None,
        "original": original if night.original else None,
    }
