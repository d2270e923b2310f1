"""The refusals of a request without a good key, and what is wrong with its key; no key is ever repeated."""

from __future__ import annotations

from collections.abc import Callable

from .. import addresses
from ..refusal import SITE, Refusal
from . import keys
from .keys import RequestHeaders

MISPLACED = "L’en-tête Authorization porte une clé, mais il manque Bearer devant elle."
IN_ADDRESS = (
    "La clé donnée dans l’adresse n’est pas lue : une adresse reste dans des journaux et des"
    " historiques. Retirez-la de l’adresse et renouvelez-la."
)
NONE = "Cette demande ne porte pas de clé."
MISTYPED = (
    "La clé reçue a la bonne longueur, mais ses derniers caractères, qui contrôlent les"
    " autres, ne s’accordent pas avec eux : une faute de frappe ou une troncature. Copiez-la de nouveau."
)
MALFORMED = (
    f"La clé reçue est mal formée : une clé commence par « {keys.MARK} » et compte {keys.LENGTH}"
    " caractères, lettres sans accent et chiffres ; celle-ci compte {} octets. Vérifiez qu’elle"
    " a été copiée en entier, seule, et envoyée une seule fois."
)
UNKNOWN = (
    "La clé reçue est inconnue ou a été révoquée. Si vous l’avez renouvelée, utilisez la nouvelle."
)


def verify(headers: RequestHeaders, address: Callable[[], str], query: bytes = b"") -> bytes:
    """The digest of the request's key, which may still be unknown or ended.

    Refusal 401 if the key is missing or malformed. The message has an example for `address`, and
    says whether the key stands in the raw `query`, where it is not read.
    """
    sent = keys.credentials(headers)
    if sent is not None:
        if (digest := keys.parse(sent)) is not None:
            return digest
        fault = MISTYPED if keys.has_form(sent) else MALFORMED.format(len(sent))
        raise refused("key_invalid", fault, address())
    if any(name == b"authorization" and keys.holds_key(value) for name, value in headers):
        fault = MISPLACED
    else:
        fault = IN_ADDRESS if keys.holds_key(query) else NONE
    raise refused("key_missing", fault, address())


def refused(kind: str, fault: str, address: str) -> Refusal:
    """The refusal for what is wrong with a key, with how to send one to `address`."""
    return Refusal(
        kind,
        f"{fault} Envoyez votre clé dans l’en-tête Authorization (ou X-API-Key), par exemple :"
        f' curl -H "Authorization: Bearer VOTRE_CLE" "{address}?limit=1". Une clé, gratuite, s’obtient à'
        f" {SITE}{addresses.KEY_PAGE}.",
    )
