"""A name near a masked one is withheld until a correction says whose it is; both answers do what they say."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.updating.erasure.pseudonyms import Pseudonyms
from datasette_mouvements.updating.published import Published
from datasette_mouvements.updating.state_file import StateFile
from tests.contract.environment import command as run
from tests.tracking import lists
from tests.tracking.lists import fingerprint, many
from tests.updating.corrections_file import corrections
from tests.updating.follower import Follower, of_stays, table
from tests.updating.mornings import holds

MASKED, OTHERS = "Zoé VERVEINAC", many(60)
ONE_ERROR = [
    "Zoé VERVEINAT",
    "Zoé VERVEINNAC",
    "Zoé VERVEINA",
    "Zoé VEVREINAC",
]


def took(folder: Path, *days: tuple[str, dict[int, list[str]]]) -> Path:
    """Lists of the Sénat in which some members have some people more."""
    for day, more in days:
        staff = {n: [*names, *more.get(n, ())] for n, names in OTHERS.items()}
        lists.write(folder / "lists", "senat", day, staff)
    return folder / "lists"


def printed(said: str, answer: str) -> str:
    """The entry that a maintainer is told to write down."""
    ((found,),) = [re.findall(rf"{answer} person: (- {{.*?}}}})", said)]
    return found + "\n"


def about_names(said) -> list[str]:
    """The sentences that are about near names: lists stand still in these tests."""
    return [one for one in said if "near one that" in one]


@pytest.fixture
def withheld(hired):
    """The morning on which a name near a masked one, at another chamber, has been withheld."""
    maintainer = hired("VERVEINAC")
    maintainer.masks("VERVEINAC")
    assert maintainer.morning().alarms == []
    maintainer.desk.hires("assemblee", "VERVEINAT")
    maintainer.told = [maintainer.morning() for _ in range(9)]
    return maintainer


def test_a_near_name_is_withheld_and_told_once_and_each_week(withheld):
    assert [len(about_names(done.alarms)) for done in withheld.told] == [1, 0, 0, 0, 0, 0, 0, 1, 0]
    assert "VERVEINAT (assemblee, PA1) is withheld" in withheld.told[0].alarms[0]
    assert withheld.arrivals() == ["masked", "masked"]
    assert not holds(withheld.served, "VERVEINAT")
    assert not holds(withheld.database, "VERVEINAT")
    nights = run("nights", withheld.database)
    assert "VERVEINAT (assemblee, PA1) is withheld" in nights.output


@pytest.mark.parametrize("answer", ["Another", "The same"])
def test_what_is_told_to_write_down_decides(withheld, answer):
    movements, stays = Follower(), Follower(of_stays)
    movements.walk(withheld.served)
    stays.walk(withheld.served)
    nameless = {id for id, one in movements.movements.items() if "collab_nom" not in one}
    with withheld.corrections.open("a") as file:
        file.write(printed(withheld.told[0].alarms[0], answer))
    done = withheld.morning()
    assert about_names(done.matters.values()) == []
    assert "closed: Zoé VERVEINAT" in "\n".join(done.lines())
    assert run("check", withheld.served).exit_code == 0
    movements.walk(withheld.served)
    stays.walk(withheld.served)
    assert movements.movements == table(withheld.served)
    published = holds(withheld.served, "VERVEINAT")
    assert published == (answer == "Another")
    assert ("VERVEINAT" in str(movements.movements), "VERVEINAT" in str(stays.movements)) == (
        published,
    ) * 2
    # Nobody is left with the identifier that the name was withheld under.
    still = nameless & movements.movements.keys()
    assert len(still) == (1 if published else 2)
    assert about_names(withheld.mornings(9).matters.values()) == []
    assert holds(withheld.served, "VERVEINAT") == published
    # The private state forgets what is decided.
    assert '"undecided"' not in withheld.database.with_suffix(".suivi.sqlite3").read_bytes().decode(
        "utf-8", "ignore"
    )


@pytest.mark.parametrize(("near", "at"), [*product(ONE_ERROR, [2, 3]), ("Zoé Ève VERVEINAC", 3)])
def test_a_build_from_nothing_publishes_no_near_name_whatever_the_error(tmp_path, near, at):
    """Also at the very member: who is there beside the masked person."""
    both = {2: [MASKED], 3: []}
    both[at] = [*both[at], near]
    days = (
        ("2026-09-01", {}),
        ("2026-09-02", {2: [MASKED]}),
        ("2026-09-12", both),
        ("2026-09-22", both),
    )
    folder = took(tmp_path, *days)
    asked, database = corrections(tmp_path, f"masquer: {{nom: {MASKED}}}"), tmp_path / "x.db"
    done = run("build", database, "--lists", folder, "--corrections", asked)
    assert (done.exit_code, "is withheld: the name is near" in done.stderr) == (1, True), (
        done.output
    )
    family = near.rpartition(" ")[2]
    assert (holds(database, family), inspect(database)) == (False, [])
    assert [m.type for m in Published(database).movements()] == ["arrivee", "arrivee"]
    for answer, status in (("The same", 0), ("Another", 0)):
        before = asked.read_text()
        asked.write_text(before + printed(done.stderr, answer))
        again = run("build", tmp_path / f"{answer}.db", "--lists", folder, "--corrections", asked)
        assert (again.exit_code, again.stderr) == (status, "")
        assert holds(tmp_path / f"{answer}.db", family) == (answer == "Another")
        asked.write_text(before)


@pytest.mark.parametrize("mask", [f"nom: {MASKED}", f"empreinte: {fingerprint(MASKED)}"])
def test_a_respelling_at_the_same_member_is_told_and_makes_no_departure(tmp_path, mask):
    days = [(f"2026-09-{day}", {2: [MASKED]}) for day in ("01", "02")]
    folder, database = took(tmp_path, *days), tmp_path / "x.db"
    asked = corrections(tmp_path, f"masquer: {{{mask}}}")
    assert run("track", database, "--lists", folder, "--corrections", asked).exit_code == 0
    took(tmp_path, ("2026-09-03", {2: ["Zoé VERVEINAT"]}))
    for day in ("04", "05"):
        done = run("track", database, "--lists", folder, "--corrections", asked)
        assert (done.exit_code, "VERVEINAT (senat, 99002Z) is withheld" in done.stderr) == (1, True)
        again = run("track", database, "--lists", folder, "--corrections", asked)
        assert ("nothing new" in again.output, again.stderr) == (True, done.stderr)
        assert (holds(database, "VERVEINAT"), list(Published(database).movements())) == (False, [])
        took(tmp_path, (f"2026-09-{day}", {2: ["Zoé VERVEINAT"]}))
    asked.write_text(asked.read_text() + printed(done.stderr, "Another"))
    done = run("track", database, "--lists", folder, "--corrections", asked)
    assert (done.exit_code, done.stderr, holds(database, "VERVEINAT")) == (0, "", True)


def test_a_name_that_is_published_stays_and_is_told(hired):
    maintainer = hired("VERVEINAC", "VERVEINAT")
    maintainer.masks("VERVEINAC")
    done = maintainer.morning()
    assert [said.partition(":")[0] for said in done.alarms] == [
        "Zoé VERVEINAT (senat, 10001A) stays published"
    ]
    # With another member, too: the name is no new one.
    maintainer.desk.hires("assemblee", "VERVEINAT")
    maintainer.mornings(9)
    assert sorted(maintainer.arrivals()) == ["VERVEINAT", "VERVEINAT", "masked"]
    with maintainer.corrections.open("a") as file:
        file.write(printed(done.alarms[0], "Another"))
    assert about_names(maintainer.morning().matters.values()) == []


def test_a_stay_that_is_over_gets_its_name_back_with_its_movements(tmp_path):
    here = {2: [MASKED], 3: ["Zoé VERVEINAT"]}
    days = ("2026-09-01", {2: [MASKED]}), ("2026-09-02", here), ("2026-09-12", {2: [MASKED]})
    folder = took(tmp_path, *days, ("2026-09-22", {2: [MASKED]}))
    asked, database = corrections(tmp_path, f"masquer: {{nom: {MASKED}}}"), tmp_path / "x.db"
    done = run("build", database, "--lists", folder, "--corrections", asked)
    assert [m.collab_nom for m in Published(database).movements()] == ["", ""]
    asked.write_text(asked.read_text() + printed(done.stderr, "Another"))
    done = run("track", database, "--lists", folder, "--corrections", asked)
    assert (done.exit_code, done.stderr, inspect(database)) == (0, "", [])
    assert [m.collab_nom for m in Published(database).movements()] == ["VERVEINAT"] * 2
    assert [t.collab_nom for t in Published(database).tenures() if t.fin] == ["VERVEINAT"]


def test_the_movements_of_a_withheld_stay_are_withheld_under_every_spelling(tmp_path):
    days = [
        ("2026-09-01", {2: [MASKED]}),
        ("2026-09-02", {2: [MASKED], 3: ["Zoé VERVEITUT"]}),
        ("2026-09-12", {2: [MASKED], 3: ["Zoé VERVEINAT"]}),
    ]
    folder, database = took(tmp_path, *days), tmp_path / "x.db"
    asked = corrections(tmp_path, f"masquer: {{nom: {MASKED}}}")
    assert run("build", database, "--lists", folder, "--corrections", asked).exit_code == 1
    assert [m.collab_nom for m in Published(database).movements()] == [""]
    assert [holds(database, name) for name in ("VERVEITUT", "VERVEINAT")] == [False] * 2


def test_a_mask_that_is_narrowed_is_near_nobody_elsewhere(hired):
    maintainer = hired("VERVEINAC")
    maintainer.corrections.write_text(
        "- {date: 2026-09-14, raison: demandé, masquer: {nom: Zoé VERVEINAC, elus: [10001A]}}\n"
    )
    maintainer.desk.hires("assemblee", "VERVEINAT")
    assert about_names(maintainer.mornings(9).matters.values()) == []
    assert "VERVEINAT" in maintainer.arrivals()


def test_a_near_name_in_a_movements_file_is_withheld(tmp_path):
    rows = "".join(
        f'{{"date_event": "2020-01-0{n}", "chambre": "senat", "type": "depart", "collab_nom": "{family}",'
        ' "collab_prenom": "Zoé", "source": "archives", "confiance": "fort"}\n'
        for n, family in enumerate(("VERVEINAC", "VERVEINAT"), 1)
    )
    (tmp_path / "m.ndjson").write_text(rows)
    asked, database = corrections(tmp_path, f"masquer: {{nom: {MASKED}}}"), tmp_path / "x.db"
    done = run("build", database, "--movements", tmp_path / "m.ndjson", "--corrections", asked)
    assert (done.exit_code, holds(database, "VERVEINAT")) == (1, False)
    asked.write_text(asked.read_text() + printed(done.stderr, "Another"))
    folder = took(tmp_path, ("2026-09-01", {}))
    done = run("track", database, "--lists", folder, "--corrections", asked)
    assert (done.exit_code, holds(database, "VERVEINAT")) == (0, True), done.output


def test_a_preview_says_every_name_and_writes_nothing(hired, tmp_path):
    maintainer = hired("VERVEINAC", "VERVEINAT")
    maintainer.masks("VERVEINAC")
    before = maintainer.database.read_bytes()
    asked = "--corrections", maintainer.corrections, "--preview"
    done = run("mask", maintainer.database, *asked)
    lines = [line.removeprefix(f"{maintainer.database}: ") for line in done.output.splitlines()]
    since = "1 movements, 1 stays: senat 10001A from 2026-09-15 to now"
    assert lines[0] == f"Zoé VERVEINAC (line 1): {since}"
    assert lines[1].startswith("Zoé VERVEINAT (senat, 10001A) stays published")
    assert (done.exit_code, len(lines), maintainer.database.read_bytes()) == (0, 2, before)
    with maintainer.corrections.open("a") as file:
        file.write(
            "- {date: 2026-09-14, raison: x, meme_personne: {noms: [Zoé VERVEINAC, Zoé VERVEINAT]}}\n"
        )
    lines = run("mask", maintainer.database, *asked).output.splitlines()
    assert [line.partition(": ")[2][:32] for line in lines] == [
        "Zoé VERVEINAC (line 1): 1 moveme",
        "Zoé VERVEINAT (line 1): 1 moveme",
        "line 2 of the corrections speaks",
    ]


def test_a_masked_stay_that_goes_on_under_a_near_name_is_told_as_that(hired):
    maintainer = hired("VERVEINAC")
    maintainer.masks("VERVEINAC")
    staff = maintainer.desk.published["senat"]
    maintainer.desk.published["senat"] = [*staff[:-1], staff[-1]._replace(collab_nom="VERVEINAT")]
    done = maintainer.mornings(2)
    (said,) = about_names(done.matters.values())
    assert "(senat, 10001A) is withheld, as a masked stay goes on under it" in said
    assert 'Zoé VERVEINAT"]}} and build again from every list' in said
    assert (maintainer.arrivals(), holds(maintainer.served, "VERVEINAT")) == (["masked"], False)
    with maintainer.corrections.open("a") as file:
        file.write(printed(said, "The same"))
    done = maintainer.morning()
    assert (done.faults, about_names(done.matters.values())) == ([], [])
    assert not holds(maintainer.served, "VERVEINAT")


def test_who_is_published_and_gets_a_near_name_keeps_it(hired):
    """The person is known to be another one: the stay under the name before is published."""
    maintainer = hired("VERVEINAC", "VERVEINURTT")
    maintainer.masks("VERVEINAC")
    assert about_names(maintainer.morning().alarms) == []
    staff = maintainer.desk.published["senat"]
    maintainer.desk.published["senat"] = [*staff[:-1], staff[-1]._replace(collab_nom="VERVEINUT")]
    done = maintainer.morning()
    assert [
        "VERVEINUT (senat, 10001A) stays published" in said for said in about_names(done.alarms)
    ] == [True]
    assert [
        t.collab_nom for t in Published(maintainer.served).tenures() if t.debut == "2026-09-15"
    ] == [
        "",
        "VERVEINUT",
    ]


def test_a_mask_that_is_lifted_withholds_no_near_name_any_more(withheld):
    withheld.corrections.write_text("")
    assert about_names(withheld.morning().matters.values()) == []
    assert holds(withheld.served, "VERVEINAT")


def test_no_identifier_is_made_of_a_withheld_name(withheld):
    made, served = StateFile(withheld.database).pseudonyms(), withheld.served.read_bytes()
    assert len(made) == 4  # a movement and a stay of each of the two
    assert [id.encode() in served for id in made.values()] == [True] * 4
    known = Published(withheld.database, Pseudonyms(made))
    (near,) = [m.id for m in known.movements() if m.chambre == "assemblee" and m.id in made]
    (stay,) = [t.id for t in known.tenures() if t.mouvement_debut == near]
    assert [id.encode() in served for id in (near, stay)] == [False] * 2


def test_a_mask_of_what_is_withheld_already_matches(withheld):
    with withheld.corrections.open("a") as file:
        file.write(printed(withheld.told[0].alarms[0], "The same"))
    done = run("mask", withheld.database, "--corrections", withheld.corrections)
    assert (done.exit_code, done.stderr) == (0, "")


def test_a_published_movement_that_a_correction_gives_a_near_name_is_told(hired):
    maintainer = hired("VERVEINAC", "TOUTAUTRE")
    (id,) = [
        m.id for m in Published(maintainer.database).movements() if m.collab_nom == "TOUTAUTRE"
    ]
    maintainer.masks("VERVEINAC")
    with maintainer.corrections.open("a") as file:
        file.write(
            f"- {{date: 2026-09-14, raison: faute, modifier: {{id: {id}, collab_nom: VERVEINAT}}}}\n"
        )
    done = maintainer.morning()
    (said,) = about_names(done.alarms)
    assert ("VERVEINAT (senat, 10001A) stays published" in said, done.faults) == (True, [])
