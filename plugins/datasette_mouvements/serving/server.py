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
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click
import uvicorn
from uvicorn.supervisors import Multiprocess

from .. import config as settings
from ..api.routes import routes_of
from ..config import PLUGIN, ConfigError
from .connection.protocol import BoundedProtocol
from .gate import is_outermost

if TYPE_CHECKING:
    from datasette.app import Datasette

# Worker processes import this module anew: the environment tells them what to serve.
_OPTIONS = "MOUVEMENTS_SERVE_OPTIONS"
_SECRET = "DATASETTE_SECRET"
_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)
# Seconds after a stop signal: requests that still run are cancelled; a worker ends, whatever its threads
# still do; the process that watches over workers ends.
GRACE = 2
WORKER_ENDS = 4.0
SUPERVISOR_ENDS = 4.7


class CannotListen(Exception):
    """The server cannot listen at its address; the message says why."""


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
    """The ASGI application of one worker."""
    datasette = instance(json.loads(os.environ[_OPTIONS]))
    app = datasette.app()
    BoundedProtocol.routes = lambda: routes_of(datasette)
    # What another plugin put around the gate sees every request.
    BoundedProtocol.direct = lambda: is_outermost(app)
    _end_within(WORKER_ENDS, lambda: os._exit(0))
    return app


def _end_within(seconds: float, end: Callable[[], object]) -> None:
    """Call `end` so many seconds after a stop signal, if the process still runs.

    A request whose client has gone, or a thread, which cannot be cancelled, would keep it alive. The
    present signal handlers are called too.
    """
    for stop_signal in _STOP_SIGNALS:
        graceful = signal.getsignal(stop_signal)

        def stop(number: int, frame: Any, graceful: Any = graceful) -> None:
            timer = threading.Timer(seconds, end)
            timer.daemon = True
            timer.start()
            graceful(number, frame)

        signal.signal(stop_signal, stop)


class Server:
    """A server that listens at once and answers once it runs: its port is known before."""

    def __init__(self, options: Sequence[str], host: str, port: int, workers: int) -> None:
        os.environ[_OPTIONS] = json.dumps(list(options))
        # All workers need one secret, or a sign-in at one is unknown to the others.
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
        self.socket = _listening_socket(host, port)
        self.port: int = self.socket.getsockname()[1]

    def run(self) -> int:
        """Serve until a stop signal; the exit status."""
        # A connection counts as an open file: raise the limit to the most that the system allows.
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        if self.config.workers == 1:
            server = uvicorn.Server(self.config)

            def stop(number: int, frame: object) -> None:
                # Before uvicorn handles signals; and after its graceful end, when it raises them again.
                server.should_exit = True

            for stop_signal in _STOP_SIGNALS:
                signal.signal(stop_signal, stop)
            server.run(sockets=[self.socket])
            return 0 if server.started else 1
        supervisor = Multiprocess(self.config, sockets=[self.socket])
        _end_within(SUPERVISOR_ENDS, lambda: _end_all(supervisor))
        supervisor.run()
        return 0


def _end_all(supervisor: Multiprocess) -> None:
    """Kill the workers that have not ended, and this process, which waits for them."""
    for worker in supervisor.processes:
        worker.process.kill()
    os._exit(0)


def _listening_socket(host: str, port: int) -> socket.socket:
    """A socket that listens, for workers to inherit; CannotListen, where uvicorn would end the process.

    A client that connects before a worker has started waits for the answer.
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
