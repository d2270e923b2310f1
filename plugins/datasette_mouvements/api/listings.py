"""What the interface serves as lists: movements and stays, each with its addresses and its words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .. import addresses
from ..dataset.schema import MOVEMENTS, STAYS, Resource
from ..dataset.served.snapshot import Snapshot


class Listing(NamedTuple):
    """One resource: where its lists and its feed are, what they call one of it and many."""

    address: str
    feed: str
    many: str
    one: str
    unknown: str  # the kinds of refusal of an identifier that was never published, or is withdrawn
    withdrawn: str
    of: Resource
    rows: Callable[[Snapshot], Any]  # what is served of it, a `ServedRows`
    # What of the file its answers depend on: the movements, or all that it says.
    version: Callable[[Snapshot], str]
    # What stands beside the line of one of it, at its own address.
    beside: Callable[[Snapshot, bytes], dict[str, Any]]


MOVEMENTS_LISTING = Listing(
    *(addresses.SEARCH, addresses.CHANGES, "mouvements", "mouvement"),
    *("unknown_movement", "withdrawn", MOVEMENTS),
    rows=lambda snapshot: snapshot,
    version=lambda snapshot: snapshot.version,
    beside=lambda snapshot, line: snapshot.evidence(line),
)
STAYS_LISTING = Listing(
    *(addresses.STAYS, addresses.STAY_CHANGES, "collaborations", "collaboration"),
    *("unknown_stay", "withdrawn_stay", STAYS),
    rows=lambda snapshot: snapshot.stays,
    version=lambda snapshot: snapshot.edition,
    beside=lambda snapshot, line: {},
)
