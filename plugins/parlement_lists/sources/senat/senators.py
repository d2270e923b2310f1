"""The files of senators and their groups: who sits on a day, and since when if the files agree.

Those of data.senat.fr are lines that begin with `%`, then a CSV in Latin-1, read by column name.
"""

from __future__ import annotations

import datetime
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from ...csv_rows import read_rows
from ...movement import DAY, is_day, plain, shown
from ...regular_file import FilesError
from ...tracking.members.senate_groups import name_on, named
from ...tracking.members.spans import Span, merged
from ...tracking.reading.formats import is_member_id
from ...tracking.reading.names import is_broken, is_forbidden, is_no_name
from ..json_elements import parse
from ..originals import (
    ChamberMembers,
    MemberRecord,
    Original,
    OriginalRefused,
    list_some,
)
from .pdf import is_pdf

CHAMBER = ORIGIN = "senat"

# The Sénat has 348 seats; a few are empty at times, and half are new in a day, but never missing.
FEWEST, MOST = 300, 360
# Lists begin in 2015: a senator who left before the renewal of 2014 is in no list.
FIRST_DAY = datetime.date(2014, 10, 1)
_GOES_ON = "En Cours"
_NONE = ("", "AUCUN")
MANDATES = (
    "Matricule",
    "Qualité",
    "Nom usuel",
    "Prénom usuel",
    "Date de début de mandat",
    "Date de fin de mandat",
    "Motif fin de mandat",
)
GROUPS = (
    "Matricule",
    "Code du groupe politique",
    "Date de début d'appartenance",
    "Date de fin d'appartenance",
)
_ABOVE = re.compile(r"\A(?:%[^\n]*\n)*")
_TIME = re.compile(r"[ T]00:00(?::00(?:\.0+)?)?")


def _rows_of(original: Original, columns: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Each row's place, and its values by the given column names.

    Raises OriginalRefused for another file and a row of another width.
    """
    if not original.body.startswith(b"%"):
        raise original.refusal(f"begins {original.body[:20]!r}, not with %")
    above, table = _split(original)
    announced = re.search(r"^% *([0-9]+) ligne", above, re.MULTILINE)
    count = 0
    lines = above.count("\n")
    try:
        rows = read_rows(original.name, table, columns, alike=plain, above=lines, ended=True)
        for place, row in rows:
            values = {column: " ".join(text.split()) for column, text in row.items()}
            count += 1
            yield place, values
    except FilesError as error:
        raise OriginalRefused(str(error)) from error
    if announced and int(announced[1]) != count:
        raise original.refusal(f"{count} rows, {announced[1]} are announced")


def _read_span(place: str, first: str, last: str) -> list[datetime.date | None]:
    """The first and last day, `2011-10-01 00:00:00.0` or `2011/10/01 00:00:00`; None for nothing."""
    days: list[datetime.date | None] = []
    for text in (first, last):
        written = _TIME.sub("", text).replace("/", "-")
        if text and not is_day(written):
            raise OriginalRefused(f"{place}: {shown(text)} is not {DAY}")
        days.append(datetime.date.fromisoformat(written) if text else None)
    since, until = days
    if since and until and until < since:
        raise OriginalRefused(f"{place}: ends on {until}, before {since}")
    return days


def _split(original: Original) -> tuple[str, str]:
    """The lines above the table, and the table."""
    # cp1252 is Latin-1 but for control characters, which no name holds.
    text = original.body.decode("cp1252", errors="replace")
    table = _ABOVE.sub("", text, count=1)
    return text.removesuffix(table), table


def members_of(originals: Iterable[Original], day: datetime.date) -> ChamberMembers | None:
    """Who sits on a day, None without senateurs.json; raises OriginalRefused, also for an unknown file.

    The dates are those of ODSEN_ELUSEN and ODSEN_HISTOGROUPES, where they say the same of the day: ODSEN_ELUSEN
    has had no new mandate for years at a time. Of other senators what was known before goes on.
    """
    rosters, mandate_files, group_files = [], [], []
    for original in originals:
        if is_pdf(original):
            continue
        header = {plain(name) for name in _split(original)[1].partition("\n")[0].split(",")}
        if original.body.lstrip().startswith((b"[", b"{")):
            rosters.append(original)
        elif header.issuperset(map(plain, MANDATES)):
            mandate_files.append(original)
        elif header.issuperset(map(plain, GROUPS)):
            group_files.append(original)
        else:
            raise original.refusal(f"begins {original.body[:20]!r}: no PDF, no file of senators")
    if not rosters:
        return None
    roster = read_sitting(rosters[0], day)
    if not mandate_files or not group_files:
        return roster._replace(remarks=["no dates of mandates and groups"])
    mandates, groups = read_mandates(mandate_files[0]), read_groups(group_files[0])
    sitting = {member.id: member for member in roster.members}
    members, others, unlike = [], [], {}
    for id, member in {**mandates, **sitting}.items():
        of_groups = groups.get(id, [])
        begun = mandates[id].mandates if id in mandates else ()
        completed = _completed(begun, of_groups, id in sitting, day)
        if id not in sitting and all(span.until and span.until < FIRST_DAY for span in completed):
            continue
        grouped = [span for span in of_groups if span.value]
        dated = member._replace(mandates=completed, groups=grouped)
        if _agree(dated, sitting.get(id), day):
            members.append(dated)
        else:
            unlike[id] = f"{member.given} {member.family}"
            if id in sitting:
                members.append(sitting[id])
            else:
                others.append(dated)
    names = [unlike[id] for id in sorted(unlike)]
    remark = f"dates are not taken, they disagree on {len(names)}: {list_some(names, 5)}"
    return roster._replace(members=members, others=others, remarks=[remark] if unlike else [])


def read_sitting(original: Original, day: datetime.date) -> ChamberMembers:
    """The senators of senateurs.json, with the group of the day.

    Raises OriginalRefused, also for a number of senators that the Sénat cannot have.
    """
    names: dict[str, str] = {}
    members = []
    try:
        for item in parse(original.body).elements():
            id, *named = (
                item.child(name).text() for name in ("matricule", "nom", "prenom", "civilite")
            )
            group = item.child("groupe")
            code = group.child("code").text()
            # The name on the day of the group with the code.
            name = "" if code.upper() in _NONE else name_on(code, day)
            if name:
                names[name] = group.child("libelle").text().removeprefix("Groupe ")
            members.append(_member(f"{original.name}: {item.place}", id, named, name))
    except ValueError as error:
        raise original.refusal(str(error)) from error
    if not FEWEST <= len(members) <= MOST:
        raise original.refusal(f"{len(members)} senators, not {FEWEST} to {MOST}")
    ids = {member.id for member in members}
    if len(ids) < len(members):
        raise original.refusal(f"{len(members)} senators, {len(ids)} matricules")
    return ChamberMembers(members, True, ORIGIN, names)


def _member(place: str, id: str, named: Sequence[str], group: str = "") -> MemberRecord:
    family, given, civility = named
    full = f"{given} {family}"
    no_name = is_no_name(family) or not full.isprintable() or is_forbidden(full) or is_broken(full)
    for wrong, value, what in (
        (not is_member_id(CHAMBER, id), id, "matricule"),
        (no_name, full, "name"),
        (civility not in ("", "M.", "Mme", "Mlle"), civility, "civility"),
    ):
        if wrong:
            raise OriginalRefused(f"{place}: {shown(value)} is no {what}")
    return MemberRecord(id, family, given, "Mme" if civility == "Mlle" else civility, group)


def read_mandates(original: Original) -> dict[str, MemberRecord]:
    """Every senator's mandates as ODSEN_ELUSEN has them; raises OriginalRefused."""
    senators: dict[str, MemberRecord] = {}
    spans: dict[str, list[Span]] = defaultdict(list)
    for place, row in _rows_of(original, MANDATES):
        id, reason = row["Matricule"], row["Motif fin de mandat"]
        since, until = _read_span(
            place, row["Date de début de mandat"], row["Date de fin de mandat"]
        )
        if reason == _GOES_ON:
            until, reason = None, ""
        elif until is None and reason:
            raise OriginalRefused(f"{place}: ended ({shown(reason)}) without a day")
        named = row["Nom usuel"], row["Prénom usuel"], row["Qualité"]
        senators[id] = _member(place, id, named)
        if since:
            spans[id].append(Span(since, until, reason))
    return {id: member._replace(mandates=spans[id]) for id, member in senators.items()}


def read_groups(original: Original) -> dict[str, list[Span]]:
    """Every senator's groups as ODSEN_HISTOGROUPES has them, under the names of their time.

    The file repeats a membership for each office held in the group. Raises OriginalRefused.
    """
    periods: dict[str, set[Span]] = defaultdict(set)
    for place, row in _rows_of(original, GROUPS):
        since, until = _read_span(
            place, row["Date de début d'appartenance"], row["Date de fin d'appartenance"]
        )
        if since:
            # A membership is cut into the times that its group had one name.
            for span in named(Span(since, until, row["Code du groupe politique"])):
                group = "" if span.value.upper() in _NONE else span.value
                periods[row["Matricule"]].add(span._replace(value=group))
    return {id: sorted(spans, key=lambda p: p.since) for id, spans in periods.items()}


def _completed(
    mandates: Sequence[Span], groups: Sequence[Span], sits: bool, day: datetime.date
) -> list[Span]:
    """A senator's mandates; a missing day of the last mandate is taken from the groups.

    A senator is in a group, if only in AUCUN, from the first day of a mandate to the last.
    """
    completed = sorted(mandates, key=lambda p: p.since)
    stays = merged(groups)
    if sits and not any(p.covers(day) for p in completed):
        stay = next((stay for stay in stays if stay.covers(day)), None)
        if stay:
            ended = max((p.until for p in completed if p.until), default=None)
            since = max(stay.since, ended + datetime.timedelta(1)) if ended else stay.since
            completed.append(Span(since))
    if not sits and completed and completed[-1].until is None:
        ends = [s.until for s in stays if s.until and completed[-1].since <= s.until < day]
        if ends and stays[-1].until is not None:
            completed[-1] = completed[-1]._replace(until=max(ends))
    return completed


def _agree(dated: MemberRecord, sitting: MemberRecord | None, day: datetime.date) -> bool:
    """Whether a senator's dates and the list of who sits say the same of the day."""
    sits = any(span.covers(day) for span in dated.mandates)
    of_day = {span.value for span in dated.groups if span.covers(day)}
    grouped_alike = not sitting or not sitting.group or sitting.group in of_day
    return sits == (sitting is not None) and grouped_alike
