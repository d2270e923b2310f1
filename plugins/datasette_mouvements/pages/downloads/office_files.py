"""The table of a chamber's or a group's offices, or of a chamber's members or groups, as CSV, for a key or an account and one charge."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2s
from typing import BinaryIO, NamedTuple
from urllib.parse import unquote

from datasette.utils.asgi import Request

from parlement_lists.movement import PARIS

from ...api.routes import Send
from ...dataset.served.snapshot import Snapshot
from ..counts.facts import Facts
from ..files import tabular
from ..files.file_cache import Wanted
from ..frame.not_found import absent
from ..frame.site import Site
from ..offices import chambers, groups, office_table
from . import file_requests
from .file_headers import Offered

# One more when the same rows are written otherwise.
FORM = "2"


class Table(NamedTuple):
    """A table as it would be written; its rows are made only for who may have them."""

    words: list[str]  # what it is of, in the name of its file
    header: Sequence[str]
    rows: Callable[[], Iterable[list[str]]]
    changed: str  # the day since which one mandate more is over, "" where none is


async def chamber(site: Site, request: Request, send: Send) -> None:
    """Send the offices of a chamber; Counting while no version is counted."""
    await _send(site, request, send, "")


async def group(site: Site, request: Request, send: Send) -> None:
    """Send the offices of a group; 404 for one that the chamber does not have."""
    await _send(site, request, send, unquote(request.url_vars["code"]))


async def members(site: Site, request: Request, send: Send) -> None:
    """Send the members of a chamber, whatever their mandate."""
    facts = await site.facts()
    name = request.url_vars["chamber"]
    seats = await chambers.seats_of(site, facts, name)

    def rows() -> Iterable[list[str]]:
        by_name = sorted(seats, key=chambers.BY_NAME.key)
        return (chambers.csv_row(facts, name, seat) for seat in by_name)

    table = Table(["membres", name], chambers.CSV_HEADER, rows, _changed(seats))
    await file_requests.to_payer(site, request, send, partial(_file, facts, table))


async def groups_of_chamber(site: Site, request: Request, send: Send) -> None:
    """Send the groups of a chamber, those without a member who sits included."""
    facts = await site.facts()
    name = request.url_vars["chamber"]
    found = await groups.of_chamber(site, facts, name)
    seats = await chambers.seats_of(site, facts, name)

    def rows() -> Iterable[list[str]]:
        return (groups.csv_row(facts, one) for one in found)

    table = Table(["groupes", name], groups.CSV_HEADER, rows, _changed(seats))
    await file_requests.to_payer(site, request, send, partial(_file, facts, table))


async def _send(site: Site, request: Request, send: Send, code: str) -> None:
    chamber = request.url_vars["chamber"]
    facts = await site.facts()
    if code and code not in groups.codes(facts, chamber):
        answer = await absent(site, request, groups.UNKNOWN)
        await answer.asgi_send(send)
        return
    seats = await chambers.seats_of(site, facts, chamber)
    sitting = await office_table.sitting(site, facts, chamber)

    def rows() -> Iterable[list[str]]:
        found = [
            one
            for one in office_table.offices(facts, chamber, sitting)
            if not code or one.member.group == code
        ]
        found.sort(key=office_table.NAME.key)
        return (office_table.csv_row(facts, chamber, one) for one in found)

    words = ["equipes", chamber, *filter(None, [code])]
    table = Table(words, office_table.CSV_HEADER, rows, _changed(seats))
    await file_requests.to_payer(site, request, send, partial(_file, facts, table))


def _changed(seats: Iterable[chambers.Seat]) -> str:
    return max((one.member.end.over for one in seats if one.member.end and one.until), default="")


def _file(facts: Facts, table: Table, site: Site, request: Request, snapshot: Snapshot) -> Offered:
    depends_on = "\x1f".join([FORM, facts.edition, table.changed, *table.words])
    modified = datetime.fromisoformat(facts.built_at)
    if table.changed:
        ended = datetime.fromisoformat(table.changed).replace(tzinfo=PARIS)
        modified = max(modified, ended.astimezone(UTC))
    return Offered(
        name=f"{file_requests.plain_name('-'.join([*table.words, facts.edition[:8]]))}.csv",
        kind="text/csv; charset=utf-8",
        digest=blake2s(depends_on.encode(), digest_size=12).hexdigest(),
        modified=modified,
        version=facts.version,
        write=partial(_write, table),
        suffix="csv",
    )


def _write(table: Table, file: BinaryIO, wanted: Wanted) -> None:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(table.header)
    writer.writerows([tabular.harmless(value) for value in row] for row in table.rows())
    file.write(text.getvalue().encode())
