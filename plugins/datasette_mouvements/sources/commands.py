"""`datasette mouvements fetch`: today's lists, each kept as received."""

from __future__ import annotations

import json
import sys
import time
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click

from ..config import PLUGIN
from ..tracking.git import GitFailed
from . import chambers
from .fetcher import Fetcher
from .hooks import SourceError
from .registry import choose


@click.command()
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--source",
    "names",
    multiple=True,
    help=f"A source by name ({', '.join(source.name for source in chambers.OWN_SOURCES)},"
    " or of another installed package); default: all",
)
@click.option(
    "--sources",
    "file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="YAML file of further sources: NAME: {url: ..., chambre: ...}",
)
@click.option(
    "--contact",
    envvar="MOUVEMENTS_CONTACT",
    default="",
    help="Address that the servers asked can write to; part of the user agent",
)
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON")
def fetch(
    directory: Path, names: tuple[str, ...], file: Path | None, contact: str, as_json: bool
) -> None:
    """Fetch lists into DIRECTORY, a git repository: one commit per change, exit 1 if one failed."""
    # It stands in a header.
    if not (contact.isascii() and contact.isprintable()):
        raise click.BadParameter(f"{contact!r} is not in ASCII", param_hint="--contact")
    agent = f"{PLUGIN}/{_version()} (daily copy of public lists; {contact or 'no contact'})"
    try:
        sources = choose(names, file)
        fetcher = Fetcher(directory, agent, lambda: datetime.now(UTC), time.sleep)
    except SourceError as error:
        raise click.UsageError(str(error)) from error
    except (GitFailed, OSError) as error:
        raise click.ClickException(str(error)) from error
    results = fetcher.fetch(sources)
    if as_json:
        click.echo(json.dumps([result._asdict() for result in results]))
    else:
        for result in results:
            click.echo(
                f"{result.source}: {result.status} {result.path or result.detail}",
                err=result.status == "failed",
            )
    if any(result.status == "failed" for result in results):
        sys.exit(1)


def _version() -> str:
    try:
        return version(PLUGIN)
    except PackageNotFoundError:  # the package is run from a folder, not installed
        return "0"
