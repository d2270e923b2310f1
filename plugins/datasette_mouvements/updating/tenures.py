"""The rows of `collaborations`: those this run's lists tell, and those of before that still hold."""

from __future__ import annotations

from collections.abc import Container, Iterable

from parlement_lists.movement import Movement, words
from parlement_lists.tenure import Tenure
from parlement_lists.tracking.run import RunResult
from parlement_lists.tracking.state import TrackingState
from parlement_lists.tracking.stays import Stay
from parlement_lists.tracking.tracker import Tracker

from .followed import Reach
from .published import Published

Tenures = dict[str, Tenure]


def tenures_of_track(
    before: Published, state: TrackingState, result: RunResult, published: Container[str]
) -> Tenures:
    """The stays after a daily run: those that ended stay as they are, the others are told anew."""
    found = {t.id: t for t in before.tenures() if t.fin or t.chambre not in state.chambers}
    found |= result.ended
    for tracker in state.chambers.values():
        found |= by_id(tracker.tenures(published))
    return found


def tenures_of_build(
    before: Published,
    state: TrackingState,
    result: RunResult,
    reaches: dict[str, Reach],
    published: Container[str],
    followed: Iterable[Movement],
) -> Tenures:
    """The stays after a build; of a chamber in `reaches`, the later ones of the daily run go on.

    `followed` are the movements that the daily run found after them.
    """
    later = {movement.id for movement in followed}
    found = dict(result.ended)
    earlier: dict[str, list[Tenure]] = {chamber: [] for chamber in reaches}
    for tenure in before.tenures():
        if tenure.chambre in earlier:
            earlier[tenure.chambre].append(tenure)
    days = sorted((row[1], row[2]) for row in before.lists.values() if row[3] != "refusee")
    for chamber, tracker in state.chambers.items():
        if chamber not in reaches:
            found |= by_id(tracker.tenures())
            continue
        reach = reaches[chamber]
        next_day = next((day for of, day in days if of == chamber and day > reach.day), "")
        kept = [
            t for t in earlier[chamber] if t.fin > reach.day or (t.fin and t.mouvement_fin in later)
        ]
        found |= _joined(tracker, reach, kept, next_day, published)
    return found


def by_id(tenures: Iterable[Tenure]) -> Tenures:
    """Tenures by their identifiers."""
    return {tenure.id: tenure for tenure in tenures}


def _joined(
    later: Tracker, reach: Reach, earlier: list[Tenure], next_day: str, published: Container[str]
) -> Tenures:
    """The stays of a chamber after `reach`, each with the beginning that the build gives it.

    `next_day` is that of the first list after it, which lacks who is in none of the rows of before.
    """
    mine = by_id(reach.tracker.tenures()) if reach.tracker is not None else {}
    begun = {(t.elu_id, words(t.collab_nom, t.collab_prenom)): t for t in mine.values()}
    _graft(later, begun, reach.day)
    found: Tenures = {}
    for tenure in earlier:
        one = mine.get(tenure.id) or begun.get((tenure.elu_id, tenure.person))
        if one is not None and tenure.debut <= reach.day:
            tenure = tenure._replace(
                id=one.id,
                debut=one.debut,
                debut_apres=one.debut_apres,
                mouvement_debut=one.mouvement_debut,
            )
        found[tenure.id] = tenure
    found |= by_id(later.tenures(published))
    for id, tenure in mine.items():
        if id in found:
            continue
        if not tenure.fin or tenure.mouvement_fin not in published:
            tenure = tenure._replace(fin=next_day, mouvement_fin="")
        found[id] = tenure
    return found


def _graft(later: Tracker, begun: dict[tuple[str, str], Tenure], reach: str) -> None:
    """Give the stays of `later` that began by the day `reach` the beginnings they have in the lists before."""
    stays = later.stays
    for key, stay in stays.open.items():
        if stay.begin <= reach:
            stays.open[key] = _from(later, begun, key, stay)
    for absence in later.unsettled.undecided():
        if absence.stay.begin <= reach:
            absence.stay = _from(later, begun, absence.pair.key, absence.stay)


def _from(
    later: Tracker, begun: dict[tuple[str, str], Tenure], key: tuple[str, str], stay: Stay
) -> Stay:
    one = begun.get(key)
    if one is None or one.debut >= stay.begin:
        return stay
    if one.mouvement_debut:
        later.stays.arrivals[one.id] = one.mouvement_debut
    return Stay(one.id, one.debut, one.debut_apres)
