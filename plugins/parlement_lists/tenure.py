"""One stay of a staff member with an elected member: its fields, its stable identifier."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from .movement import words

# What `conge` says: the Sénat's lists mark who is on unpaid leave, and keep the name.
UNPAID = "sans solde"


class Tenure(NamedTuple):
    """One row of `collaborations`; every field is a string, "" where there is no value.

    The stay began in (`debut_apres`, `debut`] and ended in (`fin_apres`, `fin`]; where both are one day,
    on that very day.
    """

    id: str
    chambre: str
    elu_id: str
    elu_cle: str = ""
    elu_nom: str = ""
    elu_groupe: str = ""
    collab_nom: str = ""
    collab_prenom: str = ""
    collab_civilite: str = ""
    fonction: str = ""
    debut: str = ""
    debut_apres: str = ""
    fin: str = ""
    fin_apres: str = ""
    mouvement_debut: str = ""
    mouvement_fin: str = ""
    conge: str = ""
    anciens_noms: str = ""

    def covers(self, day: str) -> bool:
        """Whether the lists have it on a day: from `debut` on, before `fin`."""
        return self.debut <= day and (not self.fin or day < self.fin)

    @property
    def person(self) -> str:
        """What tells people apart: the words of the name, or the stay's identifier where the name is withheld."""
        return words(self.collab_nom, self.collab_prenom) or self.id


def identifier(chamber: str, member: str, person: str, begin: str) -> str:
    """The stable `id`: `col_` and 20 hexadecimal digits of the SHA-256 of what never changes of a stay.

    `person` is the words of the name as it was written on the first day, `begin` that day.
    """
    key = "\x1f".join((chamber, member, person, begin))
    return "col_" + hashlib.sha256(key.encode()).hexdigest()[:20]
