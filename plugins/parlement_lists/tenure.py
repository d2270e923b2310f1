"""One stay of a staff member with an elected member: its fields, its stable identifier."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from . import movement
from .movement import Field, words

# What `conge` says: the Sénat's lists mark who is on unpaid leave, and keep the name.
UNPAID = "sans solde"

_SHARED = {field.name: field for field in movement.FIELDS}


FIELDS = (
    Field(
        "id",
        "Identifiant",
        "Identifiant stable de la collaboration.",
        "col_0a1b2c3d4e5f60718293",
        True,
    ),
    _SHARED["chambre"],
    _SHARED["elu_id"]._replace(required=True),
    _SHARED["elu_cle"],
    _SHARED["elu_nom"]._replace(description="Nom de l’élu."),
    _SHARED["elu_groupe"]._replace(
        description="Groupe politique de l’élu au dernier jour de la collaboration."
    ),
    _SHARED["collab_nom"]._replace(
        description="Nom de famille du collaborateur, en capitales, tel qu’il a été écrit en dernier.",
    ),
    _SHARED["collab_prenom"],
    _SHARED["collab_civilite"],
    _SHARED["fonction"],
    Field(
        "debut",
        "Début",
        "Jour de la première liste retenue où figure la collaboration.",
        "2026-09-14",
        True,
    ),
    Field(
        "debut_apres",
        "Début après",
        "Jour de la liste retenue juste avant, où elle ne figure pas : elle a commencé après ce jour et au plus"
        " tard le jour du début. Vide si aucune liste plus ancienne ne dit qui y était : le jour où elle a"
        " commencé n’est pas connu.",
        "2026-09-11",
    ),
    Field(
        "fin",
        "Fin",
        "Jour de la première liste retenue où elle ne figure plus. Vide tant que la dernière liste de"
        " la chambre l’a, ou qu’une absence de sept jours au plus n’est pas tranchée.",
        "2026-11-02",
    ),
    Field(
        "fin_apres",
        "Dernière présence",
        "Jour de la dernière liste retenue où elle figure : si elle a pris fin, c’est après ce jour.",
        "2026-10-30",
        True,
    ),
    Field(
        "mouvement_debut",
        "Mouvement de début",
        "Identifiant du mouvement qui la commence, arrivée ou transfert ; vide s’il n’y en a pas.",
        "mvt_0a1b2c3d4e5f60718293",
    ),
    Field(
        "mouvement_fin",
        "Mouvement de fin",
        "Identifiant du mouvement qui la termine, départ ou transfert ; vide s’il n’y en a pas.",
        "mvt_0a1b2c3d4e5f60718293",
    ),
    Field(
        "conge",
        "Congé",
        "« sans solde » si la dernière liste où figure la collaboration la dit en congé sans solde, ce que"
        " seul le Sénat écrit ; vide sinon. Ce n’est ni un départ ni une fin.",
        UNPAID,
        values=(UNPAID,),
    ),
    Field(
        "anciens_noms",
        "Anciens noms",
        "Noms que portait la personne avant, séparés par « ; » : un nom sort et un autre entre chez le même élu, le"
        " même jour, avec la même civilité et le même prénom. C’est tenu pour une seule personne.",
        "Maëlle MOREAU",
    ),
)
FIELD_NAMES = tuple(field.name for field in FIELDS)


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


assert Tenure._fields == FIELD_NAMES


def identifier(chamber: str, member: str, person: str, begin: str) -> str:
    """The stable `id`: `col_` and 20 hexadecimal digits of the SHA-256 of what never changes of a stay.

    `person` is the words of the name as it was written on the first day, `begin` that day.
    """
    key = "\x1f".join((chamber, member, person, begin))
    return "col_" + hashlib.sha256(key.encode()).hexdigest()[:20]
