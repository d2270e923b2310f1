"""Reading what wrk prints, and the invented movements that everything is measured on."""

from __future__ import annotations

import pytest

from benchmarks import invented, load, table
from datasette_mouvements.dataset import input_files
from parlement_lists.movement import FIELD_NAMES

OUTPUT = """Running 1s test @ http://127.0.0.1:5000/v1/mouvements
  1 threads and 16 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     3.02ms    1.20ms  20.10ms   86.50%
    Req/Sec     5.35k   412.00     6.01k    72.99%
  Latency Distribution
     50%    2.81ms
     75%    3.10ms
     90%  980.00us
     99%    1.02s
  5420 requests in 1.00s, 197.03MB read
Requests/sec:   5420.12
Transfer/sec:    197.01MB
"""


def test_wrks_percentiles_are_not_taken_from_its_standard_deviations() -> None:
    found = load.parsed(OUTPUT)
    assert (found.per_second, found.requests) == (5420.12, 5420)
    assert (found.p50, found.p99) == (pytest.approx(0.00281), pytest.approx(1.02))
    assert found.bytes == pytest.approx(38118, rel=1e-3)


def test_a_run_with_refused_requests_is_not_a_measurement() -> None:
    with pytest.raises(ValueError, match="failed"):
        load.parsed(OUTPUT + "  Non-2xx or 3xx responses: 3\n")


def test_the_invented_movements_are_always_the_same_and_are_accepted(tmp_path) -> None:
    for name in ("one.csv", "two.csv"):
        invented.write_csv(tmp_path / name, 300)
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()
    movements = [movement for _, movement in input_files.read(tmp_path / "one.csv")]
    assert len({movement.id for movement in movements}) == 300
    assert {movement.chambre for movement in movements} == {"assemblee", "senat", "europarl"}
    assert movements[0]._fields == FIELD_NAMES


def test_a_missed_goal_is_said() -> None:
    lines = [table.at_least(0.75, "hot", "1 against 2", 0.5, ["wrk"])]
    printed = table.text(lines)
    assert "| **no** | 1" in printed
    assert "1. `wrk`" in printed
