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
from . import chambers, downloads, offices, tabular
from .facts import Facts
from .file_headers import Offered
from .made_files import Wanted
from .site import Site

# One more when the same rows are written otherwise.
FORM = "1"


async def chamber(site: Site, request: Request, send: Send) -> None:
    """Send the offices of a chamber; Counting while no version is counted."""
    facts = await site.facts()
    await downloads.to_payer(site, request, send, partial(_offered, facts, ""))


async def group(site: Site, request: Request, send: Send) -> None:
    """Send the offices of a group: of an unknown one, an empty table."""
    facts = await site.facts()
    code = unquote(request.url_vars["code"])
    await downloads.to_payer(site, request, send, partial(_offered, facts, code))


async def members(site: Site, request: Request, send: Send) -> None:
    """Send the members of a chamber, whatever their mandate."""
    facts = await site.facts()
    name = request.url_vars["chamber"]
    seats = sorted(await chambers.seats_of(site, facts, name), key=chambers.BY_NAME.key)
    rows = [chambers.csv_row(facts, name, seat) for seat in seats]
    body = _csv(chambers.CSV_HEADER, rows)
    await downloads.to_payer(site, request, send, partial(_file, facts, ["membres", name], body))


def _offered(facts: Facts, code: str, site: Site, request: Request, snapshot: Snapshot) -> Offered:
    chamber = request.url_vars["chamber"]
    found = [one for one in offices.offices(facts, chamber) if not code or one.member.group == code]
    rows = [offices.csv_row(facts, chamber, one) for one in sorted(found, key=lambda o: o.name)]
    words = ["equipes", chamber, *filter(str.isalnum, [code])]
    return _file(facts, words, _csv(offices.CSV_HEADER, rows), site, request, snapshot)


def _file(
    facts: Facts, words: list[str], body: bytes, site: Site, request: Request, snapshot: Snapshot
) -> Offered:
    invented = ["donnees-inventees"] if facts.invented else []
    return Offered(
        name=f"{'-'.join([*invented, *words, facts.edition[:8]])}.csv",
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
