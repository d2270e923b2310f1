"""What the interface serves as lists: movements and stays, each with its addresses and its words."""

from __future__ import annotations

import json
from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Any

from .. import addresses
from ..dataset.schema import MOVEMENTS, STAYS, Resource
from ..dataset.served.snapshot import Snapshot
from .parameters.search_parameters import QUOTED, Search, parse
from .parameters.stay_parameters import STAYS_QUOTED, StaySearch, parse_stays

AnySearch = Search | StaySearch
_JSON = json.JSONEncoder(separators=(",", ":"))  # made once: it takes as long as to use it


@dataclass(frozen=True, eq=False)
class Listing:
    """One resource: where its lists and its feed are, what they call one of it and many."""

    address: str
    feed: str
    many: str
    one: str
    unknown: str  # the kinds of refusal of an identifier that was never published, or is withdrawn
    withdrawn: str
    of: Resource
    rows: Callable[[Snapshot], Any]  # what is served of it, a `ServedRows`
    # What stands beside the line of one of it, at its own address.
    beside: Callable[[Snapshot, bytes], dict[str, Any]]
    # The search that a query string asks for, and its parameters whose values need escapes.
    parse: Callable[[bytes], AnySearch]
    quoted: Container[str]
    # What stands after the rows of a page.
    after: Callable[[Snapshot, Any], bytes]


def _lists(snapshot: Snapshot, search: StaySearch) -> bytes:
    """Of which list of each chamber the answer is."""
    return b'"listes":%b,' % _JSON.encode(snapshot.stays.lists(search.le)).encode()


MOVEMENTS_LISTING = Listing(
    *(addresses.SEARCH, addresses.CHANGES, "mouvements", "mouvement"),
    *("unknown_movement", "withdrawn", MOVEMENTS),
    rows=lambda snapshot: snapshot,
    beside=lambda snapshot, line: snapshot.evidence(line),
    parse=parse,
    quoted=QUOTED,
    after=lambda snapshot, search: b"",
)
STAYS_LISTING = Listing(
    *(addresses.STAYS, addresses.STAY_CHANGES, "collaborations", "collaboration"),
    *("unknown_stay", "withdrawn_stay", STAYS),
    rows=lambda snapshot: snapshot.stays,
    beside=lambda snapshot, line: {},
    parse=parse_stays,
    quoted=STAYS_QUOTED,
    after=_lists,
)
