"""What the OpenAPI description shows: one invented movement, and answers that are about it alone.

The parameters' examples, sent together, are a search that would find this movement. Nothing of the
served data is shown: whatever is generated from a description outlives what is withdrawn.
"""

from __future__ import annotations

import json
from typing import Any

from parlement_lists.movement import FIELDS

from ...dataset.changes import Cursor
from ...refusal import KINDS, Refusal
from .. import envelope, problems
from ..parameters.parameter import Parameter
from ..parameters.search_parameters import Search, parse
from ..search import Page
from ..service import Service

# Of an arrival: only a transfer has a member left.
MOVEMENT = {
    field.name: field.example for field in FIELDS if not field.name.startswith("elu_origine_")
}
CURSOR = str(Cursor("5b1f0c3a9d2e8746", 1204, "c07e64a1f3b8d952"))
VERSION = "4f0a6c1d2b93e857"
ETAG = f'W/"{VERSION}-6e1d0a94-3c5b7f2081"'
FILE_ETAG = '"8e2d4b90c1f7a63508bd29e4"'
INSTANT = "2026-09-15T05:12:40Z"
LAST_MODIFIED = "Tue, 15 Sep 2026 05:12:40 GMT"
_WITHDRAWN = "mvt_9f8e7d6c5b4a39281706"


def parameter(described: Parameter) -> str | int:
    """The value that a parameter is shown with; paging is shown at its beginning."""
    return described.example if described.default is None else described.default


def search(service: Service) -> dict[str, Any]:
    """The page that has the movement alone."""
    line = json.dumps(MOVEMENT, ensure_ascii=False).encode()
    found: dict[str, Any] = json.loads(envelope.around(service, Search(), Page(line, 1)))
    return found


def movement(service: Service) -> dict[str, Any]:
    """The movement by its identifier."""
    return {"mouvement": MOVEMENT, **_credits(service)}


def changes(service: Service) -> dict[str, Any]:
    """The end of the feed: the movement's publication, and a withdrawal."""
    return {
        "changements": [
            {
                "publie_le": INSTANT,
                "nature": "publication",
                "id": MOVEMENT["id"],
                "mouvement": MOVEMENT,
            },
            {"publie_le": INSTANT, "nature": "retrait", "id": _WITHDRAWN},
        ],
        "curseur": CURSOR,
        "encore": False,
        "version": VERSION,
        **_credits(service),
    }


def quota(service: Service) -> dict[str, Any]:
    """A key of which one request of the day is used."""
    limit = service.config.quota
    return {
        "limite": limit,
        "utilise": 1,
        "reste": limit - 1,
        "jour": MOVEMENT["date_event"],
        "retour_a": "2026-09-15T00:00:00+02:00",
        "retour_dans": 20731,
        **_credits(service),
    }


def lines(form: str) -> str:
    """The file of a search that finds the movement, in one of its forms."""
    if form == "ndjson":
        return json.dumps(MOVEMENT, ensure_ascii=False) + "\n"
    return "".join(",".join(row) + "\r\n" for row in ([f.name for f in FIELDS], [*_cells()]))


def _cells() -> list[str]:
    return [MOVEMENT.get(field.name, "") for field in FIELDS]


def problem(service: Service, kind: str) -> dict[str, Any]:
    """The body of a refusal."""
    told: dict[str, Any] = json.loads(problems.details(service, _refused(kind)))
    return told


def _refused(kind: str) -> Refusal:
    if kind == "parameter":
        try:
            parse(b"limit=1000")
        except Refusal as real:
            return real
    return Refusal(kind, KINDS[kind].meaning)


def _credits(service: Service) -> dict[str, str]:
    return {"licence": service.config.licence, "attribution": service.config.attribution}
