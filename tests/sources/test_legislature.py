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
OLD = amo10.many(24)
NEW = [row._replace(elu_id=row.elu_id.replace("PA", "PA2")) for row in amo10.many(24)]


class Repository:
    """What the Assemblée serves, by path."""

    def __init__(self, server):
        self.server, self.files, self.asked = server, {}, []
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
        self.asked.append(request.path)
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
        del repository.files["/repository/17/zip"]
        repository.put("17/csv", amo10.staff_csv(OLD))
        for day in (3, 4):  # a zip that merely fails may come back
            assert fetched(begun, repository, clock, after(day)).origin == "assemblee-csv"
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
    before = len(repository.asked)
    result = fetched(begun, repository, clock, after(6))
    assert (result.status, result.told) == ("new", [])
    assert len(repository.asked) == before + 1
    # Nor is the old list in CSV a stand-in for a new zip.
    repository.put("17/csv", amo10.staff_csv(OLD))
    del repository.files["/repository/18/zip"]
    assert fetched(begun, repository, clock, after(7)).status == "failed"
    assert "/repository/19/zip" not in repository.asked
    repository.put("18/csv", amo10.staff_csv(NEW))
    result = fetched(begun, repository, clock, after(8))
    assert (result.status, result.origin) == ("new", "assemblee-csv")


@pytest.mark.parametrize(
    ("made", "rows", "members"),
    [
        (FIRST, NEW, seated(NEW)),  # not newer
        (after(5), [], ended()),  # nobody sits
        (after(5), NEW[:5], seated(NEW[:5])),  # fewer than half of a chamber: a trial
        (after(1), NEW, seated(NEW)),  # late
        (None, [], []),  # none
    ],
)
def test_what_is_no_new_legislature_is_not_taken(begun, repository, clock, made, rows, members):
    if made:
        repository.put("18/zip", zip_of(rows, made, members))
    result = fetched(begun, repository, clock, after(5))
    assert result.status == "unchanged"
    assert "AMO10.json.zip is late" in result.told[0]
    assert begun.repository.last_seen()["assemblee"]["memory"].keys() == {"sitting"}
    # What was tried and is not used is kept once, not each morning.
    before = kept(begun)
    result = fetched(begun, repository, clock, after(6))
    assert ("AMO10.json.zip is late" in result.told[0], kept(begun)) == (True, before)


def test_a_sound_zip_of_today_is_the_only_one_asked_for(begun, repository, clock):
    repository.put("17/zip", zip_of(OLD, after(5)))
    repository.put("18/zip", zip_of(NEW, after(5)))
    before = len(repository.asked)
    assert fetched(begun, repository, clock, after(5)).told == []
    assert len(repository.asked) == before + 1


def test_members_of_a_new_assembly_are_known_before_anybody_is_hired(begun, repository, clock):
    repository.put("17/zip", zip_of([], after(4), ended()))
    repository.put("18/zip", zip_of([], after(5), seated(NEW)))
    result = fetched(begun, repository, clock, after(5))
    assert result.detail == "AMO10-18.json.zip: 0 of 24 sitting deputies have staff"
    rows = read_rows(begun.repository.members).mandates
    sits = {row.member for row in rows if row.span.covers(after(5))}
    assert sits == {row.elu_id for row in NEW}
    # A few are hired: the mandates prove a renewal, so this is no list cut short.
    repository.put("18/zip", zip_of(NEW[:5], after(6), seated(NEW)))
    assert fetched(begun, repository, clock, after(6)).status == "new"


def kept(begun):
    folder = begun.repository.directory / "originaux"
    return sorted(str(path) for path in folder.rglob("*") if path.is_file())


def test_one_morning_without_the_zip_moves_nothing(begun, repository, clock):
    del repository.files["/repository/17/zip"]
    repository.put("18/zip", zip_of(NEW, after(5), seated(NEW)))
    assert fetched(begun, repository, clock, after(5)).status == "failed"
    repository.put("17/zip", zip_of(OLD, after(6)))
    assert fetched(begun, repository, clock, after(6)).told == []
    # Failures are counted anew after each answer.
    del repository.files["/repository/17/zip"]
    assert fetched(begun, repository, clock, after(7)).status == "failed"
    assert fetched(begun, repository, clock, after(8)).status == "failed"


@pytest.fixture
def moved(begun, repository, clock):
    """The fetcher, once it reads legislature 18."""
    repository.put("17/zip", zip_of([], after(4), ended()))
    repository.put("18/zip", zip_of(NEW, after(5), seated(NEW)))
    assert fetched(begun, repository, clock, after(5)).status == "new"
    return begun


@pytest.mark.parametrize("wrong", ["gone", "no zip", "late"])
def test_the_configured_legislature_is_read_again_once_it_is_sound(moved, repository, clock, wrong):
    repository.put("17/zip", zip_of(OLD, after(10)))
    if wrong == "gone":
        del repository.files["/repository/18/zip"]
    elif wrong == "no zip":
        repository.put("18/zip", b"x")
    result = fetched(moved, repository, clock, after(10))
    assert result.told[0] == (
        "the zip of legislature 18 is left behind: that of legislature 17 is read from now on"
    )
    repository.put("17/zip", zip_of(OLD[1:], after(11)))
    before = len(repository.asked)
    assert fetched(moved, repository, clock, after(11)).told == []
    assert repository.asked[before:] == ["/repository/17/zip"]


def test_another_address_that_a_maintainer_gives_is_read(moved, repository, clock):
    repository.put("17/mine", zip_of(NEW, after(6), seated(NEW)))
    url = repository.server.url.replace("/liste.csv", "/repository/17/mine")
    repository.source = repository.source.at({"zip": url})
    before = len(repository.asked)
    assert fetched(moved, repository, clock, after(6)).told == []
    assert repository.asked[before:] == ["/repository/17/mine"]


def test_a_legislature_that_was_missed_is_passed_over(begun, repository, clock):
    repository.put("17/zip", zip_of([], after(4), ended()))
    repository.put("23/zip", zip_of(NEW, after(5), seated(NEW)))
    left = ["the zip of legislature 17 is left behind: that of legislature 23 is read from now on"]
    assert fetched(begun, repository, clock, after(5)).told == left
    # A machine that lost its notes, also of how many sat, finds it again where half of all seats are filled.
    (begun.repository.directory / ".fetch.json").unlink()
    one = seated(NEW)[0]
    without_staff = [one._replace(id=f"PA9{number:03}") for number in range(289)]
    repository.put("23/zip", zip_of(NEW[1:], after(6), [*seated(NEW), *without_staff]))
    assert fetched(begun, repository, clock, after(6)).told == left


def test_not_every_legislature_to_come_is_asked_for(begun, repository, clock):
    repository.put("17/zip", zip_of([], after(4), ended()))
    fetched(begun, repository, clock, after(5))
    zips = {path for path in repository.asked if path.endswith("/zip")}
    assert zips == {f"/repository/{number}/zip" for number in range(17, 24)}
