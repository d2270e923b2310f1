"""What one run over a copy of another service did, for programs and for people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass
class Copied:
    """What one run did.

    `begun` says why the whole file was taken, "" where it was not. `compared` says how the copy was
    found to be the original's: by "version", which is that of the same movements in the same order, by
    "count", or not ("": the original changed meanwhile, or could not be asked). `stopped` is the sentence
    of what kept the run from the end of the feed; what was read before is in the copy.
    """

    changed: bool = False
    begun: str = ""
    published: int = 0
    withdrawn: int = 0
    movements: int = 0
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
        found = {
            "version": "the same as the original's, in the same order",
            "count": "as many as the original's; in another order, or with other fields",
            "": "not compared with the original's",
        }[self.compared]
        yield f"{self.movements} movements, version {self.version}: {found}"
