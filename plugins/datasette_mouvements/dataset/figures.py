"""The tables `equipes` and `groupes`: each team and each group as of its chamber's last list, and who left in twelve months."""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from datasette.utils.sqlite import sqlite3

from parlement_lists.dates import in_french
from parlement_lists.tenure import Tenure
from parlement_lists.tracking.members.spans import NO_GROUP

from .coverage import Coverage, Gap, covered
from .mandates import MandateEnd, mandate_ends
from .schema import GROUP_FIGURES, GROUPS, MANDATES, MEMBER_LINES, TABLE, TEAMS, TENURES
from .turnover import ChamberFigures, NotGiven, Turnover, chamber_figures

TOO_FEW = "Moins de trois personnes."
GROUPS_UNKNOWN = "Le groupe de la plupart des membres n’est pas connu."
# Digits of a share: SQLite and Python write the same text of it.
DIGITS = 4
_STAY_COLUMNS = ", ".join(f"coalesce({name}, '')" for name in Tenure._fields)


def fill_figures(db: sqlite3.Connection) -> None:
    """Make the rows of `equipes`, in the order of names, and of `groupes`, by chamber and code.

    All tables but the feeds and the lines of stays are filled.
    """
    lists = covered(db.execute("select nom, chambre, date, statut, motif from listes"))
    teams: dict[int, tuple[Any, ...]] = {}
    figures = {}
    for chamber, of_chamber in lists.items():
        ends = _ends(db, chamber, of_chamber.last)
        figures[chamber] = _figures(db, chamber, of_chamber, ends)
        teams.update(_team_rows(db, chamber, of_chamber, ends, figures[chamber]))
    db.executemany(
        f"insert into {TEAMS} values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (teams[place] for place in sorted(teams)),
    )
    db.executemany(
        f"insert into {GROUP_FIGURES} values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        list(_group_rows(db, figures)),
    )


def _ends(db: sqlite3.Connection, chamber: str, last: str) -> dict[str, MandateEnd]:
    """Of each member whose mandate does not go on at the last list, how it stands then."""
    ends = mandate_ends(db, chamber, last).items()
    on_day = ((member, end.on(datetime.date.fromisoformat(last))) for member, end in ends)
    return {member: end for member, end in on_day if end}


def _figures(
    db: sqlite3.Connection, chamber: str, lists: Coverage, ends: Mapping[str, MandateEnd]
) -> ChamberFigures:
    """The figures of a chamber, its groups and its teams in the twelve months up to its last list."""
    since, until = lists.year
    stays = db.execute(
        f"""
        select {_STAY_COLUMNS} from {TENURES}
        where chambre = ? and (fin is null or fin >= ?) and debut <= ?
        """,
        [chamber, since, until],
    )
    with_member = db.execute(
        f"""
        select id from {TABLE}
        where chambre = ? and contexte = 'elu_sortant' and date_event >= ?
        """,
        [chamber, since],
    )
    return chamber_figures(
        map(Tenure._make, stays), lists, {id for (id,) in with_member}, ended=ends
    )


def _team_rows(
    db: sqlite3.Connection,
    chamber: str,
    lists: Coverage,
    ends: Mapping[str, MandateEnd],
    figures: ChamberFigures,
) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Each row of `equipes` of a chamber, with its place in the order of names."""
    last, (since, until) = lists.last, lists.year
    mandates: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for member, first_day, last_day in db.execute(
        f"select elu_id, debut, fin from {MANDATES} where chambre = ?", [chamber]
    ):
        mandates[member].append((first_day, last_day))
    teams = db.execute(
        f"""
        with team as (
          select elu_id, elu_cle, coalesce(elu_nom, elu_id) as elu_nom, elu_groupe, fin_apres,
            sum(debut <= :last and fin_apres >= :last) as listed,
            max(fin_apres || debut || coalesce(elu_groupe, ''))
          from {TENURES} where chambre = :chamber group by elu_id
        )
        select line.rowid, elu_id, elu_cle, elu_nom, elu_groupe, team.fin_apres, listed, groupe
        from {MEMBER_LINES} line join team using (elu_id) where line.chambre = :chamber
        """,
        {"chamber": chamber, "last": last},
    )
    for place, member, key, name, latest_group, latest_day, listed, group in teams:
        begun, over = _mandate(mandates[member], ends.get(member), last, listed, latest_day)
        # A stay of the last list has the group of its day.
        if over or listed:
            group = latest_group
        elif group == NO_GROUP:
            group = None
        office = figures.offices.get(member, figures.nobody)
        yield (
            place,
            (
                *(chamber, member, key, name, group or None),
                *(begun or None, over or None, 0 if over else listed),
                *(last or None, since or None, until or None),
                *_counted(office.turnover),
                office.presence.days if office.presence else None,
                _reason(office.turnover),
            ),
        )


def _mandate(
    mandates: list[tuple[str, str]], end: MandateEnd | None, last: str, listed: int, latest: str
) -> tuple[str, str]:
    """The first day of the mandate of the day of the last list, and up to when it is known, "" while it goes on.

    Whose staff is not listed, and of whom no mandate of that day is known, was known to sit up to the `latest`
    list that names somebody.
    """
    if not end:
        current = [day for day, until in mandates if day <= last and (not until or until >= last)]
        if current or listed:
            return max(current, default=""), ""
    over = end.until if end else latest
    return max((day for day, _ in mandates if day <= over), default=""), over


def _group_rows(
    db: sqlite3.Connection, figures: Mapping[str, ChamberFigures]
) -> Iterator[tuple[Any, ...]]:
    """Each row of `groupes`, by chamber and code."""
    groups = db.execute(
        f"""
        select g.chambre, g.code, g.nom, nullif(g.debut, ''), nullif(g.fin, ''),
          count(e.elu_id), coalesce(sum(e.presents), 0)
        from {GROUPS} g left join {TEAMS} e
          on e.chambre = g.chambre and e.elu_groupe = g.code and e.mandat_fin is null
        group by 1, 2 order by 1, 2
        """
    )
    for chamber, code, *counts in groups:
        of_chamber = figures[chamber]
        group = of_chamber.groups.get(code, of_chamber.nobody)
        yield (
            *(chamber, code, *counts, *_counted(group.turnover)),
            round(group.median.rate, DIGITS) if group.median else None,
            _reason(group.turnover) if of_chamber.grouped else GROUPS_UNKNOWN,
        )


def _counted(turnover: Turnover | NotGiven) -> tuple[int | None, int | None]:
    """Who worked there and who of them left; None where they are not counted."""
    if isinstance(turnover, Turnover):
        return turnover.people, turnover.left
    return None, None


def _reason(turnover: Turnover | NotGiven) -> str | None:
    """Why nobody is counted, in French; None where somebody is."""
    if isinstance(turnover, Turnover):
        return None
    return _without_list(turnover.gap) if turnover.gap else TOO_FEW


def _without_list(gap: Gap) -> str:
    if not gap.after:
        return "Pas de liste."
    if not gap.before:
        return f"Pas de liste avant le {in_french(gap.after)}."
    since = in_french(gap.since)
    if gap.since[:4] == gap.until[:4]:
        since = since.removesuffix(f" {gap.since[:4]}")
    return f"Pas de liste du {since} au {in_french(gap.until)}."
