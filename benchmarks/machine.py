"""What runs where: one core for servers, one for load, and what a process has used."""

from __future__ import annotations

import os
import platform
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from datasette.utils.sqlite import sqlite3

CORES = os.sched_getaffinity(0)
SERVER_CORE, LOAD_CORE = min(CORES), max(CORES)
PINNED = len(CORES) > 1
_TICK = os.sysconf("SC_CLK_TCK")


def on_core(core: int, command: Sequence[str]) -> list[str]:
    """The command, pinned to the core where there is more than one."""
    return ["taskset", "-c", str(core), *command] if PINNED else list(command)


def pin_this_process() -> None:
    """Keep this process, a client, away from the servers' core."""
    if PINNED:
        os.sched_setaffinity(0, {LOAD_CORE})


def shown(command: Sequence[str], environment: Mapping[str, str] | None = None) -> str:
    """The command as one would type it: paths from the repository, $KEY for the key."""
    here = str(Path.cwd()) + "/"
    words = []
    for word in command:
        header, mark, _ = word.partition("mvt_")
        if word == sys.executable:
            words.append("python")
        elif mark:
            words.append(f'"{header}$KEY"')
        else:
            words.append(shlex.quote(word.replace(here, "")))
    before = [f"{name}={shlex.quote(value)}" for name, value in (environment or {}).items()]
    return " ".join(before + words)


def described() -> str:
    """The machine and how busy it is: figures taken beside other work are worth little."""
    names = {
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    }
    shared = "" if PINNED else ", servers and load on the same core"
    return (
        f"{len(CORES)} cores ({', '.join(names) or platform.machine()}){shared},"
        f" Python {platform.python_version()}, SQLite {sqlite3.sqlite_version},"
        f" load average {os.getloadavg()[0]:.1f} at the start"
    )


def family(pid: int) -> list[int]:
    """The process and all its descendants."""
    found = [pid]
    for parent in found:
        for task in Path(f"/proc/{parent}/task").glob("*/children"):
            found += map(int, task.read_text().split())
    return found


def cpu_seconds(pid: int) -> float:
    """Processor time, user and system, of a process and its descendants."""
    total = 0
    for one in family(pid):
        fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / _TICK


def processor_seconds(pid: int) -> float:
    """Processor time of the living threads of a process and its descendants, to the microsecond."""
    tasks = [task for one in family(pid) for task in Path(f"/proc/{one}/task").glob("*/schedstat")]
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


def memory_mb(pid: int) -> dict[str, float]:
    """Rss and Pss of a process, in MB."""
    found = {}
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        name, _, rest = line.partition(":")
        if name in ("Rss", "Pss"):
            found[name] = int(rest.split()[0]) * 1024 / 1e6
    return found
