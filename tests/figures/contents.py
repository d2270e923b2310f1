"""Figures of what lists, originals and members' files hold."""

from __future__ import annotations

import csv
import itertools
import json
import re
import sqlite3
import tarfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pypdfium2

from parlement_lists.movement import CHAMBERS
from parlement_lists.sources.europarl.page import read_page
from parlement_lists.sources.originals import Original, OriginalRefused
from parlement_lists.tracking.members.spans import FORMED_WITHIN, NO_GROUP_YET
from parlement_lists.tracking.reading.lists import List
from tests.building.real_file import real_file
from tests.tracking import windows
from tests.tracking.raw_lists import raw_lists, raw_rows
from tests.tracking.windows import DATA

from .figure import Values, figure
from .sequences import audit, of_chamber, paces

MOVEMENTS = "docs/explanation/movements.md"
SPECIFICATION = "docs/specification.md"
ORIGINALS = "docs/explanation/originals.md"
TRACKING = "plugins/parlement_lists/tracking"
BOUNDS = "plugins/parlement_lists/bounds.py"
SOURCES = "plugins/parlement_lists/sources"
Name = tuple[str, str]  # the words, the civility


@figure(
    (
        MOVEMENTS,
        "than *prénom* ({exchanged} lists of July 2017",
    )
)
def exchanged() -> Values:
    """Distinct values of `nom` and `prénom` a row, in lists of 2017 that read "Nom Prénom"."""
    right = list(raw_lists(DATA / "audit" / "an-noms-2017-fevrier.tar.xz"))
    # From the afternoon of the 22nd to the morning of the 28th.
    july = raw_lists(DATA / "audit" / "an-noms-2017.tar.xz")
    wrong = [one for one in july if "/2017-07-22T15" < one[0][9:] < "/2017-07-28T04"]
    found: Values = {"exchanged": len(wrong), "right": len(right)}
    for name, of in (("exchanged", wrong), ("right", right)):
        rows = [list(raw_rows(data)) for _, data in of]
        for column in ("family", "given"):
            shares = [len({getattr(row, column) for row in each}) / len(each) for each in rows]
            found[f"{name}_{column}"] = f"{sum(shares) / len(shares):.2f}"
    return found


@figure((MOVEMENTS, "says otherwise ({people} people by their words"))
def written_twice() -> Values:
    """Who stands in one list at one member under two names, all words of one in the other."""
    times: Counter[tuple[str, str]] = Counter()
    lists = {list_.sha256: list_ for chamber in CHAMBERS for list_ in of_chamber(chamber)}
    for path in sorted((DATA / "audit").glob("*.tar.xz")):
        lists |= {list_.sha256: list_ for list_ in audit(path.name.removesuffix(".tar.xz"))}
    for list_ in lists.values():
        of: dict[str, list[Name]] = defaultdict(list)
        for pair in list_.pairs.values():
            of[pair.member].append((pair.person, pair.civility))
        times.update((member, one) for member, there in of.items() for one in _within(tuple(there)))
    return {"people": len(times), "least": min(times.values()), "most": max(times.values())}


@cache  # most teams are those of the day before
def _within(names: tuple[Name, ...]) -> set[str]:
    """The names of a team of which another one has all words, and more."""
    split = [(name, set(name.split()), civility) for name, civility in names]
    return {
        name
        for name, words, civility in split
        for _, others, other in split
        if len(words) > 1 and words < others and len({civility, other} - {""}) < 2
    }


@figure(
    ("docs/explanation/what-may-be-said.md", "as only the Sénat does ({rows} rows of {pairs} pairs")
)
def leave() -> Values:
    """How many rows of lists say unpaid leave, and of how many pairs."""
    found = [p.key for list_ in of_chamber("senat") for p in list_.pairs.values() if p.leave]
    return {"rows": len(found), "pairs": len(set(found))}


@figure(
    (
        f"{SOURCES}/senat/__init__.py",
        "In {lists} lists of 2015 to 2023 from {least} (on the day of a renewal) to {most}",
    ),
)
def senators() -> Values:
    """How many senators a list names."""
    numbers = [len(list_.members) for list_ in of_chamber("senat")]
    return {"lists": len(numbers), "least": min(numbers), "most": max(numbers)}


@figure(
    (
        f"{TRACKING}/movements.py",
        "dissolution of 2024, {gone} of {all_} deputies had lost all staff",
    )
)
def dissolution() -> Values:
    """How many deputies have no staff in the list three days after the dissolution of 2024."""
    before, last = audit("an-derniere-2024")[-2:]
    gone = before.members.keys() - last.members.keys()
    return {"gone": len(gone), "all_": len(before.members)}


@figure(
    (
        f"{TRACKING}/movements.py",
        "follow the end of a mandate within {days} days, or once, for {people} people, after {least} to {most}",
    )
)
def lateness() -> Values:
    """How long after the end of a mandate lists drop the member: day by day, and in March 2018."""
    members = windows.known_members()

    def days(before: List, after: List, member: str) -> int:
        end = members.mandate_end(after.chamber, member, after.date)
        return (after.date - end).days if end else 0

    daily = (pace for pace in paces() if pace.days <= 3 and pace.after.chamber != "europarl")
    usual = [
        days(pace.before, pace.after, member)
        for pace in daily
        for member in pace.before.members.keys() - pace.after.members.keys()
    ]
    [(before, after)] = [
        two
        for two in itertools.pairwise(audit("an-tardif-2018"))
        if two[1].date == date(2018, 3, 14)
    ]
    lost = [key for key in before.pairs.keys() - after.pairs.keys() if key[0] not in after.members]
    late = [days(before, after, member) for member, _ in lost]
    late = [number for number in late if number]
    return {"days": max(usual), "people": len(late), "least": min(late), "most": max(late)}


@figure(
    (
        f"{TRACKING}/members/spans.py",
        "after {an_2017_days} and {an_2022_days} at the Assemblée (2017, 2022), {se_2014_days}, {se_2017_days}"
        " and {se_2020_days} at the Sénat (2014, 2017, 2020;",
    ),
    (
        f"{TRACKING}/members/spans.py",
        "{an_2017_share} and {an_2022_share} % (the files leave the groups of many former deputies open),"
        " {se_2014_share}, {se_2017_share} and {se_2020_share} % where half was renewed; on any other day of those months {other} at most",
    ),
)
def groups_formed() -> Values:
    """How many groups of members begin on the day of most after a renewal; of those who then have one."""
    found: Values = {}
    other = 0
    days = ("2017-06-21", "2022-06-22"), ("2014-10-01", "2017-10-02", "2020-10-01")
    for (name, chamber), renewals in zip((("an", "assemblee"), ("se", "senat")), days, strict=True):
        own = [row for row in _csv("elus/groupes.csv") if row["chambre"] == chamber]
        for renewal in renewals:
            until = (date.fromisoformat(renewal) + FORMED_WITHIN).isoformat()
            some = [row for row in own if row["groupe"] not in NO_GROUP_YET]
            begun = Counter(row["depuis"] for row in some if renewal <= row["depuis"] <= until)
            (day, number), *others = begun.most_common(2)
            other = max([other, *(times for _, times in others)])
            there = {row["elu_id"] for row in own if row["depuis"] <= day <= (row["jusqua"] or day)}
            year = f"{name}_{renewal[:4]}"
            found[year] = number
            found[f"{year}_days"] = (date.fromisoformat(day) - date.fromisoformat(renewal)).days
            found[f"{year}_share"] = f"{100 * number / len(there):.0f}"
    return found | {"other": other}


def _csv(path: str) -> list[dict[str, str]]:
    with (DATA / path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@figure((MOVEMENTS, "({without} of {all_} movements of the monthly lists"))
def european_groups() -> Values:
    """How many movements of the European Parliament's monthly lists have no group."""
    movements = windows.followed("ep-mensuel").movements
    return {"without": sum(not one.elu_groupe for one in movements), "all_": len(movements)}


@figure((MOVEMENTS, "they agree, new family names ({people} in {windows} windows"))
def new_names() -> Values:
    """How many people have a new family name in the windows that the reference program was run over."""
    found = [windows.renamed(windows.followed(name)) for name in windows.REFERENCE]
    return {"people": sum(found), "windows": sum(map(bool, found))}


@figure(
    (
        BOUNDS,
        "a family or given name has up to {name} letters, a function {function}. A list has up to {rows}"
        " rows, {staff} staff of one member",
    )
)
def most_in_a_list() -> Values:
    """The greatest of what a list may have: each list is read with the bounds, and one over them would be refused."""
    lists = [list_ for chamber in CHAMBERS for list_ in of_chamber(chamber)]
    pairs = {pair for list_ in lists for pair in list_.pairs.values()}
    return {
        "name": max(max(len(pair.family), len(pair.given)) for pair in pairs),
        "function": max(len(pair.role) for pair in pairs),
        "rows": max(list_.rows for list_ in lists),
        "staff": max(max(Counter(m for m, _ in list_.pairs).values()) for list_ in lists),
    }


@figure((BOUNDS, "Real lists have up to {kilobytes} kB"))
def list_size() -> Values:
    """How large a list is, unpacked."""
    return {"kilobytes": max(int(row["octets"]) for row in _csv("manifest.csv")) // 1000}


@figure(
    (
        f"{SOURCES}/europarl/meps.py",
        "of {least} to {most} members, {soon} left within days, and {later} within {days}",
    ),
)
def members_left() -> Values:
    """How many members of the European Parliament a list lacks that the one before has, in a short step."""
    european = [pace for pace in paces() if pace.after.chamber == "europarl" and not pace.renewal]
    gone = [(len(p.before.members.keys() - p.after.members.keys()), p.days) for p in european]
    numbers = [len(list_.members) for list_ in of_chamber("europarl")]
    later, days = max((number, days) for number, days in gone if days <= 30)
    soon = max(number for number, days in gone if days <= 10)
    return {"least": min(numbers), "most": max(numbers), "soon": soon, "later": later, "days": days}


@figure(
    (f"{SOURCES}/senat/pdf.py", "So it is in {pages} pages of 2015 to 2023"),
    (
        BOUNDS,
        "{files} real PDFs have {least} to {most} pages, of {objects} objects and {characters} characters at most",
    ),
    (
        BOUNDS,
        "{files} real PDFs have up to {stream} kB in a stream, fonts among them, and {all_} kB in all",
    ),
    (BOUNDS, "They have up to {streams} streams"),
    (ORIGINALS, "{nights} nights of 2015 to 2023, read so"),
)
def senate_pdfs() -> Values:
    """How long the Sénat's PDFs are, and what a page holds."""
    paths = sorted((DATA / "sources" / "senat" / "pdf").glob("*.pdf"))
    pages, objects, characters = [], [0], [0]
    for path in paths:
        with pypdfium2.PdfDocument(path) as document:
            pages.append(len(document))
            for page in document:
                objects.append(sum(1 for _ in page.get_objects()))
                characters.append(page.get_textpage().count_chars())
    streams = [list(_streams(path.read_bytes())) for path in paths]
    return {
        "files": len(paths),
        "nights": len(paths) // 2,
        "pages": sum(pages),
        "least": min(pages),
        "most": max(pages),
        "objects": max(objects),
        "characters": max(characters),
        "streams": max(map(len, streams)),
        "stream": f"{max(map(max, streams)) / 1000:.0f}",
        "all_": f"{max(map(sum, streams)) / 1000:.0f}",
    }


def _streams(body: bytes) -> Iterator[int]:
    """The bytes that each stream of a PDF unpacks to."""
    for begin in re.finditer(rb"(?<!end)stream\r?\n?", body):
        packed = body[begin.end() : body.index(b"endstream", begin.end())]
        try:
            yield len(zlib.decompressobj().decompress(packed))
        except zlib.error:
            yield len(packed)


@figure(
    (
        BOUNDS,
        "The largest of {pages} real pages has {most} bytes and {tags} tags",
    ),
    (
        f"{SOURCES}/europarl/__init__.py",
        "of {pages} pages each was of its day, or of the day before",
    ),
)
def european_pages() -> Values:
    """How large the pages of members are; None of them if one is older than the day before it was received."""
    originals = _unpacked("sources/europarl/pages.tar.xz")
    made = [_made(Original(name, body)) for name, body in originals.items()]
    days = (date.fromisoformat(f"{n[:4]}-{n[4:6]}-{n[6:8]}") for n in originals)
    old = [
        d
        for d, of in zip(days, made, strict=True)
        if of and not timedelta() <= d - of <= timedelta(1)
    ]
    return {
        "pages": None if old else len(originals),
        "most": max(map(len, originals.values())),
        "tags": max(body.count(b"<") for body in originals.values()),
    }


def _made(original: Original) -> date | None:
    try:
        return read_page(original).made
    except OriginalRefused:
        return None


def _unpacked(path: str) -> dict[str, bytes]:
    with tarfile.open(DATA / path) as archive:
        files = ((entry.name, archive.extractfile(entry)) for entry in archive)
        return {Path(name).name: file.read() for name, file in files if file}


@figure(
    (BOUNDS, "The most under one mandate was {staff}"),
    (
        BOUNDS,
        "file of a person had {largest} MB, the {files} of a day together {all_} MB",
    ),
)
def deputies_files() -> Values:
    """How large the Assemblée's files of one day are, and how many staff one mandate has."""
    files = _unpacked("sources/assemblee/acteurs-2022-01-30.tar.xz").values()
    staff = [
        len(_each((mandate.get("collaborateurs") or {}).get("collaborateur")))
        for body in files
        for mandate in _each((json.loads(body)["acteur"].get("mandats") or {}).get("mandat"))
    ]
    return {
        "files": len(files),
        "staff": max(staff),
        "largest": f"{max(map(len, files)) / 1e6:.2f}",
        "all_": f"{sum(map(len, files)) / 1e6:.0f}",
    }


def _each(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if value else []


@figure((SPECIFICATION, "of {movements} movements of real lists {share} % are part of a return"))
def returned() -> Values:
    """How many movements end a stay that is followed by another with the member, or begin that other one."""
    with closing(sqlite3.connect(real_file())) as db:
        (movements,) = db.execute("select count(*) from mouvements").fetchone()
        lines = db.execute("select json from _lignes_collaborations").fetchall()
    stays = [json.loads(line) for (line,) in lines]
    by_id = {stay["id"]: stay for stay in stays}
    part = {
        movement
        for stay in stays
        if (before := by_id.get(stay.get("retour_de", "")))
        for movement in (stay.get("mouvement_debut"), before.get("mouvement_fin"))
        if movement
    }
    return {"movements": movements, "share": f"{100 * len(part) / movements:.1f}"}
