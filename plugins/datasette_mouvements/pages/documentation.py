"""The documentation page, written from the definitions that the service itself runs on."""

from __future__ import annotations

from typing import Any

from datasette.utils.asgi import Request, Response

from parlement_lists.movement import CONFIDENCES, FIELDS, MEANINGS
from parlement_lists.tenure import FIELDS as STAY_FIELDS

from .. import addresses
from ..access.keys import LENGTH, MARK
from ..api import changes
from ..api.envelope import ENVELOPE
from ..api.openapi import VERSION
from ..api.parameters.parameter import LIMIT_MOST, accepted
from ..api.parameters.search_parameters import PARAMETERS
from ..api.replies import EXPOSED
from ..dataset.coverage import HOLE_DAYS
from ..dataset.turnover import FEWEST
from ..refusal import KINDS, RETRY_SECONDS
from .counts import publications
from .files.archive import NOT_KNOWN
from .frame.site import Site
from .words import french

_ENVELOPE = {
    "total": "Nombre exact de mouvements trouvés.",
    "limit": "Taille de page appliquée.",
    "offset": "Décalage appliqué.",
    "mouvements": "Les mouvements de la page, du plus récent au plus ancien.",
    "licence": "La licence des données.",
    "attribution": "La mention à reproduire quand vous réutilisez les données.",
}
_CHANGES = {
    "changements": "Les changements de la page, du plus ancien au plus récent. De chacun : publie_le, l’instant ;"
    " nature, publication ou retrait ; id ; et, d’une publication, mouvement.",
    "curseur": "Où reprendre, à renvoyer tel quel.",
    "encore": "S’il y a une suite, qui est aussi l’adresse next de l’en-tête Link.",
    "version": "Version des données.",
    **{name: _ENVELOPE[name] for name in ("licence", "attribution")},
}
# What each version of the interface added.
VERSIONS = {
    VERSION: "Les changements (/v1/changements), un mouvement (/v1/mouvements/ID), la version des données dans"
    " chaque réponse, des liens entiers, des erreurs qui disent tout ce qui est à corriger, et le fichier"
    " entier avec ETag, reprise, curseur et datapackage.json. Un nom effacé change l’identifiant.",
    "1.0.0": "L’interface.",
}
_HEADERS = {
    "X-RateLimit-Limit": "Demandes par jour.",
    "X-RateLimit-Remaining": "Demandes qui restent aujourd’hui.",
    "RateLimit-Policy": "La règle du quota, en forme normalisée.",
    "RateLimit": "Ce qui reste (r) et les secondes jusqu’à la remise à zéro (t).",
    "Retry-After": "Secondes à attendre, avec une réponse 429 ou 503.",
    "ETag": "Version de la réponse, à renvoyer dans If-None-Match : une réponse 304 n’est pas comptée.",
    "Link": "Pages suivante (next), précédente, première, dernière ; licence et documentation.",
    "Mouvements-Version": "Version des données de la réponse : si elle change d’une page à l’autre,"
    " recommencez ou suivez les changements.",
    "Last-Modified": "Quand un mouvement a été publié, modifié ou retiré en dernier.",
    "Mouvements-Curseur": "Avec le fichier entier : d’où suivre ensuite les changements.",
}
# The quota does not count these: answers to no known key, 304, and what could not be given.
UNCOUNTED = sorted(
    {304, *(KINDS[kind].status for kind in ("key_missing", "key_invalid", "quota", "unavailable"))}
)
GLOSSARY = {
    "Parlementaire": "Député, députée, sénateur, sénatrice ou membre du Parlement européen ; dans les champs et les filtres, élu.",
    "Équipe": "Les personnes employées auprès d’une ou d’un parlementaire ; dans les champs, collaborateurs.",
    "Mouvement": "Une arrivée, un départ ou un transfert, constaté en comparant deux listes d’une chambre.",
    "Arrivée": "Une personne paraît dans la liste auprès d’un ou d’une parlementaire.",
    "Départ": "Une personne disparaît de la liste auprès d’un ou d’une parlementaire.",
    "Transfert": "Une personne quitte une équipe et en rejoint une autre de la même chambre.",
    "Relevé": "Lecture, un jour donné, de la liste qu’une chambre publie.",
    "Homonymes": "Personnes différentes qui portent le même nom.",
    "Chambre": "L’Assemblée nationale, le Sénat ou le Parlement européen.",
    "Accredited assistants": "Au Parlement européen, collaborateurs accrédités : le Parlement les emploie à"
    " Bruxelles, Strasbourg ou Luxembourg. (grouping) : plusieurs membres se les partagent.",
    "Local assistants": "Au Parlement européen, collaborateurs locaux : ils travaillent dans le pays du membre.",
    "Groupe": "Le groupe politique au jour du mouvement, tel que la chambre l’abrège.",
    "Suivi quotidien": "Le mouvement vient des listes relevées chaque jour.",
    "Archives historiques": "Le mouvement vient de listes anciennes, relevées moins souvent.",
    "Confiance": "Dans les champs et les filtres, la précision avec laquelle le jour du mouvement est connu.",
    "Collaboration": "Une personne auprès d’un ou d’une parlementaire, du jour où une liste le montre à celui où elle ne le montre plus.",
    "Liste": "Ce qu’une chambre publie : qui travaille avec chaque parlementaire, un jour donné.",
    "Dernière liste": "La plus récente qui a été retenue d’une chambre : ce qui a changé depuis n’est pas connu.",
    "Personnes parties": "Celles qui ont quitté une équipe en douze mois alors que leur parlementaire restait, sur toutes celles"
    " qui y sont passées.",
    "Présence médiane": "Durée, à la dernière liste, que la moitié des collaborations en cours dépassent.",
    "Médiane": "Valeur qui partage des équipes ou des durées en deux moitiés égales.",
    "Clé": "Suite de caractères personnelle qui ouvre l’interface. Elle vaut un mot de passe.",
    "Quota": "Nombre de demandes qu’un compte peut faire par jour.",
    "Demande": "Un appel à l’interface, ou un fichier téléchargé.",
    "Interface": "L’adresse à laquelle des programmes lisent les mouvements (en anglais, API).",
    "Explorateur": "La page qui filtre et trie tous les mouvements.",
    "En-tête": "Ligne envoyée à côté du contenu d’une demande ou d’une réponse.",
    "curl": "Programme qui envoie une demande depuis un terminal.",
    "OpenAPI": "Forme dans laquelle des programmes lisent la description d’une interface.",
    "Curseur": "Repère d’une place dans les changements : tout ce qui précède est connu.",
    "Retrait": "Un mouvement publié par erreur, ou dont le nom a été effacé, n’est plus publié sous cet identifiant.",
    "JSON": "Écriture de données en texte, que les programmes lisent.",
    "Flux Atom": "Adresse qu’un lecteur de flux consulte pour vous prévenir des nouveautés.",
    "CSV": "Fichier de texte en colonnes, que les tableurs ouvrent.",
    "BOM": "Marque au début d’un CSV, par laquelle un tableur reconnaît les accents.",
    "NDJSON": "Fichier de texte avec un objet JSON par ligne, pour les programmes.",
}


async def page(site: Site, request: Request) -> Response:
    """The documentation, the same for everyone."""
    snapshot = site.service.live.snapshot
    key = ("documentation", snapshot.build if snapshot else "", site.origin(request))
    known = site.cached_page(request, key)
    if known is not None:
        return known
    return await site.cache_page(
        request, key, "documentation", _context(site, request), indexed=True
    )


def _context(site: Site, request: Request) -> dict[str, Any]:
    return {
        "address": site.service.address(request.scope),
        "origin": site.origin(request),
        "route": site.path(addresses.SEARCH),
        "changes_route": addresses.CHANGES,
        "parameters": [(one, accepted(one)) for one in PARAMETERS],
        "fields": FIELDS,
        "stay_fields": STAY_FIELDS,
        "not_known": NOT_KNOWN,
        "fewest": FEWEST,
        "hole_days": HOLE_DAYS,
        "envelope": [(name, _ENVELOPE[name]) for name in ENVELOPE],
        "changes": [(one, accepted(one)) for one in changes.PARAMETERS],
        "changes_envelope": [(name, _CHANGES[name]) for name in changes.ENVELOPE],
        "versions": VERSIONS,
        "headers": [(name, _HEADERS[name]) for name in (*EXPOSED, "Last-Modified")],
        "kinds": KINDS.values(),
        "uncounted": UNCOUNTED,
        "valued": [field for field in FIELDS if field.values and any(field.values)],
        "meanings": MEANINGS,
        "confidences": CONFIDENCES,
        "glossary": GLOSSARY,
        "limits": _limits(site),
        "mark": MARK,
        "key_length": LENGTH,
    }


def _limits(site: Site) -> list[tuple[str, str]]:
    """The limits and settings in force, in words."""
    config = site.config
    return [
        ("Demandes par jour et par clé (une clé par compte)", french.number(config.quota)),
        ("Remise à zéro", "à minuit, heure de Paris"),
        ("Mouvements par page", f"de 1 à {LIMIT_MOST}"),
        ("Mouvements par jour au plus", french.number(config.quota * LIMIT_MOST)),
        ("Attente conseillée après une réponse 503", f"{RETRY_SECONDS} s"),
        ("Entrées d’un flux Atom", str(publications.MOST)),
        ("Pages nommant des collaborateurs proposées aux moteurs de recherche", "non"),
    ]
