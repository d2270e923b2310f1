"""`datasette mouvements fetch`: today's lists, made of the chambers' originals."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import click

from ..config import PLUGIN
from ..tracking.git import GitFailed
from . import chambers
from .fetcher import KEPT_DAYS, Fetcher
from .hooks import SourceError
from .registry import choose
from .repository import AtWork
from .source import Source


def fetch_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say what is fetched, and how; `fetcher_and_sources` takes them."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print the results as JSON"),
        click.option(
            "--originals-days",
            "kept_days",
            default=KEPT_DAYS,
            show_default=True,
            envvar="MOUVEMENTS_ORIGINALS_DAYS",
            type=click.IntRange(0, 36500),
            help="Days for which the originals are kept",
        ),
        click.option(
            "--contact",
            envvar="MOUVEMENTS_CONTACT",
            default="",
            help="Address that the servers asked can write to; part of the user agent",
        ),
        click.option(
            "--sources",
            "file",
            envvar="MOUVEMENTS_SOURCES",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            help="YAML file of other addresses and further sources",
        ),
        click.option(
            "--source",
            "names",
            multiple=True,
            help=f"A source by name ({', '.join(source.name for source in chambers.OWN_SOURCES)},"
            " or of another installed package); default: all",
        ),
    ):
        command = option(command)
    return command


def fetcher_and_sources(
    directory: Path, names: tuple[str, ...], file: Path | None, contact: str, kept_days: int
) -> tuple[Fetcher, list[Source]]:
    """What the options ask for; raises what click tells as wrong usage, or as a failure."""
    # It stands in a header.
    if not (contact.isascii() and contact.isprintable()):
        raise click.BadParameter(f"{contact!r} is not in ASCII", param_hint="--contact")
    agent = f"{PLUGIN}/{_version()} (daily copy of public lists; {contact or 'no contact'})"
    try:
        sources = choose(names, file)
        return Fetcher(directory, agent, _now, time.sleep, kept_days), sources
    except SourceError as error:
        raise click.UsageError(str(error)) from error
    except OSError as error:
        raise click.ClickException(str(error)) from error


@click.command()
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@fetch_options
def fetch(directory: Path, as_json: bool, **options: Any) -> None:
    """Fetch lists into DIRECTORY, a git repository: one commit per change, exit 1 if one failed."""
    fetcher, sources = fetcher_and_sources(directory, **options)
    try:
        results = fetcher.fetch(sources)
    except (AtWork, GitFailed, OSError) as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(json.dumps([result._asdict() for result in results], ensure_ascii=False))
    for result in results:
        if not as_json:
            click.echo(result.line(), err=result.status in ("failed", "refused"))
            for sentence in result.told:
                click.echo(f"{result.source}: {sentence}", err=True)
    if any(result.alarm for result in results):
        sys.exit(1)


def _now() -> datetime:
    return datetime.now(UTC)


def _version() -> str:
    try:
        return version(PLUGIN)
    except PackageNotFoundError:  # the package is run from a folder, not installed
        return "0"
