"""The legislature in the Assemblée's addresses: the next one's are tried where those that are known are left behind."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..downloading.retry_policy import FetchFailed
from ..source import Address, Downloads, Original, OriginalRefused
from .amo10 import LATE_DAYS, Amo10, read_amo10

_NUMBER = re.compile(r"(?<=/repository/)[0-9]{1,3}(?=/)")
# What a source notes: the number that was found.
_NOTED = "legislature"


def addresses_now(addresses: Mapping[str, Address], downloads: Downloads) -> Mapping[str, Address]:
    """The addresses, with the number of a later legislature that was found before."""
    noted, number = downloads.memory.get(_NOTED, 0), _number(addresses)
    if not number or noted <= number:
        return addresses
    return {word: _moved(address, noted) for word, address in addresses.items()}


def left_behind(zip_: Amo10 | None, downloads: Downloads) -> bool:
    """Whether a zip is one that nobody makes anew: it is missing or late, or all mandates in it have ended."""
    if zip_ is None or not any(zip_.sitting()):
        return True
    return zip_.newest is not None and (downloads.day - zip_.newest).days > LATE_DAYS


def following(
    addresses: Mapping[str, Address], downloads: Downloads, left: Amo10 | None
) -> Original | None:
    """The zip of the next legislature, if deputies sit in it and it is newer; its number is noted then."""
    number = _number(addresses)
    if not number:
        return None
    name = f"AMO10-{number + 1}.json.zip"
    address = _moved(addresses["zip"], number + 1)._replace(name=name)

    def examine(original: Original) -> None:
        found = read_amo10(original)
        before = left.newest if left else None
        if not any(found.sitting()) or (before and not (found.newest and found.newest > before)):
            raise OriginalRefused(f"{name}: no newer zip in which deputies sit")

    try:
        zip_ = downloads.get(address, examine, attempts=1)
    except FetchFailed:
        return None  # mostly there is none yet
    downloads.memory[_NOTED] = number + 1
    downloads.tell(
        f"the zip of legislature {number} is left behind: that of legislature {number + 1} is read from now on"
    )
    return zip_


def _number(addresses: Mapping[str, Address]) -> int:
    """The legislature in the address of the zip; 0 where it has none, as a maintainer's own may."""
    found = _NUMBER.search(addresses["zip"].url)
    return int(found[0]) if found else 0


def _moved(address: Address, number: int) -> Address:
    return address._replace(url=_NUMBER.sub(str(number), address.url))
