"""Movements files that can be told apart by any answer from them, and files that are none."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from datasette_mouvements.dataset.input_files import read
from parlement_lists.movement import identifier
from tests.contract.environment import SAMPLE
from tests.contract.service import Answer
from tests.published import write

TARGETS = (
    *("/v1/mouvements", "/v1/mouvements?limit=500", "/v1/mouvements?offset=90&limit=10"),
    *("/v1/changements?limit=20", "/v1/changements?limit=300"),
)


class Version(NamedTuple):
    """One sound file: every movement's `collab_nom` is `name`."""

    path: Path
    number: str  # as in the ETag
    name: str
    total: int


def build(folder: Path, count: int) -> list[Version]:
    """Versions of different totals."""
    movements = [movement for _, movement in read(SAMPLE)]
    made = []
    for k in range(count):
        path, name = folder / f"version-{k}.db", f"VERSION {k}"
        kept = [
            m._replace(collab_nom=name, collab_prenom=f"N{n}")
            for n, m in enumerate(movements[k * 7 :])
        ]
        built = write(
            path, [(name, [(n, m._replace(id=identifier(m))) for n, m in enumerate(kept)])]
        )
        made.append(Version(path, built.version, name, built.movements))
    return made


class Unmixed:
    """Judges that page, total, version and ETag of an answer are of one version."""

    def __init__(self, versions: list[Version]) -> None:
        self._by_number = {version.number: version for version in versions}
        self.seen: Version | None = None

    def __call__(self, target: str, got: Answer) -> str:
        if got.status != 200:
            return f"{got.status} {got.body[:200]!r}"
        number = (got.header("ETag") or "").removeprefix('W/"').partition("-")[0]
        version, page = self._by_number[number], json.loads(got.body)
        of = (
            page["mouvements"]
            if "mouvements" in page
            else [change["mouvement"] for change in page["changements"]]
        )
        told = {*(one["collab_nom"] for one in of), got.header("Mouvements-Version")}
        told |= {page.get("version", number), page.get("total", version.total)}
        if told != {version.name, number, version.total}:
            return f"{told} with the ETag of {version}"
        self.seen = version
        return ""


def truncated(good: bytes, chance: random.Random) -> bytes:
    return good[: chance.randrange(len(good))]


def header_then_noise(good: bytes, chance: random.Random) -> bytes:
    return good[:100] + chance.randbytes(len(good) - 100)


SPOILED: tuple[Callable[[bytes, random.Random], bytes], ...] = (truncated, header_then_noise)
