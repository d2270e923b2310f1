"""The file that stands, which the next one goes on from, and what a build must not lose of it."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import PARIS
from parlement_lists.sources import kept_list
from parlement_lists.tracking.corrections import Corrections
from parlement_lists.tracking.report import Report

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


class Standing:
    """A movements file as it stands; empty where there is none.

    Raises InputRefused for a file that is damaged, made by a version that cannot be gone on from, or no movements
    database, since what it says would be lost; OSError when it cannot be read.
    """

    def __init__(self, database: Path) -> None:
        self.path = database
        self.publication: dict[str, str] = {}
        self.lists: dict[str, Row] = {}
        self.withdrawn: dict[str, Row] = {}
        # Date, kind and reason of each correction.
        self.corrections: list[tuple[str, str, str]] = []
        # The chambers of which mandates are known.
        self.with_mandates: set[str] = set()
        self.ids: set[str] = set()
        # Those of movements that have a name.
        self.named: set[str] = set()
        if database.exists():
            try:
                with system_errors(database), closing(connect_read_only(database)) as db:
                    self._read(db)
            except sqlite3.DatabaseError as error:
                raise self._unusable(str(error)) from error

    def _read(self, db: sqlite3.Connection) -> None:
        tables = {name for (name,) in db.execute("select name from sqlite_master")}
        if "_publication" not in tables:
            raise self._unusable("no table _publication")
        self.publication = dict(db.execute("select cle, valeur from _publication"))
        self._look_at_version(tables)
        lists = db.execute("select nom, chambre, date, statut, motif from listes")
        self.lists = {row[0]: row for row in lists}
        rows = db.execute("select id, date, raison from retraits")
        self.withdrawn = {row[0]: row for row in rows}
        self.corrections = list(
            db.execute("select date, genre, raison from corrections order by numero")
        )
        mandates = db.execute(f"select distinct chambre from {schema.MANDATES}")
        self.with_mandates = {chamber for (chamber,) in mandates}
        for id, named in db.execute(
            f"select id, coalesce(collab_nom, collab_prenom) is not null from {schema.TABLE}"
        ):
            self.ids.add(id)
            if named:
                self.named.add(id)

    def _look_at_version(self, tables: set[str]) -> None:
        """Accept a file of this schema and those it can go on from; refuse others, and a file that lacks a table."""
        version, own = self.publication.get("schema", ""), schema.SCHEMA_VERSION
        if not version.isdecimal() or schema.TABLE not in tables:
            raise self._unusable(f"schema version {version!r}")
        if int(version) > own:
            raise InputRefused(
                [
                    f"{self.path}: made by a newer version of this package (schema {version}, this one"
                    f" reads {own}): use that one"
                ]
            )
        if int(version) < OLDEST_SCHEMA:
            raise InputRefused(
                [
                    f"{self.path}: made by an older version of this package (schema {version}, this one"
                    f" reads {own}): move it away, and {BUILT_ANEW}"
                ]
            )
        needed = ("listes", "retraits", "corrections", schema.MANDATES, *schema.FEED_TABLES)
        if missing := sorted(set(needed) - tables):
            raise self._unusable(f"no table {', '.join(missing)}")

    def _unusable(self, why: str) -> InputRefused:
        return InputRefused(
            [
                f"{self.path}: not a movements database, or a damaged one ({why}): restore a copy of it, or"
                " move it away and build again from every list, with the same --corrections"
            ]
        )

    @property
    def invented(self) -> bool:
        """Whether its people are invented."""
        return schema.INVENTED in self.publication

    def refuse_dropped_corrections(self, corrections: Corrections | None, invented: bool) -> None:
        """Raises InputRefused where it was made with corrections and none are given.

        Without them a name once masked would be published again.
        """
        if not self.corrections or self.invented != invented:
            return
        if corrections is None:
            raise InputRefused(
                [
                    f"{self.path} was made with corrections: give --corrections with the file of before, or names"
                    " that it withholds would be published again"
                ]
            )

    def refuse_lost_chambers(self, report: Report, accepted: Collection[str]) -> None:
        """Raises InputRefused where no list can be used: none at all, or none of a chamber that had one.

        All movements that came of that chamber's lists would be withdrawn.
        """
        had = {chamber for _, chamber, _, status, _ in self.lists.values() if status != "refusee"}
        lost = sorted(had.intersection(r.chamber for r in report.records) - set(accepted))
        if lost:
            sentences = [
                f"{chamber}: no list is accepted any more, and there were some" for chamber in lost
            ]
            raise InputRefused(report.refusals(lost) + sentences)
        if not accepted:
            raise InputRefused(report.refusals())

    def refuse_lost_members(self, chambers: Collection[str]) -> None:
        """Raises InputRefused where mandates of a chamber were known, and none are given.

        Groups, contexts and ends of mandates would be lost with them; nothing of it is a movement.
        """
        if self.invented:
            return
        if lost := sorted(self.with_mandates - set(chambers)):
            raise InputRefused(
                [
                    f"{self.path}: no mandate of {', '.join(lost)} is given, and there were some: give --members;"
                    " at a morning run, restore the files of elus in the folder of lists"
                ]
            )

    def refuse_losses(
        self,
        ids: Collection[str],
        masked: Collection[str],
        corrections: Corrections,
        lists: Iterable[Row],
        now: datetime.datetime,
        allowed: int | None,
    ) -> None:
        """Raises InputRefused where a file would lose what nobody asked to be withdrawn.

        That is: more movements than a build may withdraw (`allowed`, where it is given), and a chamber's
        lists up to the last one, unless some may be withdrawn. `ids` are the movements of the next
        file, `masked` the identifiers that it withholds. Movements that corrections withdraw or mask
        are no losses, nor are invented ones, nor lists that corrections refuse or that are of a day to come
        because a clock was ahead.
        """
        if self.invented:
            return
        asked = {id for id, *_ in corrections.withdrawals()}
        lost = len(self.named - set(ids) - set(masked) - asked)
        total = len(self.ids)
        limit = max(WITHDRAWN_AT_MOST, total // WITHDRAWN_PART) if allowed is None else allowed
        faults = []
        if lost > limit:
            faults.append(
                f"{self.path}: {lost} of its {total} movements would be withdrawn, and this run may withdraw"
                f" {limit}: look at what was given. If it is meant: the same command with --withdraw {lost}"
            )
        if allowed is None:
            faults += [
                f"{self.path}: {chamber}: its lists reach to {had}, and would end"
                f" {f'on {has}' if has else 'altogether'}: give the later ones too. If it is meant: the same"
                f" command with --withdraw {lost}"
                for chamber, had, has in self.shortened(corrections, lists, now)
            ]
        if faults:
            raise InputRefused(faults)

    def shortened(
        self, corrections: Corrections, lists: Iterable[Row], now: datetime.datetime
    ) -> Iterator[tuple[str, str, str]]:
        """The chambers whose lists would end earlier: chamber, last day of now, last day of `lists` or ""."""
        standing = covered(
            row
            for name, row in self.lists.items()
            if not is_to_come(row[2], now) and corrections.take_verdict(name) != "refuser"
        )
        following = covered(lists)
        for chamber, coverage in standing.items():
            if following[chamber].last < coverage.last:
                yield chamber, coverage.last, following[chamber].last

    def tombstones(
        self, corrections: Corrections, ids: Collection[str], public: dict[str, str], today: str
    ) -> list[Row]:
        """The rows of `retraits`: identifiers that were published, or that a correction withdraws, and are gone.

        `ids` are the movements of the next file, `public` the pseudonyms of what is withheld: no tombstone
        that is new has an identifier made of a masked name that was never published.
        """
        rows: dict[str, Row] = {}
        for id, day, reason in corrections.withdrawals():
            own = public.get(id, id)
            known = self.ids | self.withdrawn.keys()
            shown = id if id in known and own not in known else own
            rows[shown] = shown, day, reason
        rows |= self.withdrawn
        for id in self.ids:
            rows.setdefault(id, (id, today, GONE))
        published = set(ids)
        return [rows[id] for id in sorted(rows) if id not in published]


def is_to_come(day: str, now: datetime.datetime) -> bool:
    """Whether a list's day shows that a clock was ahead."""
    return bool(day) and kept_list.is_to_come(
        datetime.date.fromisoformat(day), now.astimezone(PARIS).date()
    )
