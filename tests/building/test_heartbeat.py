"""The monitor that is asked after each run: a bad run differs from a good one, a silent monitor spoils none."""

from __future__ import annotations

import pytest

from datasette_mouvements.building import daily
from datasette_mouvements.building.daily import beat
from parlement_lists.sources.originals import FetchFailed
from tests.contract.environment import command
from tests.sources.misbehaving import says

from .mornings import Maintainer


def test_a_good_run_asks_the_address_and_a_bad_one_its_failure(server, tmp_path):
    asked = []
    server.answer_with(lambda request: (asked.append(request.path), says(b"")(request)))
    address = server.url.replace("liste.csv", "ping/secret")
    assert beat(address, good=True) == beat(f"{address}/?of=mornings", good=False) == ""
    assert asked == ["/ping/secret", "/ping/secret/fail?of=mornings"]
    options = ["--source", "nobody", "--heartbeat", address]
    ran = command("daily", tmp_path / "lists", tmp_path / "movements.db", *options)
    assert ran.exit_code == 1
    assert asked[2:] == ["/ping/secret/fail"]
    assert ran.stdout == "published nothing: what stands is as it was\n"
    assert "heartbeat" not in ran.stderr
    options[-1] = "file:///etc/secret"
    ran = command("daily", tmp_path / "lists", tmp_path / "movements.db", *options)
    assert ("heartbeat" in ran.stdout, "heartbeat" in ran.stderr) == (False, True)


@pytest.mark.parametrize("failing", [True, False])
def test_a_morning_with_an_alarm_is_a_bad_run(server, tmp_path, monkeypatch, failing):
    asked = []
    server.answer_with(lambda request: (asked.append(request.path), says(b"")(request)))
    maintainer = Maintainer(tmp_path)
    if failing:
        maintainer.desk.published["senat"] = FetchFailed("liste: no answer")
    monkeypatch.setattr(daily, "start", lambda directory, **options: maintainer.start())
    options = ["--heartbeat", server.url.replace("liste.csv", "ping")]
    ran = command("daily", maintainer.lists, tmp_path / "movements.db", *options)
    assert ran.exit_code == failing
    assert asked == ["/ping/fail" if failing else "/ping"]


def test_a_monitor_that_does_not_take_it_is_told_without_its_address(server):
    server.answer_with(says(b"", status=404))
    address = server.url.replace("liste.csv", "ping/secret")
    told = [beat(a, True) for a in (address, "file:///etc/secret", "http://[secret")]
    assert told[0] == "heartbeat: the monitor did not take it (404)"
    assert all(told)
    assert not any("secret" in one for one in told)
