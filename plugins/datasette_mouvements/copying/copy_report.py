"""The report of one run over a copy, for programs and for people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass
class CopyReport:
    """What one run did.

    `begun` says why the whole file was taken, "" where it was not. `compared` says what showed that the
    copy equals the service: "version" (the same movements in the same order), "count", or "" where the
    service changed meanwhile or could not be asked. `stopped` says what kept the run from the end of the
    feed; what was read before is in the copy.
    """

    changed: bool = False
    begun: str = ""
    published: int = 0
    withdrawn: int = 0
    movements: int = 0
    stays: int = 0
    version: str = ""
    compared: str = ""
    unknown_fields: int = 0
    stopped: str = ""

    def as_json(self) -> dict[str, Any]:
        """The report for programs."""
        return vars(self) | {"begun": self.begun or None, "compared": self.compared or None}

    def lines(self) -> Iterator[str]:
        """The report for people."""
        if self.begun:
            yield f"{self.begun}: the whole file was taken"
        if self.published or self.withdrawn or not self.stopped:
            yield f"{self.published} published, {self.withdrawn} withdrawn since"
        if self.unknown_fields:
            yield (
                f"{self.unknown_fields} fields are not known to this version and were left out:"
                " a newer one has them"
            )
        if not self.version:
            return
        same = {
            "version": "the same as the original's, in the same order",
            "count": "as many as the original's; in another order, or with other fields",
            "": "not compared with the original's",
        }[self.compared]
        if self.stays:
            yield f"{self.stays} stays, with the lists, members and groups that pages tell of"
        yield f"{self.movements} movements, version {self.version}: {same}"
