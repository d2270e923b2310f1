"""Stays: on any day that has a list, those that cover it are its pairs; movements begin and end them."""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from datasette_mouvements.cli import mouvements
from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.updating.published import Published
from parlement_lists.movement import words
from parlement_lists.tenure import Tenure
from parlement_lists.tracking.corrections import Corrections, Entry
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.run import Run
from parlement_lists.tracking.state import TrackingState
from tests.tracking import lists
from tests.tracking.lists import AFTER, FAMILY, NAME, STAFF, list_file, member

SEVEN_DAYS = datetime.timedelta(7)
FIRST_DAY = datetime.date(2026, 1, 5)
# Each person's spellings: the usual one, one letter more, a second given name, a married name.
SPELLINGS = {
    "ada": ("Ada MOREAU", "Ada MOREAUX", "Ada Lise MOREAU", "Ada TILLIER"),
    "bo": ("Bo LENGLET", "Bo LENGLETT", "Bo Marc LENGLET", "Bo HURIEZ"),
    "cleo": ("Cleo VASSOR", "Cleo VASSORT", "Cleo Jane VASSOR", "Cleo DUMENIL"),
    "dan": ("Dan ROUVEROL", "Dan ROUVEROLE", "Dan Paul ROUVEROL", "Dan KESTELOOT"),
}
PERSON = {words(name): person for person, names in SPELLINGS.items() for name in names}
CORRECTIONS = {
    "none": None,
    "meme_personne": {"noms": [SPELLINGS["ada"][3], SPELLINGS["ada"][0]]},
    "deux_personnes": {"noms": [SPELLINGS["bo"][0], SPELLINGS["bo"][1]]},
    "homonymes": {"nom": SPELLINGS["cleo"][0], "elus": [member("senat", 2)]},
    "refuser": "senat/2026-01-12",
}
# At one member: the persons there, each under one of the spellings.
offices = st.dictionaries(st.sampled_from(sorted(SPELLINGS)), st.integers(0, 3), max_size=4)
# A list: how many days after the one before, and each member's office.
History = list[tuple[int, dict[int, dict[str, int]]]]


def histories(*gaps: int) -> st.SearchStrategy[History]:
    office = st.fixed_dictionaries({1: offices, 2: offices})
    return st.lists(st.tuples(st.sampled_from(gaps), office), min_size=1, max_size=9)


kinds = st.sampled_from(sorted(CORRECTIONS))
Pairs = set[tuple[str, str]]


class Read(NamedTuple):
    """What a run over a history found, and what its accepted lists say, in order: who is with whom."""

    tenures: list[Tenure]
    movements: dict[str, str]  # identifier -> type
    lists: dict[str, Pairs]  # DATEThhmm -> (member, person)
    names: dict[tuple[str, str], set[str]]  # (member, person) -> the names they had there

    def days(self) -> dict[str, str]:
        """Each day's last list."""
        return {moment[:10]: moment for moment in self.lists}


def corrections(kind: str) -> Corrections:
    value = CORRECTIONS[kind]
    return Corrections([] if value is None else [Entry(1, "2026-01-01", "Exemple", kind, value)])


def read(history: History, kind: str) -> Read:
    day = FIRST_DAY
    files = []
    said: dict[str, Pairs] = {}
    names: dict[tuple[str, str], set[str]] = defaultdict(set)
    for number, (gap, content) in enumerate([(0, {3: {"ada": 0}}), *history]):
        day += datetime.timedelta(gap)
        staff = {n: [SPELLINGS[p][s] for p, s in office.items()] for n, office in content.items()}
        files.append(list_file("senat", f"{day}T{number:04}", {9: ["Zia PRESENTE"], **staff}))
        said[files[-1].name] = set()
        for n, office in content.items():
            for person, spelling in office.items():
                said[files[-1].name].add((member("senat", n), person))
                names[member("senat", n), person].add(SPELLINGS[person][spelling])
    run = Run(TrackingState(), Members(), corrections(kind), "suivi")
    result = run.feed(files)
    accepted = [record.name for record in result.report.records if record.status == "accepted"]
    run.settle()
    tenures = result.ended | {t.id: t for t in run.state.chambers["senat"].tenures()}
    return Read(
        [t for t in tenures.values() if t.elu_id != member("senat", 9)],
        {m.id: m.type for m in result.added.values()},
        {name.removeprefix("senat/"): said[name] for name in accepted},
        names,
    )


def only_missing(lists: Mapping[str, Pairs], moment: str, pair: tuple[str, str]) -> bool:
    """Whether the pair, which a list lacks, is back at most seven days after it was first missing."""
    had = [other for other in lists if other < moment and pair in lists[other]]
    back = [other for other in lists if other > moment and pair in lists[other]]
    if not had or not back:
        return False
    first, again = min(other for other in lists if other > max(had)), min(back)
    days = datetime.date.fromisoformat(again[:10]) - datetime.date.fromisoformat(first[:10])
    return days <= SEVEN_DAYS


@settings(max_examples=200, deadline=None)
@given(histories(0, 1, 2, 3, 7, 8, 20, 45), kinds)
def test_the_stays_that_cover_a_day_are_its_lists_pairs(history: History, kind: str) -> None:
    """Respelled, married, shared, back after a while or missing for some days: each is there when listed."""
    found = read(history, kind)
    for day, moment in found.days().items():
        covering = Counter(
            (t.elu_id, PERSON[words(t.collab_nom, t.collab_prenom)])
            for t in found.tenures
            if t.covers(day)
        )
        assert found.lists[moment] <= covering.keys()
        for pair in covering.keys() - found.lists[moment]:
            assert only_missing(found.lists, moment, pair)
        for pair, count in covering.items():
            assert count == 1 or len(found.names[pair]) > 1, "nobody is twice in an office"


@settings(max_examples=200, deadline=None)
@given(histories(1, 2, 3, 7, 8, 20, 45), kinds)
def test_movements_and_stays_correspond_one_to_one(history: History, kind: str) -> None:
    """With a list a day: the identifier of a movement does not tell two of one day apart."""
    found = read(history, kind)
    begun = Counter(t.mouvement_debut for t in found.tenures if t.mouvement_debut)
    ended = Counter(t.mouvement_fin for t in found.tenures if t.mouvement_fin)
    assert begun == Counter(id for id, type_ in found.movements.items() if type_ != "depart")
    assert ended == Counter(id for id, type_ in found.movements.items() if type_ != "arrivee")
    first, last = min(found.days()), max(found.days())
    for tenure in found.tenures:
        assert tenure.debut_apres <= tenure.debut <= tenure.fin_apres
        assert bool(tenure.mouvement_debut) == bool(tenure.debut_apres)
        assert tenure.debut_apres or tenure.debut == first
        assert bool(tenure.mouvement_fin) == bool(tenure.fin)
        assert tenure.fin >= tenure.fin_apres if tenure.fin else tenure.fin_apres == last
    assert len({tenure.id for tenure in found.tenures}) == len(found.tenures)


# By hand


def run(*arguments: object) -> Result:
    return CliRunner().invoke(mouvements, [str(argument) for argument in arguments])


def tenures_of(database: Path, name: str = NAME) -> list[tuple[str, ...]]:
    """When a person's stays began and ended, and the types of the movements that say so."""
    published = Published(database)
    types = {movement.id: movement.type for movement in published.movements()} | {"": ""}
    return sorted(
        (
            t.debut,
            t.debut_apres,
            t.fin,
            t.fin_apres,
            types[t.mouvement_debut],
            types[t.mouvement_fin],
        )
        for t in published.tenures()
        if words(t.collab_nom, t.collab_prenom) == words(name)
    )


def write(folder: Path, *days: tuple[str, lists.Staff]) -> Path:
    for day, staff in days:
        lists.write(folder, "senat", day, staff)
    return folder


def test_who_was_in_the_first_list_began_on_an_unknown_day(database: Path, folder: Path) -> None:
    assert run("build", database, "--lists", folder).exit_code == 0
    assert tenures_of(database) == [("2026-09-01", "", "2026-09-02", "2026-09-01", "", "depart")]
    assert tenures_of(database, STAFF[8][0]) == [("2026-09-01", "", "", "2026-09-12", "", "")]
    assert len(list(Published(database).tenures())) == sum(map(len, STAFF.values()))
    assert inspect(database) == []


def test_while_an_absence_is_not_decided_the_stay_goes_on(database: Path, tmp_path: Path) -> None:
    folder = write(tmp_path / "lists", ("2026-09-01", STAFF), ("2026-09-05", AFTER))
    run("track", database, "--lists", folder)
    assert tenures_of(database) == [("2026-09-01", "", "", "2026-09-01", "", "")]
    write(folder, ("2026-09-12", AFTER))
    run("track", database, "--lists", folder)
    assert tenures_of(database) == [("2026-09-01", "", "", "2026-09-01", "", "")]
    write(folder, ("2026-09-13", AFTER))
    run("track", database, "--lists", folder)
    assert tenures_of(database) == [("2026-09-01", "", "2026-09-05", "2026-09-01", "", "depart")]


def test_who_is_back_in_time_has_one_stay_also_where_a_build_had_settled_it(
    database: Path, tmp_path: Path
) -> None:
    folder = write(tmp_path / "lists", ("2026-09-01", STAFF), ("2026-09-05", AFTER))
    run("build", database, "--lists", folder)
    assert tenures_of(database) == [("2026-09-01", "", "2026-09-05", "2026-09-01", "", "depart")]
    write(folder, ("2026-09-12", STAFF))
    run("track", database, "--lists", folder)
    assert tenures_of(database) == [("2026-09-01", "", "", "2026-09-12", "", "")]
    assert inspect(database) == []


def test_a_stay_has_one_row_under_the_latest_name(database: Path, tmp_path: Path) -> None:
    married = {**STAFF, 7: [f"{NAME.split()[0]} BELLANGER", *STAFF[7][1:]]}
    folder = write(tmp_path / "lists", ("2026-09-01", STAFF), ("2026-09-05", married))
    run("build", database, "--lists", folder)
    assert tenures_of(database) == []
    (stay,) = tenures_of(database, married[7][0])
    assert stay == ("2026-09-01", "", "", "2026-09-05", "", "")
    assert Published(database).identifiers() == set()


def test_a_transfer_ends_a_stay_and_begins_one(database: Path, tmp_path: Path) -> None:
    moved = {**AFTER, 8: [*STAFF[8], NAME]}
    folder = write(tmp_path / "lists", ("2026-09-01", STAFF), ("2026-09-05", moved))
    assert run("build", database, "--lists", folder).exit_code == 0
    assert tenures_of(database) == [
        ("2026-09-01", "", "2026-09-05", "2026-09-01", "", "transfert"),
        ("2026-09-05", "2026-09-01", "", "2026-09-05", "transfert", ""),
    ]
    assert inspect(database) == []


def test_movements_of_a_file_make_no_stays(database: Path, tmp_path: Path) -> None:
    file = tmp_path / "m.ndjson"
    file.write_text(
        '{"date_event": "2020-01-01", "chambre": "senat", "type": "arrivee", "elu_id": "99001Z",'
        ' "collab_nom": "MOREAU", "collab_prenom": "Ada", "source": "archives", "confiance": "fort"}'
    )
    assert run("build", database, "--movements", file).exit_code == 0
    assert list(Published(database).tenures()) == []
    assert inspect(database) == []


def corrected(tmp_path: Path, *entries: str) -> Path:
    path = tmp_path / "corrections.yml"
    path.write_text("".join(f"- {{date: 2026-10-01, raison: Exemple, {e}}}\n" for e in entries))
    return path


def test_a_mask_withholds_the_stay_and_the_movements_of_its_other_spellings(
    database: Path, tmp_path: Path
) -> None:
    married = f"{NAME.split()[0]} BELLANGER"
    folder = write(
        tmp_path / "lists",
        ("2026-09-01", AFTER),
        ("2026-09-02", STAFF),
        ("2026-09-05", {**STAFF, 7: [married, *STAFF[7][1:]]}),
    )
    run("build", database, "--lists", folder)
    ((begin, *_),) = tenures_of(database, married)
    assert begin == "2026-09-02"
    asked = corrected(tmp_path, f"masquer: {{nom: {married}}}")
    for command in (["build", database, "--lists", folder], ["mask", database]):
        assert run(*command, "--corrections", asked).exit_code == 0
        assert FAMILY.encode() not in database.read_bytes()
        assert b"BELLANGER" not in database.read_bytes()
        (stay,) = (t for t in Published(database).tenures() if not t.collab_nom)
        assert (stay.debut, bool(stay.mouvement_debut)) == ("2026-09-02", True)
        assert inspect(database) == []


def test_a_mask_on_a_file_as_it_stands_reaches_who_never_moved(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    run("build", database, "--lists", folder)
    stayed = STAFF[9][0]
    asked = corrected(tmp_path, f"masquer: {{nom: {stayed}}}")
    done = run("mask", database, "--corrections", asked)
    assert done.output == f"{database}: 0 movements and 1 stay masked\n"
    assert stayed.split()[1].encode() not in database.read_bytes()
    assert inspect(database) == []


def test_a_day_that_a_correction_gives_bounds_the_stay(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    run("build", database, "--lists", folder)
    (id,) = Published(database).identifiers()
    asked = corrected(
        tmp_path, f"modifier: {{id: {id}, date_event: '2026-09-02', fonction: Cheffe}}"
    )
    assert run("build", database, "--lists", folder, "--corrections", asked).exit_code == 0
    (stay,) = (t for t in Published(database).tenures() if t.fin)
    assert (stay.fin, stay.fin_apres, stay.fonction) == ("2026-09-02", "2026-09-02", "Cheffe")
    asked = corrected(tmp_path, f"modifier: {{id: {id}, date_event: '2026-09-01'}}")
    assert run("build", database, "--lists", folder, "--corrections", asked).exit_code == 0
    (stay,) = (t for t in Published(database).tenures() if t.fin)
    assert (stay.fin, stay.fin_apres) == ("2026-09-01", "2026-09-01")
    assert inspect(database) == []


def test_a_movement_that_is_withdrawn_ends_no_stay(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    run("build", database, "--lists", folder)
    (id,) = Published(database).identifiers()
    asked = corrected(tmp_path, f"retirer: {id}")
    assert run("build", database, "--lists", folder, "--corrections", asked).exit_code == 0
    assert tenures_of(database) == [("2026-09-01", "", "2026-09-02", "2026-09-01", "", "")]
    assert inspect(database) == []


def test_a_list_that_lacks_somebody_by_error_is_refused_and_the_stay_goes_on(
    database: Path, tmp_path: Path
) -> None:
    folder = write(tmp_path / "lists", ("2026-09-01", STAFF), ("2026-09-05", AFTER))
    run("build", database, "--lists", folder)
    assert len(Published(database).identifiers()) == 1
    asked = corrected(tmp_path, "refuser: senat/2026-09-05")
    assert run("build", database, "--lists", folder, "--corrections", asked).exit_code == 0
    assert tenures_of(database) == [("2026-09-01", "", "", "2026-09-01", "", "")]
    assert Published(database).identifiers() == set()
    assert inspect(database) == []


def test_a_build_from_older_lists_gives_the_stays_of_the_daily_run_their_beginnings(
    database: Path, tmp_path: Path
) -> None:
    """The daily run began in September; the archives know who was there before, and since when."""
    new = {**STAFF, 9: [*STAFF[9], "Une NOUVELLE"]}
    daily = write(tmp_path / "daily", ("2026-09-10", STAFF), ("2026-09-11", new))
    assert run("track", database, "--lists", daily).exit_code == 0
    write(daily, ("2026-09-12", {**new, 7: STAFF[7][1:]}), ("2026-09-20", {**new, 7: STAFF[7][1:]}))
    assert run("track", database, "--lists", daily).exit_code == 0
    archives = write(
        tmp_path / "archives", ("2026-01-05", AFTER), ("2026-02-05", STAFF), ("2026-09-10", STAFF)
    )
    assert run("build", database, "--lists", archives).exit_code == 0
    assert tenures_of(database) == [
        ("2026-02-05", "2026-01-05", "2026-09-12", "2026-09-11", "arrivee", "depart")
    ]
    assert tenures_of(database, STAFF[9][0]) == [("2026-01-05", "", "", "2026-09-20", "", "")]
    assert tenures_of(database, "Une NOUVELLE") == [
        ("2026-09-11", "2026-09-10", "", "2026-09-20", "arrivee", "")
    ]
    assert inspect(database) == []
    write(daily, ("2026-09-30", {**new, 7: STAFF[7][1:], 9: ["Une NOUVELLE"]}))
    run("track", database, "--lists", daily, "--settle")
    assert tenures_of(database, STAFF[9][0]) == [
        ("2026-01-05", "", "2026-09-30", "2026-09-20", "", "depart")
    ]
    assert inspect(database) == []


def test_a_name_and_a_day_put_right_hold_in_later_runs(database: Path, tmp_path: Path) -> None:
    """The arrival comes from the file, corrected already; the stay is told anew by the lists."""
    folder = write(tmp_path / "lists", ("2026-09-01", AFTER), ("2026-09-04", STAFF))
    run("build", database, "--lists", folder)
    (id,) = Published(database).identifiers()
    value = f"{{id: {id}, date_event: '2026-09-03', collab_nom: JUSTE}}"
    asked = corrected(tmp_path, f"modifier: {value}")
    assert run("build", database, "--lists", folder, "--corrections", asked).exit_code == 0
    right = f"{NAME.split()[0]} JUSTE"
    assert tenures_of(database, right) == [
        ("2026-09-03", "2026-09-03", "", "2026-09-04", "arrivee", "")
    ]
    write(folder, ("2026-09-05", STAFF))
    assert run("track", database, "--lists", folder, "--corrections", asked).exit_code == 0
    assert tenures_of(database, right) == [
        ("2026-09-03", "2026-09-03", "", "2026-09-05", "arrivee", "")
    ]
    assert tenures_of(database) == []
    assert inspect(database) == []


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ("date_event: '2026-08-01'", "its stay would end before it begins"),
        ("elu_id: 99008Z", "the other movement of its stay is with another member or chamber"),
        ("type: arrivee", "it ends a stay"),
    ],
)
def test_a_correction_that_no_stay_can_follow_is_refused_by_its_line(
    database: Path, tmp_path: Path, value: str, what: str
) -> None:
    folder = write(
        tmp_path / "lists", ("2026-09-01", AFTER), ("2026-09-04", STAFF), ("2026-09-20", AFTER)
    )
    run("build", database, "--lists", folder)
    before = database.read_bytes()
    (id,) = (m.id for m in Published(database).movements() if m.type == "depart")
    asked = corrected(tmp_path, f"modifier: {{id: {id}, {value}}}")
    done = run("build", database, "--lists", folder, "--corrections", asked)
    assert (done.exit_code, f"line 1: modifier: {what}" in done.stderr) == (1, True)
    assert database.read_bytes() == before


def test_what_is_masked_may_have_its_day_put_right(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    run("build", database, "--lists", folder)
    (id,) = Published(database).identifiers()
    day = f"modifier: {{id: {id}, date_event: '2026-09-01'}}"
    asked = corrected(tmp_path, f"masquer: {{nom: {NAME}}}", day)
    assert run("build", database, "--lists", folder, "--corrections", asked).exit_code == 0
    assert inspect(database) == []
    assert FAMILY.encode() not in database.read_bytes()


@pytest.mark.parametrize("masked", ["first", "second"])
@pytest.mark.parametrize("command", ["build", "track", "mask"])
def test_a_mask_reaches_every_movement_of_a_stay(
    database: Path, tmp_path: Path, masked: str, command: str
) -> None:
    """Who arrived under one name and left under another."""
    married = f"{NAME.split()[0]} BELLANGER"
    under = {**STAFF, 7: [married, *STAFF[7][1:]]}
    folder = write(
        tmp_path / "lists",
        *(("2026-09-01", AFTER), ("2026-09-02", STAFF), ("2026-09-05", under)),
        *(("2026-09-06", AFTER), ("2026-09-20", AFTER)),
    )
    asked = corrected(tmp_path, f"masquer: {{nom: {NAME if masked == 'first' else married}}}")
    if command != "build":
        assert run("build", database, "--lists", folder).exit_code == 0
    if command == "mask":
        done = run("mask", database, "--corrections", asked)
    else:
        write(folder, ("2026-09-21", AFTER))
        done = run(command, database, "--lists", folder, "--corrections", asked)
    assert done.exit_code == 0, done.output
    for name in (FAMILY, "BELLANGER"):
        assert name.encode() not in database.read_bytes()
    assert inspect(database) == []


def test_a_build_from_older_lists_keeps_a_return_after_them(database: Path, tmp_path: Path) -> None:
    folder = write(tmp_path / "lists", ("2026-09-01", STAFF), ("2026-09-02", STAFF))
    run("track", database, "--lists", folder)
    write(folder, ("2026-09-05", AFTER), ("2026-09-15", AFTER), ("2026-09-20", STAFF))
    run("track", database, "--lists", folder)
    told = tenures_of(database)
    assert len(told) == 2
    archives = write(tmp_path / "archives", ("2026-09-01", STAFF), ("2026-09-02", STAFF))
    assert run("build", database, "--lists", archives).exit_code == 0
    assert tenures_of(database) == told
    assert inspect(database) == []


def test_archives_that_end_before_the_daily_run_began_are_not_enough(
    database: Path, tmp_path: Path
) -> None:
    """Who came and went between the two has no movement, and no list of either says so."""
    daily = write(tmp_path / "daily", ("2026-09-10", STAFF), ("2026-09-11", STAFF))
    run("track", database, "--lists", daily)
    archives = write(tmp_path / "archives", ("2024-06-12", AFTER))
    before = database.read_bytes()
    done = run("build", database, "--lists", archives)
    assert (done.exit_code, "the daily run began on 2026-09-10" in done.stderr) == (1, True)
    assert database.read_bytes() == before
    done = run("build", database, "--lists", archives, "--lists", daily)
    assert done.exit_code == 0
    assert tenures_of(database) == [("2026-09-10", "2024-06-12", "", "2026-09-11", "arrivee", "")]
