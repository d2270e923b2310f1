"""Tracking day by day and building at once give the same movements."""

from __future__ import annotations

import datetime
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.dataset.input_files import InputRefused
from datasette_mouvements.updating import update
from datasette_mouvements.updating.erasure.pseudonyms import Pseudonyms
from datasette_mouvements.updating.published import Published
from datasette_mouvements.updating.state_file import StateFile
from parlement_lists.movement import Movement, words
from parlement_lists.tracking.correction import Entry
from parlement_lists.tracking.corrections import Corrections
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.reading.formats import Pair
from parlement_lists.tracking.reading.list_file import ListFile
from parlement_lists.tracking.reading.lists import Reader
from parlement_lists.tracking.reading.names import civility_and_name
from parlement_lists.tracking.reading.origins import note
from parlement_lists.tracking.reading.walk import walk
from parlement_lists.tracking.run import Run
from parlement_lists.tracking.state import StateError, TrackingState, from_json, to_json
from tests.tracking import lists
from tests.tracking.lists import Staff, data, many, member

NOW = datetime.datetime(2026, 10, 1, tzinfo=datetime.UTC)
# The last two are a marriage and a respelling of others.
NAMES = ["Ada MOREAU", "Bo LENGLET", "Cleo VASSOR", "Eve GALLIET", "Ada ROUVEROL", "Eve GALLIETT"]
TWO_PEOPLE = [
    Entry(line, "2026-10-01", "x", "deux_personnes", {"noms": [NAMES[one], NAMES[other]]})
    for line, one, other in ((1, 0, 4), (2, 3, 5))
]
SAID: dict[str, list[tuple[str, dict[str, list[str] | str]]]] = {
    "nothing": [],
    "deux_personnes": [(entry.kind, entry.value) for entry in TWO_PEOPLE],
    "meme_personne": [("meme_personne", {"noms": [NAMES[4], NAMES[2]]})],
    "homonymes": [("homonymes", {"nom": NAMES[1], "elus": [member("senat", n) for n in (9, 2)]})],
    # Of a person of whom one spelling only is masked, a daily run withholds what it had withheld.
    "masquer": [("masquer", {"nom": NAMES[3]}), ("masquer", {"nom": NAMES[5]})],
}
# Two lists in which each of these matches: a correction that matches nothing is an error.
OTHERS: Staff = {n: ["Zia PRESENTE"] for n in range(1, 5)} | {10: [NAMES[3]]}
FIRST: list[tuple[int, Staff]] = [
    (0, {**OTHERS, 9: [NAMES[0], NAMES[1], NAMES[2], NAMES[3]]}),
    (1, {**OTHERS, 9: [NAMES[4], NAMES[1], NAMES[2], NAMES[5]]}),
]
staff = st.dictionaries(
    st.integers(1, 4), st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True)
)
# Days since the list before (0 is the same day), and the list; an empty one is refused.
histories = st.lists(st.tuples(st.integers(0, 12), staff), min_size=2, max_size=9)
# Who comes, is renamed and comes again on one day arrives once: both arrivals have one identifier.
histories_of_days = st.lists(st.tuples(st.integers(1, 12), staff), min_size=2, max_size=9)
# What the lists' sources are: the forms', or noted ones, one after the other.
origins = st.sampled_from([("",), ("a", "a", "b"), ("a", "b")])
entries: st.SearchStrategy[list[Entry]] = st.sampled_from([[], TWO_PEOPLE])


def list_files(history: list[tuple[int, Staff]], origins: Sequence[str] = ("",)) -> list[ListFile]:
    """The lists of a history; their sources are those noted in `origins`, again and again."""
    day, found = datetime.date(2026, 9, 1), []
    for number, (gap, content) in enumerate(history):
        day += datetime.timedelta(gap)
        content = {n: content[n] for n in sorted(content)}
        found.append(
            ListFile(
                *("senat", day, f"T00{number:02}", "x"),
                data=lambda c=content: data("senat", c),
                source=origins[number % len(origins)],
                unread=(member("senat", 1),) if origins[0] else (),
            )
        )
    return found


def at_once(found: list[ListFile], said: Sequence[Entry] = ()) -> dict[str, Movement]:
    run = Run(TrackingState(), Members(), Corrections(said), "suivi")
    run.feed(found)
    return run.settle()


def write(folder: Path, found: list[ListFile]) -> None:
    for file in found:
        assert file.data is not None
        lists.write(folder, "senat", file.name.partition("/")[2], file.data())
        if file.source:
            note(folder, file.name, file.source, file.unread)


def follow(
    database: Path,
    folder: Path,
    found: list[ListFile],
    seed: int = 0,
    said: Sequence[Entry] = (),
) -> None:
    """One `track` per list, some of them settled too early, then a last settling.

    Where something is `said`, the first two lists come at once.
    """
    chance = random.Random(seed)
    for number, file in enumerate(found):
        write(folder, [file])
        if number or not said:
            inputs = update.Inputs(lists=walk([folder]).files, corrections=corrections(said))
            update.track(database, inputs, NOW, settle=chance.random() < 0.3)
    inputs = update.Inputs(lists=walk([folder]).files, corrections=corrections(said))
    update.track(database, inputs, NOW, settle=True)


def corrections(said: Sequence[Entry]) -> Corrections | None:
    """These as a run is given them; none where nothing is said."""
    return Corrections(said) if said else None


@settings(max_examples=100, deadline=None)
@given(histories, entries, origins)
def test_a_run_a_day_finds_what_one_run_finds(
    history: list[tuple[int, Staff]], said: list[Entry], noted: Sequence[str]
) -> None:
    found = list_files(history, noted)
    published: dict[str, Movement] = {}
    text = to_json(TrackingState())
    for file in found:
        state = from_json(text, Members())
        result = Run(state, Members(), Corrections(said), "suivi").feed([file])
        published |= result.added
        text = to_json(state)
    last = Run(from_json(text, Members()), Members(), Corrections(said), "suivi")
    published |= last.settle()
    assert published == at_once(found, said)


# Settled too early, a departure says its member left; the next list of that day has the member again.
SETTLED_TOO_EARLY: list[tuple[int, Staff]] = [
    (0, {1: NAMES[:2]}),
    (0, {4: [NAMES[2]]}),
    (0, {1: [NAMES[0]], 4: [NAMES[2]]}),
]


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example(SETTLED_TOO_EARLY, "nothing", 9, ("",))
@given(histories, st.sampled_from(sorted(SAID)), st.integers(0, 1000), origins)
def test_a_track_a_day_and_a_build_publish_the_same(
    history: list[tuple[int, Staff]], kind: str, seed: int, noted: Sequence[str]
) -> None:
    found = list_files([*FIRST, *history], noted)
    said = [Entry(n, "2026-10-01", f"x{n}", *entry) for n, entry in enumerate(SAID[kind], 1)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        follow(folder / "daily.db", folder / "lists", found, seed, said)
        inputs = update.Inputs(lists=iter(found), source="suivi", corrections=corrections(said))
        update.build(folder / "once.db", inputs, NOW)
        assert [inspect(folder / f"{n}.db") for n in ("daily", "once")] == [[], []]
        daily, once = (unmasked(folder / f"{n}.db") for n in ("daily", "once"))
        assert sorted(daily.tenures()) == sorted(once.tenures())
        assert daily.lists == once.lists
        movements = {m.id: m for m in daily.movements()}
        assert movements == {m.id: m for m in once.movements()}
        if kind != "masquer":
            assert movements == at_once(found, said)


def unmasked(database: Path) -> Published:
    """What a database has, by the identifiers that its lists give: those of masked names are random."""
    return Published(database, Pseudonyms(StateFile(database).pseudonyms()))


def person(name: str, said: Sequence[Entry]) -> str:
    """Whom a name is of: one spelling stands for those that are near, unless they are two people."""
    return words(name if said else name.replace("GALLIETT", "GALLIET"))


@settings(max_examples=300, deadline=None)
@given(histories_of_days, entries, origins)
def test_movements_and_renamings_explain_who_is_there_at_the_end(
    history: list[tuple[int, Staff]], said: list[Entry], noted: Sequence[str]
) -> None:
    """Applied to the first accepted list they give the last one, whatever lay between."""
    found = list_files(history, noted)
    run = Run(TrackingState(), Members(), Corrections(said), "suivi")
    accepted = [r for r in run.feed(found).report.records if r.status == "accepted"]
    if not accepted:
        return

    def staff_of(pairs: Iterable[Pair]) -> Counter[tuple[str, str]]:
        return Counter((p.member, person(f"{p.given} {p.family}", said)) for p in pairs)

    first = next(file for file in found if file.name == accepted[0].name)
    there = staff_of(first.read(Reader()).pairs.values())
    members = {f"Élue NUMÉRO{n}": lists.member("senat", n) for n in range(1, 5)}
    for movement in run.settle().values():
        name = person(f"{movement.collab_prenom} {movement.collab_nom}", said)
        there[movement.elu_id, name] += -1 if movement.type == "depart" else 1
        if movement.type == "transfert":
            there[members[movement.elu_origine_nom], name] -= 1
    for change in (change for record in accepted for change in record.renamed):
        for name, one in ((change["old"], -1), (change["new"], 1)):
            there[change["elu_id"], person(civility_and_name(name)[1], said)] += one
        assert not said
    last = run.state.chambers["senat"].last
    assert last is not None
    assert {key: count for key, count in there.items() if count} == staff_of(last.pairs.values())


def test_what_is_held_is_published_once_it_is_known(tmp_path: Path) -> None:
    before, after = many(30), {**many(30), 7: []}
    database, folder = tmp_path / "x.db", tmp_path / "lists"
    reports = []
    for day, content in (("01", before), ("02", after), ("09", after), ("10", after)):
        lists.write(folder, "senat", f"2026-09-{day}", content)
        inputs = update.Inputs(lists=walk([folder]).files)
        reports.append(update.track(database, inputs, NOW).report)
    assert [(r.added, r.held) for r in reports] == [(0, 0), (0, 2), (0, 2), (2, 0)]
    assert {m.date_event for m in Published(database).movements()} == {"2026-09-02"}


def test_what_was_settled_too_early_is_withdrawn_and_listed(tmp_path: Path) -> None:
    before, after = many(30), {**many(30), 7: []}
    database, folder = tmp_path / "x.db", tmp_path / "lists"
    withdrawn = 0
    for day, content in (("01", before), ("02", after), ("03", before), ("04", before)):
        lists.write(folder, "senat", f"2026-09-{day}", content)
        inputs = update.Inputs(lists=walk([folder]).files)
        report = update.track(database, inputs, NOW, settle=day == "02").report
        withdrawn += report.withdrawn
        ids = {m.id for m in Published(database).movements()}
        if day == "02":
            assert (report.added, len(ids)) == (2, 2)
            gone = ids
    assert withdrawn == 2
    assert not ids
    listed = Published(database).withdrawn
    assert set(listed) == gone
    assert {row[1:] for row in listed.values()} == {
        ("2026-10-01", "démenti par une liste suivante")
    }


def test_a_build_that_lacks_later_lists_of_the_daily_run_is_refused(tmp_path: Path) -> None:
    found = list_files([(0, many(30)), (1, {**many(30), 7: []}), (9, many(30)), (9, many(30))])
    database = tmp_path / "x.db"
    follow(database, tmp_path / "lists", found)
    before = database.read_bytes()
    names = [file.name for file in found]
    for files, told in (
        (found[:2], f"senat: the daily run took 2 later lists ({', '.join(names[2:])}):"),
        (found[:3], f"senat: the daily run took 1 later list ({names[3]}):"),
        (None, f"senat: the daily run took 4 later lists ({', '.join(names)}):"),
    ):
        with pytest.raises(
            InputRefused, match=f"^{re.escape(told)} give these too, or refuse them"
        ):
            update.build(database, update.Inputs(lists=files and iter(files)), NOW)
        assert database.read_bytes() == before
    assert update.build(database, update.Inputs(lists=iter(found)), NOW).report.withdrawn == 0
    # What a list before the last one showed is in the last one, or is over.
    assert update.build(database, update.Inputs(lists=iter(found[3:])), NOW).built


def test_a_list_of_the_daily_run_that_a_correction_refuses_need_not_be_given(
    tmp_path: Path,
) -> None:
    found = list_files([(0, many(30)), (1, many(30)), (9, {**many(30), 7: []})])
    database = tmp_path / "x.db"
    follow(database, tmp_path / "lists", found)
    refused = Corrections([Entry(1, "2026-10-01", "x", "refuser", found[2].name)])
    inputs = update.Inputs(lists=iter(found[:2]), corrections=refused)
    assert update.build(database, inputs, NOW).report.withdrawn == 2
    assert list(Published(database).lists) == [file.name for file in found[:2]]


def test_a_build_withdraws_what_its_lists_no_longer_show(tmp_path: Path) -> None:
    after = {**many(30), 7: [], 8: []}
    found = list_files([(0, many(30)), (1, {**many(30), 7: []}), (9, after), (9, after)])
    database = tmp_path / "x.db"
    follow(database, tmp_path / "lists", found)
    days = {"2026-09-02": 2, "2026-09-11": 2}
    assert Counter(m.date_event for m in Published(database).movements()) == days
    corrected = list_files([(0, many(30)), (1, many(30)), (9, many(30)), (9, many(30))])
    report = update.build(database, update.Inputs(lists=iter(corrected)), NOW).report
    assert Published(database).identifiers() == set()
    assert report.withdrawn == 4
    reasons = {reason for _, _, reason in Published(database).withdrawn.values()}
    assert reasons == {"n’est plus publié"}


def test_a_rebuild_keeps_nothing_of_the_archives_that_its_sources_lack(tmp_path: Path) -> None:
    after = {**many(30), 7: []}
    found = list_files([(0, many(30)), (10, after), (10, after)])
    for length, count in ((3, 2), (1, 0)):
        inputs = update.Inputs(lists=iter(found[:length]))
        update.build(tmp_path / "x.db", inputs, NOW, withdraw=2)
        assert len(list(Published(tmp_path / "x.db").movements())) == count
    assert len(Published(tmp_path / "x.db").withdrawn) == 2


def test_after_a_rebuild_the_list_after_refused_ones_is_still_less_sure(tmp_path: Path) -> None:
    found = list_files([(0, many(30)), (1, many(30)), (1, {}), (1, {**many(30), 7: []})])
    database, folder = tmp_path / "x.db", tmp_path / "lists"
    follow(database, folder, found[:2])
    write(folder, found[2:3])
    update.track(database, update.Inputs(lists=walk([folder]).files), NOW)
    update.build(database, update.Inputs(lists=iter(found[:3])), NOW)
    write(folder, found[3:])
    update.track(database, update.Inputs(lists=walk([folder]).files), NOW, settle=True)
    assert {m.confiance for m in Published(database).movements()} == {"moyen"}


def test_a_rebuild_from_the_same_lists_publishes_what_was_held(tmp_path: Path) -> None:
    found = list_files([(0, many(30)), (1, {**many(30), 7: []})])
    write(tmp_path / "lists", found)
    inputs = update.Inputs(lists=walk([tmp_path / "lists"]).files)
    assert update.track(tmp_path / "x.db", inputs, NOW).report.held == 2
    update.build(tmp_path / "x.db", update.Inputs(lists=iter(found)), NOW)
    assert len(Published(tmp_path / "x.db").identifiers()) == 2


def test_what_was_settled_early_is_not_held(tmp_path: Path) -> None:
    found = list_files([(0, many(30)), (1, {**many(30), 7: []}), (1, {**many(30), 7: [], 8: []})])
    database, folder = tmp_path / "x.db", tmp_path / "lists"
    for file in found:
        write(folder, [file])
        inputs = update.Inputs(lists=walk([folder]).files)
        report = update.track(database, inputs, NOW, settle=file is found[1]).report
    assert (report.held, report.held_by_list) == (2, {"senat/2026-09-03": 2})


def test_lists_followed_daily_stay_suivi_when_built_again(tmp_path: Path) -> None:
    found = list_files([(0, many(30)), (1, {**many(30), 7: ["Une NOUVELLE"]})])
    follow(tmp_path / "x.db", tmp_path / "lists", found)
    update.build(tmp_path / "x.db", update.Inputs(lists=iter(found)), NOW)
    assert {m.source for m in Published(tmp_path / "x.db").movements()} == {"suivi"}


def test_a_database_and_a_state_of_another_are_not_mixed(tmp_path: Path) -> None:
    found = list_files([(0, many(30)), (1, {**many(30), 7: []})])
    for name in ("one", "two"):
        follow(tmp_path / f"{name}.db", tmp_path / name, found[: 1 if name == "one" else 2])
    (tmp_path / "two.suivi.sqlite3").replace(tmp_path / "one.suivi.sqlite3")
    before = (tmp_path / "one.db").read_bytes()
    with pytest.raises(StateError, match="does not belong"):
        update.track(tmp_path / "one.db", update.Inputs(lists=iter(found)), NOW)
    assert (tmp_path / "one.db").read_bytes() == before


def test_a_state_that_is_lost_stops_the_daily_run_and_a_build_begins_anew(tmp_path: Path) -> None:
    found = list_files([(0, many(30)), (1, {**many(30), 7: ["Une NOUVELLE"]})])
    database, folder = tmp_path / "x.db", tmp_path / "lists"
    follow(database, folder, found)
    daily = {m.id for m in Published(database).movements()}
    (tmp_path / "x.suivi.sqlite3").unlink()
    with pytest.raises(StateError, match="build again"):
        update.track(database, update.Inputs(lists=iter(found)), NOW)
    report = update.build(database, update.Inputs(lists=iter(found)), NOW).report
    assert report.withdrawn == 0
    assert {m.id for m in Published(database).movements()} == daily
    again = update.Inputs(lists=walk([folder]).files)
    assert update.track(database, again, NOW).built is None
