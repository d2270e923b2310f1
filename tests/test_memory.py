"""Threads of a service share one heap."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys

import pytest

# The C library tells its heaps as XML, on standard output.
HEAPS = """
import ctypes, threading
from datasette_mouvements import memory
library = ctypes.CDLL(None)
{call}
together = threading.Barrier(4)
def use():
    library.malloc(1000)
    together.wait()
threads = [threading.Thread(target=use) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
memory.give_back()
library.malloc_info(0, ctypes.c_void_p.in_dll(library, "stdout"))
library.fflush(None)
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_info"), reason="glibc alone has heaps")
def test_threads_share_one_heap() -> None:
    shared, own = (
        subprocess.run(
            [sys.executable, "-c", HEAPS.format(call=call)],
            env={name: os.environ[name] for name in os.environ if name != "MALLOC_ARENA_MAX"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.count("<heap nr=")
        for call in ("memory.share_heap()", "")
    )
    assert shared == 1 < own
