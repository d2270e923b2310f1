"""The morning run and those who follow its feed: a mask does not make two of what is served."""

from __future__ import annotations

import pytest

from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.updating.published import Published
from datasette_mouvements.updating.state_file import StateFile
from tests.tracking.disk import files_up_to
from tests.updating.follower import Follower, table
from tests.updating.mornings import holds


@pytest.fixture
def maintainer(hired):
    """Somebody of what is served will ask for an erasure."""
    return hired("CACHEE")


def followed(maintainer):
    """A copy of what is served."""
    copy = Follower()
    copy.walk(maintainer.served)
    return copy


def are_one(maintainer):
    """Whether what is served is the database, as it is."""
    served, database = Published(maintainer.served), Published(maintainer.database)
    return served.publication == database.publication


def masked(database):
    return {id for id, movement in table(database).items() if "collab_nom" not in movement}


def test_a_copy_follows_through_the_morning_of_a_mask(maintainer):
    copy = followed(maintainer)
    maintainer.masks("CACHEE")
    maintainer.desk.hires("senat", "NEUVE")

    def looks():
        """Before anything is fetched, the masked database is served already."""
        assert are_one(maintainer)
        copy.walk(maintainer.served)
        return maintainer.start()

    maintainer.run.start = looks
    assert maintainer.morning().alarms == []
    maintainer.mornings(9)
    copy.walk(maintainer.served)
    assert (copy.movements, copy.begun) == (table(maintainer.served), 0)
    assert "CACHEE" not in str(copy.movements)
    assert len(masked(maintainer.served)) == 1


def test_what_is_served_and_no_copy_gets_the_identifiers_of_the_database(maintainer):
    copy = followed(maintainer)
    maintainer.run.check = lambda path: ["a row is wrong"]
    maintainer.desk.hires("senat", "NEUVE")
    maintainer.mornings(9)
    assert not holds(maintainer.served, "NEUVE")
    maintainer.masks("CACHEE")
    maintainer.morning()
    assert not holds(maintainer.served, "CACHEE")
    assert masked(maintainer.served) == masked(maintainer.database) != set()
    copy.walk(maintainer.served)
    assert (copy.movements, copy.begun) == (table(maintainer.served), 0)
    maintainer.run.check = inspect
    assert maintainer.morning().alarms == []
    copy.walk(maintainer.served)
    # The cursor was one of the served file's own run: the copy begins anew rather than miss something.
    assert (copy.movements, copy.begun) == (table(maintainer.served), 1)


def test_a_copy_is_not_served_where_the_masked_database_is_not_sound(maintainer):
    followed(maintainer)
    before = table(maintainer.served)
    maintainer.masks("CACHEE")
    maintainer.run.check = lambda path: ["a row is wrong"]
    copied = []

    def looks():
        begun = maintainer.start()
        fetch = begun.fetcher.fetch

        def fetch_later(*given):
            copied.append(are_one(maintainer))
            return fetch(*given)

        begun.fetcher.fetch = fetch_later
        return begun

    maintainer.run.start = looks
    maintainer.morning()
    assert copied == [False]
    assert not holds(maintainer.served, "CACHEE")
    assert len(table(maintainer.served)) == len(before)
    assert masked(maintainer.served) == masked(maintainer.database)


def test_a_state_that_cannot_take_it_holds_no_mask_of_what_is_served_back(maintainer):
    followed(maintainer)
    maintainer.masks("CACHEE")
    # A run that was killed left so much in it that the state is larger than the databases.
    StateFile(maintainer.database).add("x" * 3_000_000)
    with files_up_to(1_500_000):
        done = maintainer.morning()
    assert done.alarms[0].endswith("movements.suivi.sqlite3: disk I/O error")
    assert holds(maintainer.database, "CACHEE")
    assert not holds(maintainer.served, "CACHEE")
