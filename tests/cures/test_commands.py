"""What a command that is refused says to give instead is given; the command does its work."""

from __future__ import annotations

import json
import re
import shutil
from contextlib import closing
from importlib.metadata import metadata

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset.check import inspect
from tests.published import Published
from parlement_lists.sources.source import FetchFailed
from tests.contract.environment import PLUGIN, SAMPLE, command, done
from tests.sources.misbehaving import says
from tests.tracking.lists import NAME, data, many
from tests.updating.corrections_file import corrections
from tests.updating.mornings import rows

from .messages import cures, filled


def refused(cure, *arguments):
    """What a command that is refused fills into its cure."""
    found = command(*arguments)
    assert found.exit_code, found.output
    return filled(cure, found.output)


def test_the_extra_that_pip_is_told_to_install_is_one_of_the_package():
    told = [message for message in cures().values() if "pip install" in message]
    extras = {
        extra for message in told for extra in re.findall(r"pip install .*\[(\w+)\]", message)
    }
    assert extras == {"lists", "postgres", "publish"}
    assert extras <= {*metadata(PLUGIN).get_all("Provides-Extra")}


def test_sources_of_a_build_are_given(database, folder):
    (names,) = [
        refused("Give at least one source: --movements, --lists or --git", "build", database)
    ]
    assert names == ()
    done("build", database, "--lists", folder)
    done("build", database.with_name("y.db"), "--movements", SAMPLE)


def test_the_folder_of_lists_is_given(database, folder):
    refused("Give the folder of lists: --lists", "track", database)
    done("track", database, "--lists", folder)


def test_the_corrections_are_given_again(database, folder, tmp_path):
    given = "--corrections", corrections(tmp_path, f"masquer: {{nom: {NAME}}}")
    track = "track", database, "--lists", folder
    done(*track, *given)
    refused(
        "give --corrections with the file of before, or names that it withholds would be published again",
        *track,
    )
    done(*track, *given)


def test_the_name_of_a_mask_that_matches_nowhere_is_checked(database, folder, tmp_path):
    done("track", database, "--lists", folder)
    asked = corrections(tmp_path, f"masquer: {{nom: {NAME}X}}")
    mask = "mask", database, "--corrections", asked
    refused("check the name", *mask)
    corrections(tmp_path, f"masquer: {{nom: {NAME}}}")
    done(*mask)


@pytest.mark.parametrize("way", ["another file", "remove"])
def test_real_lists_are_built_beside_invented_people_or_in_their_place(
    database, folder, tmp_path, way
):
    given = "--corrections", corrections(tmp_path, "refuser: senat/2026-09-12")
    done("build", database, "--lists", folder, *given, "--invented")
    (state,) = refused(
        "build into another file, or remove it and {}", "build", database, "--lists", folder
    )
    if way == "remove":
        database.unlink()
        database.with_name(state.rpartition("/")[2]).unlink()
        done("build", database, "--lists", folder)
    else:
        done("build", tmp_path / "other.db", "--lists", folder)


def test_both_movements_of_a_stay_are_corrected(hired):
    maintainer = hired("NEUVE")
    maintainer.desk.published["senat"] = rows("senat")
    maintainer.mornings(9)
    arrival, departure = (one.id for one in Published(maintainer.database).movements())
    entry = "- {{date: 2026-10-01, raison: faute, modifier: {{id: {}, elu_id: 10007A, elu_nom: Autre}}}}\n"
    maintainer.corrections.write_text(entry.format(departure))
    filled("correct both", "\n".join(maintainer.morning().faults))
    maintainer.corrections.write_text(entry.format(departure) + entry.format(arrival))
    assert maintainer.morning(0).faults == []
    stays = [one for one in Published(maintainer.served).tenures() if one.collab_nom == "NEUVE"]
    assert [one.elu_id for one in stays] == ["10007A"]


def test_a_correction_of_a_held_movement_waits_for_it(hired):
    """A build published it; a database that is begun anew holds it for some days."""
    maintainer = hired("NEUVE")
    maintainer.desk.published["senat"] = rows("senat")
    maintainer.morning()
    done("build", built := maintainer.folder / "built.db", "--lists", maintainer.lists)
    (id,) = (one.id for one in Published(built).movements() if one.type == "depart")
    change = f"modifier: {{id: {id}, fonction: corrigée}}"
    maintainer.corrections.write_text(f"- {{date: 2026-10-01, raison: faute, {change}}}\n")
    shutil.rmtree(maintainer.database.parent)
    maintainer.served.unlink()
    assert maintainer.morning(0).faults == []
    assert id not in Published(maintainer.served).identifiers()
    assert maintainer.mornings(9).faults == []
    (found,) = (one for one in Published(maintainer.served).movements() if one.id == id)
    assert found.fonction == "corrigée"


def test_what_person_lacks_is_given(database, folder):
    done("track", database, "--lists", folder)
    refused("give --db, --lists or both", "person", NAME)
    for place, cure in ((folder, "give --db"), (database, "give --lists")):
        option = "--lists" if place == folder else "--db"
        filled(cure, done("person", NAME, option, place).output)
    found = done("person", NAME, "--db", database, "--lists", folder, "--json").stdout
    assert json.loads(found)["unread"] == []


def test_keys_are_given_one_place_and_an_account_one_key(tmp_path):
    movements, internal = tmp_path / "movements.db", tmp_path / "internal.sqlite3"
    with closing(sqlite3.connect(movements)) as db:
        db.execute("create table mouvements (id)")
    refused("give keys another file", "keys", "create", "ada", "--internal", movements)
    given = "--internal", internal
    done("keys", "create", "grace", *given)
    both = "--store", "postgresql://localhost/x"
    refused("Give --internal or --store, not both", "keys", "create", "ada", *given, *both)
    refused("create one", "keys", "rotate", "ada", *given)
    done("keys", "create", "ada", *given)
    refused("rotate or revoke it", "keys", "create", "ada", *given)
    done("keys", "rotate", "ada", *given)
    done("keys", "revoke", "ada", *given)
    done("keys", "create", "ada", *given)


def test_invented_people_have_a_file_of_their_own(database, folder, tmp_path):
    done("build", database, "--lists", folder)
    own = "build", database, "--lists", folder, "--invented"
    refused("give invented ones a file of their own", *own)
    done("build", tmp_path / "own.db", *own[2:])


def test_a_day_is_given_to_originals_that_do_not_say_theirs(tmp_path):
    others = tmp_path / "sources.yml"
    others.write_text("essai: {url: https://lists.example.org/x.csv, chambre: senat}\n")
    (tmp_path / "liste.csv").write_bytes(data("senat", many(20)))
    read = "read", "essai", tmp_path / "liste.csv", "--sources", others, "-o", f"{tmp_path}/lists/"
    refused("give --date", *read)
    done(*read, "--date", "2026-09-14")
    assert (tmp_path / "lists" / "senat" / "2026-09-14.csv").exists()


def test_of_two_lists_of_a_chamber_one_is_fetched(tmp_path, server):
    server.answer_with(says(data("senat", many(20))))
    others = tmp_path / "sources.yml"
    of = f"{{url: {server.url}, chambre: senat}}"
    others.write_text(f"un: {of}\ndeux: {of}\n")
    fetch = "fetch", tmp_path / "lists", "--sources", others, "--source", "un"
    refused("fetch one of them", *fetch, "--source", "deux")
    assert "un: new" in done(*fetch).output


def test_matters_that_are_open_are_told_by_the_command_that_is_named(maintainer):
    maintainer.desk.published["senat"] = FetchFailed("status 404")
    maintainer.mornings(2)
    told = "\n".join(maintainer.morning().lines())
    assert "the command `nights` tells them" in told
    assert "status 404" in done("nights", maintainer.database).output


def test_a_change_that_is_dropped_is_put_back_or_the_database_is_built_again(hired):
    """Its movement would stay with the other member, and begin no stay of hers."""
    maintainer = hired("NEUVE")
    (arrival,) = Published(maintainer.database).movements()
    change = f"modifier: {{id: {arrival.id}, elu_id: 10007A, elu_nom: Autre}}"
    maintainer.corrections.write_text(entry := f"- {{date: 2026-10-01, raison: faute, {change}}}\n")
    assert maintainer.morning(0).faults == []
    maintainer.corrections.write_text("")
    cure = "put them back, or build again from every list"
    filled(cure, "\n".join(maintainer.morning().faults))
    assert inspect(maintainer.database) == []
    maintainer.corrections.write_text(entry)
    assert maintainer.morning().faults == []
    maintainer.corrections.write_text("")
    given = "--lists", maintainer.lists, "--corrections", maintainer.corrections
    done("build", maintainer.database, *given)
    assert maintainer.morning().faults == []
    (stay,) = (one for one in Published(maintainer.served).tenures() if one.collab_nom == "NEUVE")
    (again,) = Published(maintainer.served).movements()
    assert (stay.elu_id, again) == (arrival.elu_id, arrival)
    assert inspect(maintainer.served) == []
