"""Invented people are gone with the first morning that has a real list, whatever file they are in."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.dataset.connections import publication
from datasette_mouvements.dataset.schema import INVENTED
from datasette_mouvements.updating.published import STATE_TOKEN
from datasette_mouvements.updating.state_file import StateFile
from parlement_lists.sources.downloading.retry_policy import FetchFailed
from parlement_lists.tracking.members.known_members import Members
from tests.contract.environment import ROOT, command, done
from tests.updating.mornings import MEMBERS, Maintainer, holds

SAMPLE = ROOT / "tests" / "sample" / "listes"
PERSON = "THORIGNASSE"
# Days to a morning that comes after every list of the sample.
AFTER_SAMPLE = 9
ONLY_LISTS = shutil.ignore_patterns(".git", "originaux", ".fetch.json")


@pytest.fixture
def newcomer(tmp_path: Path) -> Maintainer:
    """Someone who has seen the invented people served, and has run no morning yet."""
    newcomer = Maintainer(tmp_path)
    invent(newcomer.served)
    return newcomer


def invent(database: Path) -> None:
    """Make the file that a first start makes: from lists, with a tracking state and a mask beside it."""
    database.parent.mkdir(parents=True, exist_ok=True)
    corrections = database.with_name("inventees.yml")
    corrections.write_text("- {date: 2026-09-13, raison: x, refuser: senat/2026-09-03}\n")
    given = ["--lists", SAMPLE, "--corrections", corrections, "--source", "suivi"]
    done("build", database, *given, "--invented")
    assert INVENTED in publication(database)
    assert holds(database, PERSON)


def is_real(database: Path) -> bool:
    return inspect(database) == [] and INVENTED not in publication(database)


def test_the_first_morning_serves_real_people_in_the_place_of_invented_ones(newcomer):
    done = newcomer.morning()
    assert (done.alarms, bool(done.published)) == ([], True)
    assert is_real(newcomer.served)
    assert not holds(newcomer.served, PERSON)
    # Nothing of theirs is left beside it, which a build there by hand would stumble on.
    assert not newcomer.served.with_name("movements.suivi.sqlite3").exists()
    done = newcomer.morning(0)
    assert (done.alarms, done.published) == ([], "")


def test_a_file_in_which_real_people_are_is_kept_still(newcomer):
    newcomer.morning()
    for path in newcomer.database.parent.iterdir():
        path.unlink()
    before = publication(newcomer.served)
    done = newcomer.morning()
    assert (bool(done.alarms), done.published) == (True, None)
    assert publication(newcomer.served) == before


def test_a_database_of_invented_people_is_not_gone_on_over(newcomer):
    invent(newcomer.database)
    done = newcomer.morning(AFTER_SAMPLE)
    assert (done.alarms, bool(done.published)) == ([], True)
    # Nothing is lost of it, and it is said.
    aside = newcomer.database.with_name("movements.invented.db")
    assert f"{newcomer.database} held invented people: it is {aside} now" in done.lines()
    assert holds(aside, PERSON)
    state = StateFile(aside)
    assert state.load(publication(aside)[STATE_TOKEN], Members()) is not None
    assert {path.stat().st_mode & 0o777 for path in (aside, state.path)} == {0o600}
    for database in (newcomer.database, newcomer.served):
        assert is_real(database)
        assert not holds(database, PERSON)
    newcomer.desk.hires("senat", "NEUVE")
    assert newcomer.mornings(9).alarms == []
    assert newcomer.arrivals() == ["NEUVE"]


def test_invented_lists_are_gone_on_with(newcomer):
    newcomer.morning()
    shutil.copytree(newcomer.lists, tried := newcomer.folder / "tried", ignore=ONLY_LISTS)
    newcomer.database.unlink()
    newcomer.served.unlink()
    StateFile(newcomer.database).path.unlink()
    command("build", newcomer.database, "--lists", tried, "--source", "suivi", "--invented")
    newcomer.desk.hires("senat", "NEUVE")
    newcomer.mornings(9)
    assert INVENTED in publication(newcomer.database)
    assert newcomer.arrivals() == ["NEUVE"]
    assert not list(newcomer.database.parent.glob("*.invented.*"))


def test_real_lists_that_were_taken_over_invented_people_are_told_and_not_lost(newcomer):
    newcomer.morning(AFTER_SAMPLE)
    newcomer.database.unlink()
    StateFile(newcomer.database).path.unlink()
    shutil.copy(newcomer.served, newcomer.folder / "real.db")
    newcomer.served.unlink()
    invent(newcomer.database)
    corrections = newcomer.database.with_name("inventees.yml")
    with corrections.open("a") as file:
        for chamber in MEMBERS:
            file.write(f"- {{date: 2026-09-24, raison: x, accepter: {chamber}/2026-09-23}}\n")
    given = ["--lists", newcomer.lists, "--corrections", corrections]
    assert " 3 accepted" in command("track", newcomer.database, *given).output
    before = publication(newcomer.database)["version"]
    done = newcomer.morning()
    assert publication(newcomer.database)["version"] == before
    (told,) = [alarm for alarm in done.alarms if "holds invented people beside lists" in alarm]
    assert "move it and its tracking state away, and the next run builds it" in told
    newcomer.database.rename(newcomer.folder / "away.db")
    StateFile(newcomer.database).path.rename(newcomer.folder / "away.suivi.sqlite3")
    assert newcomer.morning(0).published
    assert is_real(newcomer.database)


def test_without_a_real_list_nothing_is_replaced(newcomer):
    invent(newcomer.database)
    newcomer.desk.published = dict.fromkeys(MEMBERS, FetchFailed("status 404"))
    done = newcomer.morning()
    assert done.alarms
    for database in (newcomer.database, newcomer.served):
        assert INVENTED in publication(database)
        assert inspect(database) == []
    # What comes the morning after is real.
    newcomer.desk = type(newcomer.desk)()
    assert newcomer.morning().published
    assert is_real(newcomer.served)
