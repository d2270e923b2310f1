"""To be written."""

from __future__ import annotations

from typing import Any

from .site import PageMissing

FILTERS: dict[str, Any] = {}


def read(*given: Any) -> Any:
    raise PageMissing("À écrire.")


def everything(*given: Any) -> Any:
    raise PageMissing("À écrire.")
CSV_TYPE = "text/csv; charset=utf-8"
