"""What the next file takes of the lists and of the file before, and which movements it may tell otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from itertools import chain

from parlement_lists.movement import Movement
from parlement_lists.tenure import Tenure
from parlement_lists.tracking.corrections import Corrections
from parlement_lists.tracking.run import RunResult
from parlement_lists.tracking.state import TrackingState

from .publication import Publication
from .published import Published


def concerned_movements(
    state: TrackingState, result: RunResult, corrections: Corrections
) -> set[str]:
    """The movements of which the next file may say something else than the one before, where corrections are the same."""
    manual = (movement.id for movement in corrections.added())
    found = {*pending(state), *result.added, *result.removed, *manual, *corrections.movements}
    return found.union(*(tracker.stays.arrivals.values() for tracker in state.chambers.values()))


def take(
    publication: Publication,
    before: Published,
    state: TrackingState,
    result: RunResult,
    manual: Iterable[Movement],
    concerned: Set[str] | None,
) -> None:
    """Have the publication take the stays of the next file, or those that may not be as in the one before."""
    published = publication.before.keys() | result.added.keys()
    published -= result.removed.keys()
    corrections = publication.corrections
    if concerned is None:
        stays, standing = before.tenures(), before.movements()
    else:
        stays = before.tenures(
            corrections.homonym_members, corrections.movements | result.removed.keys()
        )
        standing = before.movements(before.nameless())
    # Stays that ended stay as they are; the others are made anew of the lists.
    ended = (state.named(t) for t in stays if t.fin or t.chambre not in state.chambers)
    told = (tracker.tenures(published) for tracker in state.chambers.values())
    tenures = {**_by_id([ended]), **result.ended, **_by_id(told)}
    had = map(state.named, standing)
    publication.take(tenures.values(), chain(had, result.added.values(), manual), state)


def _by_id(told: Iterable[Iterable[Tenure]]) -> dict[str, Tenure]:
    return {tenure.id: tenure for tenure in chain.from_iterable(told)}


def spellings_of(state: TrackingState) -> dict[str, Sequence[str]]:
    trackers = state.chambers.values()
    return {id: names for tracker in trackers for id, names in tracker.stays.spellings.items()}


def pending(state: TrackingState) -> dict[str, Movement]:
    """What would be sure if no list ever came again, by identifier."""
    return {m.id: m for tracker in state.chambers.values() for m in tracker.pending().added}


def bounds(state: TrackingState, ended: Iterable[Tenure] = ()) -> dict[tuple[str, str], str]:
    """The movement that begins each stay, and the one that ends it by the last day that it was seen.

    Of the stays that go on, of those that would end if no list ever came again, and of the `ended`.
    """
    found = {}
    for tenure in chain(ended, *(tracker.tenures() for tracker in state.chambers.values())):
        found[tenure.id, ""] = tenure.mouvement_debut
        found[tenure.id, tenure.fin_apres] = tenure.mouvement_fin
    return {bound: id for bound, id in found.items() if id}
