"""How far a movements file reaches: the last list of each chamber that it was made from."""

from __future__ import annotations

import datetime
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from datasette.utils.sqlite import sqlite3

from ..movement import CHAMBERS


class Coverage(NamedTuple):
    """The lists of one chamber, as far as they tell how fresh its movements are; "" where there is none."""

    last: str  # the day of the last list that was accepted
    refused_since: str  # the day of the first one after it that was refused

    def age(self, today: datetime.date) -> int | None:
        """Days since the last list that was accepted; None without one."""
        return (today - datetime.date.fromisoformat(self.last)).days if self.last else None

    def late(self, today: datetime.date, most_days: int) -> bool:
        """Whether that list is older than `most_days`; a file made without lists is never late."""
        age = self.age(today)
        return age is not None and age > most_days


def coverage(database: Path) -> dict[str, Coverage]:
    """The coverage of every chamber by a movements file that nobody changes; sqlite3.Error if it is none."""
    # By name: `senat/2026-09-12T0146` says the time of day too.
    sql = """
        select l.chambre, max(l.date) filter (where l.statut <> 'refusee'),
            min(l.date) filter (where l.nom > a.nom)
        from listes l join (
            select chambre, coalesce(max(nom) filter (where statut <> 'refusee'), '') as nom
            from listes group by chambre
        ) a on a.chambre = l.chambre
        group by l.chambre
    """
    with closing(
        sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
    ) as db:
        found = {
            chamber: Coverage(last or "", since or "") for chamber, last, since in db.execute(sql)
        }
    return {chamber: found.get(chamber, Coverage("", "")) for chamber in CHAMBERS}
