"""Who has which of Datasette's permissions for the movements, whatever address or plugin asks.

The doors judge addresses. A plugin has addresses of its own, and asks core's permissions there.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from datasette.app import Datasette
from datasette.permissions import PermissionSQL

from ..api.front import front_of
from ..api.service import account_of
from ..dataset import schema
from .exports import MEMORY, TABLES

# Whether a key pays for the current request.
PAYING: ContextVar[bool] = ContextVar("paying", default=False)
# Whether it is for a page for people: core's or ours. What another plugin does with rows is not known.
SHOWING: ContextVar[bool] = ContextVar("showing", default=False)
# The search of a table's page asks for the table of its index.
OPEN_TABLES = sorted((*TABLES, *schema.FULL_TEXT))
_REASON = "the movements are exported to accounts and key holders only"


def permission_rules(datasette: Datasette, actor: Any, action: str) -> PermissionSQL | None:
    """What visitors may not do with the movements; None for who may pay, and for an instance without them.

    They may see the database, and the tables on pages for people. Any other permission, also of a later
    core or of another plugin, is for who pays.
    A denial for the database stands beside an `allow` of the configuration, and prevails. Only an
    `allow` for one table or stored query is nearer, and opens that one.
    """
    if (front := front_of(datasette)) is None or PAYING.get() or account_of(actor):
        return None
    names = (front.service.config.database, *MEMORY)
    databases = {f"mouvements_{number}": name for number, name in enumerate(names)}
    tables = {f"mouvements_table_{number}": name for number, name in enumerate(OPEN_TABLES)}
    parameters = {**databases, "mouvements_reason": _REASON}
    if action == "view-table" and SHOWING.get():
        # Core keeps the names of all tables in its internal database.
        return PermissionSQL(
            sql=f"""
                select database_name as parent, table_name as child, 0 as allow, :mouvements_reason as reason
                from catalog_tables
                where database_name in ({_listed(databases)}) and table_name not in ({_listed(tables)})
            """,
            params={**parameters, **tables},
        )
    if action == "view-database":
        return None
    return PermissionSQL(
        sql=" union all ".join(
            f"select :{name} as parent, null as child, 0 as allow, :mouvements_reason as reason"
            for name in databases
        ),
        params=parameters,
    )


def _listed(parameters: dict[str, str]) -> str:
    return ", ".join(f":{name}" for name in parameters)
