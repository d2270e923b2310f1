"""`datasette mouvements fetch`: today's lists, made of the chambers' originals."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import click

from .. import DISTRIBUTION
from ..regular_file import private
from ..tracking.reading.list_file import ListFilesError
from . import chambers
from .fetcher import KEPT_DAYS, Fetcher, FetchPlan
from .hooks import PackagesMissing, SourceError
from .registry import choose
from .repository import RepositoryBusy


def fetch_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of a fetch, which `start` takes."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print JSON"),
        click.option(
            "--originals-days",
            "kept_days",
            default=KEPT_DAYS,
            show_default=True,
            envvar="MOUVEMENTS_ORIGINALS_DAYS",
            type=click.IntRange(0, 36500),
            help="Days to keep the originals",
        ),
        click.option(
            "--contact",
            envvar="MOUVEMENTS_CONTACT",
            default="",
            help="Your address, for the servers that are asked; part of the user agent",
        ),
        click.option(
            "--sources",
            "file",
            envvar="MOUVEMENTS_SOURCES",
            type=click.Path(path_type=Path),
            help="YAML file of other addresses and more sources",
        ),
        click.option(
            "--source",
            "names",
            multiple=True,
            help=f"Source by name ({', '.join(source.name for source in chambers.OWN_SOURCES)},"
            " or of another installed package); default: all",
        ),
    ):
        command = option(command)
    return command


def start(
    directory: Path, names: tuple[str, ...], file: Path | None, contact: str, kept_days: int
) -> FetchPlan:
    """The plan that the options make; raises SourceError and OSError."""
    # The contact stands in a header. It is examined here and not with the options, because the daily run
    # masks names first.
    if not (contact.isascii() and contact.isprintable()):
        raise SourceError(f"--contact: {contact!r} is not in ASCII")
    broken: list[str] = []
    sources = choose(names, file, broken)
    agent = (
        f"{DISTRIBUTION}/{own_version()} (daily copy of public lists; {contact or 'no contact'})"
    )
    return FetchPlan(Fetcher(directory, agent, now, time.sleep, kept_days), sources, broken)


@click.command()
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@fetch_options
@private()
def fetch(directory: Path, as_json: bool, **options: Any) -> None:
    """Fetch lists into DIRECTORY, a git repository: one commit a change.

    Exit 1 if a source failed or was refused.
    """
    try:
        begun = start(directory, **options)
        results = begun.fetcher.fetch(begun.sources)
    except PackagesMissing as error:
        raise click.ClickException(str(error)) from error
    except SourceError as error:
        raise click.UsageError(str(error)) from error
    except (RepositoryBusy, ListFilesError, OSError) as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(json.dumps([asdict(result) for result in results], ensure_ascii=False))
    for result in results:
        if not as_json:
            click.echo(result.line(), err=result.status in ("failed", "refused"))
            for sentence in result.told:
                click.echo(f"{result.source}: {sentence}", err=True)
    faults = [*begun.broken, *filter(None, [begun.fetcher.repository.history.fault])]
    for sentence in faults:
        click.echo(sentence, err=True)
    if faults or any(result.alarm for result in results):
        sys.exit(1)


def now() -> datetime:
    return datetime.now(UTC)


def own_version() -> str:
    """The version of this package, which is part of the user agent."""
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:  # the package is run from a folder, not installed
        return "0"
