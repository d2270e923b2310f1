"""What another package imports to bring sources: the hook, and the `Source` it returns.

A package answers `mouvements_sources` with `hookimpl` in a module that it names in its entry points:

    [project.entry-points.mouvements]
    anything = "its_module"
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import pluggy

PROJECT = "mouvements"  # of the hooks, and of the entry points that name who answers them
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)

# list: one chamber's list, kept day by day. git: a repository of lists, cloned and updated.
# file: a large file that is kept beside them, only in its newest version.
KINDS = ("list", "git", "file")
LARGEST_REPOSITORY = 2_000_000_000  # in bytes: it comes with its past


class SourceError(Exception):
    """A source is unknown or badly described; the message names it."""


class Source(NamedTuple):
    """One source. `chamber` says whose list it is, for the kind `list`."""

    name: str
    kind: str
    url: str
    chamber: str = ""
    most_bytes: int = 10_000_000
    seconds: float = 120.0


@hookspec
def mouvements_sources() -> Iterable[Source]:
    """The sources that a package brings; their names are its own."""
    return ()  # never called: it describes the hook
