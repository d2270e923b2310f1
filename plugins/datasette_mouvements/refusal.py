"""The one exception for refused requests, and the catalogue of refusals."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

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
    """One kind of refusal: its HTTP status, the anchor its `type` URI ends in, its title in French.

    `pages`: only the pages for people give it, never /v1.
    """

    status: int
    anchor: str
    title: str
    meaning: str
    pages: bool = False


KINDS = {
    "parameter": RefusalKind(
        400,
        "parametre-invalide",
        "Paramètre invalide",
        "Un paramètre est inconnu, répété, vide ou hors des valeurs admises. La réponse nomme tous"
        " ceux qui sont à corriger, et dit comment.",
    ),
    "malformed": RefusalKind(
        400,
        "demande-malformee",
        "Demande malformée",
        "L’en-tête Host manque, est répété ou n’est pas le nom d’une machine. La clé n’a pas été"
        " lue, rien n’est compté.",
    ),
    "key_missing": RefusalKind(
        401,
        "cle-absente",
        "Clé absente",
        "Chaque demande doit porter une clé personnelle, gratuite.",
    ),
    "key_invalid": RefusalKind(
        401,
        "cle-invalide",
        "Clé invalide",
        "La clé reçue est mal formée, inconnue ou révoquée ; la réponse dit laquelle de ces fautes.",
    ),
    "not_found": RefusalKind(
        404,
        "adresse-inconnue",
        "Adresse inconnue",
        "Aucune opération ne répond à cette adresse.",
    ),
    "unknown_movement": RefusalKind(
        404,
        "mouvement-inconnu",
        "Mouvement inconnu",
        "Aucun mouvement n’a jamais été publié sous cet identifiant.",
    ),
    "withdrawn": RefusalKind(
        410,
        "mouvement-retire",
        "Mouvement retiré",
        "Ce mouvement a été publié, puis retiré : effacez-le de vos copies.",
    ),
    "unknown_stay": RefusalKind(
        404,
        "collaboration-inconnue",
        "Collaboration inconnue",
        "Aucune collaboration n’a jamais été publiée sous cet identifiant.",
    ),
    "withdrawn_stay": RefusalKind(
        410,
        "collaboration-retiree",
        "Collaboration retirée",
        "Cette collaboration a été publiée, puis retirée : effacez-la de vos copies.",
    ),
    "cursor_gone": RefusalKind(
        410,
        "curseur-perime",
        "Curseur périmé",
        "Ce curseur n’est pas de l’historique servi aujourd’hui : ce qui a changé depuis n’est pas connu."
        " Reprenez votre copie depuis le début.",
    ),
    "method": RefusalKind(
        405,
        "methode-refusee",
        "Méthode refusée",
        "Le service est en lecture seule : seules GET, HEAD et OPTIONS sont admises.",
    ),
    "quota": RefusalKind(
        429,
        "quota-atteint",
        "Quota du jour atteint",
        "Le quota quotidien de la clé est épuisé ; il revient à minuit, heure de Paris.",
    ),
    "range": RefusalKind(
        416,
        "partie-hors-du-fichier",
        "Partie hors du fichier",
        "Une partie demandée (en-tête Range) ne se lit pas ou n’est pas dans le fichier ; l’en-tête Content-Range de la"
        " réponse dit combien il a d’octets. Rien n’est compté.",
        pages=True,
    ),
    "bounds": RefusalKind(
        400,
        "page-trop-couteuse",
        "Page trop coûteuse",
        "Cette page du site demande plus que ce qui est offert sans compte ; la réponse dit la borne."
        " Un compte ou une clé demande davantage.",
        pages=True,
    ),
    "cut": RefusalKind(
        400,
        "reponse-coupee",
        "Réponse coupée",
        "Une requête SQL trouve plus de lignes que cette forme n’en donne.",
        pages=True,
    ),
    "too_slow": RefusalKind(
        408,
        "demande-trop-lente",
        "Demande trop lente",
        "Le corps de la demande n’est pas arrivé à temps.",
        pages=True,
    ),
    "busy": RefusalKind(
        503,
        "site-occupe",
        "Site occupé",
        "Trop de pages sont demandées en même temps ; la réponse dit après combien de secondes"
        " recommencer. Rien n’est compté.",
        pages=True,
    ),
    "unavailable": RefusalKind(
        503,
        "donnees-indisponibles",
        "Données momentanément indisponibles",
        "Les données ou le compte des clés sont momentanément hors d’atteinte ; cette demande n’est"
        " pas comptée.",
    ),
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
