"""A key's form, where a request carries it, and the refusals of one without a good key.

A key is `mvt_`, 30 random characters (178 bits) and 6 that spell the CRC-32 of what precedes,
all of the alphabet 0-9A-Za-z. With the check characters a typing error is refused without a look-up,
and secret scanners recognise a key. They are not secret: they need no constant-time comparison.

Only the SHA-256 of a key is stored and looked up. The time of a look-up may depend on the digest. It
reveals nothing, because an attacker cannot choose the digest of a key that he does not know.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from typing import Final
from zlib import crc32

from .. import addresses
from ..refusal import SITE, Refusal

RequestHeaders = Sequence[tuple[bytes, bytes]]  # ASGI's: raw, names in lower case
ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
MARK: Final = "mvt_"
RANDOM: Final = 30
CHECK: Final = 6
LENGTH: Final = len(MARK) + RANDOM + CHECK
SHOWN: Final = 10  # leaves 24 unknown random characters, 143 bits

_BODY: Final = LENGTH - CHECK
_PAIRS: Final = [(a + b).encode() for a in ALPHABET for b in ALPHABET]
_FORM: Final = re.compile(rb"mvt_[0-9A-Za-z]{%d}" % (RANDOM + CHECK))


# What is wrong; no key is ever repeated.
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
    f"La clé reçue est mal formée : une clé commence par « {MARK} » et compte {LENGTH}"
    " caractères, lettres sans accent et chiffres ; celle-ci compte {} octets. Vérifiez qu’elle"
    " a été copiée en entier, seule, et envoyée une seule fois."
)
UNKNOWN = (
    "La clé reçue est inconnue ou a été révoquée. Si vous l’avez renouvelée, utilisez la nouvelle."
)


def issue() -> str:
    """A new key."""
    body = MARK + "".join(secrets.choice(ALPHABET) for _ in range(RANDOM))
    return body + _checksum(body.encode()).decode()


def digest(key: str) -> bytes:
    """The SHA-256 by which the key is stored."""
    return sha256(key.encode()).digest()


def prefix(key: str) -> str:
    """The first characters: its owner recognises the key by them, and nobody can guess the rest."""
    return key[:SHOWN]


def parse(sent: bytes) -> bytes | None:
    """The digest of a well-formed key, None for anything else."""
    good = has_form(sent) and _checksum(sent[:_BODY]) == sent[_BODY:]
    return sha256(sent).digest() if good else None


def has_form(sent: bytes) -> bool:
    """Whether this has the length and the alphabet of a key; its check characters may be wrong."""
    return _FORM.fullmatch(sent) is not None


def holds_key(text: bytes) -> bool:
    """Whether the text contains something of a key's form."""
    return _FORM.search(text) is not None


def credentials(headers: Iterable[tuple[bytes, bytes]]) -> bytes | None:
    """The key as sent in a request's raw ASGI headers (names in lower case), None if there is none.

    `Authorization` of the Bearer scheme (any case) prevails, even when its key is bad or empty.
    Another scheme is ignored, because proxies add their own; then `X-API-Key` is read. A key that
    is sent more than once is ambiguous: the values are joined by a comma, as HTTP joins repeated
    fields, and no well-formed key has one.
    """
    bearer: bytes | None = None
    plain: bytes | None = None
    for name, value in headers:
        if name == b"authorization":
            value = value.strip(b" \t")
            # The scheme is followed by a space, or by nothing when the key was forgotten.
            if value[:6].lower() == b"bearer" and value[6:7] in b" \t":
                key = value[6:].lstrip(b" \t")
                bearer = key if bearer is None else bearer + b"," + key
        elif name == b"x-api-key":
            key = value.strip(b" \t")
            plain = key if plain is None else plain + b"," + key
    return (plain if bearer is None else bearer) or None


def verify(headers: RequestHeaders, address: Callable[[], str], query: bytes = b"") -> bytes:
    """The digest of the request's key, which may still be unknown or ended.

    Refusal 401 if the key is missing or malformed. The message has an example for `address`, and
    says whether the key stands in the raw `query`, where it is not read.
    """
    sent = credentials(headers)
    if sent is not None:
        if (digest := parse(sent)) is not None:
            return digest
        fault = MISTYPED if has_form(sent) else MALFORMED.format(len(sent))
        raise refused("key_invalid", fault, address())
    if any(name == b"authorization" and holds_key(value) for name, value in headers):
        fault = MISPLACED
    else:
        fault = IN_ADDRESS if holds_key(query) else NONE
    raise refused("key_missing", fault, address())


def refused(kind: str, fault: str, address: str) -> Refusal:
    """The refusal for what is wrong with a key, with how to send one to `address`."""
    return Refusal(
        kind,
        f"{fault} Envoyez votre clé dans l’en-tête Authorization (ou X-API-Key), par exemple :"
        f' curl -H "Authorization: Bearer VOTRE_CLE" "{address}?limit=1". Une clé, gratuite, s’obtient à'
        f" {SITE}{addresses.KEY_PAGE}.",
    )


def _checksum(body: bytes) -> bytes:
    """The CRC-32 of `body` in base 62, most significant first, two characters at a time."""
    rest, low = divmod(crc32(body), 3844)
    high, middle = divmod(rest, 3844)
    return _PAIRS[high] + _PAIRS[middle] + _PAIRS[low]
