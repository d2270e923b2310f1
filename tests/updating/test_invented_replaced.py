"""Invented people are gone with the first morning that has a real list, whatever file they are in."""

from __future__ import annotations

from pathlib import Path

import pytest

from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.dataset.connections import publication
from datasette_mouvements.dataset.schema import INVENTED
from parlement_lists.sources.downloading.retry_policy import FetchFailed
from tests.contract.environment import ROOT, done
from tests.updating.mornings import MEMBERS, Maintainer, holds

SAMPLE = ROOT / "tests" / "sample" / "listes"
PERSON = "THORIGNASSE"


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
    corrections.write_text("[{date: 2026-09-13, raison: x, refuser: senat/2026-09-03}]\n")
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
    done = newcomer.morning()
    assert (done.alarms, bool(done.published)) == ([], True)
    for database in (newcomer.database, newcomer.served):
        assert is_real(database)
        assert not holds(database, PERSON)
    newcomer.desk.hires("senat", "NEUVE")
    assert newcomer.mornings(9).alarms == []
    assert newcomer.arrivals() == ["NEUVE"]


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
