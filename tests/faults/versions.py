"""Movements files that can be told apart by any answer from them, and files that are none."""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset.input_files import read
from parlement_lists.movement import identifier
from tests.contract.environment import SAMPLE
from tests.published import write

from .client import Response

PAGE = 4096


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

    def __call__(self, target: str, got: Response) -> str:
        if got.status != 200:
            return f"{got.status} {got.body[:200]!r}"
        number = got.headers["etag"].removeprefix('W/"').partition("-")[0]
        version = self._by_number.get(number)
        if version is None:
            return f"unknown version {number}"
        page = json.loads(got.body)
        if got.headers["mouvements-version"] != number:
            return f"version {got.headers['mouvements-version']} with the ETag of {version.name}"
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


def noise(good: bytes, chance: random.Random) -> bytes:
    return chance.randbytes(chance.randrange(1, 200_000))


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
    noise,
    empty,
    header_then_noise,
    zeroed_end,
)


def older_schema(path: Path, good: Path) -> None:
    shutil.copyfile(good, path)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("update _publication set valeur = '0' where cle = 'schema'")
