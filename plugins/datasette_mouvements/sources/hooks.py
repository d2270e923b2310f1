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

# list: one chamber's list, kept day by day. git: a repository of lists, cloned and updated.
# file: a large file that is kept beside them, only in its newest version.
KINDS = ("list", "git", "file")
LARGEST_REPOSITORY = 2_000_000_000  # bytes: a repository comes with its history


class SourceError(Exception):
    """A source is unknown or badly described; the message names it."""


class Source(NamedTuple):
    """One source.

    `kind` is one of KINDS; `chamber` says whose list it is, for the kind `list`. `most_bytes` bounds
    what is downloaded, `seconds` each attempt.
    """

    name: str
    kind: str
    url: str
    chamber: str = ""
    most_bytes: int = 10_000_000
    seconds: float = 120.0


@hookspec
def mouvements_sources() -> Iterable[Source]:
    """The sources that a package brings. Two packages cannot have a source of the same name."""
    return ()  # pluggy never calls a specification
