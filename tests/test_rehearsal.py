"""The rehearsal: a month of it ends well, and it sees what is false, lost or told of a wrong day."""

from __future__ import annotations

import datetime

import pytest

from parlement_lists.movement import words
from tests.rehearsal import truth
from tests.rehearsal.episodes import Episode
from tests.rehearsal.house import House
from tests.rehearsal.table import not_as_declared
from tests.rehearsal.truth import Published, Told
from tests.rehearsal.world import SIZES, Absence, Fact, World
from tests.rehearsal.year import FAULTS, Track, rehearse

SEED, MORNINGS = 1431, 30
DAY, FAR = datetime.date(2026, 9, 20), datetime.date(2027, 1, 1)
FACT = Fact(DAY, "senat", "arrivee", "1A", "aube zoe")


@pytest.mark.process
def test_a_month_of_faults_publishes_what_is_true(tmp_path):
    """A year takes minutes, and runs every week only."""
    month = rehearse(tmp_path / "house", SEED, MORNINGS)
    assert (month.wrong, list(not_as_declared(month.episodes))) == ([], [])
    assert month.movements
    assert month.episodes


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ([Told(FACT.key, "2026-09-19", "2026-09-20")], ""),
        ([Told(FACT.key, "2026-09-19", "2026-09-20")] * 2, "twice"),
        ([Told(FACT.key, "2026-09-20", "2026-09-22")], "of a day to come"),
        ([Told(("senat", "arrivee", "1A", "autre zoe"), "2026-09-19", "2026-09-20")], "false"),
    ],
)
def test_what_is_not_true_is_seen(told, said):
    found = truth.false_today(_published(told, DAY), [FACT], [], {}, DAY, {})
    assert [sentence.partition(":")[0] for sentence in found] == [said] * bool(said)


PAIR = "senat", "2B", "brun paul"
AWAY = Absence(datetime.date(2026, 9, 2), datetime.date(2026, 9, 4), *PAIR)
GONE = Told(AWAY.as_facts()[0].key, "2026-09-01", "2026-09-02")
BACK = Told(AWAY.as_facts()[1].key, "2026-09-02", "2026-09-12")


def test_who_was_missing_before_a_hole_is_told_as_gone_and_back_and_nobody_else():
    told = [GONE, BACK]
    assert _false(told, [AWAY]) == []
    assert len(_false(told, [])) == 2
    assert len(_false([GONE], [AWAY])) == 1
    # A list of the days between has him back.
    assert len(_false([GONE, BACK._replace(day="2026-09-09")], [AWAY])) == 2
    # Those of another time are none of his.
    assert len(_false([GONE._replace(after="2026-09-05", day="2026-09-06"), BACK], [AWAY])) == 2


@pytest.mark.parametrize(
    ("type_", "day"),
    [("arrivee", datetime.date(2026, 8, 2)), ("depart", datetime.date(2026, 9, 15))],
)
def test_who_was_missing_before_a_hole_came_and_goes_once_besides(type_, day):
    fact = Fact(day, "senat", type_, *PAIR[1:])
    own = Told(fact.key, (day - datetime.timedelta(1)).isoformat(), day.isoformat())
    assert _false([GONE, BACK, own], [AWAY], [fact]) == []
    assert len(_false([GONE, BACK, own, own], [AWAY], [fact])) == 1
    assert truth.compare([BACK, own, GONE], [fact], {}, {}) == []


def test_who_is_missing_from_a_list_that_stands_still_is_told_as_gone_until_it_moves():
    still = {"senat": {datetime.date(2026, 9, day) for day in range(3, 15)}}
    assert _false([GONE], [AWAY], hidden=still, last=datetime.date(2026, 9, 14)) == []
    # Not yet after a week, and not once he is shown again.
    assert len(_false([GONE], [AWAY], hidden=still, last=datetime.date(2026, 9, 9))) == 1
    assert len(_false([GONE], [AWAY], hidden=still, last=datetime.date(2026, 9, 15))) == 1


@pytest.mark.parametrize(
    ("after", "day", "hidden", "said"),
    [
        ("2026-09-19", "2026-09-20", 0, ""),
        ("2026-09-12", "2026-09-25", 0, ""),
        ("2026-09-20", "2026-09-21", 0, "out of bounds"),
        ("2026-09-20", "2026-09-21", 1, ""),
        ("2026-09-18", "2026-09-19", 0, "out of bounds"),
        ("", "", 0, "lost"),
    ],
)
def test_what_is_lost_or_of_a_wrong_day_is_seen(after, day, hidden, said):
    told = [Told(FACT.key, after, day)] if day else []
    old = {"senat": {DAY + datetime.timedelta(n) for n in range(hidden)}}
    found = truth.compare(told, [FACT], old, {})
    assert [sentence.partition(":")[0] for sentence in found] == [said] * bool(said)


@pytest.mark.parametrize(
    ("member", "wrong"), [("1A", (0, 0, 1, 2)), ("2B", (0, 0, 1, 2)), ("", (0, 3, 2, 2))]
)
def test_a_transfer_at_a_member_of_whom_nothing_was_read_may_be_told_apart(member, wrong):
    moved = FACT._replace(type="transfert", origin="2B")
    left = Told(("senat", "depart", "2B", FACT.person), "2026-09-19", "2026-09-20")
    came = Told(("senat", "arrivee", "1A", FACT.person), "2026-09-19", "2026-09-24")
    whole = Told(moved.key, "2026-09-19", "2026-09-20")
    unread = {member: {DAY}}
    found = []
    for told in ([whole], [left, came], [left], [left, came, whole]):
        false = truth.false_today(_published(told, DAY), [moved], [], {}, FAR, unread)
        found.append(len(false) + len(truth.compare(told, [moved], {}, unread)))
    assert tuple(found) == wrong


def test_who_is_away_when_the_member_goes_has_left_on_the_first_day_away():
    world = World(DAY, SEED)
    while not (away := [one for one in world.missing if one[0] == "assemblee"]):
        world.pass_day()
    missed_since = world.day
    world.pass_day({"assemblee": SIZES["assemblee"]})
    person = words(*away[0][2][1:])
    assert [fact.day for fact in world.facts if fact.person == person] == [missed_since]


def test_an_alarm_about_a_new_history_tells_that_the_repository_was_gone(tmp_path):
    [gone] = [fault for fault in FAULTS if fault.name == "the repository is gone"]
    said = "/lists/.git was gone, and a new history of the lists begins"
    report = {"day": DAY.isoformat(), "alarms": [said], "published": "x", "nights": []}
    report |= {key: [] for key in ("open", "faults", "fetched")}
    episode = Episode(gone, DAY, 0, DAY)
    episode.hear(report, DAY, tmp_path, ill=False)
    assert (episode.alarm, episode.healed) == ((0, said), 0)


@pytest.mark.parametrize(("heard", "killed", "said"), [(1, 0, 1), (1, 1, 0), (2, 1, 1)])
def test_a_killed_run_may_have_told_what_no_report_tells(heard, killed, said):
    [election] = [f for f in FAULTS if f.name == "an election, the old zip stays as it was"]
    episode = Episode(election, DAY, 0, DAY, healed=0, heard=heard, killed=killed)
    assert len(list(not_as_declared([episode]))) == said


def test_two_chambers_may_be_renewed_in_one_night(tmp_path):
    by_name = {fault.name: fault for fault in FAULTS}
    house = House(tmp_path / "house", SEED)
    try:
        for name in ("an election, the old zip stays as it was", "three new senators are unknown"):
            by_name[name].befalls(house, house.world.chance)
        house.pass_day()
        assert house.world.elections == [house.world.day]
        assert house.world.seated["senat"] == SIZES["senat"] + 3
    finally:
        house.close()


@pytest.mark.process
def test_a_state_that_no_run_was_after_harms_nothing(tmp_path):
    [older] = [fault for fault in FAULTS if fault.name == "an older state beside the database"]
    house = House(tmp_path / "house", SEED)
    try:
        house.run()
        house.back_up()
        assert older.befalls(house, house.world.chance) is False
        while not house.world.facts:
            house.pass_day()
        house.run()
        assert older.befalls(house, house.world.chance) is True
        assert house.run()["faults"]
    finally:
        house.close()


@pytest.mark.parametrize(("since", "begins"), [(10, False), (70, True), (None, True)])
def test_half_have_no_staff_long_after_an_election_alone(since, begins):
    track = Track([fault for fault in FAULTS if fault.as_renewed], "half")
    track.idle = 0
    track.begin(DAY, 9, [] if since is None else [DAY - datetime.timedelta(since)])
    assert (track.episode is not None) == begins
    assert len(track.deck) == (not begins)


def _published(told, last):
    return Published(told, {"senat": last.isoformat()})


def _false(told, absences, facts=(), hidden=None, last=DAY):
    published = _published(told, last)
    return sorted(truth.false_today(published, facts, absences, hidden or {}, DAY, {}))
