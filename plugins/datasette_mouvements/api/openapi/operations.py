"""The operations of the OpenAPI description."""

from __future__ import annotations

from typing import Any

from ... import addresses
from ..changes import CURSOR
from ..listings import MOVEMENTS_LISTING, STAYS_LISTING, Listing
from ..parameters.search_parameters import BY_NAME
from ..service import Service
from . import examples, files, schemas
from .parameters import CONDITION, LIMIT_OF_CHANGES, OF_MEMBERS, OF_STAYS, Operation, operation
from .responses import EVERYWHERE, named, refused

TAGS = {
    "mouvements": "Chercher des mouvements, en lire un.",
    "collaborations": "Qui travaille pour qui, et quand ; les élus.",
    "copie": "Garder une copie exacte : le fichier de tout une fois, puis le flux des changements.",
    "service": "Ce qui reste à une clé, et cette description ; rien n’en est compté.",
}
_UNCHANGED = {
    "description": "Rien n’a changé ; non comptée",
    "headers": named(*EVERYWHERE, "ETag"),
}
# The refusals of a charged request for movements.
_OF_DATA = ("DemandeRefusee", "CleRefusee", "QuotaAtteint", "Indisponible")


def paths(service: Service) -> dict[str, dict[str, Operation]]:
    """Every address with its one operation."""
    return {
        addresses.SEARCH: {"get": _search(service)},
        f"{addresses.SEARCH}/{{id}}": {"get": _one(service, MOVEMENTS_LISTING)},
        addresses.CHANGES: {"get": _changes(service, MOVEMENTS_LISTING)},
        addresses.STAYS: {"get": _stays(service)},
        f"{addresses.STAYS}/{{id}}": {"get": _one(service, STAYS_LISTING)},
        addresses.MEMBERS: {"get": _members(service)},
        addresses.STAY_CHANGES: {"get": _changes(service, STAYS_LISTING)},
        addresses.QUOTA: {"get": _quota(service)},
        addresses.COVERAGE: {"get": _coverage(service)},
        addresses.DESCRIPTION: {"get": _description()},
        addresses.WHOLE_FILE: {"get": files.whole_file(service)},
    }


def _search(service: Service) -> Operation:
    return operation(
        "mouvements",
        "mouvements",
        "Chercher des mouvements, du plus récent au plus ancien",
        'Les filtres se combinent. Pour tout lire, suivez `Link: rel="next"`, ou ajoutez `limit` à'
        " `offset` jusqu’à dépasser `total`. Si `Mouvements-Version` change en chemin, recommencez,"
        " ou lisez le flux des changements.",
        [*BY_NAME, CONDITION],
        {
            "200": _json("Une page de mouvements", "Recherche", examples.search(service)),
            "304": _UNCHANGED,
            **refused(*_OF_DATA),
        },
    )


def _stays(service: Service) -> Operation:
    return operation(
        "collaborations",
        "collaborations",
        "Chercher qui travaille pour qui, un jour ou aujourd’hui",
        "Une collaboration est ce que les listes montrent : un nom dans l’équipe d’un élu, de la première"
        " liste qui l’a à la première qui ne l’a plus. Ce n’est pas un contrat. `listes` dit de quelle liste"
        " de chaque chambre la réponse est. `Mouvements-Version` change avec les collaborations aussi.",
        [*OF_STAYS, CONDITION],
        {
            "200": _json(
                "Une page de collaborations", "RechercheDeCollaborations", examples.stays(service)
            ),
            "304": _UNCHANGED,
            **refused(*_OF_DATA),
        },
    )


def _members(service: Service) -> Operation:
    return operation(
        "elus",
        "collaborations",
        "Chercher les élus dont une liste a nommé l’équipe",
        "Par nom. `equipe` est le nombre de personnes présentes : 0 une fois le mandat terminé, ou s’il"
        " n’est pas connu qu’il se poursuive. `mandats` et `groupes` sont vides là où rien n’en est connu.",
        [*OF_MEMBERS, CONDITION],
        {
            "200": _json("Une page d’élus", "RechercheDElus", examples.members(service)),
            "304": _UNCHANGED,
            **refused(*_OF_DATA),
        },
    )


def _one(service: Service, listing: Listing) -> Operation:
    of_stays = listing is STAYS_LISTING
    return operation(
        listing.one,
        listing.many,
        "Lire une collaboration" if of_stays else "Lire un mouvement",
        f"{'Retirée' if of_stays else 'Retiré'} : 410, à effacer de vos copies. Un identifiant jamais"
        " publié répond 404. Comptée comme une page.",
        ["id_collaboration" if of_stays else "id", CONDITION],
        {
            "200": _json(
                "La collaboration" if of_stays else "Le mouvement",
                "CollaborationSeule" if of_stays else "MouvementSeul",
                examples.one(service, listing),
            ),
            "304": _UNCHANGED,
            **refused(
                *_OF_DATA,
                *(
                    ("CollaborationInconnue", "CollaborationRetiree")
                    if of_stays
                    else ("MouvementInconnu", "MouvementRetire")
                ),
            ),
        },
    )


def _changes(service: Service, listing: Listing) -> Operation:
    of_stays = listing is STAYS_LISTING
    return operation(
        "changements_des_collaborations" if of_stays else "changements",
        "copie",
        f"Lire ce qui a changé des {listing.many} depuis un curseur",
        f"Le dernier changement de chaque identifiant jamais publié ({listing.many}), du plus ancien au"
        " plus récent. Une publication remplace par identifiant, un retrait efface ; les appliquer deux"
        " fois ne nuit pas. Tant que `encore` est vrai, demandez la suite avec le `curseur` reçu, et"
        " gardez le dernier. 410 : ce curseur n’est plus suivi, reprenez la copie depuis le début.",
        [CURSOR.name, LIMIT_OF_CHANGES, CONDITION],
        {
            "200": _json(
                "Une page de changements",
                "ChangementsDeCollaborations" if of_stays else "PageDeChangements",
                examples.changes(service, listing),
            ),
            "304": _UNCHANGED,
            **refused(*_OF_DATA, "CurseurPerime"),
        },
    )


def _quota(service: Service) -> Operation:
    return operation(
        "quota",
        "service",
        "Lire ce qui reste à la clé",
        "Le compte du jour, de minuit à minuit, heure de Paris. Non comptée.",
        [],
        {
            "200": _json("L’état de la clé", "Quota", examples.quota(service), "Link"),
            **refused("DemandeRefusee", "CleRefusee", "Indisponible"),
        },
    )


def _coverage(service: Service) -> Operation:
    return operation(
        "couverture",
        "service",
        "Lire de quels jours il y a des listes",
        "Par chambre : première et dernière liste, trous (plus de dix jours sans liste), sources. Un"
        " mouvement trouvé après un trou porte le jour de la liste qui le suit. Non comptée.",
        [CONDITION],
        {
            "200": _json(
                "Les listes de chaque chambre", "ListesDesChambres", examples.coverage(service)
            ),
            "304": _UNCHANGED,
            **refused("DemandeRefusee", "CleRefusee", "Indisponible"),
        },
    )


def _description() -> Operation:
    content = {"schema": {"type": "object", "description": "OpenAPI 3.1"}}
    response = {"description": "Cette description", "headers": named(*EVERYWHERE, "ETag", "Link")}
    return operation(
        "description",
        "service",
        "Lire cette description",
        "Sans clé, non comptée.",
        [CONDITION],
        {
            "200": {**response, "content": {"application/json": content}},
            "304": _UNCHANGED,
            **refused("DemandeMalformee"),
        },
    ) | {"security": []}


def _json(meaning: str, schema: str, example: dict[str, Any], *headers: str) -> dict[str, Any]:
    """A JSON answer; with an ETag, unless other headers are given."""
    return {
        "description": meaning,
        "headers": named(*EVERYWHERE, *(headers or ("ETag", "Link"))),
        "content": {"application/json": {"schema": schemas.ref(schema), "example": example}},
    }
