"""wrk on one core, and what it measured."""

from __future__ import annotations

import re
import resource
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from . import machine
from .servers import Key

CONNECTIONS = 16
REST = 0.1
_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0}
_SIZES = {"B": 1, "KB": 1024, "MB": 1024**2, "GB": 1024**3}
COLD = Path(__file__).with_name("cold.lua").relative_to(Path.cwd())


class Load(NamedTuple):
    """One run of wrk."""

    per_second: float
    requests: int
    p50: float  # seconds
    p99: float
    bytes: float  # of one answer, headers included
    cpu: float = 0.0  # of wrk itself, in seconds
    server: float = 0.0  # processor time of the server for one request, in seconds
    charges: int = 0  # recorded meanwhile


def require_wrk() -> None:
    if shutil.which("wrk") is None:
        raise SystemExit("wrk is needed to make load: install it (Debian package wrk)")


def command(
    url: str,
    seconds: float,
    headers: Mapping[str, str] | None = None,
    script: Sequence[str] = (),
) -> list[str]:
    """The wrk command: one thread, so many connections, latencies."""
    sent = [word for name, value in (headers or {}).items() for word in ("-H", f"{name}: {value}")]
    wrk = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{max(1, round(seconds))}s", "--latency", *sent]
    if script:
        wrk += ["-s", str(COLD), url, "--", *script]
    else:
        wrk.append(url)
    return machine.on_core(machine.LOAD_CORE, wrk)


def run(words: Sequence[str], pid: int) -> Load:
    """Run it on the server `pid`; a request that failed or was refused ends the benchmarks."""
    wrk, server = _children_cpu(), machine.cpu_seconds(pid)
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    try:
        load = parsed(done.stdout)
    except ValueError as error:
        raise SystemExit(f"{machine.shown(words)}: {error}\n{done.stdout}") from None
    each = (machine.cpu_seconds(pid) - server) / load.requests
    return load._replace(cpu=_children_cpu() - wrk, server=each)


def parsed(output: str) -> Load:
    """What wrk printed; ValueError if a request failed, or if it is not wrk's output."""
    for trouble in ("Non-2xx", "Socket errors"):
        if trouble in output:
            raise ValueError("requests failed")
    (requests, size) = _found(r"(\d+) requests in [^,]+, ([\d.]+[KMG]?B) read", output)
    (rate,) = _found(r"Requests/sec:\s+([\d.]+)", output)
    return Load(
        float(rate),
        int(requests),
        _seconds(_found(r"\n +50%\s+(\S+)", output)[0]),
        _seconds(_found(r"\n +99%\s+(\S+)", output)[0]),
        _quantity(size, _SIZES) / int(requests),
    )


def charged(words: Sequence[str], pid: int, key: Key, each: int = 1) -> Load:
    """The same, on the service: every request sent must have been charged `each`, no other.

    When its time is over wrk drops the requests under way, at most one a connection: they are
    charged and not counted by it.
    """
    before = key.charged()
    load = run(words, pid)
    _at_rest(pid)  # the server still answers the requests that wrk left
    recorded = key.charged() - before
    most = load.requests + CONNECTIONS
    if not each * load.requests <= recorded <= each * most:
        raise SystemExit(f"{load.requests} requests, {recorded} charges: {machine.shown(words)}")
    return load._replace(charges=recorded)


def _at_rest(pid: int) -> None:
    """Wait until the server has nothing to do: no tick of the processor's clock in a while."""
    used = -1.0
    while used != (used := machine.cpu_seconds(pid)):
        time.sleep(REST)


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _found(pattern: str, output: str) -> tuple[str, ...]:
    match = re.search(pattern, output)
    if match is None:
        raise ValueError(f"no {pattern!r} in wrk's output")
    return match.groups()


def _seconds(text: str) -> float:
    return _quantity(text, _UNITS)


def _quantity(text: str, units: Mapping[str, float]) -> float:
    number, unit = _found(r"^([\d.]+)([a-zA-Z]+)$", text)
    return float(number) * units[unit]
