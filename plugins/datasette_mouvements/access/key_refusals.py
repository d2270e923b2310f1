"""The refusals of a request without a good key, and what is wrong with its key; no key is ever repeated."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from .. import addresses
from ..refusal import SITE, Refusal
from . import keys

RequestHeaders = Sequence[tuple[bytes, bytes]]  # ASGI's: raw, names in lower case

# Names of a query parameter that holds a key by mistake: in lower case, without punctuation.
QUERY_NAMES: Final = (
    *("key", "apikey", "cle", "clef", "cleapi", "token", "accesstoken", "apitoken", "xapikey"),
    *("auth", "authorization", "authtoken", "bearer", "secret", "password", "motdepasse"),
)
_LOOKED_AT: Final = 200  # bytes
_NAMED_KEY = re.compile(
    rb"(?:^|&)(?:" + "|".join("[-_]?".join(name) for name in QUERY_NAMES).encode() + rb")=[^&]",
    re.I,
)
# What examples have in the place of a key, and a variable that nothing replaced.
_PLACEHOLDER = re.compile(
    rb"<.*>|\{.*\}|\[.*\]|%\w+%|\$.*|(?:mvt_)?(?:x{3,}|\.{3}|\xe2\x80\xa6)"
    rb"|(?:(?:votre|your|my|ma)[-_ ]?)?(?:clef?|(?:api[-_ ]?)?(?:key|token))(?:[-_ ]here)?",
    re.I,
)
_QUOTES = b"\"'`<>{}[] \xc2\xab\xbb\xa0\xe2\x80\x98\x99\x9c\x9d"


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
    elif keys.holds_key(query) or _NAMED_KEY.search(query):
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
    looked_at = sent[:_LOOKED_AT]
    if b"," in looked_at and keys.MARK.encode() in looked_at:
        return "La clé a été envoyée plusieurs fois ; envoyez-la une seule fois."
    if looked_at[:6].lower() == b"bearer":
        return "La clé reçue est précédée du mot Bearer, qui est de trop ici."
    if keys.has_form(sent.strip(_QUOTES)):
        return "La clé reçue est entourée de guillemets ou d’autres signes ; retirez-les."
    if _PLACEHOLDER.fullmatch(looked_at):
        return "Ce qui a été reçu est l’emplacement d’une clé ; mettez-y votre clé."
    return (
        f"La clé reçue est mal formée : une clé commence par « {keys.MARK} » et compte {keys.LENGTH}"
        f" caractères, lettres sans accent et chiffres ; {_measured(sent)}. Vérifiez qu’elle a été"
        " copiée en entier."
    )


def _measured(sent: bytes) -> str:
    faults = []
    if not sent.startswith(keys.MARK.encode()):
        faults.append("commence autrement")
    if len(sent) != keys.LENGTH:
        faults.append(f"compte {len(sent)} octet{'s' * (len(sent) > 1)}")
    elif not faults:
        faults.append("porte d’autres signes")
    return f"celle-ci {' et '.join(faults)}"


def _how_to_send(address: str) -> str:
    return (
        "Envoyez votre clé dans l’en-tête Authorization (ou X-API-Key), par exemple :"
        f' curl -H "Authorization: Bearer VOTRE_CLE" "{address}?limit=1". Une clé, gratuite, s’obtient à'
        f" {SITE}{addresses.KEY_PAGE}."
    )
