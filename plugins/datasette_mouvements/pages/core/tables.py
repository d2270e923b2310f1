"""Datasette's pages of the public tables: in which order, how many rows, and their words in French."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from datasette.app import Datasette
from datasette.utils import tilde_encode

from parlement_lists.meanings import MEANINGS

from ...dataset.schema import DAYS, GROUP_FIGURES, MEMBERS, NIGHTS, TABLE, TEAMS, TENURES
from ...fields import MOVEMENT_FIELDS, STAY_FIELDS
from .. import french
from ..site import Site

# Rows of a page for people, which must stay below 60 kB; `_size` still asks for more.
SIZE = 40
# Rows of a page after which others have their turn.
ROWS_AT_ONCE = 25
# The public tables beside the movements: what each is called, and what it has.
TABLES = {
    TENURES: (
        "Collaborations",
        "Qui travaille avec qui, de quand à quand, tel que les listes des chambres le montrent.",
    ),
    TEAMS: (
        "Équipes",
        "Chaque équipe à la dernière liste de sa chambre : qui y est, et qui l’a quittée en douze mois.",
    ),
    GROUP_FIGURES: (
        "Groupes",
        "Chaque groupe politique à la dernière liste de sa chambre : ses membres, leurs équipes et les départs.",
    ),
    MEMBERS: ("Parlementaires", "Les noms des parlementaires qui ont ou ont eu une équipe."),
    "listes": (
        "Listes",
        "Chaque liste lue, retenue ou refusée, avec la mesure qui l’a fait refuser.",
    ),
    NIGHTS: ("Nuits", "Ce que chaque passage du matin a trouvé à chaque source."),
    "retraits": ("Retraits", "Les mouvements publiés puis retirés, sans leur contenu."),
    "corrections": (
        "Corrections",
        "Chaque décision prise à la main, sa date et sa raison. Ce qui est masqué n’y figure pas.",
    ),
}
_LABELS = {field.name: field.label for field in (*STAY_FIELDS, *MOVEMENT_FIELDS)} | {
    "collab_nom": "Nom de famille",
    "collab_prenom": "Prénom",
    "elu_cle": "Clé de parlementaire",
    "elu_id": "Identifiant de parlementaire",
    "elu_nom": "Parlementaire",
    "elu_origine_nom": "Équipe quittée",
    "elu_origine_groupe": "Groupe de l’équipe quittée",
    "confiance": "Précision de la date",
    "prenom": "Prénom",
    "civilite": "Civilité",
    "hatvp": "Page à la HATVP",
    "presents": "Personnes",
    "mandat_debut": "Début du mandat",
    "mandat_fin": "Mandat connu jusqu’au",
    "depuis": "Départs comptés depuis le",
    "jusqua": "Jusqu’au",
    "ayant_travaille": "Y ont travaillé",
    "parties": "Départs",
    "presence_mediane": "Présence médiane (jours)",
    "part_mediane": "Part médiane des départs",
    "pourquoi": "Pourquoi pas de nombre",
    "resultat": "Résultat",
    "motif": "Remarque",
    "paires": "Couples",
    "arrivees": "Nouveaux",
    "departs": "Disparus",
    "retenus": "En attente",
    "sha256": "SHA-256",
    "original_sha256": "SHA-256 de l’original",
    "numero": "Numéro",
}
# What a column is called in one table only; the column of the family name of a movement shows the whole name.
_LABELS_OF = {
    (TABLE, "collab_nom"): "Personne",
    (TABLE, "elu_nom"): "Équipe de",
    (TEAMS, "elu_nom"): "Équipe de",
    ("retraits", "id"): "Identifiant du mouvement",
}
_STATUSES = {"acceptee": "acceptée", "refusee": "refusée", "retenue": "retenue"}
_MEANINGS = french.OUTCOMES | _STATUSES | MEANINGS
# Columns whose words stand in another one already, which the page of one row tells apart.
_SAID_BY = {
    **{"debut_apres": "debut", "fin_apres": "fin", "elu_id": "elu_nom", "elu_cle": "elu_nom"},
    **dict.fromkeys(("mouvement_debut", "mouvement_fin"), "id"),
}
# The columns that stand first in a table; the identifier of a stay stands last.
_FIRST = {
    TENURES: ("collab_nom", "collab_prenom", "elu_nom", "debut", "fin"),
    TEAMS: ("elu_nom",),
    GROUP_FIGURES: ("groupe",),
}


# In which order the tables stand, and what narrows them, where the configuration does not say.
OPTIONS: dict[str, dict[str, Any]] = {
    TABLE: {"sort_desc": "date_event", "facets": ["chambre", "type", "elu_groupe", "confiance"]},
    TENURES: {"sort_desc": "debut", "facets": ["chambre", "elu_groupe"]},
    TEAMS: {"sort": "elu_cle", "facets": ["chambre", "elu_groupe"]},
    GROUP_FIGURES: {"sort_desc": "membres", "facets": ["chambre"]},
    MEMBERS: {"sort": "nom", "facets": ["chambre"]},
    NIGHTS: {"sort_desc": "jour"},
    **{name: {"sort_desc": "date"} for name in ("listes", "corrections", "retraits")},
}


def configure(datasette: Datasette, database: str) -> None:
    """Give the public tables of a database their order, size and facets, but what its configuration says."""
    datasette.config = config = dict(datasette.config or {})
    databases = config["databases"] = dict(config.get("databases") or {})
    given = databases[database] = dict(databases.get(database) or {})
    tables = given["tables"] = dict(given.get("tables") or {})
    for name, own in OPTIONS.items():
        tables[name] = {"size": SIZE} | own | (tables.get(name) or {})


def core_template(site: Site, page: str, database: str, table: str = "") -> str:
    """The template of one of Datasette's pages: "database", or "table" or "row" of `table`; its own elsewhere."""
    if database == site.config.database:
        if page == "database" or (page == "table" and table == TABLE):
            return f"mouvements/{page}.html"
        if table in TABLES:
            return "mouvements/row.html" if page == "row" else "mouvements/sidebar_table.html"
    return f"default:{page}.html"


def label(column: str, table: str = "") -> str:
    """What a column is called, by default by its name."""
    words = column.replace("_", " ").capitalize()
    return _LABELS_OF.get((table, column)) or _LABELS.get(column, words)


def table_cell(column: str, value: Any, row: Mapping[str, Any] | None = None) -> str:
    """What stands in one of these tables, as people read it; the days of a stay with the bounds that its row has."""
    bounds = dict(row or {})
    if value is None and column == "fin" and "fin_apres" in bounds:
        return f"sur la liste du {french.day(bounds['fin_apres'])}"
    if value is None or value == "":
        return french.WITHDRAWN if column == "collab_nom" and value is None else ""
    if column in ("debut", "fin") and f"{column}_apres" in bounds:
        after = bounds[f"{column}_apres"]
        begun = f"au moins depuis le {french.day(value)}"
        return french.between(after, value) if after else begun
    if column in DAYS or column == "jour":
        return french.day(value)
    if column in ("statut", "chambre", "resultat"):
        return _MEANINGS.get(value, str(value))
    if column == "mesure":
        return french.measure(value)
    if column == "presence_mediane":
        return french.number(round(value))
    if column == "part_mediane":
        return french.share(value)
    if isinstance(value, int | float):
        return french.number(value)
    return str(value)


def table_columns(table: str, row: Mapping[str, Any]) -> list[str]:
    """The columns of a row of one of these tables in the order in which they are shown."""
    names = list(dict(row))
    if table in (TENURES, TEAMS):
        names = [name for name in names if _SAID_BY.get(name) not in names]
    first = [name for name in _FIRST.get(table, ()) if name in names]
    last = ["id"] if table == TENURES and "id" in names else []
    return [*first, *(name for name in names if name not in (*first, *last)), *last]


def table_link(site: Site, table: str, row: Mapping[str, Any], column: str) -> str:
    """Where a cell of one of these tables leads; "" for nowhere. Visitors choose columns: some may lack."""
    row = dict(row)
    value, chamber = row.get(column), row.get("chambre")
    if not value:
        return ""
    match table, column:
        case (_, "mouvement_debut" | "mouvement_fin"):
            return site.movement(value)
        case ("collaborations", "id"):
            return f"{site.table(TENURES)}/{tilde_encode(value)}"
        case ("collaborations" | "equipes", "elu_nom") | ("elus", "nom") if chamber:
            return site.member(chamber, row.get("elu_id"))
        case ("groupes", "groupe") if chamber:
            return site.group(chamber, value)["page"]
        # By one part of a name the page would be another's.
        case ("collaborations", "collab_nom") if "collab_prenom" in row:
            return site.staff(value, row["collab_prenom"])
    return ""


async def pause(row: int) -> str:
    """Let other requests run; templates call it with the number of each row of a long table."""
    if row % ROWS_AT_ONCE == 0:
        await asyncio.sleep(0)
    return ""
