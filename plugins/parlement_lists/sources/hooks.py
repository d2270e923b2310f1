"""What another package imports to bring sources: the hook, and the parts of a `Source`.

A package answers `mouvements_sources` with `hookimpl` in a module that it names in its entry points:

    [project.entry-points.mouvements]
    anything = "its_module"
"""

from __future__ import annotations

from collections.abc import Iterable

import pluggy

from .list_source import ListSource as ListSource
from .source import Address as Address
from .source import ChamberMembers as ChamberMembers
from .source import Downloads as Downloads
from .source import MemberRecord as MemberRecord
from .source import Original as Original
from .source import OriginalRefused as OriginalRefused
from .source import Period as Period
from .source import Source as Source
from .source import StaffList as StaffList
from .source import StaffRow as StaffRow

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
