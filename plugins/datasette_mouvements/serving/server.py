"""The server of `datasette mouvements serve`: uvicorn with uvloop, httptools and workers.

`datasette serve` runs one process on asyncio's loop and logs each request. Everything else is the
same, because Datasette's own command makes the instance from the same options.
"""

from __future__ import annotations

import json
import os
import resource
import secrets
import signal
import socket
import sys
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
import uvicorn
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess

from .. import config as settings
from ..api.front import Interface
from ..config import PLUGIN, ConfigError

if TYPE_CHECKING:
    from datasette.app import Datasette

# Worker processes import this module anew: the environment tells them what to serve.
_OPTIONS = "MOUVEMENTS_SERVE_OPTIONS"
_SECRET = "DATASETTE_SECRET"
# Seconds after a stop signal in which requests may end.
GRACE = 5


def parse_options(options: Sequence[str]) -> click.Context:
    """The options as `datasette serve` understands them; click.UsageError if it does not."""
    from datasette.cli import serve

    context: click.Context = serve.make_context("serve", list(options))
    return context


def instance(options: Sequence[str]) -> Datasette:
    """The Datasette that `datasette serve` would make of these options; the first is the movements' file.

    Whatever the file is called, it is the database that the settings name, because metadata.yml
    describes it by that name. ConfigError if a setting is wrong, or another file has that name.
    """
    with parse_options(options) as context:
        context.params["return_instance"] = True
        made: Datasette = context.command.invoke(context)
    name = settings.read(made.plugin_config(PLUGIN)).database
    movements = next(db for db in made.databases.values() if db.path == options[0])
    if movements.name != name:
        if name in made.databases:
            raise ConfigError(
                f"{made.databases[name].path} and {options[0]} would both be called {name!r}, as"
                f" plugins.{PLUGIN}.database says: rename the first"
            )
        movements.name = movements.route = name
        made.databases = {database.name: database for database in made.databases.values()}
    return made


def application() -> Any:
    """The ASGI application of one worker; SystemExit where it cannot be made, which ends all workers."""
    try:
        datasette = instance(json.loads(os.environ[_OPTIONS]))
        # Also in front of core's tracing of each request, which takes as long as a whole answer of the interface.
        return Interface(datasette, datasette.app())
    except Exception:
        # A worker that raises would be started again, for ever.
        traceback.print_exc()
        sys.exit(STARTUP_FAILURE)


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens, for workers to inherit; ClickException, where uvicorn would end the process.

    A client that connects before a worker has started waits for the answer.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        bound = socket.create_server(
            (host, port), family=family, dualstack_ipv6=family is socket.AF_INET6
        )
    except OSError as error:
        why = error.strerror or str(error)
        raise click.ClickException(f"{why}; give another --port or --host") from None
    bound.set_inheritable(True)
    return bound


def run(options: Sequence[str], bound: socket.socket, workers: int) -> None:
    """Serve until a stop signal; SystemExit(STARTUP_FAILURE) where a worker cannot start."""
    os.environ[_OPTIONS] = json.dumps(list(options))
    # All workers need one secret, or a sign-in at one is unknown to the others.
    os.environ.setdefault(_SECRET, secrets.token_hex(32))
    # A connection counts as an open file: raise the limit to the most that the system allows.
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    config = uvicorn.Config(
        f"{__name__}:application",
        factory=True,
        workers=workers,
        loop="uvloop",
        http="httptools",
        ws="none",
        lifespan="on",
        access_log=False,
        server_header=False,
        log_level="warning",
        timeout_graceful_shutdown=GRACE,
    )
    if workers > 1:
        supervisor = Multiprocess(config, sockets=[bound])
        supervisor.run()
        # It returns as after a stop signal when a worker cannot start: only the exit codes tell.
        if any(process.exitcode == STARTUP_FAILURE for process in supervisor.processes):
            sys.exit(STARTUP_FAILURE)
        return

    # uvicorn raises the signal again after its graceful end: a stop that was asked for is no failure, and a
    # thread still at work, which nothing can cancel, does not hold it up.
    for stop_signal in (signal.SIGTERM, signal.SIGINT):
        signal.signal(stop_signal, lambda number, frame: os._exit(0))
    uvicorn.Server(config).run(sockets=[bound])
