"""What a mask withholds is published under random identifiers, which later runs keep."""

from __future__ import annotations

import datetime
import json
from contextlib import closing
from pathlib import Path

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.dataset.schema import STAYS
from datasette_mouvements.updating.published import Published
from datasette_mouvements.updating.state_file import StateFile
from parlement_lists import tenure
from parlement_lists.movement import Movement, identifier, words
from parlement_lists.tenure import Tenure
from tests.contract.environment import done
from tests.tracking import lists
from tests.tracking.lists import AFTER, FAMILY, NAME, STAFF, fingerprint
from tests.updating.corrections_file import corrections
from tests.updating.follower import Follower, table

NEW = "Une NOUVELLE"
MASK = f"masquer: {{nom: {NEW}}}"


def came(folder: Path, day: str, *names: str, member: int = 9) -> None:
    """A list of a day, with somebody more at a member."""
    lists.write(folder, "senat", day, {**AFTER, member: [*AFTER[member], *names]})


@pytest.fixture
def arrived(database: Path, folder: Path) -> Path:
    """A database in which somebody has come, and is still there."""
    came(folder, "2026-09-13", NEW)
    came(folder, "2026-09-23", NEW)
    done("track", database, "--lists", folder)
    return database


def of_new(database: Path) -> tuple[list[Movement], list[Tenure]]:
    """The movements and stays of who is new: those at member 9 or 8 that began after the first list."""
    published = Published(database)
    at = {lists.member("senat", n) for n in (8, 9)}
    return (
        [m for m in published.movements() if m.elu_id in at],
        [t for t in published.tenures() if t.elu_id in at and t.debut > "2026-09-01"],
    )


def ids(database: Path) -> set[str]:
    movements, stays = of_new(database)
    return {m.id for m in movements} | {t.id for t in stays}


def assert_unguessable(database: Path) -> None:
    """Who knows the name and the lists finds it under no identifier that is published."""
    movements, stays = of_new(database)
    given, family = NEW.split()
    for movement in movements:
        named = movement._replace(collab_nom=family, collab_prenom=given)
        assert (movement.collab_nom, movement.collab_prenom) == ("", "")
        assert movement.id != identifier(named)
    for stay in stays:
        assert stay.id != tenure.identifier(stay.chambre, stay.elu_id, words(NEW), stay.debut)
        assert {stay.mouvement_debut, stay.mouvement_fin} - {""} <= {m.id for m in movements}
        assert stay.mouvement_debut
    assert inspect(database) == []


@pytest.mark.parametrize("how", ["mask", "track", "build"])
def test_the_identifiers_are_others_and_the_old_one_is_withdrawn_without_a_word_of_the_mask(
    arrived: Path, folder: Path, tmp_path: Path, how: str
) -> None:
    (old,), (stay,) = of_new(arrived)
    asked = corrections(tmp_path, MASK)
    done(how, arrived, *([] if how == "mask" else ["--lists", folder]), "--corrections", asked)
    assert_unguessable(arrived)
    assert ids(arrived).isdisjoint({old.id, stay.id})
    ((id, _, reason),) = Published(arrived).withdrawn.values()
    assert (id, reason) == (old.id, "n’est plus publié")
    with closing(sqlite3.connect(arrived)) as db:
        gone = db.execute(f"select id, ligne from {STAYS.changes} where nature = 'retrait'")
        assert gone.fetchall() == [(stay.id, None)]


def test_who_follows_the_feed_is_told(arrived: Path, tmp_path: Path) -> None:
    copy = Follower()
    copy.walk(arrived)
    (old,), _ = of_new(arrived)
    done("mask", arrived, "--corrections", corrections(tmp_path, MASK))
    copy.walk(arrived)
    assert (copy.movements, copy.begun) == (table(arrived), 0)
    assert old.id not in copy.movements
    assert "NOUVELLE" not in json.dumps(copy.movements)


@pytest.mark.parametrize(
    "said", [MASK, f"masquer: {{empreinte: {fingerprint(NEW)}}}", f"{MASK[:-1]}, elus: [99009Z]}}"]
)
def test_the_daily_run_keeps_them_for_weeks(
    arrived: Path, folder: Path, tmp_path: Path, said: str
) -> None:
    """While the person stays, leaves, comes back, and after days without a list."""
    asked = corrections(tmp_path, said)
    done("mask", arrived, "--corrections", asked)
    day, known = datetime.date(2026, 9, 23), ids(arrived)
    assert len(known) == 2
    counts = []
    for gap, there in [
        (7, 1),
        (7, 1),
        (3, 0),
        (2, 0),
        (9, 0),
        (14, 1),
        (9, 1),
        (45, 1),
        (1, 0),
        (9, 0),
    ]:
        day += datetime.timedelta(gap)
        came(folder, day.isoformat(), *[NEW] * there)
        done("track", arrived, "--lists", folder, "--corrections", asked)
        assert known <= ids(arrived)
        known = ids(arrived)
        counts.append(len(known))
        assert_unguessable(arrived)
    # The departure; an arrival and its stay; the second departure.
    assert counts == [2, 2, 2, 2, 3, 5, 5, 5, 5, 6]
    movements, stays = of_new(arrived)
    ends = [{s.mouvement_debut, s.mouvement_fin} for s in stays]
    assert sorted(map(len, ends)) == [2, 2]
    assert set().union(*ends) == {m.id for m in movements}
    done("build", arrived, "--lists", folder, "--source", "suivi", "--corrections", asked)
    assert ids(arrived) == known


def test_where_the_state_is_lost_others_are_made(
    arrived: Path, folder: Path, tmp_path: Path
) -> None:
    asked = corrections(tmp_path, MASK)
    done("mask", arrived, "--corrections", asked)
    copy, before = Follower(), ids(arrived)
    copy.walk(arrived)
    StateFile(arrived).path.unlink()
    done("build", arrived, "--lists", folder, "--corrections", asked)
    assert_unguessable(arrived)
    assert ids(arrived).isdisjoint(before)
    copy.walk(arrived)
    assert (copy.movements, copy.begun) == (table(arrived), 0)
    known = ids(arrived)
    came(folder, "2026-09-30", NEW)
    done("track", arrived, "--lists", folder, "--corrections", asked)
    assert ids(arrived) == known


def test_a_file_without_a_state_is_masked_for_itself(arrived: Path, tmp_path: Path) -> None:
    StateFile(arrived).path.unlink()
    done("mask", arrived, "--corrections", corrections(tmp_path, MASK))
    assert_unguessable(arrived)
    assert not StateFile(arrived).path.exists()


def test_a_mask_that_is_lifted_gives_the_old_identifier_back_and_the_next_one_another(
    arrived: Path, folder: Path, tmp_path: Path
) -> None:
    old = ids(arrived)
    build = ["build", arrived, "--lists", folder, "--corrections"]
    done(*build, corrections(tmp_path, MASK))
    first = ids(arrived)
    done(*build, corrections(tmp_path))
    assert ids(arrived) == old
    assert StateFile(arrived).pseudonyms() == {}
    done(*build, corrections(tmp_path, MASK))
    # The first ones were withdrawn at the very moment at which the name appeared.
    assert ids(arrived).isdisjoint(old | first)
    assert_unguessable(arrived)


@pytest.mark.parametrize("given", ["", "mvt_given-by-hand"])
def test_a_movement_of_a_file_is_masked_and_stays_so(
    database: Path, tmp_path: Path, given: str
) -> None:
    file = tmp_path / "m.ndjson"
    named = {"collab_nom": "NOUVELLE", "collab_prenom": "Une", "date_event": "2020-01-01"}
    other = {"chambre": "senat", "type": "depart", "source": "archives", "confiance": "fort"}
    file.write_text(json.dumps({"id": given} | named | other))
    done("build", database, "--movements", file)
    (old,) = Published(database).identifiers()
    build = ["build", database, "--movements", file, "--corrections", corrections(tmp_path, MASK)]
    done(*build)
    (new,) = Published(database).identifiers()
    assert (new == old, Published(database).withdrawn.keys()) == (False, {old})
    done(*build)
    assert Published(database).identifiers() == {new}


@pytest.mark.parametrize("named_by", ["internal", "published"])
@pytest.mark.parametrize("command", ["track", "build"])
@pytest.mark.parametrize("kind", ["retirer", "modifier"])
def test_a_correction_names_a_masked_movement_by_either_identifier(
    arrived: Path, folder: Path, tmp_path: Path, named_by: str, command: str, kind: str
) -> None:
    (old,), _ = of_new(arrived)
    done("mask", arrived, "--corrections", corrections(tmp_path, MASK))
    (new,), _ = of_new(arrived)
    id = old.id if named_by == "internal" else new.id
    said = f"retirer: {id}" if kind == "retirer" else f"modifier: {{id: {id}, fonction: Chef}}"
    for _ in range(2):
        done(
            command, arrived, "--lists", folder, "--corrections", corrections(tmp_path, MASK, said)
        )
        movements, (stay,) = of_new(arrived)
        withdrawn = Published(arrived).withdrawn
        # The correction's reason beside the old identifier would say what became of it.
        assert withdrawn[old.id][2] == "n’est plus publié"
        if kind == "retirer":
            assert (movements, stay.mouvement_debut) == ([], "")
            assert withdrawn[new.id][2] == "Demande"
        else:
            assert [(m.id, m.fonction) for m in movements] == [(new.id, "Chef")]
            assert (stay.mouvement_debut, withdrawn.keys()) == (new.id, {old.id})


def test_what_is_masked_and_withdrawn_from_the_start_is_withdrawn_under_another_identifier(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    done("build", tmp_path / "other.db", "--lists", folder)
    (old,) = Published(tmp_path / "other.db").identifiers()
    asked = corrections(tmp_path, f"masquer: {{nom: {NAME}}}", f"retirer: {old}")
    build = ["build", database, "--lists", folder, "--corrections", asked]
    done(*build)
    (row,) = Published(database).withdrawn.values()
    assert row[0] != old
    came(folder, "2026-09-30")
    done("track", *build[1:])
    done(*build)
    assert list(Published(database).withdrawn.values()) == [row]
    assert old.encode() not in database.read_bytes()


def test_the_state_forgets_who_is_named_again(arrived: Path, folder: Path, tmp_path: Path) -> None:
    """What it kept of the mask is a hash of the name, which is no secret while the name is published."""
    asked = corrections(tmp_path, MASK, f"masquer: {{nom: {NAME}}}")
    done("mask", arrived, "--corrections", asked)
    kept = StateFile(arrived).pseudonyms()
    assert len(kept) == 4
    asked = corrections(tmp_path, f"masquer: {{nom: {NAME}}}")
    done("build", arrived, "--lists", folder, "--corrections", asked)
    assert StateFile(arrived).pseudonyms().items() <= kept.items()
    assert len(StateFile(arrived).pseudonyms()) == 2
    state = StateFile(arrived).path.read_bytes()
    assert not [
        id
        for id in kept.keys() - StateFile(arrived).pseudonyms()
        if f"{kept[id]}".encode() in state
    ]
    assert FAMILY.encode() not in arrived.read_bytes()


def test_a_state_that_has_only_them_is_none(database: Path, folder: Path) -> None:
    """It is what is left of a first run that was killed."""
    StateFile(database).add_pseudonyms({"mvt_a": "mvt_b"})
    done("track", database, "--lists", folder)
    assert StateFile(database).pseudonyms() == {"mvt_a": "mvt_b"}


def test_a_state_that_is_no_database_holds_no_mask_back(arrived: Path, tmp_path: Path) -> None:
    StateFile(arrived).path.write_bytes(b"nothing of the kind" * 1000)
    done("mask", arrived, "--corrections", corrections(tmp_path, MASK))
    assert_unguessable(arrived)


def test_the_rows_of_stays_are_not_in_the_order_of_the_old_identifiers(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    """Of stays that begin on one day, those masked stand where their new identifiers put them."""
    names = [name for n in (3, 4, 5, 6, 8) for name in STAFF[n]]
    said = [f"masquer: {{nom: {name}}}" for name in names]
    done("build", database, "--lists", folder, "--corrections", corrections(tmp_path, *said))
    with closing(sqlite3.connect(database)) as db:
        rows = db.execute("select chambre, debut, id from collaborations order by rowid").fetchall()
    assert rows == sorted(rows)


def test_a_file_that_has_a_masked_movement_as_it_was_published_has_that_movement(
    arrived: Path, folder: Path, tmp_path: Path
) -> None:
    (old,), _ = of_new(arrived)
    asked = corrections(tmp_path, MASK)
    done("mask", arrived, "--corrections", asked)
    (masked,), _ = of_new(arrived)
    file = tmp_path / "m.ndjson"
    file.write_text(json.dumps(masked._asdict()))
    build = ["build", arrived, "--movements", file, "--corrections"]
    done(*build, asked, "--lists", folder, "--source", "suivi")
    assert [m.id for m in of_new(arrived)[0]] == [masked.id]
    done(*build, corrections(tmp_path, MASK, f"retirer: {old.id}"), "--lists", folder)
    assert masked.id not in Published(arrived).identifiers()
    assert masked.id in Published(arrived).withdrawn


@pytest.mark.parametrize("masked", [1, 3])
def test_the_order_of_movements_does_not_tell_where_a_name_stands_in_the_alphabet(
    database: Path, folder: Path, tmp_path: Path, masked: int
) -> None:
    """Who comes to one member on one day is told in the order of names, which a list has."""
    names = ["Ada ABELARD", "Bea BERTIN", "Cid COUTANT", "Dan DUVAL", "Eva NADALE"]
    came(folder, "2026-09-13", *names)
    came(folder, "2026-09-23", *names)
    said = [f"masquer: {{nom: {name}}}" for name in names[:masked]]
    file = corrections(tmp_path, *said)
    done("track", database, "--lists", folder, "--corrections", file)
    tracked = [m for m in Published(database).movements() if m.date_event == "2026-09-13"]
    again = tmp_path / "again.db"
    done("build", again, "--lists", folder)
    done("mask", again, "--corrections", file)
    rewritten = [m for m in Published(again).movements() if m.date_event == "2026-09-13"]
    for found in (tracked, rewritten):
        told = [m.collab_nom for m in found]
        assert told == [name.split()[1] for name in names[masked:]] + [""] * masked
        assert [m.id for m in found[-masked:]] == sorted(m.id for m in found[-masked:])
