"""Family and given names as published, beside the columns `nom` and `prénom` of the real lists.

Equal means: the published family name is the column `nom` in capitals, the published given name the
column `prénom` as it is written, letter by letter, accents and hyphens included; only runs of blanks
are one blank and asterisks none. In the five lists whose columns are exchanged it is the other way
round. A row whose two columns lack a word of the full name, or have one more, says less than the full
name: such rows are counted, and compared by nobody. The European lists have no such columns.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path

import pytest

from parlement_lists.movement import Movement
from parlement_lists.tenure import Tenure
from parlement_lists.tracking.track import Tracked
from tests.tracking.lists import tracked
from tests.tracking.raw_lists import RawRow, letters, raw_lists, raw_rows
from tests.tracking.windows import DATA, MISSING, lists_of

EXCHANGED = (
    *("assemblee/2017-07-22T150140", "assemblee/2017-07-25T031529", "assemblee/2017-07-26T031528"),
    *("assemblee/2017-07-27T031528", "assemblee/2017-07-28T031529"),
)
JULY = DATA / "audit" / "an-noms-2017.tar.xz"
FEBRUARY = DATA / "audit" / "an-noms-2017-fevrier.tar.xz"
ARCHIVES = (path for path in sorted(DATA.glob("a*/*.tar.xz")) if not path.name.startswith("ep-"))
SOURCES = [DATA, *ARCHIVES]

# A member, and the letters of a staff member's full name.
Who = tuple[str, str]
Named = dict[Who, set[tuple[str, str]]]
Day = tuple[str, str]  # with its chamber


def named(name: str, rows: Iterable[RawRow], wanted: Container[Who]) -> Named:
    """What a list's columns call those who are wanted; nothing for whom they do not name in full."""
    found: Named = defaultdict(set)
    for row in rows:
        if (who := (row.member, letters(row.full))) in wanted:
            split = (row.given, row.family) if name in EXCHANGED else (row.family, row.given)
            split = (split[0].upper(), split[1])
            found[who] |= {split} if row.names_all else set()
    return found


def who_of(row: Movement | Tenure) -> Who:
    return row.elu_id, letters(row.collab_nom + row.collab_prenom)


def run_over(source: Path, only: str = "") -> Tracked:
    """A run over all lists of a source, or over one of them alone, settled."""
    return tracked(file for file in lists_of(source) if only in ("", file.name))


def tenures(run: Tracked) -> list[Tenure]:
    """Every stay of the two chambers."""
    return [t for t in run.stays if t.chambre != "europarl"]


def published(run: Tracked) -> Iterator[tuple[str, str, Movement | Tenure]]:
    """The chamber, the day of the list that has the pair, and each movement and stay."""
    last_days = {}
    for tenure in tenures(run):
        last_days[tenure.mouvement_fin] = tenure.fin_apres
        yield tenure.chambre, tenure.fin_apres, tenure
    for movement in run.movements:
        if movement.chambre != "europarl":
            # Who leaves is not on the list of that day.
            day = last_days[movement.id] if movement.type == "depart" else movement.date_event
            yield movement.chambre, day, movement


def by_day(run: Tracked, source: Path, wanted: Mapping[Day, Container[Who]]) -> dict[Day, Named]:
    """What the accepted lists of each chamber and day call those who are wanted of it."""
    accepted = {r.name for r in run.report.records if r.status == "accepted"}
    found: dict[Day, Named] = defaultdict(lambda: defaultdict(set))
    for name, data in raw_lists(source):
        chamber, _, time = name.partition("/")
        day = chamber, time[:10]
        if name in accepted and day in wanted:
            for who, splits in named(name, raw_rows(data), wanted[day]).items():
                found[day][who] |= splits
    return found


@pytest.mark.skipif(not DATA.exists(), reason=MISSING)
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name.partition(".")[0])
def test_everybody_is_published_as_the_columns_of_the_list_have_them(source: Path) -> None:
    run = run_over(source)
    told = [((chamber, day), who_of(row), row) for chamber, day, row in published(run)]
    wanted: dict[Day, set[Who]] = defaultdict(set)
    for day, who, _ in told:
        wanted[day].add(who)
    lists = by_day(run, source, wanted)
    compared, unsaid, wrong = 0, set(), []
    for day, who, row in told:
        expected = lists[day][who]
        if not expected:
            unsaid.add(who)
            continue
        compared += 1
        family, given = row.collab_nom, row.collab_prenom
        # Exchanged in the list of the day, and put right by a later one.
        mended = (given.upper(), family.title()) in {(f.upper(), g.title()) for f, g in expected}
        if (family, given) not in expected and not mended:
            wrong.append((row.id, day))
    assert not wrong, f"{len(wrong)} of {compared} are named otherwise: {wrong[:5]}"
    assert compared > 500
    # The eight rows at hand whose columns lack a word stand in the lists of 2017.
    assert len(unsaid) <= (4 if source in (JULY, FEBRUARY) else 0)


@pytest.mark.skipif(not FEBRUARY.exists(), reason=MISSING)
@pytest.mark.parametrize(
    ("source", "name", "data"),
    [
        pytest.param(source, name, data, id=name)
        for source in (FEBRUARY, JULY)
        if source.exists()
        for name, data in raw_lists(source)
    ],
)
def test_each_list_of_2017_alone_names_everybody_as_its_columns(
    source: Path, name: str, data: bytes
) -> None:
    """Five of these lists have the columns exchanged, eleven only look so, nine are as all others."""
    found = tenures(run_over(source, only=name))
    expected = named(name, raw_rows(data), {who_of(tenure) for tenure in found})
    assert len(found) > 1000
    unsaid, wrong = 0, []
    for tenure in found:
        splits = expected[who_of(tenure)]
        unsaid += not splits
        if splits and (tenure.collab_nom, tenure.collab_prenom) not in splits:
            wrong.append(tenure.id)
    assert not wrong, f"{len(wrong)} of {len(found)} are named otherwise: {wrong[:5]}"
    assert unsaid <= 4
