"""All that is known -> the whole movements file: lists, files of movements, members, corrections, masks."""

from __future__ import annotations

import datetime
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from parlement_lists.movement import CHAMBERS, PARIS, Movement
from parlement_lists.tenure import Tenure
from parlement_lists.tracking.corrections import Corrections
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.reading.list_file import ListFile
from parlement_lists.tracking.report import Report
from parlement_lists.tracking.track import Tracked, track

from ..dataset import schema
from ..dataset.changes import Draw
from ..dataset.check import inspect
from ..dataset.disk import locked
from ..dataset.input_files import InputRefused, read
from . import masks
from .members import member_tables
from .publish import Written, next_file
from .standing import Row, Standing

# The row of `_publication` with the number of files of movements that it was built from, beside lists.
FILES_GIVEN = "hors_listes"
# What a build that has nothing to withhold makes pseudonyms with.
_NO_KEY = b""


@dataclass
class Inputs:
    """What a build reads; None where nothing was given.

    `key_folder` is where the private key of pseudonyms lies, by default beside the database. `nights` makes the
    rows of `nuits` of the report and the rows of `listes`.
    """

    files: list[Path] = field(default_factory=list)
    lists: Iterable[ListFile] | None = None
    members: Members = field(default_factory=Members)
    corrections: Corrections | None = None
    invented: bool = False
    key_folder: Path | None = None
    nights: Callable[[Report, list[Row]], list[Row]] | None = None


class Built(NamedTuple):
    """What a build did: the report, what it wrote, the rows of `listes`."""

    report: Report
    written: Written
    lists: list[Row]


def build(
    database: Path,
    inputs: Inputs,
    now: datetime.datetime,
    draw: Draw = secrets.token_hex,
    *,
    withdraw: int | None = None,
    mode: int | None = None,
) -> Built:
    """Make the whole of `database` anew, and put it in place if it is sound and loses nothing.

    Nothing is changed by what is raised: InputRefused for input that cannot be used, or that would lose what
    the file that stands has (see `Standing`; `withdraw` movements may go); CorrectionsError;
    ListFilesError; OSError where a file cannot be read or written. `draw`: see `Draw`; `mode`: see `next_file`.
    """
    # The target of a link is replaced, not the link: names would stay in the target.
    if database.is_symlink():
        database = database.resolve()
    with locked(database):
        standing = Standing(database)
        standing.refuse_other_input(inputs.invented, inputs.corrections is not None)
        corrections = inputs.corrections or Corrections()
        tracked = track(inputs.lists or (), inputs.members, corrections)
        report = tracked.report
        today = now.astimezone(PARIS).date()
        published = masks.publish(
            _all_movements(tracked, inputs.files, corrections),
            tracked.stays,
            tracked.spellings,
            corrections,
            masks.key_in(inputs.key_folder or database.parent) if corrections.masks else _NO_KEY,
            today,
        )
        lists = _list_rows(tracked)
        _tell(report, tracked, published, standing)
        ids = {movement.id for movement in published.movements}
        tables = {
            schema.TENURES: [tuple(value or None for value in stay) for stay in published.stays],
            **member_tables(published.stays, inputs.members),
            schema.HOMONYMS: _homonym_rows(published.stays, corrections),
            "corrections": corrections.rows(),
            "listes": lists,
            schema.NIGHTS: inputs.nights(report, lists) if inputs.nights else [],
            "retraits": standing.tombstones(corrections, ids, published.public, today.isoformat()),
            "_publication": [
                (FILES_GIVEN, str(len(inputs.files))),
                *([(schema.INVENTED, "1")] if inputs.invented else []),
                *((schema.MEMBERS_READ + c, str(day)) for c, day in inputs.members.read_on.items()),
            ],
        }
        losses = list(
            standing.losses({*ids, *published.public}, tables, corrections, now, withdraw)
        )
        if losses or (inputs.lists is not None and not report.accepted):
            with_list = {record.chamber for record in report.records if record.status == "accepted"}
            raise InputRefused(*report.refusals(set(CHAMBERS) - with_list), *losses)
        corrections.check_matched()
        with next_file(database, published.movements, tables, now, draw, mode) as (path, written):
            if faults := inspect(path):
                raise InputRefused(*(f"{database}: {fault}" for fault in faults))
    report.added = len(ids - standing.ids)
    report.withdrawn = len(standing.ids - ids)
    return Built(report, written, lists)


def _all_movements(
    tracked: Tracked, files: Iterable[Path], corrections: Corrections
) -> list[Movement]:
    """Every movement once, in the order in which lists, files and corrections have them first.

    Raises InputRefused for an identifier of two different movements.
    """
    places: dict[str, tuple[Movement, str]] = {}
    for place, movement in chain(
        (("the lists", movement) for movement in tracked.movements),
        *map(read, files),
        ((corrections.file, movement) for movement in corrections.added()),
    ):
        first, before = places.setdefault(movement.id, (movement, place))
        if first != movement:
            raise InputRefused(f"{place}: id: {movement.id} is another movement in {before}")
    return [movement for movement, _ in places.values()]


def _list_rows(tracked: Tracked) -> list[Row]:
    """The rows of `listes`, in the order of their names, with how many changes of each wait for later lists."""
    return [
        record.row(tracked.held[record.chamber, record.date] if record.status == "accepted" else 0)
        for record in sorted(tracked.report.records, key=lambda record: record.name)
    ]


def _tell(report: Report, tracked: Tracked, published: masks.Published, standing: Standing) -> None:
    """Tell in the report what the lists tell together, and what an earlier report has told."""
    for record in report.records:
        before = standing.lists.get(record.name, ())[3:]
        record.known = before[1:] == record.row()[4:5] and (before[0] == "refusee") == (
            record.status == "refused"
        )
    report.held = tracked.held.total()
    report.held_by_list = {f"{c}/{day}": n for (c, day), n in sorted(tracked.held.items())}
    report.undecided = published.questions


def _homonym_rows(stays: Iterable[Tenure], corrections: Corrections) -> list[Row]:
    """The rows of `_homonymes`, of names that stays tell."""
    if not corrections.homonym_members:
        return []
    numbers = {
        (stay.person, stay.elu_id): corrections.homonym(stay.chambre, stay.elu_id, stay.person)
        for stay in stays
        if masks.is_named(stay)
    }
    return sorted((*key, number) for key, number in numbers.items() if number)
