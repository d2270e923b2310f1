"""What a correction that changes a movement changes in the stays that it begins and ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from parlement_lists.movement import words
from parlement_lists.tenure import Tenure, identifier
from parlement_lists.tracking.correction import CorrectionsError, Entry

NAMES = ("collab_nom", "collab_prenom", "collab_civilite")
_MEMBER = ("chambre", "elu_id", "elu_cle", "elu_nom")
# Identifier -> the correction that changes the movement, and the type that it had before.
ChangeOf = Callable[[str], tuple[Entry, str] | None]


def as_corrected(stay: Tenure, change_of: ChangeOf, file: str) -> Tenure:
    """The stay with what the corrections of the movements at its ends say of it.

    Raises CorrectionsError where the stay would end before it begins, or with another member, or where it
    would be no stay of the chamber's lists.
    """
    begin, end = change_of(stay.mouvement_debut), change_of(stay.mouvement_fin)
    corrected = stay
    if begin is not None:
        corrected = _begun(corrected, begin[0].value)
    if end is not None:
        corrected = _ended(corrected, end[0].value, transfer=end[1] == "transfert")
    for change, what in ((begin, "begins"), (end, "ends")):
        if change is not None:
            entry, type = change
            changed = entry.value.get("type", type) != type
            fault = f"it {what} a stay" if changed else _fault(stay, corrected, begin, end)
            if fault:
                raise CorrectionsError([f"{file}: line {entry.line}: modifier: {fault}"])
    return corrected


def _fault(
    stay: Tenure,
    corrected: Tenure,
    begin: tuple[Entry, str] | None,
    end: tuple[Entry, str] | None,
) -> str:
    """What is wrong with a corrected stay; "" if nothing is."""
    after_end = bool(corrected.fin) and corrected.fin_apres > corrected.fin
    if after_end or corrected.debut > corrected.fin_apres:
        return "its stay would end before it begins"
    if not _one_member(stay, begin, end):
        return "the other movement of its stay is with another member or chamber: correct both"
    if not (stay.mouvement_debut and stay.mouvement_fin) and corrected.chambre != stay.chambre:
        return "its stay is of another chamber's lists"
    return "" if corrected.elu_id else "its stay is with a member, whose identifier is missing"


def _begun(stay: Tenure, value: Mapping[str, str]) -> Tenure:
    new = {name: value[name] for name in _MEMBER if name in value}
    # A stay has the latest spelling, which may not be that of its arrival.
    person = words(stay.collab_nom, stay.collab_prenom)
    if person and identifier(stay.chambre, stay.elu_id, person, stay.debut) == stay.id:
        new |= {name: value[name] for name in NAMES if name in value}
    if "date_event" in value:
        new |= dict.fromkeys(("debut", "debut_apres"), value["date_event"])
    return stay._replace(**new)


def _ended(stay: Tenure, value: Mapping[str, str], transfer: bool) -> Tenure:
    fields: tuple[str, ...] = NAMES if stay.collab_nom or stay.collab_prenom else ()
    fields += ("fonction",)
    if not transfer:  # its member is the one joined, not the one left
        fields += (*_MEMBER, "elu_groupe")
    new = {name: value[name] for name in fields if name in value}
    day = value.get("date_event")
    if day and not transfer:
        new |= {"fin": day, "fin_apres": day}
    elif day:  # who is with another member from that day on had left by then
        new |= {"fin": min(stay.fin, day), "fin_apres": min(stay.fin_apres, day)}
    return stay._replace(**new)


def _one_member(
    stay: Tenure, begin: tuple[Entry, str] | None, end: tuple[Entry, str] | None
) -> bool:
    """Whether the movements at both ends of a stay are with one member, as they are published."""
    if not (stay.mouvement_debut and stay.mouvement_fin) or (end and end[1] == "transfert"):
        return True
    ends = [change[0].value if change is not None else {} for change in (begin, end)]
    return all(
        len({value.get(name, getattr(stay, name)) for value in ends}) == 1
        for name in ("chambre", "elu_id")
    )
