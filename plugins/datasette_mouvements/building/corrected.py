"""What a correction that changes a movement changes in the stays that it begins and ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from parlement_lists.movement import words
from parlement_lists.tenure import Tenure, identifier
from parlement_lists.tracking.correction import CorrectionsError, Entry

NAMES = ("collab_nom", "collab_prenom", "collab_civilite")
_MEMBER = ("chambre", "elu_id", "elu_cle", "elu_nom")
# Identifier -> the correction that changes the movement, and what type it has as it is published.
ChangeOf = Callable[[str], tuple[Entry, str] | None]


def as_corrected(tenure: Tenure, change_of: ChangeOf, file: str) -> Tenure:
    """The stay with what the corrections of the movements at its ends say of it.

    The same whether the movement comes from the lists or, corrected already, from the file before.
    Raises CorrectionsError where the stay would end before it begins, or with another member.
    """
    begin, end = change_of(tenure.mouvement_debut), change_of(tenure.mouvement_fin)
    told = tenure
    if begin is not None:
        told = _begun(told, begin[0].value)
        _refuse_unless(begin[1] != "depart", begin[0], file, "it begins a stay")
    if end is not None:
        told = _ended(told, end[0].value, transfer=end[1] == "transfert")
        _refuse_unless(end[1] != "arrivee", end[0], file, "it ends a stay")
    for found in (begin, end):
        if found is not None:
            in_order = told.debut <= told.fin_apres and (not told.fin or told.fin_apres <= told.fin)
            _refuse_unless(in_order, found[0], file, "its stay would end before it begins")
            what = "the other movement of its stay is with another member or chamber: correct both"
            _refuse_unless(_one_member(tenure, begin, end), found[0], file, what)
    return told


def _refuse_unless(right: bool, entry: Entry, file: str, what: str) -> None:
    if not right:
        raise CorrectionsError([f"{file}: line {entry.line}: modifier: {what}"])


def _begun(tenure: Tenure, value: Mapping[str, str]) -> Tenure:
    new = {name: value[name] for name in _MEMBER if name in value}
    # A stay has the latest spelling, which may not be that of its arrival.
    person = words(tenure.collab_nom, tenure.collab_prenom)
    if person and identifier(tenure.chambre, tenure.elu_id, person, tenure.debut) == tenure.id:
        new |= {name: value[name] for name in NAMES if name in value}
    if "date_event" in value:
        new |= dict.fromkeys(("debut", "debut_apres"), value["date_event"])
    return tenure._replace(**new)


def _ended(tenure: Tenure, value: Mapping[str, str], transfer: bool) -> Tenure:
    fields: tuple[str, ...] = NAMES if tenure.collab_nom or tenure.collab_prenom else ()
    fields += ("fonction",)
    if not transfer:  # its member is the one joined, not the one left
        fields += (*_MEMBER, "elu_groupe")
    new = {name: value[name] for name in fields if name in value}
    day = value.get("date_event")
    if day and not transfer:
        new |= {"fin": day, "fin_apres": day}
    elif day:  # who is with another member from that day on had left by then
        new |= {"fin": min(tenure.fin, day), "fin_apres": min(tenure.fin_apres, day)}
    return tenure._replace(**new)


def _one_member(
    tenure: Tenure, begin: tuple[Entry, str] | None, end: tuple[Entry, str] | None
) -> bool:
    """Whether the movements at both ends of a stay are with one member, as they are published."""
    if not (tenure.mouvement_debut and tenure.mouvement_fin) or (end and end[1] == "transfert"):
        return True
    ends = [one[0].value if one is not None else {} for one in (begin, end)]
    return all(
        len({value.get(name, getattr(tenure, name)) for value in ends}) == 1
        for name in ("chambre", "elu_id")
    )
