"""The alarm rules ask for what is measured, and the documentation says what to do about each."""

from __future__ import annotations

import datetime
import re

import yaml

from datasette_mouvements.dataset.check import alarms
from datasette_mouvements.refusal import KINDS
from docs.make_reference import metrics
from parlement_lists.movement import seats_on
from tests.contract import environment
from tests.contract.environment import ROOT
from tests.tracking import lists

from .tables import names, rows, text, words

PAGE = "how-to/observe.md"
(GROUP,) = yaml.safe_load((ROOT / "docs" / "examples" / "alarms.yml").read_text())["groups"]
DURATION = re.compile(r"[1-9][0-9]*[smhd]")


def test_every_rule_is_one_that_prometheus_takes():
    for rule in GROUP["rules"]:
        assert set(rule) == {"alert", "expr", "for", "annotations"}
        assert re.fullmatch(r"[A-Za-z_]\w*", rule["alert"])
        assert DURATION.fullmatch(rule["for"])
        assert rule["expr"].count("(") == rule["expr"].count(")")
        assert all(DURATION.fullmatch(over) for over in re.findall(r"\[(\w+)\]", rule["expr"]))
        assert re.search(r" (==|>|<) \d+$", rule["expr"])


def test_every_rule_asks_for_an_instrument_by_its_name_and_labels_at_prometheus():
    labels = {name: labels for _, name, *labels in map(names, metrics())}
    asked = re.findall(r"mouvements_\w+", " ".join(rule["expr"] for rule in GROUP["rules"]))
    assert len(asked) == len(GROUP["rules"]) - 1  # one asks whether anybody answers
    assert set(asked) <= set(labels)
    for name, label in re.findall(r"(mouvements_\w+)\{(\w+)=", str(GROUP)):
        assert label in labels[name]
    kinds = set(re.findall(r'kind="([^"]+)"', str(GROUP)))
    assert kinds <= {kind.anchor for kind in KINDS.values()}


def test_the_alarm_of_check_is_told_as_it_is_printed(tmp_path):
    (told,) = re.findall(r"\d+ members sit at (\w+), which has (\d+) seats", words(PAGE))
    chamber, seats = told
    assert seats_on(chamber, datetime.date(2026, 1, 1)) == int(seats)
    folder, database = tmp_path / "lists", tmp_path / "movements.db"
    content = lists.data("assemblee", lists.many(581, each=1), lists.KEPT)
    lists.write(folder, "assemblee", "2026-01-01", content)
    environment.done("build", database, "--lists", folder)
    (alarm,) = alarms(database, datetime.date(2026, 1, 1)).values()
    assert alarm.partition(":")[0] in words(PAGE)


def test_what_to_do_about_each_is_written_and_the_job_is_the_one_that_is_scraped():
    tabled = [names(row[0])[0] for row in rows(text(PAGE), "alarm")]
    assert tabled == [rule["alert"] for rule in GROUP["rules"]]
    jobs = set(re.findall(r'job="(\w+)"', str(GROUP)))
    assert jobs == set(re.findall(r"job_name: (\w+)", text(PAGE)))
