"""How `datasette mouvements serve` serves: Datasette's own instance under uvicorn, with uvloop, httptools and workers.

`datasette serve` runs one process on asyncio's loop and logs each request; everything else is
the same, since the instance is made by Datasette's own command from the same options.
"""

from __future__ import annotations

import json
import os
import resource
import secrets
import signal
import socket
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click
import uvicorn
from uvicorn.supervisors import Multiprocess

from .. import config as settings
from ..config import PLUGIN, ConfigError
from .protocol import BoundedProtocol

if TYPE_CHECKING:
    from datasette.app import Datasette

# How worker processes, which import this module anew, learn what to serve.
_OPTIONS = "MOUVEMENTS_SERVE_OPTIONS"
_SECRET = "DATASETTE_SECRET"
_ASKED = (signal.SIGTERM, signal.SIGINT)
# Seconds after a stop was asked for: what answers are given to end by themselves, then are cancelled;
# when a worker ends whatever a thread of it still does; and when the process that watches over workers does.
GRACE = 2
WORKER_ENDS = 4.0
SUPERVISOR_ENDS = 4.7


class CannotListen(Exception):
    """The address cannot be had; the message says which and why."""


def parsed(options: Sequence[str]) -> click.Context:
    """The options as `datasette serve` understands them; click.UsageError if it does not."""
    from datasette.cli import serve

    context: click.Context = serve.make_context("serve", list(options))
    return context


def instance(options: Sequence[str]) -> Datasette:
    """The Datasette that `datasette serve` would make of these options, the first of them the movements.

    Whatever that file is called, it is the database that the settings name: it is what they and
    the descriptions in metadata.yml are about. ConfigError if a setting is wrong, or another file
    has that name.
    """
    with parsed(options) as context:
        context.params["return_instance"] = True
        made: Datasette = context.command.invoke(context)
    name = settings.read(made.plugin_config(PLUGIN)).database
    movements = next(one for one in made.databases.values() if one.path == options[0])
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
    """The ASGI application of one worker."""
    from ..api.routes import routes_of  # not in the process that only watches over workers

    datasette = instance(json.loads(os.environ[_OPTIONS]))

    def malformed() -> bytes | None:
        routes = routes_of(datasette)
        return routes.malformed() if routes else None

    BoundedProtocol.malformed = malformed
    _end_within(WORKER_ENDS, lambda: os._exit(0))
    return datasette.app()


def _end_within(seconds: float, end: Callable[[], object]) -> None:
    """Call `end` so many seconds after a stop was asked for, if the process is still there.

    A request whose client has gone, or a thread that nobody can cancel, would keep it for as long
    as they last. What handles the signals now goes on doing so.
    """
    for asked in _ASKED:
        graceful = signal.getsignal(asked)

        def told(number: int, frame: Any, graceful: Any = graceful) -> None:
            last = threading.Timer(seconds, end)
            last.daemon = True
            last.start()
            graceful(number, frame)

        signal.signal(asked, told)


class Server:
    """A server that listens and does not answer yet, so that its address can be told before it starts."""

    def __init__(self, options: Sequence[str], host: str, port: int, workers: int) -> None:
        os.environ[_OPTIONS] = json.dumps(list(options))
        # Workers must agree on it, or a sign-in at one is unknown to the next.
        os.environ.setdefault(_SECRET, secrets.token_hex(32))
        self.config = uvicorn.Config(
            f"{__name__}:application",
            factory=True,
            host=host,
            port=port,
            workers=workers,
            loop="uvloop",
            http=BoundedProtocol,
            lifespan="on",
            access_log=False,
            server_header=False,
            log_level="warning",
            timeout_graceful_shutdown=GRACE,
        )
        self.socket = _bound(host, port)
        self.port: int = self.socket.getsockname()[1]

    def run(self) -> int:
        """Serve until told to stop; the exit status."""
        # Each connection is a file to the system: the process takes as many as it is allowed.
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        if self.config.workers == 1:
            server = uvicorn.Server(self.config)

            def stop(number: int, frame: object) -> None:
                """Before uvicorn handles signals; and after its graceful end, when it raises them again."""
                server.should_exit = True

            for asked in _ASKED:
                signal.signal(asked, stop)
            server.run(sockets=[self.socket])
            return 0 if server.started else 1
        supervisor = Multiprocess(self.config, sockets=[self.socket])
        _end_within(SUPERVISOR_ENDS, lambda: _end_all(supervisor))
        supervisor.run()
        return 0


def _end_all(supervisor: Multiprocess) -> None:
    """Kill the workers that did not end, and this process, which waits for them."""
    for worker in supervisor.processes:
        worker.process.kill()
    os._exit(0)


def _bound(host: str, port: int) -> socket.socket:
    """A socket that is ours and that workers inherit: uvicorn's own way ends the process.

    Who connects before they have started waits for their answer.
    """
    bound = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
        bound.listen()
    except OSError as error:
        bound.close()
        why = error.strerror or str(error)
        raise CannotListen(f"{host}, port {port}: {why}; give another --port or --host") from None
    bound.set_inheritable(True)
    return bound
