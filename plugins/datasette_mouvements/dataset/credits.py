"""Whom the lists of a file are owed to, or that its people are invented: what every answer, file and feed says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from parlement_lists.meanings import MEANINGS
from parlement_lists.sources.credits import CREDITS, Credit

from .coverage import Coverage

# The words by which programs know invented data; whatever is marked begins with them.
MARK = "Données inventées"
NOTE = f"{MARK} : ces personnes n’existent pas."


def marked(text: str) -> str:
    """A text that begins with the mark of invented data."""
    return f"{NOTE} {text}"


def credits(coverage: Mapping[str, Coverage]) -> list[tuple[Credit, str]]:
    """The sources of the chambers that have lists, each with the day of its last list.

    The lists of an archive are those up to its last day. A file does not say whence each list came.
    """
    sources = []
    for credit in CREDITS:
        days = coverage[credit.chamber]
        if days.last and (not credit.until or days.first <= credit.until):
            sources.append((credit, min(days.last, credit.until or days.last)))
    return sources


def with_credits(text: str, coverage: Mapping[str, Coverage]) -> str:
    """A text, followed by the sources of the lists, each with its licence; the text alone where there are no lists.

    Their days are left out: they change every morning, and every ETag would change with them.
    """
    chambers: dict[tuple[str, str], list[str]] = defaultdict(list)
    for credit, _ in credits(coverage):
        chambers[credit.publisher, credit.licence].append(MEANINGS[credit.chamber])
    if not chambers:
        return text
    sources = " ; ".join(
        f"{publisher}, {licence}"
        if names == [publisher]
        else f"{publisher} ({', '.join(names)}), {licence}"
        for (publisher, licence), names in chambers.items()
    )
    return f"{text}{'' if text.endswith(('.', '!', '?')) else '.'} Listes : {sources}"
