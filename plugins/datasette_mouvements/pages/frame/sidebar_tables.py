"""The public tables other than the movements: stays, teams, groups, members, lists...; their words in French."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from datasette.utils import tilde_encode

from parlement_lists import tenure
from parlement_lists.meanings import MEANINGS

from ...dataset.schema import DAYS, GROUP_FIGURES, MEMBERS, NIGHTS, TEAMS, TENURES
from ..words import french
from ..words.labels import LABELS, OUTCOMES
from .site import Site


class SidebarTable(NamedTuple):
    """One of these tables: what it is called, what a row is, what it has, its columns."""

    title: str
    row: str
    description: str
    labels: dict[str, str]


TABLES = {
    TENURES: SidebarTable(
        "Collaborations",
        "collaboration",
        "Qui travaille avec qui, de quand à quand : une ligne par séjour d’un collaborateur "
        "auprès d’un élu, tel que les listes des chambres le montrent. Sans date de fin, la "
        "dernière liste a encore le nom, ou il en est absent depuis sept jours au plus ; le "
        "mandat peut être terminé.",
        {field.name: LABELS[field.name] for field in tenure.FIELDS},
    ),
    TEAMS: SidebarTable(
        "Équipes",
        "équipe",
        "Chaque équipe, à la dernière liste de sa chambre : combien de personnes y sont, depuis combien de "
        "jours, combien sont parties en douze mois. Qui part parce que le mandat finit n’est pas compté ; "
        "les raisons d’un départ ne sont pas connues. De moins de trois personnes, rien n’est calculé.",
        {
            "chambre": "Chambre",
            "elu_id": LABELS["elu_id"],
            "elu_cle": LABELS["elu_cle"],
            "elu_nom": "Équipe de",
            "elu_groupe": "Groupe",
            "mandat_debut": "Début du mandat",
            "mandat_fin": "Mandat connu jusqu’au",
            "presents": "Personnes",
            "liste": "Liste du",
            "depuis": "Depuis",
            "jusqua": "Jusqu’au",
            "ayant_travaille": "Ayant travaillé",
            "parties": "Parties",
            "presence_mediane": "Présence médiane (jours)",
            "pourquoi": "Pourquoi pas de nombre",
        },
    ),
    GROUP_FIGURES: SidebarTable(
        "Groupes",
        "groupe",
        "Chaque groupe politique, à la dernière liste de sa chambre : ses membres, leurs équipes, et "
        "combien de personnes en sont parties en douze mois. La médiane est celle des parts des équipes "
        "du groupe qui en ont une.",
        {
            "chambre": "Chambre",
            "groupe": "Groupe",
            "nom": "Nom",
            "debut": "Début",
            "fin": "Fin",
            "membres": "Membres",
            "presents": "Personnes",
            "ayant_travaille": "Ayant travaillé",
            "parties": "Parties",
            "part_mediane": "Part médiane",
            "pourquoi": "Pourquoi pas de nombre",
        },
    ),
    MEMBERS: SidebarTable(
        "Parlementaires",
        "parlementaire",
        "Noms des parlementaires qui ont ou ont eu une équipe, et l’adresse de leur page à la Haute Autorité pour "
        "la transparence de la vie publique si une source la dit.",
        {
            "chambre": "Chambre",
            "elu_id": LABELS["elu_id"],
            "nom": "Nom",
            "prenom": "Prénom",
            "civilite": "Civilité",
            "hatvp": "Page à la HATVP",
        },
    ),
    "listes": SidebarTable(
        "Listes reçues",
        "liste",
        "Chaque liste lue, retenue ou refusée, la mesure qui l’a fait refuser, et les "
        "changements de source.",
        {
            "nom": "Liste",
            "chambre": "Chambre",
            "date": "Date",
            "statut": "Statut",
            "motif": "Remarque",
            "mesure": "Mesure",
            "paires": "Couples",
            "arrivees": "Nouveaux",
            "departs": "Disparus",
            "retenus": "En attente",
            "sha256": "SHA-256",
        },
    ),
    NIGHTS: SidebarTable(
        "Nuits",
        "nuit",
        "Ce que chaque passage du matin a trouvé à chaque source. Une ligne sans source dit "
        "comment le passage s’est terminé.",
        {
            "jour": "Jour",
            "source": "Source",
            "chambre": "Chambre",
            "resultat": "Résultat",
            "motif": "Remarque",
            "mesure": "Mesure",
            "liste": "Liste",
            "original": "Original",
            "original_sha256": "SHA-256 de l’original",
        },
    ),
    "retraits": SidebarTable(
        "Retraits",
        "retrait",
        "Mouvements publiés puis retirés : leur identifiant, le jour du retrait et sa raison.",
        {"id": "Identifiant du mouvement", "date": "Date", "raison": "Raison"},
    ),
    "corrections": SidebarTable(
        "Corrections",
        "correction",
        "Chaque décision prise à la main, sa date et sa raison. Ce qui est masqué n’y figure pas.",
        {"numero": "Numéro", "date": "Date", "genre": "Genre", "raison": "Raison"},
    ),
}
# Columns whose words stand in another one already, which the page of one row tells apart.
_SAID_BY = {
    **{"debut_apres": "debut", "fin_apres": "fin", "elu_id": "elu_nom", "elu_cle": "elu_nom"},
    **dict.fromkeys(("mouvement_debut", "mouvement_fin"), "id"),
}
# The description of a page whose own words must not be shared.
_BEFORE = ("collab_nom", "collab_prenom", "elu_nom", "debut", "fin", "debut_apres", "fin_apres")
_AFTER = ("mouvement_debut", "mouvement_fin", "id", "elu_id", "elu_cle")
STATUSES = {"acceptee": "acceptée", "refusee": "refusée", "retenue": "retenue"}


def cell(column: str, value: Any, row: Mapping[str, Any] | None = None) -> str:
    """What stands in one of these tables, as people read it; the days of a stay with the bounds that its row has."""
    if value is None and column == "fin" and row is not None and "fin_apres" in dict(row):
        return french.superscript(f"sur la liste du {french.plain_day(dict(row)['fin_apres'])}")
    if value is None:
        return french.WITHDRAWN if column == "collab_nom" else ""
    if value == "":
        return ""
    bound = f"{column}_apres"
    if column in ("debut", "fin") and row is not None and bound in dict(row):
        after = dict(row)[bound]
        begun = f"au moins depuis le {french.plain_day(value)}"
        return french.between(after, value) if after else french.superscript(begun)
    if column in DAYS or column == "jour":
        return french.day(value)
    if column == "part_mediane":
        return french.share(value)
    if column in ("statut", "chambre", "resultat"):
        return (OUTCOMES | STATUSES | MEANINGS)[value]
    if isinstance(value, int | float):
        return french.number(value)
    return french.typography(value)


def columns(table: str, row: Mapping[str, Any]) -> list[str]:
    """Columns of a row of one of these tables in the order in which they are shown."""
    given = list(dict(row))
    if table not in (TENURES, TEAMS):
        return given
    given = [name for name in given if _SAID_BY.get(name) not in given]
    if table == TEAMS:
        return given
    ends = (*_BEFORE, *_AFTER)
    return [
        *(name for name in _BEFORE if name in given),
        *(name for name in given if name not in ends),
        *(name for name in _AFTER if name in given),
    ]


def link(site: Site, table: str, row: Mapping[str, Any], column: str) -> str:
    """Where a cell of one of these tables leads; "" for nowhere. Visitors choose columns: some may lack."""
    row = dict(row)  # a page of one row has SQLite’s own
    value = row.get(column)
    if not value:
        return ""
    if table == GROUP_FIGURES and column == "groupe" and row.get("chambre"):
        return site.group_page(row["chambre"], value)
    if table in (TENURES, TEAMS) and column == "elu_nom" and row.get("chambre"):
        return site.member(row["chambre"], row.get("elu_id"))
    if table != TENURES:
        return ""
    if column == "id":
        return f"{site.sidebar_table(TENURES)}/{tilde_encode(value)}"
    if column in ("mouvement_debut", "mouvement_fin"):
        return site.movement(value)
    # By one part of a name the page would be another's.
    whole = column == "collab_nom" and "collab_prenom" in row
    return site.staff(value, row["collab_prenom"]) if whole else ""
