"""The refusals of a request without a good key, and what is wrong with its key; no key is ever repeated."""

from __future__ import annotations

from collections.abc import Callable

from .. import addresses
from ..refusal import SITE, Refusal
from . import keys
from .keys import RequestHeaders


def verify(headers: RequestHeaders, address: Callable[[], str], query: bytes = b"") -> bytes:
    """The digest of the request's key, which may still be unknown or ended.

    Refusal 401 if the key is missing or malformed. The message has an example for `address`, and
    says whether the key stands in the raw `query`, where it is not read.
    """
    sent = keys.credentials(headers)
    if sent is None:
        raise missing(address(), headers, query)
    digest = keys.parse(sent)
    if digest is None:
        raise malformed(address(), sent)
    return digest


def missing(address: str, headers: RequestHeaders = (), query: bytes = b"") -> Refusal:
    """The refusal of a request without a key, or with one in the wrong place."""
    if any(name == b"authorization" and keys.holds_key(value) for name, value in headers):
        fault = "L’en-tête Authorization porte une clé, mais il manque Bearer devant elle."
    elif keys.holds_key(query):
        fault = (
            "La clé donnée dans l’adresse n’est pas lue : une adresse reste dans des journaux et des"
            " historiques. Retirez-la de l’adresse et renouvelez-la."
        )
    else:
        fault = "Cette demande ne porte pas de clé."
    return Refusal("key_missing", f"{fault} {_how_to_send(address)}")


def malformed(address: str, sent: bytes) -> Refusal:
    """The refusal of what cannot be a key; its message says what is wrong with it."""
    return Refusal("key_invalid", f"{_wrong_with(sent)} {_how_to_send(address)}")


def unknown(address: str) -> Refusal:
    """The refusal of a well-formed key that the store does not know, or that has ended."""
    return Refusal(
        "key_invalid",
        "La clé reçue est inconnue ou a été révoquée. Si vous l’avez renouvelée, utilisez la"
        f" nouvelle. {_how_to_send(address)}",
    )


def _wrong_with(sent: bytes) -> str:
    if keys.has_form(sent):
        return (
            "La clé reçue a la bonne longueur, mais ses derniers caractères, qui contrôlent les"
            " autres, ne s’accordent pas avec eux : une faute de frappe ou une troncature. Copiez-la de nouveau."
        )
    return (
        f"La clé reçue est mal formée : une clé commence par « {keys.MARK} » et compte {keys.LENGTH}"
        f" caractères, lettres sans accent et chiffres ; celle-ci compte {len(sent)} octets. Vérifiez qu’elle"
        " a été copiée en entier, seule, et envoyée une seule fois."
    )


def _how_to_send(address: str) -> str:
    return (
        "Envoyez votre clé dans l’en-tête Authorization (ou X-API-Key), par exemple :"
        f' curl -H "Authorization: Bearer VOTRE_CLE" "{address}?limit=1". Une clé, gratuite, s’obtient à'
        f" {SITE}{addresses.KEY_PAGE}."
    )
