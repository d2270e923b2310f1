"""Tables as CSV, open as their pages are: one team, offices, members, groups."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2s
from typing import BinaryIO
from urllib.parse import unquote

from datasette.utils.asgi import Request

from parlement_lists.movement import PARIS
from parlement_lists.tenure import Tenure

from ...api.service import Send
from ..counts.facts import Facts
from ..files import tabular
from ..files.file_cache import WaitingClients
from ..frame.site import PageMissing, Site
from ..offices import chambers, groups, office_table, periods
from ..offices.seats import seats_of
from ..people import member
from . import file_requests
from .file_headers import FileOffer

# Raise it when the file of the same rows changes its form.
FORM = "4"


async def chamber(site: Site, request: Request, send: Send) -> None:
    """Send the offices of a chamber; CountPending while no version is counted."""
    await _send_offices(site, request, send, "")


async def group(site: Site, request: Request, send: Send) -> None:
    """Send the offices of a group; PageMissing for one that the chamber does not have."""
    await _send_offices(site, request, send, unquote(request.url_vars["code"]))


async def members(site: Site, request: Request, send: Send) -> None:
    """Send the members of a chamber, whatever their mandate."""
    name = request.url_vars["chamber"]
    facts = await site.facts()
    seats = await seats_of(site, facts, name)

    def rows() -> Iterable[list[str]]:
        by_name = sorted(seats, key=chambers.BY_NAME.key)
        return (chambers.csv_row(facts, name, seat) for seat in by_name)

    await _send(site, request, send, facts, ["membres", name], chambers.CSV_HEADER, rows)


async def groups_of_chamber(site: Site, request: Request, send: Send) -> None:
    """Send the groups of a chamber, those without a member who sits included."""
    name = request.url_vars["chamber"]
    facts, _ = await periods.usual(site, await site.facts(), name)
    summaries = await groups.of_chamber(site, facts, name)

    def rows() -> Iterable[list[str]]:
        return (groups.csv_row(facts, one) for one in summaries)

    await _send(site, request, send, facts, ["groupes", name], groups.CSV_HEADER, rows)


async def team(site: Site, request: Request, send: Send) -> None:
    """Send the stays of one team, the latest begun first; PageMissing for a member who is not known."""
    facts = await site.facts()
    chamber, identifier = request.url_vars["chamber"], unquote(request.url_vars["id"])
    stays = await facts.reader.stays(
        "where elu_id = ? and chambre = ? order by debut desc, collab_nom", [identifier, chamber]
    )
    if not stays and facts.listed(chamber, identifier) is None:
        raise PageMissing(member.UNKNOWN)
    words = ["equipe", chamber, identifier]
    await _send(site, request, send, facts, words, Tenure._fields, lambda: map(list, stays))


async def _send_offices(site: Site, request: Request, send: Send, code: str) -> None:
    facts = await site.facts()
    chamber = request.url_vars["chamber"]
    if code and code not in groups.codes(facts, chamber):
        raise PageMissing(groups.UNKNOWN)
    facts, _ = await periods.usual(site, facts, chamber)
    sitting = await office_table.sitting(site, facts, chamber)

    def rows() -> Iterable[list[str]]:
        seats = [seat for seat in sitting if not code or seat.member.group == code]
        offices = office_table.offices(facts, chamber, seats)
        by_name = sorted(offices, key=office_table.NAME.key)
        return (office_table.csv_row(facts, chamber, one) for one in by_name)

    words = ["equipes", chamber, *filter(None, [code])]
    await _send(site, request, send, facts, words, office_table.CSV_HEADER, rows)


async def _send(
    site: Site,
    request: Request,
    send: Send,
    facts: Facts,
    words: list[str],
    header: Sequence[str],
    rows: Callable[[], Iterable[list[str]]],
) -> None:
    """Send a table; `words` name its file. Where the table of movements is closed, an account pays."""
    seats = await seats_of(site, facts, request.url_vars["chamber"])
    today = (facts.day or site.today).isoformat()
    ends = [day for seat in seats if seat.end for day in (seat.end.over, seat.end.renewed)]
    # The day since which one mandate more is over, or a member a former one; "" where none is.
    changed = max((day for day in ends if day <= today), default="")
    depends_on = "\x1f".join([FORM, facts.edition, changed, *words])
    modified = datetime.fromisoformat(facts.built_at)
    if changed:
        ended = datetime.fromisoformat(changed).replace(tzinfo=PARIS)
        modified = max(modified, ended.astimezone(UTC))
    offered = FileOffer(
        name=f"{file_requests.plain_name('-'.join([*words, facts.edition[:8]]))}.csv",
        kind=tabular.CSV_TYPE,
        digest=blake2s(depends_on.encode(), digest_size=12).hexdigest(),
        modified=modified,
        version=facts.version,
        write=partial(_write, header, rows),
        suffix="csv",
    )
    opened = await site.may_view(None)
    deliver = file_requests.to_everyone if opened else file_requests.to_payer
    await deliver(site, request, send, lambda *_: offered)


def _write(
    header: Sequence[str],
    rows: Callable[[], Iterable[list[str]]],
    file: BinaryIO,
    clients: WaitingClients,
) -> None:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(header)
    writer.writerows([tabular.harmless(value) for value in row] for row in rows())
    file.write(text.getvalue().encode())
