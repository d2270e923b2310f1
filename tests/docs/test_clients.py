"""The client of the documentation reads everything, waits, survives, and keeps a copy that stays right."""

from __future__ import annotations

import json
import re
from urllib.parse import parse_qsl, urlsplit

import pytest

from benchmarks.invented import COLUMNS
from benchmarks.invented import rows as invented
from tests.sources.misbehaving import cuts_off, is_silent, says

from .client_programs import Publisher, passes_on, run, running_server

pytestmark = pytest.mark.process
ROWS = [list(row) for row in invented(720)]
CHAMBER, KIND = COLUMNS.index("chambre"), COLUMNS.index("type")
SURNAME, NAME = COLUMNS.index("collab_nom"), COLUMNS.index("collab_prenom")
WITHHELD = (ROWS[650][SURNAME], ROWS[650][NAME])
# In turn: ten withdrawn, ten added long after their day, and one name withheld; and back.
STATES = [(ROWS[10:], ()), (ROWS[:600] + ROWS[610:], (" ".join(reversed(WITHHELD)),))]
# A cursor of another history.
GONE = "0123456789abcdef-7-0123456789abcdef"


@pytest.fixture(scope="module")
def publisher(tmp_path_factory):
    service = Publisher(tmp_path_factory.mktemp("publisher"), STATES)
    yield service
    service.close()


@pytest.fixture
def between():
    with running_server() as server:
        yield server


@pytest.fixture
def client(publisher, between, tmp_path):
    """Runs the client, which asks the server in between: it passes on all, unless a test says otherwise."""
    between.answer_with(passes_on(publisher))
    address = f"http://127.0.0.1:{between.server_address[1]}/"

    def ran(*arguments, seconds=20.0, fails=False):
        done = run(address, publisher.key, arguments, seconds)
        assert (done.returncode != 0) == fails, done.stderr
        assert publisher.key not in done.stdout + done.stderr
        return done

    return ran


def found(done):
    """The movements that a client printed."""
    return [json.loads(line) for line in done.stdout.split("\n") if line]


def kept(path):
    return json.loads(path.read_text(encoding="utf-8"))


def test_a_search_is_read_to_its_end(client, publisher):
    everything = found(client("search", ""))
    assert {movement["id"]: movement for movement in everything} == publisher.movements()
    assert len(everything) == len(publisher.movements())
    departures = found(client("search", "chambre=senat&type=depart"))
    matching = [row for row in ROWS if (row[CHAMBER], row[KIND]) == ("senat", "depart")]
    assert 0 < len(departures) <= len(matching)
    assert {(one["chambre"], one["type"]) for one in departures} == {("senat", "depart")}


def test_a_walk_that_a_publication_tears_begins_again(client, publisher, between):
    between.answer_with(
        passes_on(publisher), passes_on(publisher, publisher.publish), passes_on(publisher)
    )
    everything = found(client("search", ""))
    assert {movement["id"]: movement for movement in everything} == publisher.movements()
    assert len(everything) == len(publisher.movements())
    assert len(between.requests) == 2 + 2


def test_a_copy_follows_what_is_published_withdrawn_and_withheld(client, publisher, tmp_path):
    path = tmp_path / "copy.json"
    for _ in range(3):
        client("copy", path)
        assert kept(path)["mouvements"] == publisher.movements()
        publisher.publish()
    texts = [" ".join(one.values()) for one in publisher.movements().values()]
    client("copy", path)
    assert kept(path)["mouvements"] == publisher.movements()
    assert all(word in kept(path)["licence"] for word in ("ODbL", "1.0"))
    names = [
        (one.get("collab_nom"), one.get("collab_prenom"))
        for one in kept(path)["mouvements"].values()
    ]
    assert (WITHHELD in names) == any(" ".join(WITHHELD) in text for text in texts)


def test_a_copy_of_what_does_not_change_costs_nothing(client, publisher, tmp_path):
    path = tmp_path / "copy.json"
    charges = []
    for _ in range(4):
        before = publisher.charged()
        client("copy", path)
        charges.append(publisher.charged() - before)
    assert charges[0] <= 4  # the whole file, or all of the feed
    assert charges[1:] in ([1, 0, 0], [0, 0, 0])  # once to know the tag of this place


def test_a_copy_whose_cursor_is_gone_begins_anew(client, publisher, tmp_path):
    path = tmp_path / "copy.json"
    stale = {"id": "mvt_00000000000000000000", "collab_nom": "WITHDRAWN"}
    path.write_text(json.dumps({"curseur": GONE, "etag": "", "mouvements": {stale["id"]: stale}}))
    client("copy", path)
    assert kept(path)["mouvements"] == publisher.movements()


def test_a_used_quota_and_a_busy_service_are_waited_for_as_long_as_told(
    client, publisher, between, tmp_path
):
    refusals = [says(b"", status, retry_after="0") for status in (503, 429)]
    between.answer_with(says(b"", 429, retry_after="1"), *refusals, passes_on(publisher))
    path = tmp_path / "copy.json"
    told = client("copy", path).stderr
    assert re.findall(r"again in (\d+) s", told) == ["1", "0", "0"]
    assert kept(path)["mouvements"] == publisher.movements()


@pytest.mark.parametrize("fault", [cuts_off, is_silent], ids=lambda fault: fault.__name__)
def test_an_answer_that_does_not_come_is_asked_for_again(
    client, publisher, between, tmp_path, fault
):
    between.answer_with(fault, passes_on(publisher))
    path = tmp_path / "copy.json"
    told = client("copy", path, seconds=2.0).stderr
    assert re.findall(r"again in (\d+) s", told) == ["1"]
    assert kept(path)["mouvements"] == publisher.movements()


def test_what_is_refused_is_told_and_not_asked_again(client, between):
    done = client("search", "chambre=commune", fails=True)
    assert "400" in done.stderr
    assert "chambre" in done.stderr
    assert len(between.requests) == 1


def asked_of(between, publisher):
    """The targets that the server in between is asked for, from now on."""
    targets = []

    def behave(request):
        targets.append(request.path)
        passes_on(publisher)(request)

    between.answer_with(behave)
    return targets


def test_what_is_not_ascii_reaches_the_service_as_it_was_meant(client, publisher, between):
    targets = asked_of(between, publisher)
    # It knows neither the name nor the value.
    for query in ("collab_nom=Zoé", "chambre=s%C3%A9nat"):
        assert "400" in client("search", query, fails=True).stderr
        assert parse_qsl(urlsplit(targets.pop()).query)[0] == parse_qsl(query)[0]


def test_a_limit_of_the_caller_s_is_not_sent_twice(client, publisher, between):
    targets = asked_of(between, publisher)
    assert len(found(client("search", "limit=5&chambre=senat"))) > 5
    assert [target.count("limit=") for target in targets] == [1]


def test_a_wrong_call_is_told_how_to_call(client, between):
    for arguments in ((), ("search",), ("delete", "x"), ("copy", "x", "y")):
        told = client(*arguments, fails=True).stderr
        assert all(word in told for word in ("search", "copy", "MOUVEMENTS_URL"))
        assert len(told.strip().splitlines()) <= 6
    assert between.requests == []
