"""`datasette mouvements check` and `copy`: is a file sound, and the file of a service, taken whole when it is another."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

import click
import httpx2

from parlement_lists.bounds import FILE_BYTES, OverBound
from parlement_lists.regular_file import read_bytes

from ..config import PLUGIN
from .check import alarms, inspect
from .connections import publication
from .disk import new_file, system_errors, take_place
from .input_files import InputRefused

# Seconds without a byte, and of the whole transfer, after which it is given up.
SILENCE, LONGEST = 20.0, 1800.0
_ADDRESS = re.compile(r"https?://[^\s@?#\\]+", re.ASCII)
_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")
_REASONS = {
    **dict.fromkeys((301, 302, 303, 307, 308), "the key goes to no other address"),
    401: "the key is missing or not accepted",
    403: "the service lets nobody download its file (allow_download)",
    404: "no service of this kind is there",
    410: "the service gives its file no more",
    429: "the quota of the key is used up, or the key is in use",
    503: "the service has no movements at the moment",
}


def copy_file(
    url: str, database: Path, key: str, silence: float = SILENCE, longest: float = LONGEST
) -> bool:
    """Put the movements file of the service at `url` in the place of `database`; False if that is the same edition.

    Raises InputRefused, in one sentence without the key, or OSError, and leaves what stands as it was. Movements are
    never replaced by those of another lineage: they are of another service, or were built here.
    """
    before = publication(database)
    if database.exists() and "lignee" not in before:
        raise InputRefused("no movements file that can be read stands there: name another file")
    # A damaged file is not asked about: it is taken anew.
    edition = "" if not before or inspect(database) else before["edition"]
    # Their `repr` does not show the key, unlike that of a dict.
    headers = httpx2.Headers({"user-agent": PLUGIN, "accept-encoding": "identity"})
    if key:
        headers["authorization"] = f"Bearer {key}"
    if edition:
        headers["if-none-match"] = f'"{edition}"'
    with new_file(database) as path:
        with system_errors(database), path.open("wb") as file:
            if not asyncio.run(_download(f"{url}/movements.db", headers, file, silence, longest)):
                return False
        if faults := inspect(path):
            # A fault may quote names of tables, and whoever made these has the key.
            fault = "".join(filter(str.isprintable, faults[0])).replace(key or "\n", "...")
            raise InputRefused(f"what was sent does not pass the check: {fault[:300]}")
        sent = publication(path)
        if sent["edition"] == edition:  # what stands between may have taken the tag away
            return False
        if before and sent.get("lignee") != before["lignee"]:
            raise InputRefused(
                "what was sent is of another lineage: name another file, or move this one away"
            )
        if before.get("mouvements", "0") != "0" == sent["mouvements"]:
            raise InputRefused(
                "what was sent has no movement: move this file away to have it all the same"
            )
        take_place(path, database)
    return True


async def _download(
    address: str, headers: httpx2.Headers, file: BinaryIO, silence: float, longest: float
) -> bool:
    """Write what is at an address into a file; False for a 304. Raises InputRefused.

    Redirections are not followed: the key is for this address alone.
    """
    try:
        async with (
            asyncio.timeout(longest),
            httpx2.AsyncClient(timeout=silence) as client,
            client.stream("GET", address, headers=headers) as response,
        ):
            status = response.status_code
            if status == 304 and "if-none-match" in headers:
                return False
            if status != 200:
                raise InputRefused(f"status {status}: {_REASONS.get(status, '')}".rstrip(": "))
            FILE_BYTES.examine(int(response.headers.get("content-length", "0")))
            size = 0
            async for piece in response.aiter_raw():
                size += len(piece)
                FILE_BYTES.examine(size)
                file.write(piece)
    except TimeoutError:
        raise InputRefused(f"not complete after {longest:g} s") from None
    except OverBound as over:
        raise InputRefused(str(over)) from None
    except httpx2.ConnectError as error:
        raise InputRefused(f"the connection failed: {error}") from None
    # The texts of these may quote what was sent, and that may quote the key.
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
        raise InputRefused(f"the connection failed ({type(error).__name__})") from None
    return True


@click.command()
@click.argument("url")
@click.argument("database", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--key-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File that holds a key of the service and nothing else",
)
def copy(url: str, database: Path, key_file: Path | None) -> None:
    """Make DATABASE a copy of the movements of the service at URL, or bring it up to date.

    Exit 1 when there was none to be had; DATABASE is as it was.
    """
    if not _ADDRESS.fullmatch(url):
        raise click.BadParameter("not https://HOST or https://HOST/PATH", param_hint="URL")
    if key_file and url.startswith("http:") and urlsplit(url).hostname not in _THIS_MACHINE:
        raise click.BadParameter("a key goes to another machine by https alone", param_hint="URL")
    try:
        taken = copy_file(url.rstrip("/"), database, read_key(key_file) if key_file else "")
    except (InputRefused, OSError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise click.ClickException(f"{database} is as it was: {why}") from None
    row = publication(database)
    what = "taken" if taken else "unchanged"
    click.echo(f"{database}: {what}, {row['mouvements']} movements, version {row['version']}")


def read_key(path: Path) -> str:
    """The key in a file. Raises InputRefused or OSError, without a word of what is there instead."""
    key = read_bytes(path, most=1000).strip().decode("ascii", "replace")
    if not re.fullmatch("[!-~]{1,200}", key):
        raise InputRefused(f"{path} holds no key, or more than one")
    return key


@click.command()
@click.argument("database", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def check(database: Path) -> None:
    """Verify the tables, indexes and invariants of DATABASE.

    Exit 1 with a line for each fault, and where more members of a chamber sit on the day of a list than it has seats.
    """
    faults = inspect(database) or list(alarms(database))
    for fault in faults:
        click.echo(f"{database}: {fault}", err=True)
    if faults:
        sys.exit(1)
    click.echo(f"{database}: sound")
