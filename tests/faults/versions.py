"""Movements files that can be told apart by any answer from them, and files that are none."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from datasette_mouvements.dataset.input_files import read
from parlement_lists.movement import identifier
from tests.contract.environment import SAMPLE
from tests.contract.service import Answer
from tests.published import write

PAGE = 4096
TARGETS = (
    *("/v1/mouvements", "/v1/mouvements?chambre=senat&limit=3", "/v1/mouvements?limit=500"),
    *("/v1/mouvements?chambre=assemblee&offset=10&limit=7", "/v1/mouvements?offset=90&limit=10"),
    *("/v1/changements?limit=20", "/v1/changements?limit=300"),
)


@dataclass
class Version:
    """One sound file: every movement's `collab_nom` is `name`."""

    path: Path
    number: str  # as in the ETag
    name: str
    total: dict[str, int]  # by chamber, and "" for all


def build(folder: Path, count: int) -> list[Version]:
    """Versions of different totals."""
    movements = [movement for _, movement in read(SAMPLE)]
    made = []
    for k in range(count):
        name = f"VERSION {k}"
        kept = [
            m._replace(collab_nom=name, collab_prenom=f"N{n}")
            for n, m in enumerate(movements[k * 7 :])
        ]
        named = [(n, m._replace(id=identifier(m))) for n, m in enumerate(kept)]
        path = folder / f"version-{k}.db"
        built = write(path, [(name, named)])
        total = Counter(m.chambre for _, m in named) + Counter({"": built.movements})
        made.append(Version(path, built.version, name, dict(total)))
    return made


class Unmixed:
    """Judges that page, total and ETag of an answer are of one version."""

    def __init__(self, versions: list[Version]) -> None:
        self._by_number = {version.number: version for version in versions}
        self.seen: Version | None = None

    def __call__(self, target: str, got: Answer) -> str:
        if got.status != 200:
            return f"{got.status} {got.body[:200]!r}"
        number = (got.header("ETag") or "").removeprefix('W/"').partition("-")[0]
        version = self._by_number.get(number)
        if version is None:
            return f"unknown version {number}"
        page = json.loads(got.body)
        if (told := got.header("Mouvements-Version")) != number:
            return f"version {told} with the ETag of {version.name}"
        if "changements" in page:
            page["mouvements"] = [change["mouvement"] for change in page["changements"]]
            page["total"] = version.total[""]
            if page["version"] != number:
                return f"version {page['version']} with the ETag of {version.name}"
        chamber = target.partition("chambre=")[2].partition("&")[0]
        if page["total"] != version.total[chamber]:
            return f"total {page['total']} with the ETag of {version.name}"
        names = {movement["collab_nom"] for movement in page["mouvements"]}
        if names != {version.name}:
            return f"movements of {names} with the ETag of {version.name}"
        self.seen = version
        return ""


def truncated(good: bytes, chance: random.Random) -> bytes:
    return good[: chance.randrange(len(good))]


def empty(good: bytes, chance: random.Random) -> bytes:
    return b""


def header_then_noise(good: bytes, chance: random.Random) -> bytes:
    return good[:100] + chance.randbytes(len(good) - 100)


def zeroed_end(good: bytes, chance: random.Random) -> bytes:
    """As a copy that stopped leaves it where the size was set first."""
    at = PAGE * chance.randrange(len(good) // PAGE)
    return good[:at] + bytes(len(good) - at)


SPOILED: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    truncated,
    empty,
    header_then_noise,
    zeroed_end,
)
