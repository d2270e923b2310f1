"""What another package imports to bring sources: the hook, and the parts of a `Source`.

A package answers `mouvements_sources` with `hookimpl` in a module that it names in its entry points:

    [project.entry-points.mouvements]
    anything = "its_module"
"""

from __future__ import annotations

from collections.abc import Iterable

import pluggy

from .list_source import ListSource
from .source import (
    Address,
    ChamberMembers,
    Downloads,
    MemberRecord,
    Original,
    OriginalRefused,
    Period,
    Source,
    StaffList,
    StaffRow,
)

__all__ = (
    "Address",
    "ChamberMembers",
    "Downloads",
    "ListSource",
    "MemberRecord",
    "Original",
    "OriginalRefused",
    "Period",
    "Source",
    "SourceError",
    "StaffList",
    "StaffRow",
    "hookimpl",
    "hookspec",
)

# The name of pluggy's project is also that of the group of entry points.
PROJECT = "mouvements"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


class SourceError(Exception):
    """A source is unknown or badly described; the message names it."""


class PackagesMissing(SourceError):
    """Packages that a source reads originals with are not installed; the message says how to."""


@hookspec
def mouvements_sources() -> Iterable[Source]:
    """The sources of a package. Two packages cannot have a source of the same name."""
    raise NotImplementedError
