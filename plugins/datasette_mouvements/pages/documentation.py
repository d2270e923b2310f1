"""The documentation page, written from the definitions that the service itself runs on."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from datasette.utils.asgi import Request, Response

from parlement_lists.meanings import MEANINGS
from parlement_lists.movement import FIELDS

from .. import addresses
from ..api.answers import ENVELOPE, FEED_ENVELOPE
from ..api.description import VERSION
from ..api.parameters import FEED, LIMIT_MOST, MEMBERS, MOVEMENTS, OF, STAYS
from ..api.replies import EXPOSED
from ..dataset.coverage import HOLE_DAYS
from ..dataset.stays.lines import LINE_FIELDS
from ..dataset.turnover import FEWEST
from ..keys.keys import LENGTH, MARK
from ..refusal import KINDS, RETRY_SECONDS
from .counts import publications
from .files.archive import NOT_KNOWN
from .frame import open_text
from .frame.site import Site
from .words import french

_Told = Mapping[str, str]
_CREDITS: _Told = {
    "licence": "La licence des données.",
    "attribution": "La mention à reproduire quand vous réutilisez les données.",
}
_ENVELOPE: _Told = {
    "total": "Nombre exact de mouvements trouvés.",
    "limit": "Taille de page appliquée.",
    "offset": "Décalage appliqué.",
    "mouvements": "Les mouvements de la page, du plus récent au plus ancien.",
    **_CREDITS,
}
_CHANGES: _Told = {
    "changements": (
        "Les changements de la page, du plus ancien au plus récent. De chacun : publie_le, l’instant ;"
        " nature, publication ou retrait ; id ; et, d’une publication, mouvement."
    ),
    "curseur": "Où reprendre, à renvoyer tel quel.",
    "encore": "S’il y a une suite, qui est aussi l’adresse next de l’en-tête Link.",
    "version": "Version des données.",
    **_CREDITS,
}
# What each version of the interface added.
VERSIONS: _Told = {
    VERSION: (
        "Les collaborations (/v1/collaborations, /v1/collaborations/ID) et leurs changements"
        " (/v1/collaborations/changements), les élus (/v1/elus), ce que couvrent les listes (/v1/couverture),"
        " les changements (/v1/changements), un mouvement et ce dont il est fait (/v1/mouvements/ID), le"
        " paramètre equipe, la version des données dans chaque réponse, des liens entiers, des erreurs qui disent tout ce qui est à corriger, et le fichier"
        " entier avec ETag, reprise, curseur et datapackage.json. Un nom effacé change l’identifiant."
    ),
    "1.0.0": "L’interface.",
}
_HEADERS: _Told = {
    "X-RateLimit-Limit": "Demandes par jour.",
    "X-RateLimit-Remaining": "Demandes qui restent aujourd’hui.",
    "RateLimit-Policy": "La règle du quota, en forme normalisée.",
    "RateLimit": "Ce qui reste (r) et les secondes jusqu’à la remise à zéro (t).",
    "Retry-After": "Secondes à attendre, avec une réponse 429 ou 503.",
    "ETag": "Version de la réponse, à renvoyer dans If-None-Match : une réponse 304 n’est pas comptée.",
    "Link": "Pages suivante (next), précédente, première, dernière ; licence et documentation.",
    "Mouvements-Version": (
        "Version des données de la réponse : si elle change d’une page à l’autre,"
        " recommencez ou suivez les changements."
    ),
    "Last-Modified": "Quand un mouvement a été publié, modifié ou retiré en dernier.",
    "Mouvements-Curseur": "Avec le fichier entier : d’où suivre ensuite les changements.",
}
# Answers that the quota does not count: without a known key, 304, refused for the quota, unavailable.
UNCOUNTED = sorted(
    {304, *(KINDS[kind].status for kind in ("key_missing", "key_invalid", "quota", "unavailable"))}
)


async def page(site: Site, request: Request) -> Response:
    """The documentation, the same for everyone."""
    snapshot = site.service.version
    shown = (str(await site.may_view(None)), str(await site.whole_file_is_open()))
    key = ("documentation", snapshot.build if snapshot else "", site.origin(request), *shown)
    return await site.cached(
        request, key, "documentation", lambda: _context(site, request), indexed=True
    )


async def client(site: Site, request: Request) -> Response:
    """The example client, as a file that the site gives to everyone."""
    return open_text.answer(site.service, request, _client(), "text/plain; charset=utf-8")


@cache
def _client() -> bytes:
    return (Path(__file__).parent.parent / "examples" / "client.py").read_bytes()


async def _context(site: Site, request: Request) -> dict[str, Any]:
    return {
        "address": site.service.address(request.scope),
        "origin": site.origin(request),
        "route": site.path(addresses.SEARCH),
        "changes_route": addresses.CHANGES,
        "parameters": OF[MOVEMENTS].values(),
        "fields": FIELDS,
        "stay_fields": LINE_FIELDS,
        "stay_parameters": OF[STAYS].values(),
        "member_parameters": OF[MEMBERS].values(),
        "not_known": NOT_KNOWN,
        "fewest": FEWEST,
        "hole_days": HOLE_DAYS,
        "envelope": [(name, _ENVELOPE[name]) for name in ENVELOPE],
        "changes": OF[FEED].values(),
        "changes_envelope": [(name, _CHANGES[name]) for name in FEED_ENVELOPE],
        "versions": VERSIONS.items(),
        "headers": [(name, _HEADERS[name]) for name in (*EXPOSED, "Last-Modified")],
        "kinds": KINDS.values(),
        "uncounted": UNCOUNTED,
        "valued": [field for field in FIELDS if field.values and any(field.values)],
        "meanings": MEANINGS,
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
