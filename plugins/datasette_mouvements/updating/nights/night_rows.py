"""One morning as rows of the ledger: what each source gave, what the guard said, how the run ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from parlement_lists.sources.fetcher import FetchResult

from ...dataset.served.nights import (
    ALARM,
    CUT_OFF,
    FAILED,
    NEW,
    REFUSED,
    SAME,
    STAND_IN,
    WENT_WELL,
    Night,
    kept,
)
from ..published import Row
from .book import BookedNight

# In the words of the public table: what `FetchResult.cause` says.
CAUSES = {
    "unreachable": "original non obtenu",
    "unusable": "original inutilisable",
    "local": "enregistrement impossible",
    "unforeseen": "défaut du programme",
}
WITHOUT = "original non lu"
# Between the names of originals that something stands in for.
NAMES_APART = ", "
OPEN, BEGUN = "points à voir", "passage interrompu"
_OUTCOMES = {"new": NEW, "unchanged": SAME, "refused": REFUSED, "failed": FAILED}


def of_lists(lists: Iterable[Row]) -> list[Night]:
    """The nights on which lists would have been taken: those of invented lists, which nobody fetched."""
    found = []
    for _, chamber, day, status, reason, figure, _, gained, lost, *_ in lists:
        at = f"{day}T04:00:00+00:00"
        if status == "refusee":
            found.append(Night(at, day, chamber, chamber, REFUSED, reason, figure))
        else:
            found.append(Night(at, day, chamber, chamber, NEW if gained or lost else SAME))
        found.append(Night(at, day, resultat=WENT_WELL))
    return kept(found)


def begun(at: str, day: str) -> BookedNight:
    """The row of a run that has begun: it stays if the run is killed."""
    return BookedNight(Night(at, day, resultat=CUT_OFF, motif=BEGUN))


def ended(at: str, day: str, open_: int, alarms: Iterable[str]) -> BookedNight:
    """The row of a run that has ended; `open_` are all matters and faults, `alarms` those that no source's row tells."""
    if not open_:
        return BookedNight(Night(at, day, resultat=WENT_WELL))
    night = Night(at, day, resultat=ALARM, motif=OPEN, mesure=str(open_))
    return BookedNight(night, "; ".join(alarms) or f"open: {open_}")


def of_source(
    at: str,
    day: str,
    result: FetchResult,
    before: Sequence[Night],
    refused: Mapping[str, tuple[str, str, str]],
) -> BookedNight:
    """The row of a source; `before` are its earlier nights.

    `refused` has, of each chamber whose newest list the guard refused, the reason, figure and sentence.
    """
    # The lists say it: the run that had the change may have left no row.
    changed = result.changed or (before[-1].liste_changee_le if before else "") or result.day
    night = Night(
        *(at, day, result.source, result.chamber, _OUTCOMES[result.status]),
        elus_absents=result.left_out,
        liste_changee_le=changed,
        original=result.original,
        original_sha256=result.original_sha256,
        original_du=result.original_day,
    )
    if result.status in ("refused", "failed"):
        return BookedNight(night._replace(motif=CAUSES.get(result.cause, "")), result.line())
    if result.chamber in refused:
        reason, figure, sentence = refused[result.chamber]
        return BookedNight(night._replace(resultat=REFUSED, motif=reason, mesure=figure), sentence)
    if result.stand_ins:
        names = NAMES_APART.join(dict.fromkeys(result.stand_ins))
        night = night._replace(resultat=STAND_IN, motif=WITHOUT, mesure=names)
    return BookedNight(night, "; ".join(result.told))
