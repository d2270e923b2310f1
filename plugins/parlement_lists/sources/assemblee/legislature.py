"""The legislature in the Assemblée's addresses: later ones are tried where the one that is known is left behind."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping

from ...movement import seats_on
from ..downloading.retry_policy import FetchFailed
from ..source import Address, Downloads, Original, OriginalRefused
from .amo10 import LATE_DAYS, Amo10, read_amo10

# How many later legislatures are tried on one morning. Where the notes are lost, only the configured address is
# known, which may be several legislatures old.
MOST_TRIED = 6
# A zip that merely fails is left behind after failures on so many days.
FAILED_DAYS = 3
_NUMBER = re.compile(r"(?<=/repository/)[0-9]{1,3}(?=/)")
# What a source notes: the number that was found, and the address it was found from; the days of failures; how
# many sat in the last sound zip.
_FOUND, _FAILED, _SITTING = "later_legislature", "zip_failed", "sitting"


class Legislature:
    """The legislature that is read: that of the `configured` addresses, or a later one that was found from them.

    In a zip that takes the place of another half of the chamber sits: of those who sat in the last sound zip, else
    of all seats.
    """

    def __init__(self, configured: Mapping[str, Address], downloads: Downloads) -> None:
        self._configured, self._downloads = configured, downloads
        self._memory = downloads.memory
        url = configured["zip"].url
        if self._memory.get(_FOUND, {}).get("address") != url:
            self._memory.pop(_FOUND, None)
        in_address = _NUMBER.search(url)
        # 0 where the address has none, as a maintainer's own may.
        self._first = int(in_address[0]) if in_address else 0

    @property
    def number(self) -> int:
        """The number of the legislature that is read."""
        return int(self._memory.get(_FOUND, {}).get("number", self._first))

    @property
    def addresses(self) -> Mapping[str, Address]:
        """The addresses of the legislature that is read."""
        return {word: self._of(self.number, address) for word, address in self._configured.items()}

    def other_than(self, found: Amo10 | None) -> Original | None:
        """The zip of another legislature, where this one's failed or is left behind; None if it is not, or none is sound.

        The configured one is taken again as soon as it is sound.
        """
        number, behind = self.number, self._is_behind(found)
        wrong = behind or found is None
        if wrong and number != self._first and (zip_ := self._sound(self._first, found)):
            del self._memory[_FOUND]
            return self._told(number, zip_)
        if behind and number:
            for later in range(number + 1, number + 1 + MOST_TRIED):
                if zip_ := self._sound(later, found):
                    address = self._configured["zip"].url
                    self._memory[_FOUND] = {"address": address, "number": later}
                    return self._told(number, zip_)
        return None

    def _told(self, before: int, zip_: Original) -> Original:
        self._memory.pop(_FAILED, None)
        self._downloads.tell(
            f"the zip of legislature {before} is left behind: that of legislature {self.number} is read from"
            " now on"
        )
        return zip_

    def _is_behind(self, found: Amo10 | None) -> bool:
        """Whether a zip is one that nobody makes anew: it fails for days, is late, or all mandates in it have ended."""
        if found is None:
            days = {*self._memory.get(_FAILED, ()), self._downloads.day.isoformat()}
            self._memory[_FAILED] = sorted(days)[-FAILED_DAYS:]
            return len(days) >= FAILED_DAYS
        self._memory.pop(_FAILED, None)
        sitting = len(list(found.sitting()))
        if not sitting or self._is_late(found.newest):
            return True
        self._memory[_SITTING] = sitting
        return False

    def _is_late(self, newest: datetime.date | None) -> bool:
        return newest is not None and (self._downloads.day - newest).days > LATE_DAYS

    def _sound(self, number: int, than: Amo10 | None) -> Original | None:
        """The zip of a legislature, if it can take the place of another one."""
        address = self._of(number, self._configured["zip"])
        # Half of its time: all tries together must leave time for other sources.
        address = address._replace(seconds=address.seconds / 2)
        try:
            # It is examined here: an original that `get` refuses is kept anew each morning.
            zip_ = self._downloads.get(address, attempts=1)
            found = read_amo10(zip_)
        except (FetchFailed, OriginalRefused):
            return None  # mostly there is none yet
        newest, before = found.newest, than.newest if than else None
        fresh = newest is not None and not self._is_late(newest)
        newer = newest is not None and (before is None or newest > before)
        half = self._memory.get(_SITTING, seats_on("assemblee", self._downloads.day)) / 2
        return zip_ if fresh and newer and len(list(found.sitting())) >= half else None

    def _of(self, number: int, address: Address) -> Address:
        """The address in a legislature; originals of another than the configured one have other names."""
        if number == self._first:
            return address
        stem, dot, ending = address.name.partition(".")
        url = _NUMBER.sub(str(number), address.url)
        return address._replace(name=f"{stem}-{number}{dot}{ending}", url=url)
