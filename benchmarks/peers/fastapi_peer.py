"""FastAPI + sqlite3: count and page on each request, no key, no quota.

`/v1/mouvements` is written as FastAPI's tutorial teaches it; `/tuned` is the same search with what
a performance-minded author would change first: one connection, no thread, no second encoding.
The indexes are those of the movements database itself.
"""

import os
import sqlite3
import threading
from datetime import date
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Query, Response
from fastapi.responses import JSONResponse

DATABASE = os.environ["MOUVEMENTS_PEER_DB"]
LICENCE = "Open Database License (ODbL) 1.0"
ATTRIBUTION = "Mouvements des collaborateurs parlementaires"

app = FastAPI()
_connections = threading.local()

Chambre = Literal["assemblee", "senat", "europarl"]
Type = Literal["arrivee", "depart", "transfert"]
Source = Literal["suivi", "archives"]
Limit = Annotated[int, Query(ge=1, le=500)]
Offset = Annotated[int, Query(ge=0)]


def connection() -> sqlite3.Connection:
    if not hasattr(_connections, "db"):
        _connections.db = sqlite3.connect(f"file:{DATABASE}?mode=ro", uri=True)
        _connections.db.row_factory = sqlite3.Row
    db: sqlite3.Connection = _connections.db
    return db


def search(given: dict[str, Any], limit: int, offset: int) -> dict[str, Any]:
    """Count and page; what has no value is sent as null, which spares the peer some work."""
    conditions = {
        "chambre": "chambre = :chambre",
        "type": "type = :type",
        "source": "source = :source",
        "depuis": "date_event >= :depuis",
        "jusqua": "date_event <= :jusqua",
        "elu": "elu_id = :elu",
    }
    values = {name: value for name, value in given.items() if value is not None}
    where = " and ".join(conditions[name] for name in values) or "1"
    values |= {"limit": limit, "offset": offset}
    db = connection()
    (total,) = db.execute(f"select count(*) from mouvements where {where}", values).fetchone()
    rows = db.execute(
        f"select * from mouvements where {where}"
        " order by date_event desc, rowid desc limit :limit offset :offset",
        values,
    )
    return {
        "total": total,
        "limit": limit,
        "offset": offset,
        "mouvements": [dict(row) for row in rows],
        "licence": LICENCE,
        "attribution": ATTRIBUTION,
    }


@app.get("/v1/mouvements")
def mouvements(
    chambre: Chambre | None = None,
    type: Type | None = None,
    source: Source | None = None,
    depuis: date | None = None,
    jusqua: date | None = None,
    elu: str | None = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> dict[str, Any]:
    return search(
        {
            "chambre": chambre,
            "type": type,
            "source": source,
            "depuis": depuis and depuis.isoformat(),
            "jusqua": jusqua and jusqua.isoformat(),
            "elu": elu,
        },
        limit,
        offset,
    )


@app.get("/tuned")
async def tuned(
    chambre: Chambre | None = None,
    type: Type | None = None,
    source: Source | None = None,
    depuis: str | None = None,
    jusqua: str | None = None,
    elu: str | None = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    given = {
        "chambre": chambre,
        "type": type,
        "source": source,
        "depuis": depuis,
        "jusqua": jusqua,
        "elu": elu,
    }
    return JSONResponse(search(given, limit, offset))
