"""Datasette's own pages of tables and rows, as this site shows them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Any

from datasette.utils.asgi import Request

from parlement_lists.movement import FIELDS

from ...dataset.schema import MOVEMENTS, TABLE, TENURES
from ..words import labels
from . import correction_request, sidebar_tables
from .correction_request import CorrectionRequest
from .site import Site

PAUSE_SECONDS = 0.002


class CorePages:
    """What the templates that replace Datasette's ask."""

    fields = FIELDS

    def __init__(self, site: Site) -> None:
        self._site = site
        self._pause_at = 0.0

    def ours(self, database: object) -> bool:
        """Whether this database is that of the movements."""
        return database == self._site.config.database

    def table_template(self, database: object, table: object) -> str:
        """The template in which one of Datasette's table pages is shown; "" for Datasette's own."""
        if not self.ours(database):
            return ""
        if table == TABLE:
            return "table.html"
        return "sidebar_table.html" if table in sidebar_tables.TABLES else ""

    def row_template(self, database: object, table: object) -> str:
        """The template in which the page of one of Datasette's rows is shown; "" for Datasette's own."""
        shown = {TABLE: "row.html", TENURES: "stay.html"} if self.ours(database) else {}
        return shown.get(str(table), "")

    def whole(self, row: Mapping[str, Any]) -> bool:
        """Whether every column is there: visitors of the table page can choose some."""
        return all(field.name in row for field in FIELDS)

    def label(self, column: str) -> str:
        """What a column is called."""
        return labels.LABELS.get(column, column)

    async def after(self, movements: Sequence[Mapping[str, Any]]) -> dict[str, str]:
        """By movement, the day of the list before it, "" where no stay says it."""
        ids = [row["id"] for row in movements]
        found = await self._site.rows(f"where id in ({', '.join('?' * len(ids))})", ids)
        return dict.fromkeys(ids, "") | {row["id"]: row["apres"] or "" for row in found}

    def evidence(self, id: str) -> dict[str, Any]:
        """What a movement is made of, as the interface says it; nothing of one that is not served now."""
        snapshot = self._site.snapshot()
        change = snapshot.change_of(MOVEMENTS, id)
        return snapshot.evidence(change[1]) if change and change[1] else {}

    def asking(self, request: Request, id: str) -> CorrectionRequest:
        """How to ask for a correction of a movement."""
        return correction_request.asking(self._site, request, self._site.movement(id))

    async def pause(self) -> str:
        """Let other requests run; templates call it between the rows of a long table.

        Not at each: where many wait, a page would take as long as they do, once a row.
        """
        if time.perf_counter() > self._pause_at:
            await asyncio.sleep(0)
            self._pause_at = time.perf_counter() + PAUSE_SECONDS
        return ""
