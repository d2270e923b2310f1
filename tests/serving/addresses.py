"""Addresses of Datasette below a movements database, and who may open each.

Written by hand, all of them: what test_routes expects is made of the code that decides.
"""

from __future__ import annotations

TABLE = "/movements/mouvements"
SQL = "sql=select+*+from+mouvements"

# {id} is a movement's.
PAGES = (
    "/",
    "/movements",
    TABLE,
    f"{TABLE}/",
    f"{TABLE}?_search=_where",
    TABLE + "/{id}",
    f"{TABLE}/-/schema",
    "/movements/-/schema",
    "/movements/equipes.csv",
    "/-/plugins.json",
    "/favicon.ico",
    "/-/mouvements/etat",
)

FORMATS = (
    f"{TABLE}.json",
    f"{TABLE}.json?_shape=objects&_size=max",
    f"{TABLE}.json/",
    f"{TABLE}.json%20",
    f"{TABLE}.json%00",
    f"{TABLE}.csv?_stream=1",
    f"{TABLE}.blob?_blob_column=id",
    f"{TABLE}.md",
    f"{TABLE}..json",
    f"//{TABLE[1:]}.json",
    "/movements//mouvements.json",
    "/%6Dovements/mouvements.json",
    "/~6Dovements/mouvements.json",
    "/movements/mouvements~20.json",
    TABLE + "/{id}.json",
    TABLE + "/{id}.blob?_blob_column=collab_nom",
    "/movements.json?" + SQL,
    "/movements.db",
    f"/movements/-/query.json?{SQL}",
    f"/movements/-/query.blob?{SQL}&_blob_column=id",
    "/movements/-/schema.json",
    f"{TABLE}/-/schema.md",
    "/movements/_lignes.json",
    "/movements/collaborations.csv?_stream=1",
    f"/_memory/-/query.json?{SQL}",
    f"/:memory:.json?{SQL}",
)

QUERIES = (
    f"/movements/-/query?{SQL}",
    f"/movements/%2D/query?{SQL}",
    f"/movements?{SQL}",
    "/movements?%73ql=select+1",
    f"/:memory:?{SQL}",
    f"/movements/-/query/parameters?{SQL}",
    "/movements/une_requete",
    f"{TABLE}?%5Fwhere=id+in+(select+id+from+mouvements)",
    f"{TABLE}?_size=5&type=depart&_where=1",
    f"{TABLE}/-/autocomplete?q=a",
    f"{TABLE}/-/fragment?_row=" + "{id}",
    f"{TABLE}%2Ejson",
    f"{TABLE}~2Ejson",
    f"{TABLE}%00",
    f"{TABLE}%C0%AEjson",
    "/movements/mouvements_fts",
)
CONSOLES = (
    "/-/actions.json",
    "/-/%70atterns",
    "/-//patterns",
)
CLOSED = (*FORMATS, *QUERIES, *CONSOLES)
