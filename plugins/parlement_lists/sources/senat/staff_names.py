"""The two halves of a staff member's name in the PDF, which writes the family name first."""

from __future__ import annotations

from ...tracking.reading.names import family_and_given


def family_first(name: str) -> tuple[str, str]:
    """`de LA EXEMPLE Jeanne` -> (`DE LA EXEMPLE`, `Jeanne`).

    The family name goes on to the last word in capitals of more than one letter, whatever is before
    it: a particle, a dash, an initial. A name all in capitals, or without any, is as
    `family_and_given` splits it.
    """
    parts = name.split()
    last = max((index for index, part in enumerate(parts, 1) if _is_family(part)), default=0)
    if last in (0, len(parts)):
        return family_and_given(name, "", "")
    return " ".join(parts[:last]).upper(), " ".join(parts[last:])


def _is_family(part: str) -> bool:
    return part.isupper() and sum(map(str.isalpha, part)) > 1
