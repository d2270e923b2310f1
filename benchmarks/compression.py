"""What compressing a page costs and gives, by level; and what the other codings of the web would."""

from __future__ import annotations

import gzip
import importlib
from collections.abc import Callable, Iterator
from contextlib import closing

from datasette_mouvements.api.compression import LEVEL
from datasette_mouvements.api.compression import gzip as used  # type: ignore[attr-defined]
from datasette_mouvements.dataset.served.snapshot import Snapshot

from .bench import Bench
from .mechanisms import microseconds
from .table import Line

Coding = Callable[[bytes], bytes]


def measure(bench: Bench) -> Iterator[Line]:
    """A line for each coding, of a usual page and of the longest one."""
    with closing(Snapshot(bench.small.database)) as snapshot:
        rows = snapshot.rows
        pages = {n: b"".join(snapshot.lines(range(rows - n + 1, rows + 1))) for n in (100, 500)}
    for name, code in _codings().items():
        told = []
        for number, page in pages.items():
            coded = code(page)
            took = microseconds(lambda code=code, page=page: code(page))  # type: ignore[misc]
            told.append(
                f"{number} rows: {len(page):,} to {len(coded):,} bytes in {took:,.0f} µs"
                f" ({(len(page) - len(coded)) / took:,.0f} bytes spared a µs)"
            )
        command = "python -m benchmarks --only compression"
        yield Line(f"compression: {name}", "; ".join(told), [command])


def _codings() -> dict[str, Coding]:
    """The one that answers are coded with, gzip at every level, and whatever else is installed here."""
    found: dict[str, Coding] = {
        f"the one used, {used.__name__} {LEVEL}": lambda page: used.compress(page, LEVEL, mtime=0)
    }
    found |= {
        f"gzip {level}": lambda page, level=level: gzip.compress(page, level, mtime=0)  # type: ignore[misc]
        for level in range(1, 10)
    }
    for label, module, name, options in (
        ("brotli 1", "brotli", "compress", {"quality": 1}),
        ("brotli 4", "brotli", "compress", {"quality": 4}),
        ("zstd 1", "pyzstd", "compress", {"level_or_option": 1}),
        ("zstd 3", "pyzstd", "compress", {"level_or_option": 3}),
        ("gzip by ISA-L 0", "isal.igzip", "compress", {"compresslevel": 0}),
        ("gzip by ISA-L 2", "isal.igzip", "compress", {"compresslevel": 2}),
        ("gzip by zlib-ng 1", "zlib_ng.gzip_ng", "compress", {"compresslevel": 1}),
    ):
        try:
            function = getattr(importlib.import_module(module), name)
        except ModuleNotFoundError:
            continue
        found[label] = lambda page, f=function, o=options: f(page, **o)  # type: ignore[misc]
    return found
