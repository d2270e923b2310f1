"""All that is known -> the whole movements file: lists, files of movements, members, corrections, masks."""

from __future__ import annotations

import datetime
import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from parlement_lists.movement import CHAMBERS, PARIS, Movement
from parlement_lists.tenure import Tenure
from parlement_lists.tracking.corrections import Corrections
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.members.spans import NO_GROUP
from parlement_lists.tracking.reading.lists import ListFile
from parlement_lists.tracking.report import Report
from parlement_lists.tracking.track import Tracked, track

from ..dataset import schema
from ..dataset.changes import Draw
from ..dataset.check import inspect
from ..dataset.disk import new_file, take_place
from ..dataset.input_files import InputRefused, read
from . import masks
from .publish import Written, write_file
from .standing import FILES_GIVEN, Row, Standing


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
    """What a build did: the report, what it wrote, what else a maintainer should know."""

    report: Report
    written: Written
    remarks: list[str]


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
    FilesError; OSError where a file cannot be read or written. `draw`: see `Draw`; `mode`: see `take_place`.
    """
    # The target of a link is replaced, not the link: names would stay in the target.
    database = database.resolve() if database.is_symlink() else database
    with new_file(database) as path:
        standing = Standing(database)
        key_file = (inputs.key_folder or database.parent) / masks.KEY_FILE
        _refuse_other(standing, inputs, key_file)
        corrections = inputs.corrections or Corrections()
        remarks = []
        if corrections.masks and not key_file.exists():
            remarks.append(
                f"{key_file}: a new private key is made, as there was none: what was withheld under another key has"
                " other pseudonyms now. Keep a copy of it"
            )
        tracked = track(inputs.lists or (), inputs.members, corrections)
        report = tracked.report
        today = now.astimezone(PARIS).date()
        published = masks.publish(
            _all_movements(tracked, inputs.files, corrections),
            tracked.stays,
            tracked.spellings,
            corrections,
            masks.key_in(key_file) if corrections.masks else b"",
            today,
        )
        lists = _tell_lists(tracked, standing)
        report.undecided = published.questions
        ids = {movement.id for movement in published.movements}
        homonyms = {
            (stay.person, stay.elu_id, number)
            for stay in published.stays
            if (number := corrections.homonym(stay.chambre, stay.elu_id, stay.person))
        }
        tables = {
            schema.TENURES: [tuple(value or None for value in stay) for stay in published.stays],
            **_member_tables(published.stays, inputs.members),
            schema.HOMONYMS: sorted(homonyms),
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
        written = write_file(path, published.movements, tables, database, now, draw)
        if faults := inspect(path):
            raise InputRefused(*(f"{database}: {fault}" for fault in faults))
        take_place(path, database, mode)
    report.added = len(ids - standing.movements.keys())
    report.withdrawn = len(standing.movements.keys() - ids)
    return Built(report, written, remarks)


def _refuse_other(standing: Standing, inputs: Inputs, key_file: Path) -> None:
    """Raises InputRefused for invented people in place of real ones, and where corrections of before are missing.

    Without them a name once masked would be published again. The key of pseudonyms tells that there were masks,
    also where no file stands any more.
    """
    if inputs.invented and standing.path.exists() and not standing.invented:
        raise InputRefused(
            f"{standing.path} holds real people: give invented ones a file of their own"
        )
    if inputs.corrections is not None:
        return
    before = ""
    if standing.corrected and standing.invented == inputs.invented:
        before = f"{standing.path} was made with corrections"
    elif key_file.exists() and not inputs.invented:
        before = f"{key_file} was made to withhold names"
    if before:
        raise InputRefused(
            f"{before}: give --corrections with the file of before, or names that it withholds would be published"
            " again (with an empty file, if nothing is withheld any more)"
        )


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


def _member_tables(stays: Sequence[Tenure], members: Members) -> dict[str, list[Row]]:
    """What is known of the members who have a stay, by table and in order; of groups also those that a stay names.

    A full name of a group that is not known is the code, a day that is not known is empty.
    """
    keys = sorted({(stay.chambre, stay.elu_id) for stay in stays})
    named: list[Row] = [
        (*key, full.family, full.given, members.civilities[key], members.pages.get(key))
        for key in keys
        if (full := members.name(*key)) and full.family
    ]
    mandates: set[Row] = {
        (*key, _day(span.since), _day(span.until))
        for key in keys
        for span in members.mandates(*key)
    }
    memberships: set[Row] = {
        (*key, span.value, _day(span.since), _day(span.until))
        for key in keys
        for span in members.memberships(*key)
    }
    codes = {(stay.chambre, stay.elu_groupe) for stay in stays if stay.elu_groupe}
    codes |= {(row[0], row[2]) for row in memberships if row[2] != NO_GROUP}
    spans = {chamber: members.group_spans(chamber) for chamber, _ in codes}
    groups = []
    for chamber, code in sorted(codes):
        of_group = spans[chamber].get(code, [])
        first = min((span.since for span in of_group), default=None)
        ends = [span.until for span in of_group if span.until]
        last = max(ends, default=None) if len(ends) == len(of_group) else None
        name = members.group_names.get((chamber, code), code)
        colour = members.group_colours.get((chamber, code), "")
        groups.append((chamber, code, name, colour, _day(first), _day(last)))
    return {
        schema.MANDATES: sorted(mandates),
        schema.MEMBERS: named,
        schema.MEMBERSHIPS: sorted(memberships),
        schema.GROUPS: groups,
    }


def _day(day: datetime.date | None) -> str:
    """A day as the tables have it; "" for one that is not known."""
    return day.isoformat() if day and day != datetime.date.min else ""


def _tell_lists(tracked: Tracked, standing: Standing) -> list[Row]:
    """Tell in the report what lists tell together, which ones an earlier report told, and which are gone.

    The rows of `listes`, in the order of their names, with how many changes of each wait for later lists.
    """
    report, rows = tracked.report, []
    for record in sorted(report.records, key=lambda record: record.name):
        waiting = tracked.held[record.chamber, record.date] if record.status == "accepted" else 0
        rows.append(record.row(waiting))
        if before := standing.lists.get(record.name):
            *_, status, reason, _ = before
            same_status = (status == "refusee") == (record.status == "refused")
            record.known = same_status and reason == record.row()[4]
    # An unchanged list is kept under its newest day: what tells whether one is there is its content.
    contents = {(record.chamber, record.sha256) for record in report.records}
    report.gone = [
        name
        for name, (_, chamber, _, status, _, digest) in sorted(standing.lists.items())
        if status != "refusee"
        and digest
        and (chamber, digest) not in contents
        and not standing.invented
    ]
    report.held = tracked.held.total()
    report.held_by_list = {f"{c}/{day}": n for (c, day), n in sorted(tracked.held.items())}
    return rows
