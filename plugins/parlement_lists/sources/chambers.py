"""The sources that come with this package, as another package would bring its own."""

from __future__ import annotations

from . import assemblee, europarl, senat
from .hooks import Source, hookimpl

OWN_SOURCES: tuple[Source, ...] = (assemblee.SOURCE, senat.SOURCE, europarl.SOURCE)


@hookimpl
def mouvements_sources() -> tuple[Source, ...]:
    return OWN_SOURCES
