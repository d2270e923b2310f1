"""A file of a schema before, written anew in this one: a service need not wait for the next run."""

from __future__ import annotations

import hashlib
import logging
import shutil
from datetime import datetime
from pathlib import Path

from datasette.utils.sqlite import sqlite3

from parlement_lists.tracking.corrections import Corrections
from parlement_lists.tracking.state import StateError

from ..dataset.disk import examine_room
from ..dataset.input_files import InputRefused
from .erasure.mask import mask
from .published import Published

log = logging.getLogger(__name__)


def renew(path: Path, copy: Path) -> None:
    """Make a service's own copy of a movements file of a schema that runs go on over, in this version's.

    It says what the file says; what its schema lacks is not known. Every service makes the same of the same
    file: its readers find their places in the feed at each.
    Raises InputRefused for a file of a schema that no run takes, or a damaged one, OSError when it cannot
    be written.
    """
    try:
        said = Published(path).publication
        # The copy stays until the file that is made of it is whole.
        examine_room(copy.parent, 2 * path.stat().st_size)
        shutil.copyfile(path, copy)
        token = hashlib.sha256(said.get("edition", "").encode()).hexdigest()
        built = datetime.fromisoformat(said["construite_le"])
        mask(copy, Corrections([]), built, draw=lambda size: token[: 2 * size], mode=0o600)
    except (KeyError, TypeError, ValueError, StateError, sqlite3.Error) as error:
        raise InputRefused([f"not a movements database, or a damaged one ({error})"]) from error
    # To do: nothing. The next run of daily, track or build writes the file itself anew.
    log.warning("the movements file is of schema %s: served in this version's", said["schema"])
