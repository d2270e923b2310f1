"""The documentation page, written from the definitions that the service itself runs on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from datasette.utils.asgi import Request, Response

from parlement_lists.meanings import MEANINGS, MEANINGS_IN_ENGLISH
from parlement_lists.movement import FIELDS

from .. import addresses
from ..access.keys import LENGTH, MARK
from ..api import changes
from ..api.openapi import VERSION
from ..api.parameters.parameter import LIMIT_MOST, accepted, accepted_in_english
from ..api.parameters.search_parameters import PARAMETERS
from ..api.parameters.stay_parameters import MEMBER_PARAMETERS, STAY_PARAMETERS
from ..api.replies import EXPOSED
from ..api.search import ENVELOPE
from ..dataset.coverage import HOLE_DAYS
from ..dataset.stays.lines import LINE_FIELDS
from ..dataset.turnover import FEWEST
from ..refusal import KINDS, RETRY_SECONDS
from .counts import publications
from .examples import CLIENTS
from .files import parquet
from .files.archive import NOT_KNOWN, NOT_KNOWN_IN_ENGLISH
from .frame.site import Site
from .words import french

# What is told of a name, in French and in English.
_Told = Mapping[str, tuple[str, str]]
_CREDITS: _Told = {
    "licence": ("La licence des données.", "The licence of the data."),
    "attribution": (
        "La mention à reproduire quand vous réutilisez les données.",
        "The text to credit when you reuse the data.",
    ),
}
_ENVELOPE: _Told = {
    "total": (
        "Nombre exact de mouvements trouvés.",
        "The exact number of movements found; a client must accept null.",
    ),
    "limit": ("Taille de page appliquée.", "The size of the page."),
    "offset": ("Décalage appliqué.", "How many are passed over."),
    "mouvements": (
        "Les mouvements de la page, du plus récent au plus ancien.",
        "The movements of the page, the latest first.",
    ),
    **_CREDITS,
}
_CHANGES: _Told = {
    "changements": (
        "Les changements de la page, du plus ancien au plus récent. De chacun : publie_le, l’instant ;"
        " nature, publication ou retrait ; id ; et, d’une publication, mouvement.",
        "The changes of the page, the oldest first. Of each: publie_le, the instant; nature, publication or"
        " retrait (withdrawal); id; and of a publication, mouvement.",
    ),
    "curseur": ("Où reprendre, à renvoyer tel quel.", "Where to go on, to be sent back as it is."),
    "encore": (
        "S’il y a une suite, qui est aussi l’adresse next de l’en-tête Link.",
        "Whether more follow, which are at the address next of the header Link too.",
    ),
    "version": ("Version des données.", "The version of the data."),
    **_CREDITS,
}
# What each version of the interface added.
VERSIONS: _Told = {
    VERSION: (
        "Les collaborations (/v1/collaborations, /v1/collaborations/ID) et leurs changements"
        " (/v1/collaborations/changements), les élus (/v1/elus), ce que couvrent les listes (/v1/couverture),"
        " les changements (/v1/changements), un mouvement et ce dont il est fait (/v1/mouvements/ID), le"
        " paramètre equipe, la version des données dans chaque réponse, des liens entiers, des erreurs qui disent tout ce qui est à corriger, et le fichier"
        " entier avec ETag, reprise, curseur et datapackage.json. Un nom effacé change l’identifiant.",
        "Stays (/v1/collaborations, /v1/collaborations/ID) and their changes (/v1/collaborations/changements),"
        " members (/v1/elus), what the lists cover (/v1/couverture), changes (/v1/changements), one movement and"
        " what it is made of (/v1/mouvements/ID), the parameter equipe, the version of the data in every answer,"
        " links in full, errors that name all that is to be corrected, and the whole file with ETag, parts,"
        " cursor and datapackage.json. A name that is erased changes the identifier.",
    ),
    "1.0.0": ("L’interface.", "The interface."),
}
_HEADERS: _Told = {
    "X-RateLimit-Limit": ("Demandes par jour.", "Requests a day."),
    "X-RateLimit-Remaining": ("Demandes qui restent aujourd’hui.", "Requests left today."),
    "RateLimit-Policy": (
        "La règle du quota, en forme normalisée.",
        "The rule of the quota, in the form of the standard.",
    ),
    "RateLimit": (
        "Ce qui reste (r) et les secondes jusqu’à la remise à zéro (t).",
        "What is left (r), and the seconds until it begins anew (t).",
    ),
    "Retry-After": (
        "Secondes à attendre, avec une réponse 429 ou 503.",
        "Seconds to wait, with an answer 429 or 503.",
    ),
    "ETag": (
        "Version de la réponse, à renvoyer dans If-None-Match : une réponse 304 n’est pas comptée.",
        "Version of the answer, to be sent back in If-None-Match: an answer 304 is not charged.",
    ),
    "Link": (
        "Pages suivante (next), précédente, première, dernière ; licence et documentation.",
        "The next page, the one before, the first, the last; licence and documentation.",
    ),
    "Mouvements-Version": (
        "Version des données de la réponse : si elle change d’une page à l’autre,"
        " recommencez ou suivez les changements.",
        "Version of the answer's data: if it changes from one page to the next, begin again or follow the"
        " changes.",
    ),
    "Last-Modified": (
        "Quand un mouvement a été publié, modifié ou retiré en dernier.",
        "When a movement was last published, changed or withdrawn.",
    ),
    "Mouvements-Curseur": (
        "Avec le fichier entier : d’où suivre ensuite les changements.",
        "With the whole file: from where to follow the changes afterwards.",
    ),
}
# Answers that the quota does not count: without a known key, 304, refused for the quota, unavailable.
UNCOUNTED = sorted(
    {304, *(KINDS[kind].status for kind in ("key_missing", "key_invalid", "quota", "unavailable"))}
)


async def page(site: Site, request: Request) -> Response:
    """The documentation, the same for everyone."""
    return await _cached(site, request, "documentation", 0)


async def english(site: Site, request: Request) -> Response:
    """The same in English, of the same definitions."""
    return await _cached(site, request, "documentation_in_english", 1)


async def _cached(site: Site, request: Request, template: str, language: int) -> Response:
    snapshot = site.service.live.snapshot
    shown = (str(await site.may_view(None)), str(await site.whole_file_is_open()))
    key = (template, snapshot.build if snapshot else "", site.origin(request), *shown)
    return await site.cached(
        request, key, template, lambda: _context(site, request, language), indexed=True
    )


async def _context(site: Site, request: Request, language: int) -> dict[str, Any]:
    """What the templates show; `language` is the place of its words among those told: 0 French, 1 English."""

    def told(names: Iterable[str], table: _Told) -> list[tuple[str, str]]:
        return [(name, table[name][language]) for name in names]

    accepts = (accepted, accepted_in_english)[language]
    return {
        "address": site.service.address(request.scope),
        "origin": site.origin(request),
        "route": site.path(addresses.SEARCH),
        "changes_route": addresses.CHANGES,
        "parameters": [(one, accepts(one)) for one in PARAMETERS],
        "fields": FIELDS,
        "stay_fields": LINE_FIELDS,
        "stay_parameters": [(one, accepts(one)) for one in STAY_PARAMETERS],
        "member_parameters": [(one, accepts(one)) for one in MEMBER_PARAMETERS],
        "not_known": (NOT_KNOWN, NOT_KNOWN_IN_ENGLISH)[language],
        "fewest": FEWEST,
        "hole_days": HOLE_DAYS,
        "envelope": told(ENVELOPE, _ENVELOPE),
        "changes": [(one, accepts(one)) for one in changes.PARAMETERS],
        "changes_envelope": told(changes.ENVELOPE, _CHANGES),
        "versions": told(VERSIONS, VERSIONS),
        "headers": told((*EXPOSED, "Last-Modified"), _HEADERS),
        "kinds": KINDS.values(),
        "uncounted": UNCOUNTED,
        "valued": [field for field in FIELDS if field.values and any(field.values)],
        "meanings": (MEANINGS, MEANINGS_IN_ENGLISH)[language],
        "limits": _limits(site) if language == 0 else _limits_in_english(site),
        "clients": [(name, what[language]) for name, what in CLIENTS.items()],
        "parquet": bool(parquet.version()),
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


def _limits_in_english(site: Site) -> list[tuple[str, str]]:
    quota = site.config.quota
    return [
        ("Requests a day of each key (one key an account)", f"{quota:,}"),
        ("Begins anew", "at midnight in Paris"),
        ("Movements on a page", f"1 to {LIMIT_MOST}"),
        ("Movements a day at most", f"{quota * LIMIT_MOST:,}"),
        ("Wait after an answer 503", f"{RETRY_SECONDS} s"),
        ("Entries of an Atom feed", str(publications.MOST)),
    ]
