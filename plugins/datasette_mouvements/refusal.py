"""The one exception for refused requests, and the catalogue of refusals."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from .fields import DESCRIPTION

# How long to wait after a 503: the data is back by itself within seconds.
RETRY_SECONDS = 5
UNAVAILABLE = "Les données sont momentanément indisponibles ; réessayez dans quelques secondes"
NO_PLACE_FOR_KEYS = (
    "Ce service n’a pas de lieu durable où garder les clés, et n’en accepte donc aucune. Qui le tient"
    " doit donner à Datasette un fichier sur un disque qui dure (--internal), ou une base PostgreSQL"
    " (le réglage store, MOUVEMENTS_STORE). Les pages restent ouvertes à tous."
)

# In a detail or a link they stand for the address of the site and of its database; `api/replies`
# replaces them. Text from clients cannot contain them: what is not printable is never shown.
# SITE is ASCII, because a text with another character is encoded letter by letter; JSON writes DEL as it is.
SITE = "\x7f"
DATABASE = "\ue001"


class RefusalKind(NamedTuple):
    """One kind of refusal: its HTTP status, the anchor its `type` URI ends in, its title in French."""

    status: int
    anchor: str
    title: str
    meaning: str


def _described() -> dict[str, RefusalKind]:
    """The kinds of refusal in openapi.json, by anchor; a paragraph each: `ANCHOR`, TITLE : MEANING."""
    kinds = {}
    for response in DESCRIPTION["components"]["responses"].values():
        examples = response["content"]["application/problem+json"]["examples"]
        paragraphs = response["description"].split("\n\n")
        for paragraph, (anchor, example) in zip(paragraphs, examples.items(), strict=True):
            status, title = example["value"]["status"], example["value"]["title"]
            meaning = paragraph.removeprefix(f"`{anchor}`, {title} : ")
            kinds[anchor] = RefusalKind(status, anchor, title, meaning)
    return kinds


_DESCRIBED = _described()
# What no operation that is described answers stands here.
KINDS = {
    "parameter": _DESCRIBED["parametre-invalide"],
    "malformed": _DESCRIBED["demande-malformee"],
    "key_missing": _DESCRIBED["cle-absente"],
    "key_invalid": _DESCRIBED["cle-invalide"],
    "not_found": RefusalKind(
        404,
        "adresse-inconnue",
        "Adresse inconnue",
        "Aucune opération ne répond à cette adresse.",
    ),
    "unknown_mouvement": _DESCRIBED["mouvement-inconnu"],
    "withdrawn_mouvement": _DESCRIBED["mouvement-retire"],
    "unknown_collaboration": _DESCRIBED["collaboration-inconnue"],
    "withdrawn_collaboration": _DESCRIBED["collaboration-retiree"],
    "cursor_gone": _DESCRIBED["curseur-perime"],
    "method": RefusalKind(
        405,
        "methode-refusee",
        "Méthode refusée",
        "Le service est en lecture seule : seules GET, HEAD et OPTIONS sont admises.",
    ),
    "quota": _DESCRIBED["quota-atteint"],
    "range": _DESCRIBED["partie-hors-du-fichier"],
    "bounds": RefusalKind(
        400,
        "page-trop-couteuse",
        "Page trop coûteuse",
        "Cette page du site demande plus que ce qui est offert sans compte ; la réponse dit la borne."
        " Un compte ou une clé demande davantage.",
    ),
    "cut": RefusalKind(
        400,
        "reponse-coupee",
        "Réponse coupée",
        "Une requête SQL trouve plus de lignes que cette forme n’en donne.",
    ),
    "too_slow": RefusalKind(
        408,
        "demande-trop-lente",
        "Demande trop lente",
        "Le corps de la demande n’est pas arrivé à temps.",
    ),
    "busy": _DESCRIBED["site-occupe"],
    "unavailable": _DESCRIBED["donnees-indisponibles"],
}


class Refusal(Exception):
    """A request that cannot be answered: why, and which parameters are at fault.

    `kind` is a key of KINDS; `detail` is the French sentence the client reads; `parameters` the
    names at fault, none for anything but a 400; `quota` the `Charge` of the key, None without one; `links`
    lead to what to do instead, as links of RFC 8288 at SITE.
    """

    def __init__(
        self,
        kind: str,
        detail: str,
        *parameters: str,
        quota: Any = None,
        links: Iterable[str] = (),
    ) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.parameters = parameters
        self.quota = quota
        self.links = links

    @property
    def status(self) -> int:
        return KINDS[self.kind].status


def unavailable(quota: Any = None) -> Refusal:
    """The refusal of a request while there is no data, or no store of keys."""
    return Refusal(
        "unavailable",
        f"{UNAVAILABLE}, par exemple après {RETRY_SECONDS} s. Cette demande n’est pas comptée.",
        quota=quota,
    )
