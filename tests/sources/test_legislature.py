"""A new legislature has an address of its own: it is tried where the one that is known is left behind."""

from __future__ import annotations

import datetime

import pytest

from parlement_lists.sources.assemblee import SOURCE
from parlement_lists.sources.fetcher import Fetcher
from parlement_lists.sources.hooks import MemberRecord, Period
from parlement_lists.tracking.members.members_files import read_rows

from . import amo10
from .conftest import Clock

FIRST = datetime.date(2026, 9, 14)
ELECTED = datetime.date(2026, 9, 20)
OLD = amo10.many(12)
NEW = [row._replace(elu_id=row.elu_id.replace("PA", "PA2")) for row in amo10.many(12)]


class Repository:
    """What the Assemblée serves, by path."""

    def __init__(self, server):
        self.server, self.files = server, {}
        server.answer_with(self._answer)
        self.source = SOURCE.at(
            {
                word: server.url.replace("/liste.csv", f"/repository/17/{word}")
                for word in SOURCE.addresses
            }
        )

    def put(self, path, body):
        self.files[f"/repository/{path}"] = body

    def _answer(self, request):
        body = self.files.get(request.path, b"")
        request.send_response(200 if body else 404)
        request.send_header("content-length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)


@pytest.fixture
def repository(server):
    return Repository(server)


def ended(day=ELECTED):
    return [
        MemberRecord(id, "Député", "Camille", "Mme", mandates=[Period(amo10.BEGUN, day)])
        for id in dict.fromkeys(row.elu_id for row in OLD)
    ]


def seated(rows, since=ELECTED):
    return [
        MemberRecord(id, "Député", "Camille", "Mme", mandates=[Period(since)])
        for id in dict.fromkeys(row.elu_id for row in rows)
    ]


def zip_of(rows, made, members=()):
    return amo10.make(rows, members=members, made=made)


def on(clock, day):
    clock.now = datetime.datetime.combine(day, datetime.time(4), datetime.UTC)


def after(days):
    return ELECTED + datetime.timedelta(days)


@pytest.fixture
def begun(repository, fetcher, clock):
    """The fetcher, once the list of the old legislature was fetched."""
    on(clock, FIRST)
    repository.put("17/zip", zip_of(OLD, FIRST))
    (result,) = fetcher.fetch([repository.source])
    assert (result.status, result.told) == ("new", [])
    return fetcher


def fetched(begun: Fetcher, repository, clock: Clock, day):
    on(clock, day)
    return begun.fetch([repository.source])[0]


@pytest.mark.parametrize("left", ["all mandates ended", "late", "gone"])
def test_the_next_legislature_is_found_where_the_known_one_is_left_behind(
    begun, repository, clock, left
):
    if left == "gone":
        repository.files.clear()
    elif left == "all mandates ended":
        repository.put("17/zip", zip_of([], after(4), ended()))
    repository.put("18/zip", zip_of(NEW, after(5), seated(NEW)))
    result = fetched(begun, repository, clock, after(5))
    assert (result.status, result.detail, result.stand_ins) == ("new", "", [])
    assert result.told == [
        "the zip of legislature 17 is left behind: that of legislature 18 is read from now on"
    ]
    assert {row.member for row in read_rows(begun.repository.members).mandates} >= {
        row.elu_id for row in NEW
    }
    # From then on nobody asks for the old one.
    repository.put("18/zip", zip_of(NEW[1:], after(6), seated(NEW)))
    before = len(repository.server.requests)
    result = fetched(begun, repository, clock, after(6))
    assert (result.status, result.told) == ("new", [])
    assert len(repository.server.requests) == before + 1
    # Nor is the old list in CSV a stand-in for a new zip.
    repository.put("17/csv", amo10.staff_csv(OLD))
    del repository.files["/repository/18/zip"]
    assert fetched(begun, repository, clock, after(7)).status == "failed"
    repository.put("18/csv", amo10.staff_csv(NEW))
    result = fetched(begun, repository, clock, after(8))
    assert (result.status, result.origin) == ("new", "assemblee-csv")


@pytest.mark.parametrize(
    ("made", "rows", "members"),
    [
        (FIRST, NEW, seated(NEW)),  # not newer
        (after(5), [], ended()),  # nobody sits
        (None, [], []),  # none
    ],
)
def test_what_is_no_new_legislature_is_not_taken(begun, repository, clock, made, rows, members):
    if made:
        repository.put("18/zip", zip_of(rows, made, members))
    result = fetched(begun, repository, clock, after(5))
    assert result.status == "unchanged"
    assert "AMO10.json.zip is late" in result.told[0]
    assert "legislature" not in begun.repository.last_seen()["assemblee"]["memory"]


def test_a_sound_zip_of_today_is_the_only_one_asked_for(begun, repository, clock):
    repository.put("17/zip", zip_of(OLD, after(5)))
    repository.put("18/zip", zip_of(NEW, after(5)))
    before = len(repository.server.requests)
    assert fetched(begun, repository, clock, after(5)).told == []
    assert len(repository.server.requests) == before + 1


def test_members_of_a_new_assembly_are_known_before_anybody_is_hired(begun, repository, clock):
    repository.put("17/zip", zip_of([], after(4), ended()))
    repository.put("18/zip", zip_of([], after(5), seated(NEW)))
    result = fetched(begun, repository, clock, after(5))
    assert result.detail == "AMO10-18.json.zip: 0 of 12 sitting deputies have staff"
    rows = read_rows(begun.repository.members).mandates
    sits = {row.member for row in rows if row.span.covers(after(5))}
    assert sits == {row.elu_id for row in NEW}
    # A few are hired: the mandates prove a renewal, so this is no list cut short.
    repository.put("18/zip", zip_of(NEW[:5], after(6), seated(NEW)))
    assert fetched(begun, repository, clock, after(6)).status == "new"
