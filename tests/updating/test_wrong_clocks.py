"""A clock that is wrong keeps nothing, and what it left before anybody noticed stops no later morning."""

from __future__ import annotations

import datetime
import shutil
from contextlib import ExitStack, closing

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset.served import nights
from datasette_mouvements.updating import update
from datasette_mouvements.updating.nights.book import NightBook
from parlement_lists.sources.downloading.retry_policy import FetchFailed
from parlement_lists.sources.hooks import Address, ChamberMembers, MemberRecord
from parlement_lists.sources.members import merge
from parlement_lists.tracking.members.members_files import read_rows
from parlement_lists.tracking.reading import git
from parlement_lists.tracking.reading.walk import walk
from tests.sources.conftest import running, server
from tests.updating.mornings import MEMBERS, holds

__all__ = ["server"]
AHEAD = 365
HOSTS = ("127.0.0.1", "localhost", "127.1")


@pytest.fixture
def served_by(maintainer, server):
    """The maintainer, whose sources are asked of a server that knows the time."""

    def answered(*chambers):
        # Two hosts, as one clock is one witness.
        urls = [server.url.replace("127.0.0.1", host) for host in HOSTS]
        maintainer.desk.addresses = {
            chamber: {"liste": Address("liste", url)}
            for chamber, url in zip(chambers, urls, strict=False)
        }
        return maintainer

    server.now = maintainer.now
    return answered


def kept(maintainer):
    return sorted(path.name for path in maintainer.lists.glob("*/*.csv"))


def alarms(done):
    return "\n".join(done.alarms)


@pytest.mark.parametrize("days", [AHEAD, -AHEAD])
def test_nothing_is_kept_while_two_servers_deny_the_clock(served_by, server, days):
    maintainer = served_by("assemblee", "senat")
    maintainer.desk.hires("senat", "NEUVE")
    before = kept(maintainer)
    server.now += datetime.timedelta(1)
    done = maintainer.morning(days + 1)
    right = f"the servers of assemblee, senat say {server.now:%Y-%m-%d %H:%M}: nothing is kept"
    assert right in alarms(done)
    assert (done.day, done.published, done.tracked) == ("2026-09-15", None, None)
    assert kept(maintainer) == before
    for file in (maintainer.database, maintainer.served):
        assert not holds(file, "NEUVE")
        assert [(one.jour, one.resultat) for one in nights.read(file) if not one.source] == [
            ("2026-09-14", "reussie"),
            ("2026-09-15", "alarme"),
        ]
    (night,) = [n for n in NightBook(maintainer.database).nights() if n.night.jour == done.day]
    assert right in night.detail
    # What the sentence says to do.
    server.now += datetime.timedelta(1)
    done = maintainer.morning(1 - days)
    assert (done.day, done.alarms) == ("2026-09-16", [])
    assert done.published
    assert "2026-09-16.csv" in kept(maintainer)


def test_a_mask_of_a_wrong_clock_has_the_day_of_the_servers(served_by, server):
    """The feed's instants never go back: a day to come would stand in it for ever."""
    maintainer = served_by("assemblee", "senat")
    maintainer.desk.hires("senat", "CACHEE")
    for _ in range(9):
        server.now += datetime.timedelta(1)
        maintainer.morning()
    maintainer.masks("CACHEE")
    server.now += datetime.timedelta(1)
    assert len(maintainer.morning(AHEAD + 1).masked) == 2
    with closing(sqlite3.connect(maintainer.served)) as db:
        (last,) = db.execute("select max(publie_le) from _changements").fetchone()
    assert last[:10] == f"{server.now:%Y-%m-%d}"


def test_one_server_alone_may_be_wrong(served_by, server):
    maintainer = served_by("assemblee", "senat")
    with running() as other:
        other.now = maintainer.now + datetime.timedelta(AHEAD)
        of_other = {"liste": Address("liste", other.url)}
        maintainer.desk.addresses |= {"senat": of_other, "europarl": of_other}
        assert maintainer.morning().alarms == []


@pytest.mark.parametrize(
    ("dates", "denied"),
    [
        (["2027-09-15", "2027-09-15T23:59"], True),
        (["2027-09-15", "2027-09-17"], False),  # they deny one another
        (["2027-09-15", "2027-09-15", "2026-09-15"], False),  # one bears our clock out
        (["2027-09-15"], False),
        (["9999-12-31T23:59", "9999-12-31T23:59"], False),  # no clock says that,
    ],
)
def test_servers_deny_the_clock_if_they_agree_and_none_bears_it_out(maintainer, dates, denied):
    with ExitStack() as stack:
        addresses = {}
        for chamber, said, host in zip(MEMBERS, dates, HOSTS, strict=False):
            server = stack.enter_context(running())
            server.now = datetime.datetime.fromisoformat(said).replace(tzinfo=datetime.UTC)
            url = server.url.replace("127.0.0.1", host)
            addresses[chamber] = {"liste": Address("liste", url)}
        maintainer.desk.addresses = addresses
        done = maintainer.morning()
    assert (done.tracked is None) == denied


def test_two_sources_at_one_host_are_one_witness(served_by, server):
    maintainer = served_by("assemblee")
    maintainer.desk.addresses["senat"] = maintainer.desk.addresses["assemblee"]
    server.now += datetime.timedelta(AHEAD)
    assert maintainer.morning().alarms == []


@pytest.mark.parametrize("age", ["99999999", "x", "1"])
def test_an_answer_that_a_cache_kept_for_years_says_nothing(served_by, server, age):
    maintainer = served_by("assemblee", "senat")
    server.now = datetime.datetime(9999, 12, 31, 23, 59, 59, tzinfo=datetime.UTC)
    server.age = age
    assert maintainer.morning().faults == []


def test_servers_of_a_day_long_ago_make_the_ledger_forget_nothing(served_by, server):
    maintainer = served_by()
    maintainer.desk.published["senat"] = FetchFailed("none")
    maintainer.mornings(5)
    book = NightBook(maintainer.database)
    before, since = book.nights(), [matter.since for matter in book.matters()]
    served_by("assemblee", "senat")
    server.now = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    maintainer.morning()
    assert book.nights()[: len(before)] == before
    assert len(book.nights()) == len(before) + 1
    assert [matter.since for matter in book.matters()] == since != []


def test_servers_that_cannot_be_asked_say_nothing(served_by):
    maintainer = served_by("assemblee", "senat")
    gone = {"liste": Address("liste", "http://127.0.0.1:9/")}
    maintainer.desk.addresses = dict.fromkeys(MEMBERS, gone)
    assert maintainer.morning(AHEAD).faults == []


def wrong_morning(maintainer):
    """A morning a year ahead that no server denied, and what it left."""
    maintainer.desk.hires("senat", "NEUVE")
    maintainer.morning(AHEAD)
    ahead = f"{maintainer.now:%Y-%m-%d}"
    seen = [MemberRecord(row.elu_id, "Exemple", "Jeanne") for row in europeans(maintainer)]
    folder = maintainer.lists / "elus"
    watched = ChamberMembers(seen[:40], False, "essai")
    merge(folder, "europarl", watched, maintainer.now.date() - datetime.timedelta(AHEAD))
    merge(folder, "europarl", watched._replace(members=seen), maintainer.now.date())
    return ahead


def europeans(maintainer):
    return maintainer.desk.published["europarl"]


def test_what_a_clock_ahead_left_is_put_right_by_the_next_morning(served_by, server):
    maintainer = served_by()
    ahead = wrong_morning(maintainer)
    assert all((maintainer.lists / chamber / f"{ahead}.csv").exists() for chamber in MEMBERS)
    served_by("assemblee", "senat")
    maintainer.now -= datetime.timedelta(AHEAD)
    server.now = maintainer.now + datetime.timedelta(1)
    done = maintainer.morning()
    assert [alarm.partition(":")[0] for alarm in done.alarms] == list(MEMBERS)
    assert f"senat/{ahead} is of a day to come" in "\n".join(done.lines())
    assert ahead not in "".join(kept(maintainer))
    kept_as = f"originaux/senat/{maintainer.now:%Y-%m-%d}T0600/a-venir-{ahead}.csv.gz"
    assert (maintainer.lists / kept_as).exists()
    assert f"senat/{ahead}.csv" not in git.run(maintainer.lists, "ls-files")
    assert ahead not in (maintainer.lists / "origines.csv").read_text()
    rows = read_rows(maintainer.lists / "elus")
    assert rows.watched["europarl"] == maintainer.now.date() - datetime.timedelta(1)
    assert max(row.span.since for row in rows.mandates) == maintainer.now.date()
    maintainer.desk.hires("senat", "AUTRE")
    # What the alarm says to do.
    built_again(maintainer, maintainer.lists)
    for _ in range(10):
        server.now += datetime.timedelta(1)
        done = maintainer.morning()
        assert done.faults == []
    assert set(maintainer.arrivals()) == {"NEUVE", "AUTRE"}
    days = {day for name in ("mouvements", "listes") for day in dates(maintainer, name)}
    assert max(days) <= f"{maintainer.now:%Y-%m-%d}"


def built_again(maintainer, *folders):
    inputs = update.Inputs(source="suivi", lists=walk(folders).files)
    update.build(maintainer.database, inputs, maintainer.now)


def test_a_morning_that_puts_lists_right_settles_nothing(served_by, server):
    """What the list of one day says is held, and what is published stays, whichever lists are at hand."""
    maintainer = served_by()
    maintainer.desk.hires("senat", "VRAIE")
    maintainer.mornings(9)
    before_it = maintainer.arrivals()
    assert before_it == ["VRAIE"]
    maintainer.morning(AHEAD)
    served_by("assemblee", "senat")
    maintainer.now -= datetime.timedelta(AHEAD - 1)
    server.now = maintainer.now
    for path in sorted((maintainer.lists / "senat").glob("*.csv"))[1:3]:
        path.unlink()
    maintainer.desk.published["senat"] = maintainer.desk.published["senat"][1:]
    done = maintainer.morning(0)
    assert "senat: look at the clock of this machine" in alarms(done)
    assert maintainer.arrivals() == before_it
    with closing(sqlite3.connect(maintainer.served)) as db:
        assert db.execute("select * from mouvements where type = 'depart'").fetchall() == []


@pytest.mark.parametrize(("days", "put_aside"), [(2, False), (3, True)])
def test_a_list_that_clocks_a_day_apart_explain_stays(served_by, server, days, put_aside):
    maintainer = served_by()
    maintainer.morning(days)
    served_by("assemblee", "senat")
    server.now = maintainer.now = maintainer.now - datetime.timedelta(days)
    maintainer.morning(0)
    assert (len(kept(maintainer)) == 3) == put_aside


def dates(maintainer, table):
    column = {"mouvements": "date_event", "listes": "date"}[table]
    with closing(sqlite3.connect(maintainer.served)) as db:
        return [day for (day,) in db.execute(f"select {column} from {table}")]


def test_lists_are_not_put_aside_where_no_server_bears_the_clock_out(served_by):
    maintainer = served_by()
    maintainer.mornings(3)
    before = kept(maintainer)
    done = maintainer.morning(-AHEAD)
    assert set(before) <= set(kept(maintainer))
    assert "senat: look at the clock of this machine: " in alarms(done)


def test_a_database_with_lists_that_are_not_at_hand_is_built_again_by_hand(
    served_by, server, tmp_path
):
    maintainer = served_by()
    ahead = wrong_morning(maintainer)
    archive = tmp_path / "archive"
    for chamber in MEMBERS:
        (archive / chamber).mkdir(parents=True)
        shutil.move(maintainer.lists / chamber / "2026-09-14.csv", archive / chamber)
    served_by("assemblee", "senat")
    maintainer.now -= datetime.timedelta(AHEAD)
    server.now = maintainer.now + datetime.timedelta(1)
    done = maintainer.morning()
    assert f"the last list taken is of {ahead}, a day to come" in alarms(done)
    built_again(maintainer, archive, maintainer.lists)
    server.now += datetime.timedelta(1)
    done = maintainer.morning()
    assert done.alarms == []
    assert done.published
