"""What nights call for a look at: told once, then each week while it lasts, and closed when it ends."""

from __future__ import annotations

import datetime

import pytest

from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.dataset.served import nights
from datasette_mouvements.updating.nights.book import NightBook
from datasette_mouvements.updating.nights.ledger import Found, NightLedger
from datasette_mouvements.updating.nights.matters import (
    FORGOTTEN_DAYS,
    PASSING_NIGHTS,
    STILL_DAYS,
    judge_outcomes,
)
from parlement_lists.sources.downloading.retry_policy import FetchFailed
from parlement_lists.sources.fetcher import FetchResult
from parlement_lists.sources.hooks import OriginalRefused
from tests.updating.mornings import NAMES, rows


def lively(maintainer):
    """Every chamber's list changes every morning, so that none stands still."""
    maintainer.count = getattr(maintainer, "count", 0) + 1
    for chamber in ("assemblee", "europarl", "senat"):
        if not isinstance(maintainer.desk.published[chamber], Exception):
            maintainer.desk.published[chamber] = rows(chamber)[maintainer.count % 2 :]
    return maintainer.morning()


def accept(maintainer, day):
    entry = f"- {{date: {maintainer.now:%Y-%m-%d}, raison: vu, accepter: {day}}}\n"
    maintainer.corrections.write_text(entry)


@pytest.mark.parametrize(
    ("wrong", "key"),
    [
        (FetchFailed("par-senateur.pdf: status 404"), "senat/echouee/original non obtenu"),
        (OriginalRefused("par-senateur.pdf: two editions"), "senat/refusee/original inutilisable"),
    ],
)
def test_a_source_that_fails_is_told_at_once_and_then_each_week(maintainer, wrong, key):
    usual = maintainer.desk.published["senat"]
    maintainer.desk.published["senat"] = wrong
    told = [lively(maintainer) for _ in range(16)]
    assert [day for day, done in enumerate(told) if done.alarms] == [0, 7, 14]
    assert all(list(done.matters) == [key] for done in told)
    assert told[0].alarms == [f"senat: {told[0].fetched[1].status} {wrong}"]
    again = "(8 nights in a row, since 2026-09-15) (open since 2026-09-15)"
    assert told[7].alarms[0].endswith(again)
    assert "1 matters told before are open still" in "\n".join(told[1].lines())
    maintainer.desk.published["senat"] = usual
    done = lively(maintainer)
    assert (done.alarms, done.matters) == ([], {})
    assert done.closed[0].startswith(f"senat: {told[0].fetched[1].status} ")
    assert "closed: senat" in "\n".join(done.lines())
    maintainer.desk.published["senat"] = wrong
    assert lively(maintainer).alarms == told[0].alarms


def test_another_fault_of_the_same_source_is_told_at_once(maintainer):
    maintainer.desk.published["senat"] = FetchFailed("status 404")
    lively(maintainer)
    maintainer.desk.published["senat"] = OriginalRefused("two editions")
    assert lively(maintainer).alarms == ["senat: refused two editions"]
    # The same outcome for another reason.
    for wrong in (OSError(28, "No space left on device"), KeyError("a fault of the source")):
        maintainer.desk.published["senat"] = wrong
        (alarm,) = lively(maintainer).alarms
        assert "in a row" not in alarm
    (alarm,) = judge_outcomes(night_book(maintainer)[:-1], maintainer.now.date()).values()
    assert "No space left" in alarm


def test_another_reason_of_the_guard_is_told_at_once(maintainer):
    maintainer.desk.published["europarl"] = rows("europarl", 45)
    assert maintainer.morning().alarms
    maintainer.desk.published["europarl"] = [
        row._replace(collab_nom=row.collab_nom + "X") for row in rows("europarl")
    ]
    done = maintainer.morning()
    (key,) = done.matters
    assert key.startswith("suivi/europarl/refusee/")
    assert key != "suivi/europarl/refusee/trop d’élus disparus"
    assert len(done.alarms) == len(done.closed) == 1


def test_an_original_that_is_missing_for_a_while_is_told_by_its_own_name(maintainer):
    maintainer.desk.stand_ins["assemblee"] = "first.zip"
    lively(maintainer)
    maintainer.desk.stand_ins["assemblee"] = "second.zip"
    assert [bool(lively(maintainer).alarms) for _ in range(3)] == [False] * 3
    (alarm,) = lively(maintainer).alarms
    assert "4 lists in a row, since 2026-09-16, were made without second.zip" in alarm


def night_book(maintainer):
    return NightBook(maintainer.database).nights()


def test_a_day_on_which_what_is_open_is_not_repeated_is_no_good_day(maintainer):
    assert maintainer.morning().good
    maintainer.desk.published["senat"] = FetchFailed("status 404")
    maintainer.morning()
    done = maintainer.morning()
    assert (done.alarms, done.good) == ([], False)


def test_a_clock_that_was_ahead_silences_nothing_and_forgets_nothing(maintainer):
    maintainer.desk.published["senat"] = FetchFailed("status 404")
    ahead = 365 * 70
    maintainer.morning(ahead)
    maintainer.morning(1 - ahead)
    told = maintainer.morning(0)
    assert "senat: failed status 404" in told.alarms
    days = {"2026-09-14", "2026-09-15"}
    assert {one.night.jour for one in night_book(maintainer)} == days
    for path in (maintainer.database, maintainer.served):
        assert {night.jour for night in nights.read(path)} == days
    assert "2096" not in "".join(m.since + m.told for m in NightBook(maintainer.database).matters())


def test_what_nobody_looked_at_this_morning_stays_open(maintainer):
    book, run = NightBook(maintainer.database), "2026-09-14T05:00:00+00:00"
    keys = ["senat/elus", "suivi/senat/sieges", "suivi/retenus", "autre/echouee/x"]
    found = dict.fromkeys(keys, "said")
    book.tell(found, run, lambda key: False)
    closed = book.tell({}, run, Found([], None, [], None).unseen).closed
    assert ([one.key for one in book.matters()], len(closed)) == (sorted(keys[:3]), 1)
    failed = FetchResult("senat", "senat", "failed")
    assert not book.tell({}, run, Found([failed], None, [], None).unseen).closed
    # A list that came, and a look at the seats.
    came = Found([FetchResult("senat", "senat", "new")], None, [], {})
    book.tell({}, run, came.unseen)
    assert [one.key for one in book.matters()] == ["suivi/retenus"]


def test_what_a_source_left_open_is_closed_a_month_after_its_last_night(maintainer):
    book = NightBook(maintainer.database)
    book.tell({"senat/elus": "said"}, "2026-09-14T05:00:00+00:00", lambda key: False)
    nothing = Found([], None, [], None)
    for days, closed in ((FORGOTTEN_DAYS, []), (FORGOTTEN_DAYS + 1, ["said"])):
        ledger = NightLedger(maintainer.database, maintainer.now + datetime.timedelta(days))
        assert ledger.close(nothing, {})[1].closed == closed


def test_a_morning_without_a_check_keeps_the_seats_open(maintainer):
    book = NightBook(maintainer.database)
    book.tell({"suivi/senat/sieges": "said"}, "2026-09-14T05:00:00+00:00", lambda key: False)
    maintainer.run.check = lambda path: ["a row is wrong"]
    done = maintainer.morning()
    assert (done.closed, list(done.matters)) == ([], ["suivi/senat/sieges"])
    maintainer.run.check = inspect
    assert maintainer.morning().closed == ["said"]


def test_corrections_with_faults_neither_open_nor_close_what_was_accepted(maintainer):
    maintainer.desk.stand_ins["assemblee"] = "AMO10.json.zip"
    maintainer.desk.left_out["senat"] = 3
    for _ in range(PASSING_NIGHTS + 1):
        lively(maintainer)
    accept(maintainer, f"assemblee/{maintainer.now:%Y-%m-%d}")
    assert list(lively(maintainer).matters) == ["senat/absents"]
    sound = maintainer.corrections.read_text()
    maintainer.corrections.write_text(sound + "- nonsense\n")
    maintainer.desk.left_out.clear()
    done = lively(maintainer)
    assert (list(done.matters), done.closed) == (["senat/absents"], [])
    maintainer.corrections.write_text(sound)
    assert lively(maintainer).matters == {}


def test_members_left_out_are_accepted_at_their_number(maintainer):
    maintainer.desk.left_out["senat"] = 3
    for _ in range(PASSING_NIGHTS + 1):
        done = lively(maintainer)
    day = f"{maintainer.now:%Y-%m-%d}"
    assert done.alarms[0].endswith(f"(date: {day}, accepter: senat/{day})")
    accept(maintainer, f"senat/{day}")
    assert [lively(maintainer).matters for _ in range(5)] == [{}] * 5
    maintainer.desk.left_out["senat"] = 4
    told = [lively(maintainer) for _ in range(PASSING_NIGHTS + 1)]
    assert [bool(done.alarms) for done in told] == [False] * PASSING_NIGHTS + [True]
    assert "4 members left out, some in 4 lists in a row" in told[-1].alarms[0]
    maintainer.desk.left_out["senat"] = 3
    assert lively(maintainer).matters == {}


def test_a_stand_in_is_told_once_it_lasts_and_closed_by_an_accepted_list(maintainer):
    maintainer.desk.stand_ins["assemblee"] = "AMO10.json.zip"
    told = [lively(maintainer) for _ in range(PASSING_NIGHTS + 2)]
    assert [bool(done.alarms) for done in told] == [False] * PASSING_NIGHTS + [True, False]
    (alarm,) = told[PASSING_NIGHTS].alarms
    assert "4 lists in a row, since 2026-09-15, were made without AMO10.json.zip" in alarm
    accept(maintainer, f"assemblee/{maintainer.now:%Y-%m-%d}")
    done = lively(maintainer)
    assert (done.alarms, done.matters, len(done.closed)) == ([], {}, 1)
    assert [lively(maintainer).matters for _ in range(9)] == [{}] * 9
    maintainer.desk.stand_ins.clear()
    lively(maintainer)
    maintainer.desk.stand_ins["assemblee"] = "AMO10.json.zip"
    assert [bool(lively(maintainer).alarms) for _ in range(4)] == [False, False, False, True]


def test_a_night_without_a_list_does_not_close_what_lasts(maintainer):
    maintainer.desk.stand_ins["assemblee"] = "AMO10.json.zip"
    for _ in range(PASSING_NIGHTS + 1):
        lively(maintainer)
    usual, maintainer.desk.published["assemblee"] = (
        maintainer.desk.published["assemblee"],
        FetchFailed("status 503"),
    )
    assert set(lively(maintainer).matters) == {
        "assemblee/echouee/original non obtenu",
        "assemblee/secours/AMO10.json.zip",
    }
    maintainer.desk.published["assemblee"] = usual
    done = lively(maintainer)
    assert (done.alarms, list(done.matters)) == ([], ["assemblee/secours/AMO10.json.zip"])


def test_members_left_out_are_told_once_it_lasts(maintainer):
    maintainer.desk.left_out["senat"] = 3
    told = [lively(maintainer) for _ in range(PASSING_NIGHTS + 1)]
    assert [bool(done.alarms) for done in told] == [False] * PASSING_NIGHTS + [True]
    assert "senat: 3 members left out, some in 4 lists in a row" in told[-1].alarms[0]
    maintainer.desk.left_out["senat"] = 0
    assert lively(maintainer).matters == {}


def test_a_list_that_stands_still_for_longer_than_its_habit_is_told(maintainer):
    """What an address left behind by a new legislature looks like."""
    still = STILL_DAYS["assemblee"]
    told = [maintainer.morning() for _ in range(still + 1)]
    assert not any(done.alarms for done in told[:-1])
    assert set(told[-1].matters) == {"assemblee/immobile", "senat/immobile"}
    assert "the list has not changed for 11 days, since 2026-09-14" in told[-1].alarms[0]
    # The list that was looked at has given its place to the same list of the next day.
    accept(maintainer, f"assemblee/{maintainer.now:%Y-%m-%d}")
    done = maintainer.morning()
    assert done.faults == []
    assert set(done.matters) == {"senat/immobile"}
    told = [maintainer.morning() for _ in range(still)]
    assert [list(done.matters) for done in told[:-1]] == [["senat/immobile"]] * (still - 1)
    assert "assemblee/immobile" in told[-1].matters
    maintainer.desk.hires("assemblee", NAMES[0])
    assert "assemblee/immobile" not in maintainer.morning().matters


def test_a_list_of_a_run_that_left_no_row_did_not_stand_still(maintainer):
    maintainer.mornings(5)
    maintainer.desk.hires("assemblee", NAMES[0])
    maintainer.now += datetime.timedelta(1)
    plan = maintainer.start()
    plan.fetcher.fetch(plan.sources)  # and the run is killed
    done = maintainer.mornings(STILL_DAYS["assemblee"] - 4)
    assert set(done.matters) == {"senat/immobile"}
    booked = NightBook(maintainer.database).nights()
    changed = {one.night.source: one.night.liste_changee_le for one in booked}
    assert (changed["assemblee"], changed["senat"]) == ("2026-09-20", "2026-09-14")


def test_a_refused_list_is_closed_by_accepting_it(maintainer):
    maintainer.desk.published["europarl"] = rows("europarl", 45)
    done = maintainer.morning()
    assert list(done.matters) == ["suivi/europarl/refusee/trop d’élus disparus"]
    assert maintainer.morning().alarms == []
    (matter,) = NightBook(maintainer.database).matters()
    assert (matter.since[:10], matter.told[:10]) == ("2026-09-15", "2026-09-15")
    accept(maintainer, f"europarl/{maintainer.now:%Y-%m-%d}")
    maintainer.morning(0)
    assert NightBook(maintainer.database).matters() == []


def test_what_tracking_did_not_look_at_stays_open(maintainer):
    maintainer.desk.published["europarl"] = rows("europarl", 45)
    maintainer.morning()
    accept(maintainer, "nonsense/2026-01-01")
    assert maintainer.morning().closed == []
    maintainer.corrections.write_text("")
    done = maintainer.morning()
    assert (done.alarms, list(done.matters)) == (
        [],
        ["suivi/europarl/refusee/trop d’élus disparus"],
    )


def test_a_fault_of_the_run_itself_is_told_every_morning(maintainer):
    maintainer.corrections.write_text("- nonsense\n")
    assert all(lively(maintainer).alarms for _ in range(3))


def test_without_its_book_a_run_tells_all(maintainer):
    maintainer.desk.published["senat"] = FetchFailed("status 404")
    maintainer.morning()
    maintainer.database.with_name("movements.suivi.sqlite3").write_bytes(b"no database" * 99)
    assert "senat: failed status 404" in maintainer.morning().alarms


def test_a_history_that_is_damaged_is_told_once_a_week_until_it_is_mended(maintainer):
    maintainer.mornings(2)
    own = maintainer.lists / ".git"
    config = own / "config"
    whole = config.read_text()
    config.write_text("[")
    told = [maintainer.morning() for _ in range(8)]
    assert [len(done.alarms) for done in told] == [1, 0, 0, 0, 0, 0, 0, 1]
    assert f"{own}: git rev-parse: fatal: " in told[7].alarms[0]
    assert "(open since 2026-09-17)" in told[7].alarms[0]
    assert not told[6].good
    config.write_text(whole)
    done = maintainer.morning()
    assert str(own) not in "".join(done.alarms)
    assert str(own) in "".join(done.closed)
