"""`datasette mouvements stats|contact|keys copy`: what a maintainer runs around the service."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import click
from datasette.utils import BadMetadataError, StartupError, parse_metadata, resolve_env_secrets

from parlement_lists.regular_file import read_text

from .. import config
from ..access.commands import INTERNAL, StoreOptions, keys, store_options
from ..serving.startup import refuse_invented
from . import transfer, usage

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.option(
    "--days", type=click.IntRange(1, 366), default=7, show_default=True, help="Days to show"
)
@click.option(
    "--busiest",
    type=click.IntRange(0, 1000),
    default=10,
    show_default=True,
    help="Accounts to show, by charges",
)
@store_options
def stats(options: StoreOptions, as_json: bool, days: int, busiest: int) -> None:
    """Print the number of keys, the charges and errors of the last days, the busiest accounts."""
    with options.open() as store:
        figures = usage.usage(store, datetime.now(UTC), days, busiest)
    if as_json:
        click.echo(json.dumps(figures, ensure_ascii=False))
        return
    for line in usage.lines(figures):
        click.echo(line)


@click.command("contact")
@click.option(
    "--metadata", type=_FILE, default="metadata.yml", show_default=True, help="Settings to read"
)
@click.option("--db", "database", type=_FILE, help="Refuse invented people under a public_url")
def contact_command(metadata: Path, database: Path | None) -> None:
    """Print which of public_url and contact are set: the names, one a line, not the values."""
    names = ("public_url", "contact")
    try:
        described = parse_metadata(read_text(metadata))
        plugins = described.get("plugins") if isinstance(described, dict) else None
        block = (plugins.get(config.PLUGIN) if isinstance(plugins, dict) else None) or {}
        if not isinstance(block, dict):
            raise config.ConfigError(f"plugins.{config.PLUGIN} must be a mapping of settings")
        # Only these are resolved: `store` may hold a password.
        written = {name: block.get(name) for name in (*names, "allow_invented")}
        settings = config.read(resolve_env_secrets(written, os.environ))
        refuse_invented(settings, str(database) if database else None)
    except StartupError as error:
        raise click.ClickException(str(error)) from error
    except (config.ConfigError, BadMetadataError, ValueError) as error:
        raise click.ClickException(f"{metadata}: {error}") from error
    except OSError as error:
        raise click.ClickException(str(error)) from error
    for name in names:
        if getattr(settings, name).strip():
            click.echo(name)


@keys.command("copy")
@click.option(
    "--from",
    "internal",
    type=_FILE,
    default=INTERNAL,
    show_default=True,
    help="Internal database to copy from",
)
@click.option(
    "--to",
    "url",
    required=True,
    envvar="MOUVEMENTS_STORE",
    help="postgresql://...; with a password only as MOUVEMENTS_STORE in the environment",
)
def copy_keys(internal: Path, url: str) -> None:
    """Copy every key and count to an empty PostgreSQL store; stop the service first."""
    try:
        copied = transfer.transfer(internal, url)
    except (transfer.TransferRefused, config.ConfigError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{copied.keys} keys and {copied.counts} counts copied")
