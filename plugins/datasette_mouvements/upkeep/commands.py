"""`datasette mouvements copy|requirements`: what a maintainer runs around the service."""

from __future__ import annotations

from pathlib import Path

import click

from . import copies, requirements


@click.command()
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("destination", type=click.Path(dir_okay=False, path_type=Path))
def copy(source: Path, destination: Path) -> None:
    """Copy an SQLite file to DESTINATION, whole and checked, while others write to it."""
    try:
        size = copies.copy(source, destination)
    except copies.CopyRefused as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{destination}: {size} bytes")


@click.command("requirements")
@click.option(
    "--project",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    default="pyproject.toml",
    show_default=True,
)
@click.option("--extra", "extras", multiple=True, help="Also those of this extra, such as postgres")
def requirements_command(project: Path, extras: tuple[str, ...]) -> None:
    """Print what an image must install beside this package, each at one version."""
    try:
        lines = requirements.pinned(project, extras)
    except requirements.NotInstalled as error:
        raise click.ClickException(str(error)) from error
    click.echo("\n".join(lines))


COMMANDS = (copy, requirements_command)
