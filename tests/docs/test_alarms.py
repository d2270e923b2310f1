"""The alarm rules ask for what is measured, and the documentation says what to do about each."""

from __future__ import annotations

import re

import yaml

from datasette_mouvements.refusal import KINDS
from tests.contract.environment import ROOT

from .tables import names, rows, section, text

PAGE = "observability.md"
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
    table = rows(section(PAGE, "Metrics"), "instrument")
    labels = {names(row[5])[0]: names(row[3]) for row in table}
    asked = [
        found for rule in GROUP["rules"] for found in re.findall(r"mouvements_\w+", rule["expr"])
    ]
    assert len(asked) == len(GROUP["rules"]) - 1  # one asks whether anybody answers
    assert set(asked) <= set(labels)
    for rule in GROUP["rules"]:
        for name, label in re.findall(r"(mouvements_\w+)\{(\w+)=", rule["expr"]):
            assert label in labels[name]
    kinds = set(re.findall(r'kind="([^"]+)"', str(GROUP)))
    assert kinds <= {kind.anchor for kind in KINDS.values()}


def test_what_to_do_about_each_is_written_and_the_job_is_the_one_that_is_scraped():
    tabled = [names(row[0])[0] for row in rows(text(PAGE), "alarm")]
    assert tabled == [rule["alert"] for rule in GROUP["rules"]]
    jobs = set(re.findall(r'job="(\w+)"', str(GROUP)))
    assert jobs == set(re.findall(r"job_name: (\w+)", text(PAGE)))
