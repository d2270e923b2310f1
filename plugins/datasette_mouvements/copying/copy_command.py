"""`datasette mouvements copy-from`: a reuser's own copy of a service."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import click

from parlement_lists.regular_file import open_regular
from parlement_lists.sources.commands import now, own_version

from ..config import PLUGIN
from ..updating.commands import DATABASE, FILE
from ..updating.failures import sentences
from .copy_report import CopyReport
from .copy_run import CopyFailed, follow
from .service_client import Key, ServiceClient, service_address

LONGEST_KEY = 200


@click.command("copy-from")
@click.argument("url")
@click.argument("database", type=DATABASE)
@click.option(
    "--key-file", required=True, type=FILE, help="File that holds the key and nothing else"
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON")
def copy_from(url: str, database: Path, key_file: Path, as_json: bool) -> None:
    """Make DATABASE a copy of the service at URL, or bring it up to date.

    Exit 1 when something was refused or stopped the run. A second run continues.
    """
    try:
        address = service_address(url)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="URL") from None
    key = _key(key_file)
    agent = f"{PLUGIN}/{own_version()} (copy-from)"
    unchanged = "nothing was changed"
    try:
        with ServiceClient(address, key, agent, now, time.sleep) as service:
            report = follow(database, service, now)
    except CopyFailed as failed:
        lines = failed.lines
        if failed.changed:
            unchanged = "what was read before stays, with its place in the feed"
    except Exception as error:  # with `rich`, a traceback shows the variables of every frame
        lines = sentences(error)
    else:
        _print(database, address, report, as_json)
        if report.stopped:
            click.echo(f"{address}: {report.stopped}", err=True)
            sys.exit(1)
        return
    for line in [*lines, f"Refused: {unchanged}."]:
        click.echo(line, err=True)
    sys.exit(1)


def _print(database: Path, address: str, report: CopyReport, as_json: bool) -> None:
    if as_json:
        known = {"database": str(database), "url": address}
        click.echo(json.dumps(known | report.as_json(), ensure_ascii=False))
        return
    for line in report.lines():
        click.echo(f"{database}: {line}")


def _key(path: Path) -> Key:
    """The key in a file. Raises click.ClickException, without a word of what is there instead."""
    try:
        with open_regular(path) as file:
            found = file.read(2 * LONGEST_KEY).strip().decode("ascii", "replace")
    except OSError as error:
        raise click.ClickException(f"{path}: {error.strerror}") from None
    if not (0 < len(found) <= LONGEST_KEY and found.isascii() and found.isprintable()):
        raise click.ClickException(f"{path}: holds no key")
    if " " in found:
        raise click.ClickException(f"{path}: holds more than a key")
    return Key(found)
