"""Movements as corrections have them, and the stays that a changed movement begins and ends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from parlement_lists.movement import Movement, faults_of, words
from parlement_lists.tenure import Tenure, identifier
from parlement_lists.tracking.corrections import Corrections, CorrectionsError, Entry

NAMES = ("collab_nom", "collab_prenom", "collab_civilite")
_MEMBER = ("chambre", "elu_id", "elu_cle", "elu_nom")
# By the identifier of a movement: the correction that changes it, and the type that it had before.
Changes = dict[str, tuple[Entry, str]]


def corrected(movement: Movement, corrections: Corrections, changes: Changes) -> Movement | None:
    """A movement as corrections change it, noted in `changes`; None if it is withdrawn.

    Raises CorrectionsError for one that could not be published.
    """
    if corrections.take_withdrawal(movement.id):
        return None
    entry = corrections.take_change(movement.id)
    if entry is None:
        return movement
    changes[movement.id] = entry, movement.type
    value = entry.value | {"id": movement.id, "confiance": "manuel"}
    movement = movement._replace(**value)
    _refuse(entry, corrections.file, faults_of(movement))
    return movement


def with_changes(stay: Tenure, changes: Changes, file: str) -> Tenure:
    """The stay with what the corrections of the movements at its ends say of it.

    Raises CorrectionsError where the stay would end before it begins, or with another member, or where it
    would be no stay of the chamber's lists.
    """
    begin, end = changes.get(stay.mouvement_debut), changes.get(stay.mouvement_fin)
    begun = begin[0].value if begin else {}
    ended = end[0].value if end else {}
    # The member of a transfer is the one joined, not the one left.
    transfer = end is not None and end[1] == "transfert"
    new = _picked(begun, _MEMBER) | _picked(ended, () if transfer else (*_MEMBER, "elu_groupe"))
    new |= _picked(ended, ("fonction",))
    # A stay has the latest spelling, which may not be that of its arrival.
    person = words(stay.collab_nom, stay.collab_prenom)
    if person and identifier(stay.chambre, stay.elu_id, person, stay.debut) == stay.id:
        new |= _picked(begun, NAMES)
    if person:
        new |= _picked(ended, NAMES)
    if day := begun.get("date_event"):
        new |= {"debut": day, "debut_apres": day}
    if day := ended.get("date_event"):
        new |= {"fin": day, "fin_apres": day}
        if transfer:  # who is with another member from that day on had left by then
            new |= {"fin": min(stay.fin, day), "fin_apres": min(stay.fin_apres, day)}
    after = stay._replace(**new)
    fault = ""
    if (after.fin and after.fin_apres > after.fin) or after.debut > after.fin_apres:
        fault = "its stay would end before it begins"
    elif stay.mouvement_debut and stay.mouvement_fin and not transfer:
        if any(
            begun.get(name, getattr(stay, name)) != ended.get(name, getattr(stay, name))
            for name in ("chambre", "elu_id")
        ):
            fault = "the other movement of its stay is with another member or chamber: correct both"
    elif not (stay.mouvement_debut and stay.mouvement_fin) and after.chambre != stay.chambre:
        fault = "its stay is of another chamber's lists"
    if not after.elu_id:
        fault = fault or "its stay is with a member, whose identifier is missing"
    for change, what in ((begin, "begins"), (end, "ends")):
        if change is not None:
            entry, type = change
            retyped = entry.value.get("type", type) != type
            _refuse(entry, file, filter(None, [f"it {what} a stay" if retyped else fault]))
    return after


def _picked(value: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    return {name: value[name] for name in names if name in value}


def _refuse(entry: Entry, file: str, faults: Iterable[str]) -> None:
    if sentences := [f"{file}: line {entry.line}: modifier: {fault}" for fault in faults]:
        raise CorrectionsError(sentences)
