"""The table of a chamber's or a group's offices, or of a chamber's members, as CSV, for a key or an account and one charge."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from datetime import datetime
from functools import partial
from hashlib import blake2s
from typing import BinaryIO
from urllib.parse import unquote

from datasette.utils.asgi import Request

from ..api.routes import Send
from ..dataset.snapshot import Snapshot
from . import chambers, downloads, groups, offices, tabular
from .absent import absent
from .facts import Facts
from .file_headers import Offered
from .made_files import Wanted
from .site import Site

# One more when the same rows are written otherwise.
FORM = "1"


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
    seats = sorted(await chambers.seats_of(site, facts, name), key=chambers.BY_NAME.key)
    rows = [chambers.csv_row(facts, name, seat) for seat in seats]
    body = _csv(chambers.CSV_HEADER, rows)
    await downloads.to_payer(site, request, send, partial(_file, facts, ["membres", name], body))


async def _send(site: Site, request: Request, send: Send, code: str) -> None:
    chamber = request.url_vars["chamber"]
    facts = await site.facts()
    if code and code not in groups.codes(facts, chamber):
        answer = await absent(site, request, groups.UNKNOWN)
        await answer.asgi_send(send)
        return
    seats = await offices.sitting(site, facts, chamber)
    found = [
        one
        for one in offices.offices(facts, chamber, seats)
        if not code or one.member.group == code
    ]
    found.sort(key=offices.NAME.key)
    body = _csv(offices.CSV_HEADER, [offices.csv_row(facts, chamber, one) for one in found])
    words = ["equipes", chamber, *filter(None, [code])]
    await downloads.to_payer(site, request, send, partial(_file, facts, words, body))


def _file(
    facts: Facts, words: list[str], body: bytes, site: Site, request: Request, snapshot: Snapshot
) -> Offered:
    invented = ["donnees-inventees"] if facts.invented else []
    return Offered(
        name=f"{downloads.plain_name('-'.join([*invented, *words, facts.edition[:8]]))}.csv",
        kind="text/csv; charset=utf-8",
        digest=blake2s(FORM.encode() + body, digest_size=12).hexdigest(),
        modified=datetime.fromisoformat(facts.built_at),
        version=snapshot.version,
        write=partial(_write, body),
        suffix="csv",
    )


def _csv(header: Iterable[str], rows: Iterable[list[str]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(header)
    writer.writerows([tabular.harmless(value) for value in row] for row in rows)
    return text.getvalue().encode()


def _write(body: bytes, file: BinaryIO, wanted: Wanted) -> None:
    file.write(body)
