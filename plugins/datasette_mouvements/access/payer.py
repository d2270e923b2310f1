"""Who pays for a request: the key it carries, else the signed-in account's own; nobody else can."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..refusal import Refusal, unavailable
from . import key_refusals, keys
from .charge_queue import ChargeQueue
from .charging import Charge
from .stores.store import StoreUnavailable

RequestHeaders = Sequence[tuple[bytes, bytes]]  # ASGI's: raw, names in lower case


def account_of(actor: Any) -> str:
    """The signed-in account; "" for nobody, and for a program that comes with an account's token."""
    if not actor or "token" in actor:
        return ""
    return str(actor.get("id") or "")


async def payer(
    queue: ChargeQueue,
    headers: RequestHeaders,
    account: str,
    address: Callable[[], str],
    query: bytes = b"",
) -> bytes:
    """The digest of the key that a request is charged to.

    A key in the headers prevails, even a bad one. Without one the live key of `account` pays ("" is
    nobody). Raises Refusal: `key_missing`, which tells of one in the raw `query`, `key_invalid`, or
    `unavailable` when the store is.
    """
    if account and account_may_pay(headers):
        try:
            digest = await queue.run(queue.store.live_digest, account)
        except StoreUnavailable:
            raise unavailable() from None
        if digest is not None:
            return digest
    return key_refusals.verify(headers, address, query)


def account_may_pay(headers: RequestHeaders) -> bool:
    """Whether a signed-in account may pay for a request with these headers.

    A key that was sent pays itself; another site's link or image must not spend a visitor's quota.
    """
    return keys.credentials(headers) is None and not _from_another_site(headers)


def _from_another_site(headers: RequestHeaders) -> bool:
    """Whether another site's link or image made the request."""
    return any(
        name == b"sec-fetch-site" and value in (b"cross-site", b"same-site")
        for name, value in headers
    )


async def charge(
    queue: ChargeQueue, digest: bytes, amount: int, address: Callable[[], str]
) -> Charge:
    """Charge the key `amount` (see `store.Demand`); the charge may not be granted.

    Raises Refusal: `key_invalid` for a key that is unknown or ended, `unavailable`.
    """
    try:
        found = await queue.charge(digest, amount)
    except StoreUnavailable:
        raise unavailable() from None
    if found is None:
        raise key_refusals.unknown(address())
    return found


async def give_back(queue: ChargeQueue, digest: bytes, charge: Charge) -> Charge:
    """Undo a charge whose request failed here, since a 503 costs nothing; what the key has left.

    If the store does not answer, or no longer knows the key, that is what `charge` says.
    """
    try:
        return await queue.charge(digest, -1, charge.day) or charge
    except StoreUnavailable:
        return charge


def exhausted(charge: Charge) -> Refusal:
    """The refusal of a request whose key has used up its day."""
    return Refusal(
        "quota",
        f"Le quota de {charge.limit} demandes par jour de cette clé est atteint. Il revient à"
        " minuit, heure de Paris : attendez le nombre de secondes donné par l’en-tête"
        " Retry-After. Pour moins demander, prenez de plus grandes pages (paramètre limit) et"
        " envoyez If-None-Match : une réponse 304 n’est pas comptée.",
        known=charge,
    )
