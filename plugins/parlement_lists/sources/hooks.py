"""What another package imports to bring sources: the hook, and what a `Source` is made of.

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
    Downloads,
    ListRead,
    MemberRead,
    MembersRead,
    Original,
    OriginalRefused,
    Period,
    Source,
    StaffRow,
)

__all__ = (
    "Address",
    "Downloads",
    "ListRead",
    "ListSource",
    "MemberRead",
    "MembersRead",
    "Original",
    "OriginalRefused",
    "Period",
    "Source",
    "SourceError",
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


@hookspec
def mouvements_sources() -> Iterable[Source]:
    """The sources that a package brings. Two packages cannot have a source of the same name."""
    raise NotImplementedError
