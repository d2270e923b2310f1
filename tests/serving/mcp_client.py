"""A service with datasette-mcp, and a client of its protocol over HTTP."""

from __future__ import annotations

import http.client
import json
import os
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from tests.contract import environment
from tests.contract.service import NO_HEADERS, OverHttp


class ToolAnswer(NamedTuple):
    """The text of a tool's answer, and whether it failed."""

    failed: bool
    text: str

    def json(self) -> Any:
        return json.loads(self.text)


class Client:
    """One session, which sends these headers with each call."""

    def __init__(self, port: int, headers: Mapping[str, str] = NO_HEADERS) -> None:
        self.port, self.headers, self.session = port, headers, ""
        opening = {"protocolVersion": "2025-06-18", "capabilities": {}}
        opening["clientInfo"] = {"name": "a client", "version": "1"}
        self.ask("initialize", opening)

    def ask(self, method: str, params: Mapping[str, Any], **headers: str) -> Any:
        """The result of one request; a session that is opened is kept."""
        sent = {"Content-Type": "application/json", **self.headers, **headers}
        sent["Accept"] = "application/json, text/event-stream"
        if self.session:
            sent["Mcp-Session-Id"] = self.session
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)) as connection:
            connection.request("POST", "/-/mcp", body, sent)
            answer = connection.getresponse()
            self.session = answer.getheader("Mcp-Session-Id") or self.session
            return json.loads(answer.read())["result"]

    def call(self, name: str, **arguments: Any) -> ToolAnswer:
        """What a tool answers."""
        result = self.ask("tools/call", {"name": name, "arguments": arguments})
        (content,) = result["content"]
        return ToolAnswer(result["isError"], content["text"])


def serve(with_mcp: Path, database: Path, internal: Path, *options: str) -> OverHttp:
    """A service in whose environment datasette-mcp is installed."""
    command = ["env", f"PYTHONPATH={os.pathsep.join((str(with_mcp), *sys.path))}"]
    command += environment.serve_command(database, internal, *options)
    return OverHttp("mcp", command, internal, environment.ROOT)
