"""`datasette mouvements contact`: what publish.sh asks before it publishes."""

from __future__ import annotations

import os
from pathlib import Path

import click
from datasette.utils import BadMetadataError, StartupError, parse_metadata, resolve_env_secrets

from parlement_lists.regular_file import read_text

from .. import config
from .startup import refuse_invented

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


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
