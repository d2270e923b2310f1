"""Processes held to a part of a core each, by the kernel (control groups, version 1 or 2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
# Short, or a process would be stopped for long while it holds what the others wait for.
PERIOD_US = 2_000


class CannotLimit(Exception):
    """The kernel, or who may command it here, has no control groups to offer."""


@contextmanager
def limited(pids: Sequence[int], share: float) -> Iterator[None]:
    """Let each process have `share` of a core; CannotLimit says why that cannot be."""
    second = (ROOT / "cgroup.controllers").exists()
    parent = ROOT if second else ROOT / "cpu"
    quota = round(share * PERIOD_US)
    made: list[Path] = []
    try:
        try:
            if second:
                (parent / "cgroup.subtree_control").write_text("+cpu")
            for pid in pids:
                group = parent / f"mouvements-{pid}"
                group.mkdir()
                made.append(group)
                if second:
                    (group / "cpu.max").write_text(f"{quota} {PERIOD_US}")
                else:
                    (group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
                    (group / "cpu.cfs_quota_us").write_text(str(quota))
                (group / "cgroup.procs").write_text(str(pid))
        except OSError as error:
            raise CannotLimit(str(error)) from None
        yield
    finally:
        for group in made:
            for left in (group / "cgroup.procs").read_text().split():
                (parent / "cgroup.procs").write_text(left)
            group.rmdir()
