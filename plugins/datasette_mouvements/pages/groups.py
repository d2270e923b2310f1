"""To be written."""

from __future__ import annotations

from typing import Any

from .site import PageMissing

FILTERS: dict[str, Any] = {}


def index(*given: Any) -> Any:
    raise PageMissing("À écrire.")


def group(*given: Any) -> Any:
    raise PageMissing("À écrire.")
