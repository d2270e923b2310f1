"""To be written."""

from __future__ import annotations

from typing import Any

from .site import PageMissing

FILTERS: dict[str, Any] = {}


def read(*given: Any) -> Any:
    raise PageMissing("À écrire.")


def sources(*given: Any) -> Any:
    raise PageMissing("À écrire.")


def your_data(*given: Any) -> Any:
    raise PageMissing("À écrire.")


def client(*given: Any) -> Any:
    raise PageMissing("À écrire.")


def robots(*given: Any) -> Any:
    raise PageMissing("À écrire.")
