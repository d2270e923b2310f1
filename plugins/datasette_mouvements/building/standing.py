"""The file that stands, which the next one goes on from, and what a build must not lose of it."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import PARIS
from parlement_lists.sources import kept_list
from parlement_lists.tracking.corrections import Corrections

from ..dataset import schema
from ..dataset.connections import BUILT_ANEW, connect_read_only
from ..dataset.coverage import covered
from ..dataset.disk import system_errors
from ..dataset.input_files import InputRefused

# A row of a table beside the movements.
Row = tuple[Any, ...]
# The oldest schema whose feeds, lists and withdrawals are read as those of today.
OLDEST_SCHEMA = 7
# What a build may withdraw without being asked to: so many movements, or this part of the file's where that is more.
WITHDRAWN_AT_MOST, WITHDRAWN_PART = 50, 100
# The reason for a movement that no source has any more, and for one whose identifier changed: another reason
# would tell that its name was withheld.
GONE = "n’est plus publié"
# The row of `_publication` with the number of files of movements that it was built from, beside lists.
FILES_GIVEN = "hors_listes"


class Standing:
    """A movements file as it stands; empty where there is none.

    Raises InputRefused for a file that is damaged, made by a version that cannot be gone on from, or no movements
    database, since what it says would be lost; OSError when it cannot be read.
    """

    def __init__(self, database: Path) -> None:
        self.path = database
        self.invented = self.corrected = False
        # Whether it has movements of files, beside those of lists.
        self.with_files = False
        # Rows of `listes` and `retraits` by name and identifier.
        self.lists: dict[str, Row] = {}
        self.withdrawn: dict[str, Row] = {}
        # The chambers of which mandates are known.
        self.with_mandates: set[str] = set()
        # Identifier -> whether the movement has a name.
        self.movements: dict[str, bool] = {}
        if not database.exists():
            return
        try:
            with system_errors(database), closing(connect_read_only(database)) as db:
                self._read(db)
        except sqlite3.DatabaseError as error:
            raise InputRefused(
                f"{database}: not a movements database, or a damaged one ({error}): restore a copy of it, or"
                " move it away and build again from every list, with the same --corrections"
            ) from error

    def _read(self, db: sqlite3.Connection) -> None:
        publication = dict(db.execute("select cle, valeur from _publication"))
        version, own = publication.get("schema", ""), schema.SCHEMA_VERSION
        if not version.isdecimal():
            raise sqlite3.DatabaseError(f"schema version {version!r}")
        if not OLDEST_SCHEMA <= int(version) <= own:
            age, cure = "an older", f"move it away, and {BUILT_ANEW}"
            if int(version) > own:
                age, cure = "a newer", "use that one"
            raise InputRefused(
                f"{self.path}: made by {age} version of this package (schema {version}, this one reads {own}): {cure}"
            )
        # A build that reads only sound pages would go on from what is left of the others.
        (damage,) = db.execute("pragma quick_check(1)").fetchone()
        if damage != "ok":
            raise sqlite3.DatabaseError(damage.splitlines()[-1])
        if "lignee" not in publication:
            raise sqlite3.DatabaseError("its feed of changes has lost its name")
        self.invented = schema.INVENTED in publication
        self.with_files = publication.get(FILES_GIVEN, "0") != "0"
        self.corrected = db.execute("select 1 from corrections").fetchone() is not None
        lists = db.execute("select nom, chambre, date, statut, motif, sha256 from listes")
        self.lists = {row[0]: row for row in lists}
        withdrawn = db.execute("select id, date, raison from retraits")
        self.withdrawn = {row[0]: row for row in withdrawn}
        mandates = db.execute(f"select distinct chambre from {schema.MANDATES}")
        self.with_mandates = {chamber for (chamber,) in mandates}
        self.movements = dict(
            db.execute(
                f"select id, coalesce(collab_nom, collab_prenom) is not null from {schema.TABLE}"
            )
        )
        for table in schema.FEED_TABLES:  # one that is not there would begin anew
            db.execute(f"select 1 from {table}").fetchone()

    def losses(
        self,
        ids: Collection[str],
        tables: Mapping[str, list[Row]],
        corrections: Corrections,
        now: datetime.datetime,
        allowed: int | None,
    ) -> Iterator[str]:
        """What the next file would lose that nobody asked to be withdrawn, a sentence each.

        More movements than a build may withdraw: `allowed`, where it is given, and not one unasked where some are
        of files and it has none; and, unless some are allowed, a chamber's lists up to the last one, or all its
        mandates. `ids` are the identifiers that the next file has or withholds, `tables` its rows. Movements that
        corrections withdraw or mask are no losses, nor are invented ones, nor lists that corrections refuse or that
        are of a day to come because a clock was ahead.
        """
        if self.invented:
            return
        named = {id for id, named in self.movements.items() if named}
        lost = len(named.difference(ids, (id for id, *_ in corrections.withdrawals())))
        total = len(self.movements)
        limit = max(WITHDRAWN_AT_MOST, total // WITHDRAWN_PART) if allowed is None else allowed
        advice = "look at what was given"
        if self.with_files and (FILES_GIVEN, "0") in tables["_publication"]:
            limit = allowed or 0
            advice = (
                "some are of files: give these to build with --movements, a morning run reads none"
            )
        if lost > limit:
            yield (
                f"{self.path}: {lost} of its {total} movements would be withdrawn, and this run may withdraw"
                f" {limit}: {advice}. If it is meant: the same command with --withdraw {lost}"
            )
        if allowed is not None:
            return
        today = now.astimezone(PARIS).date()
        refused = {entry.value for entry in corrections.entries if entry.kind == "refuser"}
        standing = covered(
            row
            for name, row in self.lists.items()
            if name not in refused
            and not kept_list.is_to_come(datetime.date.fromisoformat(row[2]), today)
        )
        following = covered(tables["listes"])
        for chamber, coverage in standing.items():
            if (last := following[chamber].last) < coverage.last:
                yield (
                    f"{self.path}: {chamber}: its lists reach to {coverage.last}, and would end"
                    f" {f'on {last}' if last else 'altogether'}: give the later ones too. If it is meant: the"
                    f" same command with --withdraw {lost}"
                )
        if gone := sorted(self.with_mandates.difference(row[0] for row in tables[schema.MANDATES])):
            yield (
                f"{self.path}: no mandate of {', '.join(gone)} is given, and there were some: give --members;"
                " at a morning run, restore the files of elus in the folder of lists"
            )

    def tombstones(
        self, corrections: Corrections, ids: Collection[str], public: dict[str, str], today: str
    ) -> list[Row]:
        """The rows of `retraits`: identifiers that were published, or that a correction withdraws, and are gone.

        `ids` are the movements of the next file, `public` the pseudonyms of what is withheld: no tombstone
        that is new has an identifier made of a masked name that was never published.
        """
        rows: dict[str, Row] = {id: (id, today, GONE) for id in self.movements}
        published = self.movements.keys() | self.withdrawn.keys()
        for id, day, reason in corrections.withdrawals():
            own = public.get(id, id)
            shown = id if id in published and own not in published else own
            rows[shown] = shown, day, reason
        rows |= self.withdrawn
        return [rows[id] for id in sorted(rows.keys() - ids)]
