"""datasette-mouvements: the Datasette hooks, and nothing else."""

import click
from datasette import hookimpl


@hookimpl
def register_commands(cli: click.Group) -> None:
    from .cli import mouvements

    cli.add_command(mouvements)
