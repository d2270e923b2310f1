"""Who pays for a request: the key it carries, else the signed-in account's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..refusal import Refusal, unavailable
from . import key_refusals, keys
from .charge_queue import ChargeQueue
from .charging import Charge
from .key_refusals import RequestHeaders
from .stores.store import StoreUnavailable


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
    nobody). Raises Refusal: `key_missing`, whose message depends on the raw `query`, `key_invalid`, or
    `unavailable` when the store does not answer.
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

    A key in the headers pays instead, and another site's link or image spends no visitor's quota.
    """
    return keys.credentials(headers) is None and not any(
        name == b"sec-fetch-site" and value in (b"cross-site", b"same-site")
        for name, value in headers
    )


async def give_back(queue: ChargeQueue, digest: bytes, charge: Charge) -> Charge:
    """Undo a charge, because a 503 costs nothing; what the key has left.

    Where the store does not answer, or no longer knows the key, it is `charge`.
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
        quota=charge,
    )
