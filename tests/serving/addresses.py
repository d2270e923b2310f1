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
    f"{TABLE}?chambre=senat&_facet=type",
    f"{TABLE}?_search=_where",
    TABLE + "/{id}",
    "/movements/collaborations",
    "/movements/equipes.csv",
    "/movements/-/schema",
    "/-/jump?q=mouv",
    "/-/versions.json",
    "/-/plugins.json",
    "/favicon.ico",
    "/-/mouvements/etat",
    "/v1/openapi.json",
)

FORMATS = (
    f"{TABLE}.json",
    f"{TABLE}.json?_shape=array",
    f"{TABLE}.json?_shape=objects&_size=max",
    f"{TABLE}.json?_nl=on&_shape=array",
    f"{TABLE}.JSON",
    f"{TABLE}.json/",
    f"{TABLE}.json%20",
    f"{TABLE}.json%00",
    f"{TABLE}.json;a",
    f"{TABLE}.csv",
    f"{TABLE}.csv?_stream=1",
    f"{TABLE}.blob?_blob_column=id",
    f"{TABLE}.atom",
    f"{TABLE}.md",
    f"{TABLE}..json",
    f"//{TABLE[1:]}.json",
    "/movements//mouvements.json",
    "/movements/./mouvements.json",
    "/%6Dovements/mouvements.json",
    "/~6Dovements/mouvements.json",
    "/movements/mouvements~20.json",
    TABLE + "/{id}.json",
    TABLE + "/{id}.blob?_blob_column=collab_nom",
    TABLE + "/{id}.csv",
    "/movements.json?" + SQL,
    "/movements.db",
    "/movements.db/",
    f"/movements/-/query.json?{SQL}",
    f"/movements/-/query.csv?{SQL}&_stream=1",
    f"/movements/-/query.blob?{SQL}&_blob_column=id",
    "/movements/-/schema.json",
    "/movements/-/schema.md",
    f"{TABLE}/-/schema.md",
    "/movements/_lignes.json",
    "/movements/_positions.blob",
    "/movements/collaborations.csv?_stream=1",
    f"/_memory/-/query.json?{SQL}",
    f"/:memory:.json?{SQL}",
    "/-/schema.md",
)

QUERIES = (
    f"/movements/-/query?{SQL}",
    f"/movements/%2D/query?{SQL}",
    f"/movements//-//query?{SQL}",
    f"/movements?{SQL}",
    "/movements?%73ql=select+1",
    f"/:memory:?{SQL}",
    f"/movements/-/query/parameters?{SQL}",
    "/movements/une_requete",
    f"{TABLE}?%5Fwhere=id+in+(select+id+from+mouvements)",
    f"{TABLE}/-/autocomplete?q=a",
    f"{TABLE}/-/fragment?_row=" + "{id}",
    f"{TABLE}/-/inconnu",
    f"{TABLE}%2Ejson",
    f"{TABLE}~2Ejson",
    f"{TABLE}%00",
    f"{TABLE}%C0%AEjson",
    "/movements/mouvements_fts",
    "/movements/sqlite_master",
)
CONSOLES = (
    "/-/actions.json",
    "/-/databases.json",
    "/-/%70atterns",
    "/-/~70atterns",
    "/-//patterns",
    "/-/threads.json",
)
CLOSED = (*FORMATS, *QUERIES, *CONSOLES)
