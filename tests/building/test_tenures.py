"""The stays that builds write, and what corrections and masks of their movements change in them."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from datasette_mouvements.building.daily import run
from datasette_mouvements.dataset.check import inspect
from parlement_lists.sources.fetch import Run
from tests.building.corrections_file import corrections
from tests.contract.environment import done
from tests.published import Published
from tests.tracking import lists
from tests.tracking.lists import AFTER, FAMILY, NAME, STAFF
from tests.tracking.repository import Repository


@pytest.mark.rule("record-feed")
def test_a_stay_that_goes_on_is_no_change_and_its_end_is_one(database: Path, folder: Path) -> None:
    def changed(day: str, staff: lists.Staff) -> set[str]:
        """The stays that a list more puts into the feed."""
        sql = "select seq, id from _changements_collaborations"
        before = max((seq for seq, _ in Published(database).rows(sql)), default=0)
        lists.write(folder, "senat", day, staff)
        done("build", database, "--lists", folder)
        return {id for seq, id in Published(database).rows(sql) if seq > before}

    done("build", database, "--lists", folder)
    member = lists.member("senat", 9)
    ended = {stay.id for stay in Published(database).tenures() if stay.elu_id == member}
    assert changed("2026-09-13", AFTER) == set()
    assert changed("2026-09-22", {**AFTER, 9: []}) == ended
    # They are seen for longer than was known.
    assert changed("2026-09-17", AFTER) == ended


@pytest.mark.parametrize("day", ["2026-09-02", "2026-09-01"])
def test_a_day_that_a_correction_gives_bounds_the_stay(
    database: Path, folder: Path, tmp_path: Path, day: str
) -> None:
    """Also of who is masked."""
    done("build", database, "--lists", folder)
    (id,) = Published(database).identifiers()
    change = f"modifier: {{id: {id}, date_event: '{day}', fonction: Cheffe}}"
    for mask in ("", f"masquer: {{nom: {NAME}}}"):
        asked = corrections(tmp_path, mask, change)
        done("build", database, "--lists", folder, "--corrections", asked)
        (stay,) = (t for t in Published(database).tenures() if t.fin)
        assert (stay.fin, stay.fin_apres, stay.fonction) == (day, day, "Cheffe")
        assert inspect(database) == []
        assert (FAMILY.encode() in database.read_bytes()) == (not mask)


def test_archives_and_lists_of_the_daily_run_say_since_when(database: Path, tmp_path: Path) -> None:
    """Who came between the archives and the first morning arrived by that morning."""
    daily = tmp_path / "lists"
    for day in ("2026-09-10", "2026-09-11"):
        lists.write(daily, "senat", day, STAFF)
    archives = Repository(tmp_path / "archives")
    name = "data/liste_senateurs_collaborateurs.csv"
    archives.commit("2024-06-12T03:15:00+02:00", {name: lists.data("senat", AFTER)})

    def told() -> list[tuple[str, ...]]:
        assert inspect(database) == []
        stays = [stay for stay in Published(database).tenures() if stay.collab_nom == FAMILY]
        return [(stay.debut, stay.debut_apres, stay.fin, stay.fin_apres) for stay in stays]

    done("build", database, "--git", archives.path, "--lists", daily)
    ((arrival,), since) = Published(database).movements(), told()
    assert (arrival.type, arrival.date_event) == ("arrivee", "2026-09-10")
    assert since == [("2026-09-10", "2024-06-12", "", "2026-09-11")]
    moment = datetime.datetime(2026, 9, 11, 4, tzinfo=datetime.UTC)
    morning = run(daily, database, lambda: Run([], []), [archives.path], None, lambda: moment)
    assert (morning.alarms, morning.built.report.added, told()) == ([], 0, since)
    # A history that goes on is daily tracking.
    archives.commit("2024-06-13T03:15:00+02:00", {name: lists.data("senat", STAFF)})
    done("build", tmp_path / "suivi.db", "--git", archives.path, "--source", "suivi")
    assert [move.source for move in Published(tmp_path / "suivi.db").movements()] == ["suivi"]
