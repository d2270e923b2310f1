"""The shared caches that people put in front of a service: nginx and Varnish, each with usual configurations."""

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

# Debian has both below /usr/sbin, which not everyone's PATH names.
_PROGRAMS = {
    name: shutil.which(name) or shutil.which(name, path="/usr/sbin")
    for name in ("nginx", "varnishd")
}
_PACKAGES = {"nginx": "nginx-light", "varnishd": "varnish"}
# `obeys` keeps what HTTP says may be kept, and what says nothing; `keeps` keeps every answer for ten
# minutes, whatever Cache-Control says, as guides for a faster site have it. All of them honour Vary.
CACHES = ("nginx-obeys", "nginx-keeps", "varnish-obeys", "varnish-keeps")

_NGINX = """
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
_VARNISH = """
vcl 4.1;
backend default {{ .host = "127.0.0.1"; .port = "{origin}"; }}
{more}
sub vcl_deliver {{ if (obj.hits > 0) {{ set resp.http.X-Kept = "HIT"; }} }}
"""
_MORE = {
    "nginx-obeys": "",
    "nginx-keeps": "proxy_ignore_headers Cache-Control Expires X-Accel-Expires Set-Cookie;",
    "varnish-obeys": "",
    # Without its own rules Varnish hands requests with a cookie or an Authorization on.
    "varnish-keeps": """
sub vcl_recv { if (req.method == "GET") { return (hash); } }
sub vcl_backend_response { set beresp.ttl = 10m; set beresp.uncacheable = false; return (deliver); }
""",
}


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
    program = "nginx" if name.startswith("nginx") else "varnishd"
    path = _PROGRAMS[program]
    if path is None:
        pytest.skip(f"{program} is missing: apt-get install {_PACKAGES[program]}")
    port = free_port()
    given = {"folder": folder, "port": port, "origin": origin, "more": _MORE[name]}
    configuration = folder / "configuration"
    configuration.write_text((_NGINX if program == "nginx" else _VARNISH).format(**given))
    if program == "nginx":
        command = [path, "-p", folder, "-c", configuration, "-g", "daemon off; master_process off;"]
    else:
        command = [path, "-F", "-n", folder / "varnish", "-a", f"127.0.0.1:{port}", "-f"]
        command += [configuration, "-s", "malloc,32m", "-j", "none", "-T", "none"]
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
