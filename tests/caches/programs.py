"""A shared cache in front of a service: nginx, with two usual configurations."""

from __future__ import annotations

import http.client
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.contract.service import Answer, free_port

# Debian has it below /usr/sbin, which not everyone's PATH names.
_NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
# `obeys` keeps what HTTP says may be kept, and what says nothing; `keeps` keeps every answer for ten
# minutes, whatever Cache-Control says, as guides for a faster site have it. Both honour Vary.
CACHES = {
    "obeys": "",
    "keeps": "proxy_ignore_headers Cache-Control Expires X-Accel-Expires Set-Cookie;",
}
_CONFIGURATION = """
worker_processes 1; error_log stderr; pid {folder}/nginx.pid;
events {{ worker_connections 64; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  proxy_cache_path {folder}/cache keys_zone=one:1m;
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://127.0.0.1:{origin};
      proxy_set_header Host $http_host;
      proxy_cache one; proxy_cache_valid any 10m; {more}
      add_header X-Kept $upstream_cache_status always;
    }}
  }}
}}
"""


@dataclass
class SharedCache:
    """A cache that listens on `port` and asks an origin for what it does not keep."""

    name: str
    port: int

    def ask(self, target: str, headers: Mapping[str, str]) -> Answer:
        """GET the target with these headers and no other but Host."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)) as connection:
            connection.putrequest("GET", target, skip_accept_encoding=True)
            for name, value in headers.items():
                connection.putheader(name, value)
            connection.endheaders()
            with connection.getresponse() as response:
                got = [(name.lower(), value) for name, value in response.getheaders()]
                return Answer(response.status, got, response.read())


def cache_in_front(name: str, origin: int, folder: Path) -> Iterator[SharedCache]:
    """One of CACHES in front of the port `origin`, ended afterwards; the test is skipped where it is not installed."""
    if _NGINX is None:
        pytest.skip("nginx is missing: apt-get install nginx-light")
    port, configuration = free_port(), folder / "configuration"
    given = {"folder": folder, "port": port, "origin": origin, "more": CACHES[name]}
    configuration.write_text(_CONFIGURATION.format(**given))
    command = [_NGINX, "-p", folder, "-c", configuration, "-g", "daemon off; master_process off;"]
    log = folder / "log"
    with log.open("wb") as output:
        running = subprocess.Popen([*map(str, command)], stdout=output, stderr=output)
    try:
        cache = SharedCache(name, port)
        _wait(cache, running, log)
        yield cache
    finally:
        running.terminate()
        running.wait(30)


def _wait(cache: SharedCache, running: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 60
    while running.poll() is None and time.monotonic() < deadline:
        try:
            if cache.ask("/-/mouvements/etat", {}).status == 200:
                return
        except (ConnectionError, http.client.HTTPException):
            pass
        time.sleep(0.05)
    raise RuntimeError(f"{cache.name} does not answer:\n{log.read_text(errors='replace')}")
