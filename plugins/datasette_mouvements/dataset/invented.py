"""The mark of invented data: what every answer, file and feed made of them says."""

from __future__ import annotations

# The words by which programs and copies know it; whatever is marked begins with them.
MARK = "Données inventées"
NOTE = f"{MARK} : ces personnes n’existent pas."


def marked(text: str) -> str:
    """A text that begins with the mark, which it may have already."""
    return text if is_marked(text) else f"{NOTE} {text}"


def is_marked(text: str) -> bool:
    """Whether a text, such as the credits of a copy's original, says that the data are invented."""
    return text.startswith(MARK)
