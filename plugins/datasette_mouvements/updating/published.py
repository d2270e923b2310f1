"""The database before a run, read: what the next one continues."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import FIELD_NAMES, Movement
from parlement_lists.tenure import Tenure
from parlement_lists.tracking.members.known_members import MemberKey

from ..dataset import schema
from ..dataset.connections import BUILT_ANEW, connect_read_only
from ..dataset.disk import system_errors
from ..dataset.input_files import InputRefused
from .erasure.pseudonyms import Pseudonyms, is_named

# A row of a table beside the movements.
Row = tuple[Any, ...]
# The row of `_publication` that names the tracking state the database belongs to.
STATE_TOKEN = "suivi"
# The row with the number of movement files it was built from, beside lists.
FILES_GIVEN = "hors_listes"
# Values that come as one parameter, however many they are.
_GIVEN = "select value from json_each(?)"
_OF_SOME = f"""
    where elu_id in ({_GIVEN}) or mouvement_debut in ({_GIVEN}) or mouvement_fin in ({_GIVEN})
"""


class Published:
    """A movements database as it is now; empty where there is none.

    `members` are the rows of each table that a members folder filled. Identifiers are the internal ones
    of `pseudonyms`, but for those in `withdrawn`. Raises InputRefused for a file that is damaged, of an
    older or a newer version or no movements database, since what it says would be lost; OSError when it
    cannot be read.
    """

    def __init__(self, database: Path, pseudonyms: Pseudonyms | None = None) -> None:
        self.path = database
        self._pseudonyms = pseudonyms or Pseudonyms()
        self.publication: dict[str, str] = {}
        self.lists: dict[str, Row] = {}
        self.members: dict[str, list[Row]] = {table: [] for table in schema.OF_MEMBERS}
        self.withdrawn: dict[str, Row] = {}
        self.homonyms: list[Row] = []
        self.nights: list[Row] = []
        self.corrections: list[tuple[str, str, str]] = []
        if database.exists():
            with self._reading() as db:
                self._read(db)

    def _read(self, db: sqlite3.Connection) -> None:
        tables = {name for (name,) in db.execute("select name from sqlite_master")}
        if "_publication" not in tables:
            raise self._unusable("no table _publication")
        self.publication = dict(db.execute("select cle, valeur from _publication"))
        self._look_at_version(tables)
        self.lists = {row[0]: row for row in db.execute("select * from listes")}
        self.withdrawn = {row[0]: row for row in db.execute("select * from retraits")}
        self.homonyms = list(db.execute(f"select * from {schema.HOMONYMS} order by rowid"))
        self.nights = list(db.execute(f"select * from {schema.NIGHTS} order by rowid"))
        for table in schema.OF_MEMBERS:
            self.members[table] = list(db.execute(f"select * from {table} order by rowid"))
        rows = db.execute("select date, genre, raison from corrections order by numero")
        self.corrections = list(rows)

    def _look_at_version(self, tables: set[str]) -> None:
        """Accept a file of this schema; refuse others, and a file that lacks a table."""
        found, own = self.publication.get("schema", ""), schema.SCHEMA_VERSION
        missing = sorted(schema.TABLES.keys() - tables)
        if found == str(own):
            if missing:
                raise self._unusable(f"no table {', '.join(missing)}")
        elif not found.isdecimal() or schema.TABLE not in tables:
            raise self._unusable(f"schema version {found!r}")
        elif int(found) > own:
            raise InputRefused(
                [
                    f"{self.path}: made by a newer version of this package (schema {found}, this one"
                    f" reads {own}): use that one"
                ]
            )
        else:
            raise InputRefused(
                [
                    f"{self.path}: made by an older version of this package (schema {found}, this one"
                    f" reads {own}): {BUILT_ANEW}"
                ]
            )

    def _unusable(self, why: str) -> InputRefused:
        return InputRefused(
            [
                f"{self.path}: not a movements database, or a damaged one ({why}): restore a copy of"
                " it with its tracking state, or move both away and build it again from every list"
            ]
        )

    @property
    def token(self) -> str:
        """The token of its tracking state; "" where it has none."""
        return self.publication.get(STATE_TOKEN, "")

    @property
    def invented(self) -> bool:
        """Whether its people are invented."""
        return schema.INVENTED in self.publication

    @property
    def has_masks(self) -> bool:
        """Whether a correction withholds names in it."""
        return any(kind == "masquer" for _, kind, _ in self.corrections)

    def movements(self, ids: Iterable[str] | None = None) -> Iterator[Movement]:
        """The published movements, or those of `ids`, in the order they were inserted in; InputRefused for damage."""
        columns = ", ".join(f"coalesce({name}, '')" for name in FIELD_NAMES)
        where, given = self._among(ids)
        rows = self._rows(f"select {columns} from {schema.TABLE} {where} order by rowid", given)
        yield from map(self._pseudonyms.restored, map(Movement._make, rows))

    def tenures(
        self, members: Iterable[str] | None = None, movements: Iterable[str] = ()
    ) -> Iterator[Tenure]:
        """The published stays, or those of members and those that movements begin or end; InputRefused for damage."""
        columns = ", ".join(f"coalesce({name}, '')" for name in Tenure._fields)
        where, given = self._among(None)
        if members is not None:
            _, (ends,) = self._among(movements)
            where, given = _OF_SOME, (json.dumps([*members]), ends, ends)
        rows = self._rows(f"select {columns} from {schema.TENURES} {where} order by rowid", given)
        yield from map(self._restored, map(Tenure._make, rows))

    def named(self) -> Iterator[Movement | Tenure]:
        """The movements and stays that are published with a name; InputRefused for damage."""
        yield from filter(is_named, self.movements())
        yield from filter(is_named, self.tenures())

    def _restored(self, tenure: Tenure) -> Tenure:
        internal = self._pseudonyms.internal
        return self._pseudonyms.restored(tenure)._replace(
            mouvement_debut=internal(tenure.mouvement_debut),
            mouvement_fin=internal(tenure.mouvement_fin),
        )

    def unended(self, chambers: Iterable[str]) -> list[str]:
        """The published identifiers of the stays of chambers that go on; InputRefused for damage."""
        sql = f"select id from {schema.TENURES} where fin is null and chambre in ({_GIVEN})"
        return [id for (id,) in self._rows(sql, (json.dumps([*chambers]),))]

    def employers(self, without: Iterable[str] = ()) -> set[tuple[MemberKey, str]]:
        """The members whose staff is published, each with each group of a stay; InputRefused for damage.

        `without` are published identifiers of stays that do not count.
        """
        # In the order of an index, each row would be looked up alone.
        sql = (
            f"select distinct chambre, elu_id, coalesce(elu_groupe, '') from {schema.TENURES}"
            f" not indexed where id not in ({_GIVEN})"
        )
        found = self._rows(sql, (json.dumps([*without]),))
        return {((chamber, member), group) for chamber, member, group in found}

    def nameless(self) -> set[str]:
        """The identifiers of the movements and stays whose name is withheld; InputRefused for damage."""
        sql = " union all ".join(
            f"select id from {table} where collab_nom is null and collab_prenom is null"
            for table in (schema.TABLE, schema.TENURES)
        )
        return {self._pseudonyms.internal(id) for (id,) in self._rows(sql)}

    def named_among(self, ids: Iterable[str]) -> set[str]:
        """Those of the identifiers whose movement or stay has a name; InputRefused for damage."""
        where, given = self._among(ids)
        sql = " union all ".join(
            f"select id from {table} {where} and coalesce(collab_nom, collab_prenom) is not null"
            for table in (schema.TABLE, schema.TENURES)
        )
        return {self._pseudonyms.internal(id) for (id,) in self._rows(sql, given * 2)}

    def identifiers(self) -> set[str]:
        """The identifiers of the published movements; InputRefused for damage."""
        return {id for id, _ in self.public_identifiers()}

    def public_identifiers(self, ids: Iterable[str] | None = None) -> Iterator[tuple[str, str]]:
        """The identifiers of the movements, or those of `ids`, each with the published one; InputRefused for damage."""
        where, given = self._among(ids)
        for (id,) in self._rows(f"select id from {schema.TABLE} {where}", given):
            yield self._pseudonyms.internal(id), id

    def _among(self, ids: Iterable[str] | None) -> tuple[str, tuple[str, ...]]:
        """The condition that a row has one of the identifiers, and its parameter; none where none are given.

        A pseudonym may be known of a row that has its own identifier: a run may have been stopped as it lifted a mask.
        """
        if ids is None:
            return "", ()
        given = {*ids}
        both = given.union(map(self._pseudonyms.public, given))
        return f"where id in ({_GIVEN})", (json.dumps([*both]),)

    def _rows(self, sql: str, parameters: Sequence[str] = ()) -> Iterator[Row]:
        if self.publication:
            with self._reading() as db:
                yield from db.execute(sql, parameters)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        try:
            with system_errors(self.path), closing(connect_read_only(self.path)) as db:
                yield db
        except sqlite3.DatabaseError as error:
            raise self._unusable(str(error)) from error
