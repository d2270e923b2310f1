"""How `datasette mouvements serve` serves: Datasette's own instance under uvicorn, with uvloop, httptools and workers.

`datasette serve` runs one process on asyncio's loop and logs each request; everything else is
the same, since the instance is made by Datasette's own command from the same options.
"""

from __future__ import annotations

import json
import os
import resource
import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.supervisors import Multiprocess

from .protocol import BoundedProtocol

if TYPE_CHECKING:
    from datasette.app import Datasette

# How worker processes, which import this module anew, learn what to serve.
_OPTIONS = "MOUVEMENTS_SERVE_OPTIONS"
_SECRET = "DATASETTE_SECRET"


def instance(options: Sequence[str]) -> Datasette:
    """The Datasette that `datasette serve` would make of these options."""
    from datasette.cli import serve

    context = serve.make_context("serve", list(options))
    made: Datasette = context.invoke(serve.callback, **context.params, return_instance=True)
    return made


def application() -> Any:
    """The ASGI application of one worker."""
    return instance(json.loads(os.environ[_OPTIONS])).app()


class Server:
    """A bound but not yet answering server, so that its address is known before it starts."""

    def __init__(
        self, options: Sequence[str], host: str, port: int, workers: int, access_log: bool
    ) -> None:
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
            access_log=access_log,
            server_header=False,
            log_level="info" if access_log else "warning",
        )
        self.socket = self.config.bind_socket()
        self.port: int = self.socket.getsockname()[1]

    def run(self) -> int:
        """Serve until told to stop; the exit status."""
        # As many connections as the system lets this process have: each is a file to it.
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        if self.config.workers == 1:
            server = uvicorn.Server(self.config)
            server.run(sockets=[self.socket])
            return 0 if server.started else 1
        Multiprocess(self.config, sockets=[self.socket]).run()
        return 0
