"""The service behind nginx and Caddy, as docs/examples has them; certificates and ports are the test's."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract import environment
from tests.contract.service import Answer, OverHttp, free_port

pytestmark = pytest.mark.process
EXAMPLES = environment.ROOT / "docs" / "examples"
NAME = "mouvements.example.org"
CERTIFICATES = f"/etc/letsencrypt/live/{NAME}"
# In the place of Debian's /etc/nginx/nginx.conf.
NGINX = """
worker_processes 1; error_log stderr; pid {folder}/nginx.pid;
events {{ worker_connections 64; }}
http {{
  access_log off; gzip on;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  include {folder}/mouvements.conf;
}}
"""


class ProxyInFront:
    """A proxy of an example, with TLS on a port of this machine."""

    def __init__(self, command: list[str], port: int, folder: Path) -> None:
        self.port, self.log = port, folder / "proxy.log"
        with self.log.open("wb") as log:
            home = {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "PATH": "/usr/bin:/bin"}
            self._running = subprocess.Popen(command, stdout=log, stderr=log, env=home)
        self._wait()

    def ask(self, target: str, *options: str) -> Answer:
        command = ["curl", "-sik", "--http1.1", "--resolve", f"{NAME}:{self.port}:127.0.0.1"]
        address = f"https://{NAME}:{self.port}{target}"
        asked = subprocess.run(
            [*command, "-H", f"Host: {NAME}", *options, address], capture_output=True, check=True
        )
        head, _, body = asked.stdout.partition(b"\r\n\r\n")
        status, *lines = head.decode("latin-1").split("\r\n")
        got = [(name.lower(), value) for name, _, value in (line.partition(": ") for line in lines)]
        return Answer(int(status.split()[1]), got, body)

    def close(self) -> None:
        self._running.terminate()
        self._running.wait(30)

    def _wait(self) -> None:
        deadline = time.monotonic() + 20
        while self._running.poll() is None and time.monotonic() < deadline:
            try:
                self.ask("/")
                return
            except subprocess.CalledProcessError:
                time.sleep(0.05)
        self.close()
        raise RuntimeError(f"the proxy does not answer:\n{self.log.read_text(errors='replace')}")


def nginx(folder: Path, origin: int, port: int) -> list[str]:
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        pytest.skip("nginx is missing: apt-get install nginx-light")
    text = (EXAMPLES / "nginx.conf").read_text()
    assert "proxy_set_header X-Forwarded-For $remote_addr;" in text  # no word of the visitor's
    # A machine may have no IPv6, and only root listens at these ports.
    text = "".join(line for line in text.splitlines(True) if "listen [::]" not in line)
    for written, given in (
        ("listen 80;", f"listen 127.0.0.1:{free_port()};"),
        ("listen 443 ", f"listen 127.0.0.1:{port} "),
        ("127.0.0.1:8001", f"127.0.0.1:{origin}"),
        (CERTIFICATES, str(folder)),
    ):
        assert written in text
        text = text.replace(written, given)
    (folder / "mouvements.conf").write_text(text)
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder))
    return [program, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-g", "daemon off;"]


def caddy(folder: Path, origin: int, port: int) -> list[str]:
    program = shutil.which("caddy")
    if program is None:
        pytest.skip("caddy is missing: apt-get install caddy")
    text = (EXAMPLES / "Caddyfile").read_text()
    assert f"\n{NAME} {{\n" in text
    assert "127.0.0.1:8001" in text
    own = f"\tbind 127.0.0.1\n\ttls {folder}/fullchain.pem {folder}/privkey.pem\n"
    text = text.replace(f"\n{NAME} {{\n", f"\nhttps://{NAME}:{port} {{\n{own}")
    off = "{\n\tadmin off\n\tauto_https disable_redirects\n}\n"
    (folder / "Caddyfile").write_text(off + text.replace("127.0.0.1:8001", f"127.0.0.1:{origin}"))
    return [program, "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]


PROXIES = {"nginx": nginx, "caddy": caddy}


def in_front(name: str, origin: int, folder: Path) -> ProxyInFront:
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"),
            *("-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}"),
            *("-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem"),
        ],
        check=True,
        capture_output=True,
    )
    port = free_port()
    return ProxyInFront(PROXIES[name](folder, origin, port), port, folder)


@pytest.fixture(params=PROXIES)
def proxy_of(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[object]:
    running: list[ProxyInFront] = []

    def start(origin: int) -> ProxyInFront:
        running.append(in_front(request.param, origin, tmp_path))
        return running[-1]

    yield start
    for one in running:
        one.close()


def test_what_the_service_answers_comes_through_as_it_is(
    proxy_of, database: Path, tmp_path: Path
) -> None:
    internal = tmp_path / "internal.sqlite3"
    command = environment.serve_command(database, internal)
    service = OverHttp("behind", command, internal, environment.ROOT)
    try:
        proxy = proxy_of(service.port)
        key = ("-H", f"X-API-Key: {environment.issue('lectrice', internal)}")
        # No public_url is set: links follow the name and the scheme that the proxy tells, no visitor's.
        forged = ("-H", "X-Forwarded-Proto: ftp", "-H", "X-Forwarded-For: 203.0.113.9")
        first = proxy.ask("/v1/mouvements?limit=2", *key, *forged)
        assert first.status == 200
        assert f"<https://{NAME}" in str(first.header("Link"))
        assert first.remaining == 999
        tag = str(first.header("ETag"))
        again = proxy.ask("/v1/mouvements?limit=2", *key, "-H", f"If-None-Match: {tag}")
        assert (again.status, again.body) == (304, b"")
        assert proxy.ask("/v1/mouvements").status == 401
        assert proxy.ask("/v1/mouvements?limit=0", *key).status == 400
        assert proxy.ask("/", "--head").status == 200
        assert f"https://{NAME}" in proxy.ask("/flux").body.decode()
        whole = proxy.ask("/fichiers/tout", *key)
        assert (whole.status, whole.body[:2]) == (200, b"PK")
    finally:
        service.close()
