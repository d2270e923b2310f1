"""What a movements database holds that the next one must not lose."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import FIELD_NAMES, Movement, identifier
from parlement_lists.tenure import Tenure
from parlement_lists.tenure import identifier as tenure_identifier
from parlement_lists.tracking.members.known_members import MemberKey

from ..dataset import schema
from ..dataset.check import open_read_only
from ..dataset.disk import system_errors
from ..dataset.input_files import InputRefused
from .pseudonyms import Pseudonyms, is_named

# A row of one of the tables beside the movements.
Row = tuple[Any, ...]
# The row of `_publication` that names the tracking state the database belongs to.
STATE_TOKEN = "suivi"
# That of how many files of movements it was built from, beside its lists.
FILES_GIVEN = "hors_listes"
# The schemas before this one whose files a run goes on over, and the tables that each lacks: it makes them.
_WITHOUT_FEED = "2"
_OF_GROUPS = {schema.MEMBERS, schema.GROUPS, schema.MEMBERSHIPS}
_LACKING = {
    "4": {schema.SPELLINGS},
    "3": {schema.SPELLINGS, *_OF_GROUPS},
    _WITHOUT_FEED: {schema.SPELLINGS, *_OF_GROUPS, schema.CHANGES, schema.RUNS},
}


class Published:
    """A movements database as it is now; empty where there is none.

    `outdated` says that an older version of this package made it: a build makes it anew and keeps what it
    says was withdrawn, nothing else can be done with it; but for the last versions before this one,
    whose files are `former`, lack some tables and are whole otherwise: the next run writes them anew. Of
    these, the older ones are `without_feed`. `members` are the rows of each table that a members
    folder filled. Identifiers are the internal ones of
    `pseudonyms`, but for those in `withdrawn`. Raises InputRefused for a file that is damaged, of a
    newer version or no movements database, since what it says would be lost; OSError when it cannot be
    read.
    """

    def __init__(self, database: Path, pseudonyms: Pseudonyms | None = None) -> None:
        self.path = database
        self._pseudonyms = pseudonyms or Pseudonyms()
        self.publication: dict[str, str] = {}
        self.lists: dict[str, Row] = {}
        self.members: dict[str, list[Row]] = {table: [] for table in schema.OF_MEMBERS}
        self.withdrawn: dict[str, Row] = {}
        self.corrections: list[tuple[str, str, str]] = []
        self.outdated = ""
        self.former = self.without_feed = False
        self._columns: set[str] = set()
        if database.exists():
            with self._reading() as db:
                self._read(db)

    def _read(self, db: sqlite3.Connection) -> None:
        tables = {name for (name,) in db.execute("select name from sqlite_master")}
        if "_publication" not in tables:
            raise self._unusable("no table _publication")
        self.publication = dict(db.execute("select cle, valeur from _publication"))
        self._look_at_version(tables)
        info = db.execute(f"pragma table_info({schema.TABLE})")
        self._columns = {column for _, column, *_ in info}
        if "listes" in tables:
            self.lists = {row[0]: row for row in db.execute("select * from listes")}
        if "retraits" in tables:
            self.withdrawn = {row[0]: row for row in db.execute("select * from retraits")}
        for table in tables.intersection(schema.OF_MEMBERS):
            self.members[table] = list(db.execute(f"select * from {table} order by rowid"))
        if "corrections" in tables:
            rows = db.execute("select date, genre, raison from corrections order by numero")
            self.corrections = list(rows)

    def _look_at_version(self, tables: set[str]) -> None:
        """Note an older version's file; refuse a newer one's, and one that lacks a table."""
        found, own = self.publication.get("schema", ""), schema.SCHEMA_VERSION
        self.former, self.without_feed = found in _LACKING, found == _WITHOUT_FEED
        missing = sorted(schema.TABLES.keys() - _LACKING.get(found, set()) - tables)
        if found == str(own) or self.former:
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
            self.outdated = (
                f"{self.path}: made by an older version of this package (schema {found}, this one"
                f" reads {own}): build it again from every one of its lists"
            )

    def _unusable(self, why: str) -> InputRefused:
        return InputRefused(
            [
                f"{self.path}: not a movements database, or a damaged one ({why}): restore a copy of"
                " it, or move it away and build it again"
            ]
        )

    @property
    def token(self) -> str:
        """What names its tracking state; "" where it has none."""
        return self.publication.get(STATE_TOKEN, "")

    @property
    def invented(self) -> bool:
        """Whether its people are invented."""
        return schema.INVENTED in self.publication

    @property
    def has_masks(self) -> bool:
        """Whether a correction withholds names in it."""
        return any(kind == "masquer" for _, kind, _ in self.corrections)

    def refuse_outdated(self) -> None:
        """Raises InputRefused for the file of an older version."""
        if self.outdated:
            raise InputRefused([self.outdated])

    def movements(self) -> Iterator[Movement]:
        """The published movements, in the order they were inserted in; InputRefused for damage."""
        columns = ", ".join(
            f"coalesce({name}, '')" if name in self._columns else "''" for name in FIELD_NAMES
        )
        rows = self._rows(f"select {columns} from {schema.TABLE} order by rowid")
        yield from map(self._pseudonyms.restored, map(Movement._make, rows))

    def tenures(self) -> Iterator[Tenure]:
        """The published stays; none of an older version's file; InputRefused for damage."""
        if not self.outdated:
            columns = ", ".join(f"coalesce({name}, '')" for name in Tenure._fields)
            rows = self._rows(f"select {columns} from {schema.TENURES} order by rowid")
            yield from map(self._restored, map(Tenure._make, rows))

    def _restored(self, tenure: Tenure) -> Tenure:
        internal = self._pseudonyms.internal
        return self._pseudonyms.restored(tenure)._replace(
            mouvement_debut=internal(tenure.mouvement_debut),
            mouvement_fin=internal(tenure.mouvement_fin),
        )

    def employers(self) -> set[tuple[MemberKey, str]]:
        """The members whose staff is published, each with each group of a stay; InputRefused for damage."""
        sql = f"select distinct chambre, elu_id, coalesce(elu_groupe, '') from {schema.TENURES}"
        return {((chamber, member), group) for chamber, member, group in self._rows(sql)}

    def identifiers(self) -> set[str]:
        """The identifiers of the published movements; InputRefused for damage."""
        return set(self.public_identifiers())

    def public_identifiers(self) -> dict[str, str]:
        """The identifiers of the movements, each with the published one; InputRefused for damage."""
        ids = (id for (id,) in self._rows(f"select id from {schema.TABLE}"))
        return {self._pseudonyms.internal(id): id for id in ids}

    def left_over(self) -> Iterator[str]:
        """The identifiers made of withheld names, which the versions before this one left."""
        if (self.without_feed or self.outdated) and self.has_masks:
            for movement in self.movements():
                if not is_named(movement) and movement.id != identifier(movement):
                    yield movement.id
            for tenure in self.tenures():
                if not is_named(tenure) and tenure.id != _without_name(tenure):
                    yield tenure.id

    def _rows(self, sql: str) -> Iterator[Row]:
        if self.publication:
            with self._reading() as db:
                yield from db.execute(sql)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        try:
            with system_errors(self.path), closing(open_read_only(self.path)) as db:
                yield db
        except sqlite3.DatabaseError as error:
            raise self._unusable(str(error)) from error


def _without_name(tenure: Tenure) -> str:
    return tenure_identifier(tenure.chambre, tenure.elu_id, "", tenure.debut)
