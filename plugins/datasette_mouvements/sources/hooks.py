"""What another package imports to bring sources: the hook, and the `Source` it returns.

A package answers `mouvements_sources` with `hookimpl` in a module that it names in its entry points:

    [project.entry-points.mouvements]
    anything = "its_module"
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import pluggy

# The name of pluggy's project is also that of the group of entry points.
PROJECT = "mouvements"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


class SourceError(Exception):
    """A source is unknown or badly described; the message names it."""


class Source(NamedTuple):
    """One chamber's list, published anew at one address.

    `most_bytes` bounds what is downloaded, `seconds` each attempt.
    """

    name: str
    chamber: str
    url: str
    most_bytes: int = 10_000_000
    seconds: float = 120.0


@hookspec
def mouvements_sources() -> Iterable[Source]:
    """The sources that a package brings. Two packages cannot have a source of the same name."""
    return ()  # pluggy never calls a specification
