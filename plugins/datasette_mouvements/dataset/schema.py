"""The movements database: its tables, indexes, full-text search, and the ready-made tables answers come from.

`mouvements` is what people see in Datasette; its rowid grows with (date_event, insertion), so the
order of answers is simply rowid descending. The tables whose names begin with an underscore (Datasette
hides them) are made when the file is built and never changed afterwards.
"""

from __future__ import annotations

from contextlib import closing
from functools import cache
from typing import NamedTuple

from datasette.utils.sqlite import sqlite3

from ..fields import MOVEMENT_FIELDS, STAY_FIELDS, Field

# One more when a file of the layout before can no longer be served; such a file is refused, not
# migrated: a build makes a new one.
SCHEMA_VERSION = 10
TABLE = "mouvements"
TENURES = "collaborations"
MANDATES = "_mandats"
MEMBERS = "elus"
GROUPS = "_groupes"
MEMBERSHIPS = "_appartenances"
MEMBER_LINES = "_lignes_elus"
SPELLINGS = "_noms"
HOMONYMS = "_homonymes"
# Figures of each team and each group as of the last list of its chamber.
TEAMS = "equipes"
GROUP_FIGURES = "groupes"
FIGURES = (TEAMS, GROUP_FIGURES)
# What is known of members beside what lists tell, as a members folder says it.
OF_MEMBERS = (MANDATES, MEMBERS, GROUPS, MEMBERSHIPS)
# What is known beside movements and stays: the file of everything has it.
BESIDE = ("listes", *FIGURES, *OF_MEMBERS, HOMONYMS)
# The columns that hold a day, in whatever table.
DAYS = frozenset(
    "date_event date debut debut_apres fin fin_apres mandat_debut mandat_fin liste depuis jusqua".split()
)
# The runs that took the lists: the file of everything has them not, and no digest or edition depends on them,
# because they grow on mornings on which nothing else does.
NIGHTS = "nuits"
# What a run finds at a source, and how it ends itself.
OUTCOMES = ("nouvelle", "identique", "refusee", "echouee")
RUN_OUTCOMES = ("reussie", "alarme")
CHANGES = "_changements"
RUNS = "_passages"


class Resource(NamedTuple):
    """What the interface serves of a table: its ready-made lines, their feed of changes and its runs."""

    table: str
    lines: str
    changes: str
    runs: str


MOVEMENTS = Resource(TABLE, "_lignes", CHANGES, RUNS)
STAYS = Resource(
    TENURES, "_lignes_collaborations", "_changements_collaborations", "_passages_collaborations"
)
RESOURCES = (MOVEMENTS, STAYS)


def beside_entry(table: str) -> str:
    """The entry of the file of everything that holds the rows of a table of BESIDE."""
    # The table `groupes` has that name already.
    return "noms_groupes.csv" if table == GROUPS else f"{table.lstrip('_')}.csv"


# The tables of a feed, in which each run goes on from the file that stands.
FEED_TABLES = tuple(
    name for resource in RESOURCES for name in (resource.lines, resource.changes, resource.runs)
)
# The natures of a change, as the feed has them.
PUBLISHED, WITHDRAWN = NATURES = ("publication", "retrait")
# The row of `_publication` of a file whose people are invented; no other file has it.
INVENTED = "invente"
# The key in `_publication`, before the chamber, of the last day on which a source told who sits.
MEMBERS_READ = "elus_"
# The columns in which names are searched.
SEARCHED = {
    TABLE: ("collab_nom", "collab_prenom", "elu_nom", "elu_origine_nom"),
    TENURES: ("collab_nom", "collab_prenom", "anciens_noms", "elu_nom"),
}
# Where a visitor enters: by day, by member, by name; and the columns offered as facets.
INDEXED = (
    # Those of the interface's filters, in the order of its answers: of each way to ask for three categories, so
    # that no row is read to be counted or passed over.
    ("date_event",),
    ("chambre", "date_event"),
    ("type", "date_event"),
    ("source", "date_event"),
    ("chambre", "type", "date_event"),
    ("chambre", "source", "date_event"),
    ("type", "source", "date_event"),
    ("type", "source", "chambre", "date_event"),
    ("elu_id", "date_event"),
    # What the page of the table counts by (its facets), whatever it is filtered by: read without the rows.
    ("elu_groupe", "type", "chambre", "confiance", "date_event"),
    ("confiance", "chambre", "type", "elu_groupe", "date_event"),
    ("collab_nom", "collab_prenom"),
)
# Teams in the order of names, and those of a group.
TEAMS_INDEXED = (("chambre",), ("chambre", "elu_groupe"))
TENURES_INDEXED = (
    # Teams on a day, read without the rows.
    ("chambre", "elu_id", "debut", "fin", "fin_apres", "elu_groupe"),
    ("elu_id",),
    ("elu_groupe", "chambre", "fin"),
    ("collab_nom", "collab_prenom"),
    ("debut", "fin"),
    ("fin",),
    ("chambre", "debut", "fin"),
    ("mouvement_debut",),
    ("mouvement_fin",),
)


def _check(name: str, values: tuple[str, ...]) -> str:
    return f" check ({name} in ({', '.join(repr(v) for v in values)}))"


def _column(field: Field) -> str:
    if field.name == "id":
        return "id text primary key not null"
    kind = "text not null" if field.required else "text"
    # An absent civility is NULL like any absent value; an absent contexte is the empty string.
    if "" in field.values:
        kind = "text not null default ''"
    return f"{field.name} {kind}" + (_check(field.name, field.values) if field.values else "")


def _table(name: str, fields: tuple[Field, ...]) -> str:
    return f"create table {name} (\n  " + ",\n  ".join(map(_column, fields)) + "\n)"


def _texts(*names: str) -> str:
    return ", ".join(f"{name} text not null" for name in names)


TABLES = {
    TABLE: _table(TABLE, MOVEMENT_FIELDS),
    TENURES: _table(TENURES, STAY_FIELDS),
}
for _resource in RESOURCES:
    TABLES |= {
        # Each row as JSON, ready to be sent; the feed: one row an identifier ever published, with its latest
        # change; the runs that changed rows: the last place each took in the feed, and a random value.
        _resource.lines: f"create table {_resource.lines} (rowid integer primary key, json blob not null)",
        # `ligne` is the rowid of the row, NULL of a withdrawn one.
        _resource.changes: f"create table {_resource.changes} (seq integer primary key,"
        f" {_texts('id', 'publie_le', 'nature')}{_check('nature', NATURES)}, ligne integer)",
        _resource.runs: f"create table {_resource.runs} (dernier integer primary key, jeton text not null)",
    }
TABLES |= {
    # Each member with staff as JSON, in the order of names, as of the chamber's last list. `fin_apres`: the last day
    # that an open mandate is known of.
    MEMBER_LINES: f"create table {MEMBER_LINES} (rowid integer primary key,"
    f" {_texts('chambre', 'elu_id', 'groupe')}, siege integer not null, fin_apres text not null,"
    " json blob not null)",
    # Each spelling of a staff name, in the order of names. The keys are its two parts as `plain` writes them,
    # `mots` the words of both, sorted.
    SPELLINGS: f"create table {SPELLINGS}"
    f" ({_texts('adresse', 'cle_nom', 'cle_prenom', 'nom', 'prenom', 'mots')})",
    # The members with whom a name, as `words` writes it, is another person than elsewhere.
    HOMONYMS: f"create table {HOMONYMS} ({_texts('personne', 'elu_id')},"
    " numero integer not null, primary key (personne, elu_id))",
    "_publication": "create table _publication (cle text primary key not null, valeur text not null)",
    # An empty day is one that nobody knows: a first day of long ago, the last one of a mandate that goes on.
    MANDATES: f"create table {MANDATES} ({_texts('chambre', 'elu_id', 'debut', 'fin')},"
    " primary key (chambre, elu_id, debut, fin))",
    MEMBERS: f"create table {MEMBERS} ({_texts('chambre', 'elu_id', 'nom', 'prenom', 'civilite')},"
    " hatvp text, primary key (chambre, elu_id))",
    # Pages write the colour as it stands.
    GROUPS: f"create table {GROUPS} ({_texts('chambre', 'code', 'nom', 'couleur')}"
    f" check (couleur = '' or couleur glob '#{'[0-9a-f]' * 6}'),"
    f" {_texts('debut', 'fin')}, primary key (chambre, code))",
    MEMBERSHIPS: f"create table {MEMBERSHIPS}"
    f" ({_texts('chambre', 'elu_id', 'groupe', 'debut', 'fin')},"
    " primary key (chambre, elu_id, groupe, debut, fin))",
    TEAMS: f"create table {TEAMS} (chambre text not null, elu_id text not null, elu_cle text,"
    " elu_nom text not null, elu_groupe text, mandat_debut text, mandat_fin text,"
    " presents integer not null, liste text, depuis text, jusqua text, ayant_travaille integer,"
    " parties integer, presence_mediane real, pourquoi text, primary key (chambre, elu_id))",
    GROUP_FIGURES: f"create table {GROUP_FIGURES} ({_texts('chambre', 'groupe', 'nom')},"
    " debut text, fin text, membres integer not null, presents integer not null,"
    " ayant_travaille integer, parties integer, part_mediane real, pourquoi text,"
    " primary key (chambre, groupe))",
    "listes": "create table listes (nom text primary key not null,"
    f" {_texts('chambre', 'date', 'statut')}"
    + _check("statut", ("acceptee", "refusee", "retenue"))
    + f", {_texts('motif', 'mesure')}, paires integer not null,"
    " arrivees integer not null, departs integer not null, retenus integer not null, sha256 text)",
    NIGHTS: f"create table {NIGHTS} ({_texts('jour', 'source', 'chambre', 'resultat')}"
    + _check("resultat", (*OUTCOMES, *RUN_OUTCOMES))
    + f", {_texts('motif', 'mesure', 'liste', 'original', 'original_sha256')},"
    " primary key (jour, source))",
    "corrections": "create table corrections (numero integer primary key,"
    f" {_texts('date', 'genre', 'raison')})",
    "retraits": f"create table retraits (id text primary key not null, {_texts('date', 'raison')})",
}
INDEXES = {
    f"idx_{table}_{'_'.join(columns)}": f"create index idx_{table}_{'_'.join(columns)}"
    f" on {table} ({', '.join(columns)})"
    for table, indexed in (
        (TABLE, INDEXED),
        (TENURES, TENURES_INDEXED),
        (TEAMS, TEAMS_INDEXED),
    )
    for columns in indexed
} | {
    f"idx_{SPELLINGS}_{column}": f"create index idx_{SPELLINGS}_{column} on {SPELLINGS} ({column})"
    for column in ("adresse", "mots")
}
# Made when the feed is filled: kept up row by row, it takes as long as the rest of it.
OF_CHANGES = {
    f"idx_{resource.changes}_id": f"create unique index idx_{resource.changes}_id on {resource.changes} (id)"
    for resource in RESOURCES
}
# Datasette finds the index of a table by its name in quotation marks.
FULL_TEXT = {
    f"{table}_fts": f"create virtual table {table}_fts using fts5 ({', '.join(columns)},"
    f' content="{table}",'
    f" tokenize=\"unicode61 remove_diacritics 2\", prefix='2 3')"
    for table, columns in SEARCHED.items()
}

# The movements of a member's team, those of the member and the transfers that leave the member, as a
# condition: `of` is the prefix of columns, `member` the placeholder of the identifier.
OF_TEAM = f"""
    {{of}}id in (with equipe(elu) as (values ({{member}}))
      select m.id from equipe cross join {TABLE} m on m.elu_id = equipe.elu
      union select c.mouvement_fin from equipe cross join {TENURES} c on c.elu_id = equipe.elu)
"""
# The movements or stays `c` under a spelling `n`; `and` or `where` goes on from there.
SPELLED_MOVEMENTS, SPELLED_STAYS = (
    f"""
    {SPELLINGS} n cross join {table} c
      on c.collab_nom is nullif(n.nom, '') and c.collab_prenom is nullif(n.prenom, '')
    """
    for table in (TABLE, TENURES)
)


class TableColumn(NamedTuple):
    """A column of a table: `kind` is text, integer or blob."""

    name: str
    kind: str


@cache
def columns(table: str) -> tuple[TableColumn, ...]:
    """The columns of a table of TABLES, as SQLite reads its definition."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(TABLES[table])
        rows = db.execute(f"pragma table_info({table})")
        return tuple(TableColumn(name, kind.lower()) for _, name, kind, *_ in rows)
