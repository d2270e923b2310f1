"""A file of a schema before, written anew in this one: a service need not wait for the next run."""

from __future__ import annotations

import hashlib
import logging
from datetime import datetime
from pathlib import Path

from parlement_lists.tracking.corrections import Corrections

from ..dataset.connections import publication
from ..dataset.schema import SCHEMA_VERSION
from .erasure.mask import mask

log = logging.getLogger(__name__)


def renew(copy: Path) -> None:
    """Write a service's own copy of a movements file anew, if it is of a schema that runs go on over.

    It says what it said; what its schema lacks is not known. Every service makes the same of the same file:
    its readers find their places in the feed at each. A file without a schema is left to whoever opens it.
    Raises InputRefused for a file of a schema that no run takes, or a damaged one, OSError when it cannot
    be written.
    """
    said = publication(copy)
    if said.get("schema", str(SCHEMA_VERSION)) == str(SCHEMA_VERSION):
        return
    token = hashlib.sha256(said.get("edition", "").encode()).hexdigest()
    built = datetime.fromisoformat(said["construite_le"])
    mask(copy, Corrections([]), built, draw=lambda size: token[: 2 * size])
    copy.chmod(0o600)
    # To do: nothing. The next run of daily, track or build writes the file itself anew.
    log.warning("the movements file is of schema %s: served in this version's", said["schema"])
