"""A name near a masked one is withheld until a correction says whose it is; both answers do what they say."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.updating.erasure.pseudonyms import Pseudonyms
from datasette_mouvements.updating.nights.book import NightBook
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
    """The lines that a maintainer is told to write down, all of them."""
    ((found,),) = [re.findall(rf"^{answer}\b[^\n]*:\n((?:- [^\n]*\n?)*)", said, re.M)]
    return found.rstrip("\n") + "\n"


def of_member(database: Path, member: str) -> set[str]:
    """The family names of a member's stays."""
    return {t.collab_nom for t in Published(database).tenures() if t.elu_id == member}


def about_names(said) -> list[str]:
    """The sentences that are about near names: lists stand still in these tests."""
    return [one for one in said if "a masked " in one]


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
    assert "VERVEINAT (assemblee, PA1) is withheld" in run("nights", withheld.database).output
    # Nights are kept longer than the matter.
    details = " ".join(one.detail for one in NightBook(withheld.database).nights())
    assert ("VERVEIN" in details, details.count("a name is near a masked one")) == (False, 2)


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
    assert (done.exit_code, "is withheld, as it is near" in done.stderr) == (1, True), done.output
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


MASKS = [f"nom: {MASKED}", f"empreinte: {fingerprint(MASKED)}"]


@pytest.mark.parametrize("mask", MASKS)
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
    # The stay was begun under the masked name, and its identifier is made of it.
    again = run("track", database, "--lists", folder, "--corrections", asked)
    assert (again.exit_code, "build again from every list" in again.stderr) == (1, True)
    assert not holds(database, "VERVEINAT")
    done = run("build", database, "--lists", folder, "--corrections", asked)
    assert (done.exit_code, done.stderr, holds(database, "VERVEINAT")) == (0, "", True)


@pytest.mark.parametrize(
    ("chain", "at"),
    [(["VERVEINAT", "VERVEIIATTE"], 2), (["VERVEIIATTE", "TOUTAUTRE"], 2), (["VERVEIIATTE"], 3)],
)
def test_a_first_stay_is_withheld_under_whatever_name_it_goes_on(tmp_path, chain, at):
    """Of the first list of a chamber no movement tells whose a stay is: its identifier is made of the first name."""
    begun = {2: [MASKED], **({3: ["Zoé VERVEINAT"]} if at == 3 else {})}
    folder = took(tmp_path, ("2026-09-01", begun), ("2026-09-02", begun))
    asked, database = corrections(tmp_path, f"masquer: {{nom: {MASKED}}}"), tmp_path / "x.db"
    run("track", database, "--lists", folder, "--corrections", asked)
    for day, family in enumerate(chain, 3):
        took(tmp_path, (f"2026-09-{day:02}", begun | {at: [f"Zoé {family}"]}))
        done = run("track", database, "--lists", folder, "--corrections", asked)
        assert (done.exit_code, holds(database, family)) == (1, False)
        withheld = sorted(t.elu_id for t in Published(database).tenures() if not t.collab_nom)
        assert withheld == (["99002Z"] if at == 2 else ["99002Z", "99003Z"])
    anew = run("build", database, "--lists", folder, "--corrections", asked)
    assert (anew.exit_code, holds(database, family)) == (1, False)
    asked.write_text(asked.read_text() + printed(done.stderr, "The same"))
    assert run("track", database, "--lists", folder, "--corrections", asked).exit_code == 0
    assert not holds(database, chain[-1])


@pytest.mark.parametrize(
    ("last", "begun"), [("VERVEINAX", "VERVEINAT"), ("VERVEIIATTE", "VERVEIIATTE")]
)
def test_a_stay_that_went_on_under_two_spellings_is_parted_where_the_answer_says(
    tmp_path, last, begun
):
    days = [("2026-09-01", MASKED), ("2026-09-02", "Zoé VERVEINAT"), ("2026-09-12", f"Zoé {last}")]
    folder, database = (
        took(tmp_path, *((day, {2: [name]}) for day, name in days)),
        tmp_path / "x.db",
    )
    asked = corrections(tmp_path, f"masquer: {{nom: {MASKED}}}")
    given = database, "--lists", folder, "--corrections", asked
    assert run("track", *given).exit_code == 1
    for day in ("22", "23"):
        took(tmp_path, (f"2026-09-{day}", {2: [f"Zoé {last}"]}))
        done = run("track", *given)
    # A run that sees no respelling knows of the last name alone; the build tells of each.
    asked.write_text(asked.read_text() + printed(done.stderr, "Another"))
    done = run("build", *given)
    assert (done.exit_code, holds(database, last), holds(database, "VERVEINAT")) == (
        1,
        False,
        False,
    )
    asked.write_text(asked.read_text() + printed(done.stderr, f"Another person since Zoé {begun}"))
    for how in ("build", "track"):
        done = run(how, *given)
        assert (done.exit_code, done.stderr, inspect(database)) == (0, "", [])
        assert {"", last} <= of_member(database, "99002Z")
        assert holds(database, "VERVEINAT") == (begun == "VERVEINAT")


@pytest.mark.parametrize("how", ["track", "build"])
def test_a_mask_and_a_respelling_in_one_run_withhold_the_stay(tmp_path, how):
    folder, database = took(tmp_path, ("2026-09-01", {2: [MASKED]})), tmp_path / "x.db"
    run("track", database, "--lists", folder)
    took(tmp_path, ("2026-09-03", {2: ["Zoé VERVEINAT"]}))
    asked = corrections(tmp_path, f"masquer: {{nom: {MASKED}}}")
    assert run(how, database, "--lists", folder, "--corrections", asked).exit_code == 1
    assert "" in of_member(database, "99002Z")
    assert not holds(database, "VERVEINA")


def test_a_name_that_is_published_elsewhere_publishes_no_masked_stay(tmp_path):
    begun = {2: [MASKED], 5: ["Zoé VERVEINAT"]}
    folder, database = (
        took(tmp_path, ("2026-09-01", begun), ("2026-09-02", begun)),
        tmp_path / "x.db",
    )
    run("track", database, "--lists", folder)
    asked = corrections(tmp_path, f"masquer: {{nom: {MASKED}}}")
    assert run("track", database, "--lists", folder, "--corrections", asked).exit_code == 0
    took(tmp_path, ("2026-09-12", {2: ["Zoé VERVEINAT"], 5: ["Zoé VERVEINAT"]}))
    done = run("track", database, "--lists", folder, "--corrections", asked)
    assert "VERVEINAT (senat, 99002Z) is withheld" in done.stderr
    assert "stays published" not in done.stderr
    found = [of_member(database, member) for member in ("99002Z", "99005Z")]
    assert [("" in names, "VERVEINAT" in names) for names in found] == [
        (True, False),
        (False, True),
    ]


def test_what_a_correction_calls_by_a_masked_name_is_withheld_whole(tmp_path):
    here = {2: ["Zoé TOUTAUTRE"]}
    days = [("2026-08-31", {}), *((f"2026-09-{day}", here) for day in ("01", "12", "22"))]
    folder, database = took(tmp_path, *days), tmp_path / "x.db"
    run("build", database, "--lists", folder)
    (id,) = [m.id for m in Published(database).movements() if m.collab_nom == "TOUTAUTRE"]
    change = f"modifier: {{id: {id}, collab_nom: VERVEINAC}}"
    for how in ("build", "track"):
        asked = corrections(tmp_path, change, f"masquer: {{nom: {MASKED}}}")
        assert run(how, database, "--lists", folder, "--corrections", asked).exit_code == 0
        assert [holds(database, family) for family in ("VERVEINAC", "TOUTAUTRE")] == [False] * 2


def test_an_answer_reaches_the_members_concerned_and_no_others(tmp_path):
    """Later, the masked person is spelt as the other one."""
    both = {2: [MASKED], 3: ["Zoé VERVEINAT"], 4: ["Zoé VERVEINAT"]}
    days = (
        ("2026-08-31", {}),
        ("2026-09-01", {2: [MASKED]}),
        ("2026-09-12", both),
        ("2026-09-22", both),
    )
    folder, database = took(tmp_path, *days), tmp_path / "x.db"
    asked = corrections(tmp_path, f"masquer: {{nom: {MASKED}, chambre: senat}}")
    done = run("track", database, "--lists", folder, "--corrections", asked)
    answer = printed(done.stderr, "Another")
    assert (
        'chambre: "senat", elus: ["99003Z", "99004Z"]' in answer,
        "VERVEINAC" in done.stderr,
    ) == (True, False)
    assert 'masquer: {nom: "Zoé VERVEINAT", chambre: "senat"}' in printed(done.stderr, "The same")
    asked.write_text(asked.read_text() + answer)
    assert run("track", database, "--lists", folder, "--corrections", asked).exit_code == 0
    for day in ("10-02", "10-12", "10-22"):
        took(tmp_path, (f"2026-{day}", both | {2: ["Zoé VERVEINAT"]}))
    done = run("track", database, "--lists", folder, "--corrections", asked)
    assert "VERVEINAT (senat, 99002Z) is withheld, as a masked stay goes on" in done.stderr
    assert "stays published" not in done.stderr
    named = [t.elu_id for t in Published(database).tenures() if t.collab_nom == "VERVEINAT"]
    assert sorted(named) == ["99003Z", "99004Z"]


@pytest.mark.parametrize("answer", ["Another", "The same"])
def test_of_a_name_near_two_masks_every_line_is_written_down(tmp_path, answer):
    masked = [MASKED, "Zoé VERVEINAX"]
    both = {2: masked, 3: ["Zoé VERVEINAT"]}
    days = ("2026-09-01", {2: masked}), ("2026-09-12", both), ("2026-09-22", both)
    folder, database = took(tmp_path, *days), tmp_path / "x.db"
    masks = (f"masquer: {{nom: {MASKED}}}", "masquer: {nom: Zoé VERVEINAX, elus: [99002Z, 99003Z]}")
    asked = corrections(tmp_path, *masks)
    done = run("track", database, "--lists", folder, "--corrections", asked)
    lines = printed(done.stderr, answer)
    assert len(lines.splitlines()) == 2
    reasons = re.findall("raison: ([^,]*)", lines)
    assert (len(set(reasons)) == 2) == (answer == "The same")
    asked.write_text(asked.read_text() + lines)
    done = run("track", database, "--lists", folder, "--corrections", asked)
    assert (done.exit_code, done.stderr) == (0, "")
    assert holds(database, "VERVEINAT") == (answer == "Another")


def test_a_name_that_is_published_stays(hired):
    maintainer = hired("VERVEINAC", "VERVEINAT")
    maintainer.masks("VERVEINAC")
    assert maintainer.morning().alarms == []
    assert sorted(maintainer.arrivals()) == ["VERVEINAT", "masked"]
    # With another member the name is a new one.
    maintainer.desk.hires("assemblee", "VERVEINAT")
    done = maintainer.mornings(9)
    assert sorted(maintainer.arrivals()) == ["VERVEINAT", "masked", "masked"]
    (told,) = about_names(done.matters.values())
    assert "VERVEINAT (assemblee, PA1) is withheld" in told
    with maintainer.corrections.open("a") as file:
        file.write(printed(told, "Another"))
    assert about_names(maintainer.morning().matters.values()) == []
    assert sorted(maintainer.arrivals()) == ["VERVEINAT", "VERVEINAT", "masked"]


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


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("families", [("VERVEINAC", "VERVEINAT"), ("VERVEINAT", "VERVEINAC")])
def test_a_near_name_in_a_movements_file_is_withheld_in_any_order(tmp_path, mask, families):
    rows = "".join(
        f'{{"date_event": "2020-01-0{n}", "chambre": "senat", "type": "depart", "collab_nom": "{family}",'
        ' "collab_prenom": "Zoé", "source": "archives", "confiance": "fort"}\n'
        for n, family in enumerate(families, 1)
    )
    (tmp_path / "m.ndjson").write_text(rows)
    asked, database = corrections(tmp_path, f"masquer: {{{mask}}}"), tmp_path / "x.db"
    done = run("build", database, "--movements", tmp_path / "m.ndjson", "--corrections", asked)
    assert (done.exit_code, holds(database, "VERVEINAT")) == (1, False)
    assert "VERVEINAC" not in done.output
    asked.write_text(asked.read_text() + printed(done.stderr, "Another"))
    folder = took(tmp_path, ("2026-09-01", {}))
    done = run("track", database, "--lists", folder, "--corrections", asked)
    assert (done.exit_code, holds(database, "VERVEINAT")) == (0, True), done.output


def test_a_masked_stay_that_goes_on_under_a_near_name_is_told_as_that(hired):
    maintainer = hired("VERVEINAC")
    maintainer.masks("VERVEINAC")
    staff = maintainer.desk.published["senat"]
    maintainer.desk.published["senat"] = [*staff[:-1], staff[-1]._replace(collab_nom="VERVEINAT")]
    done = maintainer.mornings(2)
    (said,) = about_names(done.matters.values())
    assert "(senat, 10001A) is withheld, as a masked stay goes on under it" in said
    assert "Another person, and build again from every list:" in said
    assert (maintainer.arrivals(), holds(maintainer.served, "VERVEINAT")) == (["masked"], False)
    with maintainer.corrections.open("a") as file:
        file.write(printed(said, "The same"))
    done = maintainer.morning()
    assert (done.faults, about_names(done.matters.values())) == ([], [])
    assert not holds(maintainer.served, "VERVEINAT")


def test_who_is_published_and_gets_a_near_name_keeps_it(hired):
    """The person is known to be another one: the stay under the name before is published."""
    maintainer = hired("VERVEINAC", "VERVEINRTT")
    maintainer.masks("VERVEINAC")
    assert about_names(maintainer.morning().alarms) == []
    staff = maintainer.desk.published["senat"]
    maintainer.desk.published["senat"] = [*staff[:-1], staff[-1]._replace(collab_nom="VERVEINAT")]
    assert about_names(maintainer.morning().alarms) == []
    begun = [t for t in Published(maintainer.served).tenures() if t.debut == "2026-09-15"]
    assert sorted(t.collab_nom for t in begun) == ["", "VERVEINAT"]


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


def test_a_published_movement_that_a_correction_gives_a_near_name_stays_published(hired):
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
    assert (about_names(done.alarms), done.faults) == ([], [])
    assert holds(maintainer.served, "VERVEINAT")


def test_a_first_stay_whose_mask_is_lifted_waits_for_a_build_and_that_is_told(tmp_path):
    begun = {2: [MASKED], 4: ["Ada GRUSSAC"]}
    folder, database = (
        took(tmp_path, ("2026-09-01", begun), ("2026-09-02", begun)),
        tmp_path / "x.db",
    )
    masks = f"masquer: {{nom: {MASKED}}}", "masquer: {nom: Ada GRUSSAC}"
    asked = corrections(tmp_path, *masks)
    assert run("track", database, "--lists", folder, "--corrections", asked).exit_code == 0
    took(tmp_path, ("2026-09-03", begun))
    asked = corrections(tmp_path, masks[1])
    done = run("track", database, "--lists", folder, "--corrections", asked)
    assert "a mask that was lifted: build again from every list." in done.stderr
    assert (done.exit_code, holds(database, "VERVEINAC")) == (1, False)
    done = run("build", database, "--lists", folder, "--corrections", asked)
    assert (done.exit_code, done.stderr, holds(database, "VERVEINAC")) == (0, "", True)
