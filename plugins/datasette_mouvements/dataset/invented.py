"""The mark of invented data: what every answer, file and feed made of them says."""

from __future__ import annotations

# The words by which programs know it; whatever is marked begins with them.
MARK = "Données inventées"
NOTE = f"{MARK} : ces personnes n’existent pas."


def marked(text: str) -> str:
    """A text that begins with the mark."""
    return f"{NOTE} {text}"
