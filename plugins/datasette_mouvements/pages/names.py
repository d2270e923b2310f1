"""To be written."""

from __future__ import annotations

from typing import Any

from .site import PageMissing

FILTERS: dict[str, Any] = {}


def search(*given: Any) -> Any:
    raise PageMissing("À écrire.")


def staff(*given: Any) -> Any:
    raise PageMissing("À écrire.")
