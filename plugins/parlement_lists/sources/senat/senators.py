"""The senators and their groups, from the files of a day: who sits, and since when, where dates agree."""

from __future__ import annotations

import datetime
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ...movement import shown
from ...tracking.members.spans import Span, merged
from ...tracking.reading.names import is_broken, is_forbidden
from ..source import MemberRead, MembersRead, Original, OriginalRefused, Period
from . import groups, odsen

ORIGIN = "senat"
# The Sénat has 348 seats; a few are empty at times, and half are new in a day, but never missing.
FEWEST, MOST = 300, 360
# Lists begin in 2015: who left before the renewal of 2014 is in none.
FIRST_DAY = datetime.date(2014, 10, 1)
ONE_DAY = datetime.timedelta(1)
_GOES_ON = "En Cours"


class _Roster(NamedTuple):
    """Who sits on a day, with the group of the day, and full names of groups."""

    members: Sequence[MemberRead]
    group_names: Mapping[str, str]


def members_of(originals: Iterable[Original], day: datetime.date) -> MembersRead | None:
    """The senators of a day, None where no original says who sits; raises OriginalRefused.

    senateurs.json says who sits, else ODSEN_GENERAL. The dates of ODSEN_ELUSEN and ODSEN_HISTOGROUPES are
    taken when they say the same of the day: ODSEN_ELUSEN has had no new mandate for years at a time.
    """
    files = [original for original in originals if not original.body.startswith(b"%PDF")]
    roster, told = _roster(files, day), []
    if roster is None:
        return None
    ungrouped = sum(not member.group for member in roster.members)
    if ungrouped:
        told.append(f"{ungrouped} of {len(roster.members)} senators have no group yet")
    mandates, groups = _only(files, odsen.MANDATES), _only(files, odsen.GROUPS)
    dated = None
    if mandates and groups:
        dated = _dated(roster.members, read_mandates(mandates), read_groups(groups), day)
        if unlike := _unlike(roster.members, dated, day):
            told.append(f"dates are not taken, they disagree on {len(unlike)}: {_first(unlike)}")
            dated = None
    members = roster.members if dated is None else list(dated.values())
    return MembersRead(members, dated is not None, ORIGIN, roster.group_names, told)


def is_sitting(original: Original) -> bool:
    """Whether an original is senateurs.json, or an answer in its place: JSON."""
    return original.body.lstrip().startswith((b"[", b"{"))


def read_sitting(original: Original, day: datetime.date) -> _Roster:
    """The senators of senateurs.json; raises OriginalRefused."""
    try:
        found = json.loads(original.body)
    except (ValueError, RecursionError) as error:
        raise OriginalRefused(f"{original.name}: no JSON: {str(error)[:80]}") from error
    if not isinstance(found, list):
        raise OriginalRefused(f"{original.name}: {type(found).__name__}, not an array")
    names: dict[str, str] = {}
    members = [
        _senator(f"{original.name}: item {index}", item, day, names)
        for index, item in enumerate(found)
    ]
    return _Roster(_examined(original, members), names)


def read_general(original: Original) -> _Roster:
    """The senators whom ODSEN_GENERAL calls ACTIF; raises OriginalRefused."""
    members = [
        of_general(place, row)
        for place, row in odsen.rows(original, odsen.GENERAL)
        if row["État"] == "ACTIF"
    ]
    return _Roster(_examined(original, members), {})


def of_general(place: str, row: Mapping[str, str]) -> MemberRead:
    """The senator of a row of ODSEN_GENERAL; raises OriginalRefused."""
    named = (row["Nom usuel"], row["Prénom usuel"], row["Qualité"])
    return _member(place, row["Matricule"], named, groups.name_of_label(row["Groupe politique"]))


def read_mandates(original: Original) -> dict[str, MemberRead]:
    """Every senator's mandates as ODSEN_ELUSEN has them; raises OriginalRefused."""
    found: dict[str, MemberRead] = {}
    spans: dict[str, list[Period]] = defaultdict(list)
    for place, row in odsen.rows(original, odsen.MANDATES):
        id, reason = row["Matricule"], row["Motif fin de mandat"]
        since = odsen.day(place, row["Date de début de mandat"])
        until = odsen.day(place, row["Date de fin de mandat"])
        if reason == _GOES_ON:
            until, reason = None, ""
        elif until is None and reason:
            raise OriginalRefused(f"{place}: ended ({shown(reason)}) without a day")
        _examine_span(place, since, until)
        named = (row["Nom usuel"], row["Prénom usuel"], row["Qualité"])
        found[id] = _member(place, id, named, "")
        if since:
            spans[id].append(Period(since, until, reason=reason))
    return {id: member._replace(mandates=spans[id]) for id, member in found.items()}


def read_groups(original: Original) -> dict[str, list[Period]]:
    """Every senator's groups as ODSEN_HISTOGROUPES has them, under the names of their time.

    The file repeats a membership for each office held in the group. Raises OriginalRefused.
    """
    found: dict[str, set[Period]] = defaultdict(set)
    for place, row in odsen.rows(original, odsen.GROUPS):
        since = odsen.day(place, row["Date de début d'appartenance"])
        until = odsen.day(place, row["Date de fin d'appartenance"])
        _examine_span(place, since, until)
        if since:
            code = row["Code du groupe politique"]
            found[row["Matricule"]].update(groups.periods(code, since, until))
    return {id: sorted(spans, key=lambda p: p.since) for id, spans in found.items()}


def _roster(files: Sequence[Original], day: datetime.date) -> _Roster | None:
    sitting = [file for file in files if is_sitting(file)]
    if sitting:
        return read_sitting(sitting[0], day)
    general = _only(files, odsen.GENERAL)
    return read_general(general) if general else None


def _only(files: Iterable[Original], columns: Sequence[str]) -> Original | None:
    return next((file for file in files if odsen.is_of(file, columns)), None)


def _senator(place: str, item: Any, day: datetime.date, names: dict[str, str]) -> MemberRead:
    """One item of senateurs.json; the full name of its group goes into `names`."""
    group = item.get("groupe") if isinstance(item, dict) else None
    if not isinstance(item, dict) or not isinstance(group or {}, dict):
        raise OriginalRefused(f"{place}: no senator: {shown(item)}")
    id, family, given, civility = (
        _text(place, item, name) for name in ("matricule", "nom", "prenom", "civilite")
    )
    name = groups.name_on(_text(place, group, "code"), day) if group else ""
    if group and name:
        names[name] = _text(place, group, "libelle").removeprefix("Groupe ")
    return _member(place, id, (family, given, civility), name)


def _text(place: str, item: Mapping[str, Any], name: str) -> str:
    value = item.get(name) or ""
    if not isinstance(value, str):
        raise OriginalRefused(f"{place}: {name} is {shown(value)}")
    return " ".join(value.split())


def _member(place: str, id: str, named: tuple[str, str, str], group: str) -> MemberRead:
    family, given, civility = named
    full = f"{given} {family}"
    if not odsen.MATRICULE.fullmatch(id):
        raise OriginalRefused(f"{place}: {shown(id)} is no matricule")
    if not family or not full.isprintable() or is_forbidden(full) or is_broken(full):
        raise OriginalRefused(f"{place}: {shown(full)} is no name")
    if civility not in ("", "M.", "Mme", "Mlle"):
        raise OriginalRefused(f"{place}: {shown(civility)} is no civility")
    if not group.isprintable():
        raise OriginalRefused(f"{place}: {shown(group)} is no group")
    return MemberRead(id, family, given, "Mme" if civility == "Mlle" else civility, group)


def _examined(original: Original, members: Sequence[MemberRead]) -> Sequence[MemberRead]:
    if not FEWEST <= len(members) <= MOST:
        raise OriginalRefused(f"{original.name}: {len(members)} senators, not {FEWEST} to {MOST}")
    ids = {member.id for member in members}
    if len(ids) < len(members):
        raise OriginalRefused(f"{original.name}: {len(members)} senators, {len(ids)} matricules")
    return members


def _examine_span(place: str, since: datetime.date | None, until: datetime.date | None) -> None:
    if since and until and until < since:
        raise OriginalRefused(f"{place}: ends on {until}, before {since}")


def _dated(
    sitting: Sequence[MemberRead],
    mandates: Mapping[str, MemberRead],
    groups: Mapping[str, Sequence[Period]],
    day: datetime.date,
) -> dict[str, MemberRead]:
    """Every senator since FIRST_DAY, with mandates that the memberships of groups complete."""
    found = {member.id: member for member in sitting}
    known = {**mandates, **found}
    dated = {}
    for id, member in known.items():
        spans = groups.get(id, ())
        begun = mandates[id].mandates if id in mandates else ()
        completed = _completed(begun, spans, id in found, day)
        grouped = [period for period in spans if period.group]
        if any(p.until is None or p.until >= FIRST_DAY for p in completed) or id in found:
            dated[id] = member._replace(mandates=completed, groups=grouped)
    return dated


def _completed(
    mandates: Sequence[Period], groups: Sequence[Period], sits: bool, day: datetime.date
) -> list[Period]:
    """A senator's mandates; what is missing of the last one is taken from the groups.

    A senator is in a group, if only in AUCUN, from the first day of a mandate to the last.
    """
    found = sorted(mandates, key=lambda p: p.since)
    stays = merged(Span(p.since, p.until) for p in groups)
    if sits and not any(_covers(p, day) for p in found):
        stay = next((stay for stay in stays if stay.covers(day)), None)
        if stay:
            ended = max((p.until for p in found if p.until), default=None)
            since = max(stay.since, ended + ONE_DAY) if ended else stay.since
            found.append(Period(since))
    if not sits and found and found[-1].until is None:
        ends = [s.until for s in stays if s.until and found[-1].since <= s.until < day]
        if ends and stays[-1].until is not None:
            found[-1] = found[-1]._replace(until=max(ends))
    return found


def _unlike(
    sitting: Sequence[MemberRead], dated: Mapping[str, MemberRead], day: datetime.date
) -> list[str]:
    """Those of whom the dates say something else of the day than the list of who sits."""
    found = []
    groups = {member.id: member.group for member in sitting}
    for id, member in dated.items():
        sits = any(_covers(period, day) for period in member.mandates)
        of_day = {period.group for period in member.groups if _covers(period, day)}
        other = id in groups and groups[id] and groups[id] not in of_day
        if sits != (id in groups) or other:
            found.append(f"{member.given} {member.family}")
    return found


def _covers(period: Period, day: datetime.date) -> bool:
    return period.since <= day and (period.until is None or day <= period.until)


def _first(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
