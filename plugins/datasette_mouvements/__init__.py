"""datasette-mouvements: the Datasette hooks, and nothing else.

Datasette loads plugins while it is itself being imported: what the hooks call is imported by them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from datasette import hookimpl

if TYPE_CHECKING:
    import click
    from datasette.app import Datasette


@hookimpl
def register_commands(cli: click.Group) -> None:
    from .cli import mouvements

    cli.add_command(mouvements)


@hookimpl(specname="startup")  # not its name here: importing the module `startup` would replace it
def start_service(datasette: Datasette) -> Any:
    from .startup import start

    return lambda: start(datasette)


@hookimpl
def shutdown(datasette: Datasette) -> None:
    from .startup import stop

    stop(datasette)


@hookimpl
def asgi_wrapper(datasette: Datasette) -> Any:
    from .door import Door

    return lambda app: Door(datasette, app)
