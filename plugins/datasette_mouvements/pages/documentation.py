"""The documentation, written from the definitions that the service runs on; the sources; what staff may ask."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

from datasette.utils.asgi import Request, Response

from parlement_lists.meanings import MEANINGS
from parlement_lists.movement import CHAMBERS, FIELDS

from ..api.answers import ENVELOPE, FEED_ENVELOPE
from ..api.compression import accepts_gzip, compress
from ..api.description import VERSION
from ..api.parameters import FEED, LIMIT_MOST, MEMBERS, MOVEMENTS, OF, STAYS
from ..api.replies import EXPOSED, header, matches, tag_of
from ..dataset.coverage import HOLE_DAYS
from ..dataset.figures import FEWEST
from ..dataset.mandates import NAMED_WITHIN
from ..dataset.nights import LISTED, Night, by_source, days_until
from ..dataset.schema import TABLE, TABLES, TENURES
from ..dataset.stays.lines import LINE_FIELDS
from ..keys.keys import LENGTH, MARK
from ..refusal import KINDS, RETRY_SECONDS
from .runner import FILE_SECONDS, PAGE_SECONDS, Context, View, public
from .site import Site
from .words import french
from .words.phrases import NOT_KNOWN, OUTCOMES, SILENT_NIGHT

_CREDITS = {
    "licence": "La licence des données.",
    "attribution": "La mention à reproduire quand vous réutilisez les données.",
}
_ENVELOPE = {
    "total": "Nombre exact de mouvements trouvés.",
    "limit": "Taille de page appliquée.",
    "offset": "Décalage appliqué.",
    "mouvements": "Les mouvements de la page, du plus récent au plus ancien.",
    **_CREDITS,
}
_CHANGES = {
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
VERSIONS = {
    VERSION: (
        "Les collaborations (/v1/collaborations), les élus (/v1/elus), ce que couvrent les listes"
        " (/v1/couverture), les changements (/v1/changements), un mouvement ou une collaboration par son"
        " identifiant, le paramètre equipe, la version des données dans chaque réponse,"
        " des erreurs qui disent tout ce qui est à corriger, et le fichier entier avec ETag, reprise, curseur et"
        " datapackage.json. Un nom effacé change l’identifiant."
    ),
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
# How many nights the page of the sources shows, and a sign for each outcome: colour never stands alone.
NIGHTS = 30
SIGNS = {"nouvelle": "+", "identique": "=", "refusee": "×", "echouee": "!", "": "–"}


def read(view: View) -> Context:
    """The documentation."""
    site = view.site
    return {
        "address": site.service.address(view.request.scope),
        "origin": site.origin(view.request),
        "not_known": NOT_KNOWN,
        "fewest": FEWEST,
        "hole_days": HOLE_DAYS,
        "named_within": NAMED_WITHIN,
        "fields": FIELDS,
        "stay_fields": LINE_FIELDS,
        "parameters": OF[MOVEMENTS].values(),
        "stay_parameters": OF[STAYS].values(),
        "member_parameters": OF[MEMBERS].values(),
        "change_parameters": OF[FEED].values(),
        "envelope": {name: _ENVELOPE[name] for name in ENVELOPE},
        "changes_envelope": {name: _CHANGES[name] for name in FEED_ENVELOPE},
        "headers": {name: _HEADERS[name] for name in (*EXPOSED, "Last-Modified")},
        "versions": VERSIONS,
        "kinds": KINDS.values(),
        "uncounted": UNCOUNTED,
        "valued": [field for field in FIELDS if field.values and any(field.values)],
        "meanings": MEANINGS,
        "tables": [name for name in TABLES if name.isalpha() and name != TABLE],
        "limits": _limits(site),
        "mark": MARK,
        "key_length": LENGTH,
    }


def _limits(site: Site) -> dict[str, str]:
    """The limits and settings in force, in words."""
    quota = site.config.quota
    return {
        "Demandes par jour et par clé (une clé par compte)": french.number(quota),
        "Remise à zéro": "à minuit, heure de Paris",
        "Mouvements par page": f"de 1 à {LIMIT_MOST}",
        "Mouvements par jour au plus": french.number(quota * LIMIT_MOST),
        "Attente conseillée après une réponse 503": f"{RETRY_SECONDS} s",
        "Pages nommant des collaborateurs proposées aux moteurs de recherche": "non",
    }


def your_data(view: View) -> Context:
    """What staff may ask to be corrected or withdrawn; it names nobody."""
    return {}


def sources(view: View) -> Context:
    """The lists of each chamber, and what each run of the last nights found at each source."""
    nights, today = view.version.nights, view.site.today
    days = days_until(today, NIGHTS, nights)
    rows = [
        (own[0], [_cell(own, day, day == days[-1]) for day in days])
        for source, own in by_source(nights).items()
        if source
    ]
    rows.sort(key=lambda row: (list(CHAMBERS).index(row[0].chambre), row[0].source))
    reasons: dict[tuple[str, str, str], list[str]] = {}
    for night in nights:
        if night.source and night.jour in days and night.resultat not in LISTED:
            key = night.chambre, night.source, why(night)
            reasons.setdefault(key, []).append(night.jour)
    return {
        "freshness": view.site.service.freshness(view.version),
        "run": view.site.service.last_run(),
        "days": days,
        "rows": rows,
        "reasons": reasons,
        "signs": [(name, sign, OUTCOMES.get(name, SILENT_NIGHT)) for name, sign in SIGNS.items()],
    }


def _cell(own: Sequence[Night], day: str, is_today: bool) -> tuple[str, str, str]:
    """The outcome of a source's night, its sign and words: silent without a run, "" before its first and today."""
    night = next((night for night in own if night.jour == day), None)
    if night is not None:
        return night.resultat, SIGNS[night.resultat], why(night)
    if is_today or day < own[0].jour:
        return "", "", ""
    return "muette", SIGNS[""], SILENT_NIGHT


def why(night: Night) -> str:
    """The outcome of a night with its reason and figure, in words."""
    reason = night.motif + (f" ({night.mesure})" if night.mesure else "")
    return ", ".join(filter(None, (OUTCOMES[night.resultat], reason)))


async def client(site: Site, request: Request) -> Response:
    """The example client, as a file that the site gives to everyone."""
    body = _client()
    tag = tag_of(body)
    headers = {
        "access-control-allow-origin": "*",
        "access-control-expose-headers": "ETag, Link",
        "cache-control": public(FILE_SECONDS),
        "etag": tag.decode(),
        "vary": "Accept-Encoding",
        "x-content-type-options": "nosniff",
    }
    kind = "text/plain; charset=utf-8"
    if matches(header(request.scope, b"if-none-match"), tag):
        return Response(b"", 304, headers, kind)
    headers["link"] = site.service.links_at(site.service.url(""))
    if accepts_gzip(request.scope["headers"]):
        body, headers["content-encoding"] = compress(body), "gzip"
    headers["content-length"] = str(len(body))
    return Response(body, 200, headers, kind)


@functools.cache
def _client() -> bytes:
    return (Path(__file__).parent.parent / "examples" / "client.py").read_bytes()


async def robots(site: Site, request: Request) -> Response:
    """Robots may read pages that name people, which say `noindex`; filters and searches are without end."""
    tables = [site.table(), site.table(TENURES), site.path("/explorer"), site.path("/recherche")]
    lines = ["User-agent: *", *(f"Disallow: {table}?" for table in tables)]
    lines.append(f"Disallow: {site.path('/fichiers/')}")
    text = "\n".join(lines) + "\n"
    return Response.text(text, headers={"cache-control": public(PAGE_SECONDS)})
