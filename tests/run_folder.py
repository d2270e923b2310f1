"""The folder that all processes of one run of the tests share; conftest.py names it to each."""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

VARIABLE = "MOUVEMENTS_TESTS_FOLDER"


def made_once(name: str, make: Callable[[Path], object]) -> Path:
    """The file of this name in the folder: the first process makes it, others wait; nobody changes it."""
    path = _folder() / name
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            make(path)
    return path


@cache
def _folder() -> Path:
    if run := os.environ.get(VARIABLE):
        return Path(run)
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    return Path(folder)
