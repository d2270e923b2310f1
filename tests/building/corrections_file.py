"""A maintainer's corrections."""

from __future__ import annotations

from pathlib import Path


def corrections(folder: Path, *said: str, reason: str = "Demande") -> Path:
    """A corrections file of these entries, each as `key: value`."""
    path = folder / "corrections.yml"
    entries = (f"- {{date: 2026-10-01, raison: {reason}, {one}}}\n" for one in said if one)
    path.write_text("".join(entries))
    return path
