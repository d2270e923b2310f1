"""The ledger of nights: every run leaves its rows, whatever failed, in the state and in the files."""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import stat
from collections import Counter
from contextlib import ExitStack, closing

import pytest
from click.testing import CliRunner
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.cli import mouvements
from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.dataset.served import nights
from datasette_mouvements.dataset.served.nights import Night
from datasette_mouvements.updating import update
from datasette_mouvements.updating.erasure.mask import mask
from datasette_mouvements.updating.nights.book import BookedNight, NightBook
from datasette_mouvements.updating.nights.ledger import Found, NightLedger
from datasette_mouvements.updating.nights.night_table import publish
from datasette_mouvements.updating.nights.nights_command import nights_of
from datasette_mouvements.updating.published import Published
from datasette_mouvements.updating.state_file import StateFile
from parlement_lists.bounds import NIGHT_DAYS, NIGHT_ROWS, TEXT_LETTERS
from parlement_lists.movement import PARIS
from parlement_lists.sources.downloading.retry_policy import FetchFailed
from parlement_lists.sources.fetcher import Fetcher, FetchResult
from parlement_lists.sources.hooks import OriginalRefused
from parlement_lists.tracking.corrections_file import read as read_corrections
from parlement_lists.tracking.reading.walk import walk
from tests.updating.mornings import Maintainer, rows


def of_day(maintainer, path=None):
    """What the served file says of the last morning, by source."""
    day = maintainer.now.date().isoformat()
    found = nights.read(path or maintainer.served)
    return {night.source: night for night in found if night.jour == day}


def outcomes(found):
    return {source: night.resultat for source, night in found.items()}


def test_each_source_and_the_run_leave_a_row_in_state_and_files(maintainer):
    maintainer.desk.hires("senat", "NEUVE")
    maintainer.desk.published["assemblee"] = FetchFailed("zip: status 404")
    maintainer.desk.published["europarl"] = rows("europarl", 45)
    maintainer.morning()
    found = of_day(maintainer)
    assert outcomes(found) == {
        "": "alarme",
        "assemblee": "echouee",
        "senat": "nouvelle",
        "europarl": "refusee",
    }
    assert found[""].mesure == "2"
    assert (found["assemblee"].motif, found["assemblee"].original) == ("original non obtenu", "")
    assert found["europarl"][5:7] == ("trop d’élus disparus", "25,4 %")
    day = maintainer.now.date().isoformat()
    assert found["senat"][8:] == (day, "liste", hashlib.sha256(b"of today").hexdigest(), day)
    assert found["senat"].passage == "2026-09-15T04:00:00+00:00"
    assert of_day(maintainer, maintainer.database) == found
    details = {one.night.source: one.detail for one in NightBook(maintainer.database).nights()}
    assert details["assemblee"] == "assemblee: failed zip: status 404"
    assert "15 of 59" in details["europarl"]
    assert inspect(maintainer.served) == inspect(maintainer.database) == []


def test_reasons_in_full_are_in_no_file_that_is_served(maintainer):
    """They may name paths of the machine."""
    maintainer.desk.published["senat"] = FetchFailed(f"no room in {maintainer.folder}")
    maintainer.morning()
    for path in (maintainer.served, maintainer.database):
        assert str(maintainer.folder).encode() not in path.read_bytes()


@pytest.mark.parametrize(
    ("wrong", "motif"),
    [
        (FetchFailed("status 404"), "original non obtenu"),
        (OriginalRefused("page 3: two editions"), "original inutilisable"),
        (OSError(28, "No space left on device"), "enregistrement impossible"),
        (KeyError("a fault of the source"), "défaut du programme"),
    ],
)
def test_a_reason_is_public_in_words_of_its_own(maintainer, wrong, motif):
    maintainer.desk.published["senat"] = wrong
    maintainer.morning()
    assert of_day(maintainer)["senat"].motif == motif


def test_a_night_on_which_nothing_is_published_leaves_its_rows_too(maintainer):
    assert maintainer.morning().alarms == []
    before = Published(maintainer.served).publication
    assert Counter(outcomes(of_day(maintainer)).values()) == {"reussie": 1, "identique": 3}
    maintainer.run.check = lambda path: ["a row is wrong"]
    done = maintainer.morning()
    assert done.published is None
    assert outcomes(of_day(maintainer))[""] == "alarme"
    maintainer.run.check = inspect
    maintainer.corrections.write_text("- nonsense\n")
    assert maintainer.morning().published is None
    assert outcomes(of_day(maintainer))[""] == "alarme"
    assert Published(maintainer.served).publication == before
    assert inspect(maintainer.served) == []


def test_a_run_that_is_killed_is_told_by_the_next_one(maintainer):
    usual = maintainer.run.start

    class Killed(Fetcher):
        def fetch(self, sources, sure=False):
            raise KeyboardInterrupt

    killed = Killed(maintainer.lists, "essai", lambda: maintainer.now, lambda seconds: None)
    maintainer.run.start = lambda: usual()._replace(fetcher=killed)
    with pytest.raises(KeyboardInterrupt):
        maintainer.morning()
    assert of_day(maintainer) == {}
    lost = maintainer.now.date().isoformat()
    maintainer.run.start = usual
    maintainer.morning()
    found = {night.source: night for night in nights.read(maintainer.served) if night.jour == lost}
    assert outcomes(found) == {"": "interrompue"}
    told = {
        (one.night.jour, one.night.source)
        for one in nights_of(maintainer.database, maintainer.now.date(), 9)
        if not one.night.resultat
    }
    assert told == {(lost, source) for source in maintainer.desk.published}


def test_what_writes_the_file_anew_keeps_its_nights(maintainer):
    maintainer.desk.hires("senat", "CACHEE")
    maintainer.desk.hires("senat", "AUTRE")
    maintainer.mornings(9)
    before = nights.read(maintainer.database)
    assert len(before) == 40
    maintainer.masks("CACHEE")
    assert maintainer.morning().masked
    assert nights.read(maintainer.served)[:40] == before
    maintainer.masks("AUTRE")
    alone = maintainer.folder / "alone.db"
    alone.write_bytes(maintainer.served.read_bytes())
    assert mask(alone, read_corrections(maintainer.corrections), maintainer.now).applied
    assert nights.read(alone) == nights.read(maintainer.served)
    inputs = update.Inputs(source="suivi", lists=walk([maintainer.lists]).files)
    inputs.corrections = read_corrections(maintainer.corrections)
    update.build(maintainer.database, inputs, maintainer.now)
    assert nights.read(maintainer.database)[:40] == before


def test_nights_outlast_a_state_that_is_lost(maintainer):
    maintainer.mornings(2)
    before = nights.read(maintainer.served)
    maintainer.database.with_name("movements.suivi.sqlite3").unlink()
    maintainer.morning()
    assert nights.read(maintainer.served)[: len(before)] == before


def test_a_file_of_another_schema_stays_as_it_is(maintainer, tmp_path):
    path = tmp_path / "old.db"
    path.write_bytes(maintainer.served.read_bytes())
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("update _publication set valeur = '6' where cle = 'schema'")
        db.execute("drop table nuits")
    before = path.read_bytes()
    publish(path, [Night("2026-09-15T04:00:00+00:00", "2026-09-15", resultat="reussie")])
    assert path.read_bytes() == before


def test_a_ledger_is_bounded_in_days_rows_and_letters(maintainer):
    first = datetime.date(2020, 1, 1)
    days = [(first + datetime.timedelta(n)).isoformat() for n in range(NIGHT_DAYS + 1)]
    many = [Night(f"{day}T04:00:00+00:00", day, resultat="reussie") for day in days]
    assert nights.kept(reversed(many)) == many[1:]
    often = [Night(f"{days[0]}T04:00:{n:05}", days[0]) for n in range(NIGHT_ROWS + 1)]
    assert nights.kept(often) == often[1:]
    later = "2027-01-01"
    night = Night(f"{later}T04:00:00+00:00", later, "x", "senat", "secours", "m" * 1000)
    NightBook(maintainer.database).note([BookedNight(night)])
    publish(maintainer.served, [night])
    assert len(nights.read(maintainer.served)[-1].motif) == TEXT_LETTERS


def test_days_without_a_run_are_silent_and_days_before_the_first_night_are_not_known(maintainer):
    maintainer.morning(3)
    found = nights_of(maintainer.database, maintainer.now.date(), 30)
    told = [(one.night.jour[8:], one.night.source) for one in found if not one.night.resultat]
    sources = ["", "assemblee", "europarl", "senat"]
    assert told == [(day, source) for day in ("16", "15") for source in sources]
    assert {one.night.jour for one in found} == {f"2026-09-{day}" for day in range(14, 18)}
    # A run may still come today.
    later = nights_of(maintainer.database, maintainer.now.date() + datetime.timedelta(1), 1)
    assert later == []


def test_a_source_is_silent_only_after_its_first_night():
    days = [f"2026-09-{day}" for day in range(14, 18)]
    own = [Night("", day, "autre", "senat", "nouvelle") for day in (days[1], days[3])]
    assert nights.silent({"autre": own}, days) == [Night("", days[2], "autre", "senat")]


def test_the_command_tells_nights_and_what_is_open(tmp_path):
    maintainer = Maintainer(tmp_path)
    maintainer.now = datetime.datetime.now(datetime.UTC).replace(microsecond=0)
    maintainer.morning(-2)
    maintainer.desk.published["senat"] = FetchFailed("par-senateur.pdf: status 404")
    maintainer.morning(2)
    run = CliRunner().invoke(mouvements, ["nights", str(maintainer.database)])
    assert run.exit_code == 0
    lines = run.stdout.splitlines()
    day = maintainer.now.astimezone(PARIS).date().isoformat()
    at = f"{maintainer.now:%H:%M}"
    # The row of the source tells it.
    assert lines[0] == f"{day} {at}  run          alarm    open: 1"
    assert (
        lines[3] == f"{day} {at}  senat        failed   senat: failed par-senateur.pdf: status 404"
    )
    assert lines[4].endswith("--:--  run          silent   no run came")
    since = f"{maintainer.now:%Y-%m-%d}"
    assert lines[-1] == f"open since {since}, told {since}: senat, as above"
    found = CliRunner().invoke(
        mouvements, ["nights", str(maintainer.served), "--json", "--days", "1"]
    )
    told = json.loads(found.stdout)
    assert told["open"] == []  # the served file has no state beside it
    by_source = {one["source"]: one for one in told["nights"]}
    assert by_source["senat"]["reason"] == "unreachable"
    assert by_source["assemblee"]["outcome"] == "same"
    assert by_source["assemblee"]["original"]["name"] == "liste"
    wrong = CliRunner().invoke(mouvements, ["nights", str(maintainer.corrections)])
    assert (wrong.exit_code, wrong.stdout) == (1, "")


def test_the_last_run_is_late_after_a_day_and_a_half():
    began = datetime.datetime(2026, 9, 14, 4, tzinfo=datetime.UTC)
    ledger = [Night(began.isoformat(), "2026-09-14", resultat="alarme", mesure="2")]
    ledger.append(Night(began.isoformat(), "2026-09-14", "senat", "senat", "nouvelle"))
    hour = datetime.timedelta(hours=1)
    assert nights.last_run(ledger, began + 36 * hour) == (ledger[0].passage, "alarme", 2, False)
    assert nights.last_run(ledger, began + 37 * hour).late
    assert nights.last_run([], began) is None
    ahead = Night("2096-09-14T04:00:00+00:00", "2096-09-14", resultat="alarme")
    assert nights.last_run([*ledger, ahead], began).at == ledger[0].passage


def test_nobody_else_can_read_the_state_that_a_first_morning_makes(tmp_path):
    before = os.umask(0o022)
    try:
        maintainer = Maintainer(tmp_path)
        maintainer.morning(0)
    finally:
        os.umask(before)
    assert stat.S_IMODE(StateFile(maintainer.database).path.stat().st_mode) == 0o600


def test_nights_are_not_written_while_another_run_has_the_database(maintainer):
    before = []
    with ExitStack() as other:

        def check(path):
            other.enter_context(StateFile(path).locked())
            before.append(path.read_bytes())
            return inspect(path)

        maintainer.run.check = check
        done = maintainer.morning()
    assert any("another run is at work" in fault for fault in done.faults)
    assert before == [maintainer.database.read_bytes()]
    maintainer.run.check = inspect
    maintainer.morning()
    assert "2026-09-15" in {night.jour for night in nights.read(maintainer.database)}


def test_a_file_that_is_replaced_while_its_nights_are_read_stays(maintainer, tmp_path):
    other = tmp_path / "other.db"
    other.write_bytes(maintainer.served.read_bytes())
    with closing(sqlite3.connect(other)) as db, db:
        db.execute("delete from nuits")

    def meanwhile():
        other.replace(maintainer.served)
        yield Night("2026-09-15T04:00:00+00:00", "2026-09-15", resultat="reussie")

    publish(maintainer.served, meanwhile())
    assert nights.read(maintainer.served) == []


def test_a_file_half_written_is_private_has_no_journal_and_is_swept(maintainer):
    found = []

    class Looks:
        """A value that looks at the folder while it is written."""

        def __conform__(self, protocol):
            found.extend(
                (path.name, stat.S_IMODE(path.stat().st_mode))
                for path in maintainer.served.parent.iterdir()
                if path != maintainer.served
            )
            return ""

    night = Night("2026-09-15T04:00:00+00:00", "2026-09-15", resultat="reussie", original=Looks())
    publish(maintainer.served, [night])
    assert len(nights.read(maintainer.served)) == 5
    ((name, mode),) = found
    assert mode == 0o600
    left = maintainer.served.with_name(name)
    assert not left.exists()
    left.write_bytes(b"names")
    maintainer.morning(2)
    assert not left.exists()


def test_a_quiet_morning_writes_the_served_file_once(maintainer):
    made = []

    def check(path):
        made.append(maintainer.served.stat().st_mtime_ns)
        return inspect(path)

    maintainer.run.check = check
    maintainer.morning()
    before = maintainer.served.stat().st_mtime_ns
    made.clear()
    assert maintainer.morning(0.1).published == ""
    assert made == [before, before]
    assert of_day(maintainer)[""].passage == maintainer.now.isoformat(timespec="seconds")


def test_a_fault_that_is_a_matter_too_is_counted_once(maintainer):
    at = maintainer.now + datetime.timedelta(1)
    ledger = NightLedger(maintainer.database, at)
    failed = FetchResult("senat", "senat", "failed", detail="status 404", cause="unreachable")
    again = "senat: failed status 404 (LATE: no list is kept yet)"
    failed.late = True
    ledger.close(Found([failed], None, [again, again, "another"], None), {})
    assert NightBook(maintainer.database).nights()[-2].night.mesure == "2"


def test_the_command_needs_a_database_or_its_state(maintainer, tmp_path):
    ran = CliRunner().invoke(mouvements, ["nights", str(tmp_path / "none.db")])
    assert (ran.exit_code, ran.stderr.count("\n")) == (1, 1)
    assert "none.db: neither it nor its tracking state is there" in ran.stderr
    # A first run that failed has told why in the book alone.
    maintainer.now = datetime.datetime.now(datetime.UTC)
    maintainer.morning(0)
    maintainer.database.unlink()
    ran = CliRunner().invoke(mouvements, ["nights", str(maintainer.database), "--days", "1"])
    assert ran.exit_code == 0
    assert "  senat        same" in ran.stdout


@pytest.mark.parametrize("line", ["{", "[]", '{"jour": "2026-09-14"}'])
def test_the_command_tells_of_a_damaged_line_in_a_sentence(maintainer, line):
    with closing(sqlite3.connect(StateFile(maintainer.database).path)) as db, db:
        db.execute("update nuits set ligne = ?", [line])
    ran = CliRunner().invoke(mouvements, ["nights", str(maintainer.database)])
    assert (ran.exit_code, ran.stderr.count("\n")) == (1, 1)
    assert "a line of its book of nights is damaged" in ran.stderr
