"""datasette-mouvements: the Datasette hooks, and nothing else.

Datasette loads plugins while it is itself being imported: what the hooks call is imported by them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from datasette import hookimpl

if TYPE_CHECKING:
    import click
    from datasette import Request
    from datasette.app import Datasette
    from jinja2 import Environment


@hookimpl
def register_commands(cli: click.Group) -> None:
    from .cli import mouvements

    cli.add_command(mouvements)


@hookimpl
def register_events(datasette: Datasette) -> Any:
    # There is no event: this is the last hook before core opens its databases.
    from .serving.startup import prepare

    return lambda: prepare(datasette)


@hookimpl
def startup(datasette: Datasette) -> Any:
    from .serving.startup import start

    return start(datasette)


@hookimpl
def shutdown(datasette: Datasette) -> Any:
    from .serving.startup import stop

    return stop(datasette)


# Around what other plugins put around core: whatever they do, an export is judged, and kept by no cache.
@hookimpl(trylast=True)
def asgi_wrapper(datasette: Datasette) -> Any:
    from .api.front import Interface
    from .pages.core.middleware import PageMiddleware
    from .serving.doors import Doors

    return lambda app: Interface(datasette, Doors(datasette, PageMiddleware(datasette, app)))


@hookimpl
def permission_resources_sql(datasette: Datasette, actor: Any, action: str) -> Any:
    from .serving.permissions import permission_rules

    return permission_rules(datasette, actor, action)


@hookimpl
def register_routes(datasette: Datasette) -> Any:
    from .pages.routes import routes

    return routes(datasette)


@hookimpl
def prepare_jinja2_environment(env: Environment) -> None:
    from .pages.routes import prepare_environment

    prepare_environment(env)


@hookimpl
def filters_from_request(request: Request, database: str, table: str, datasette: Datasette) -> Any:
    from .pages.core.explorer import own_condition

    return own_condition(datasette, request, database, table)
