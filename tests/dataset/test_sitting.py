"""How many sit, on the real lists at hand: never more than there are seats."""

from __future__ import annotations

import datetime
from contextlib import closing
from pathlib import Path

import pytest

from datasette_mouvements.dataset.connections import connect_read_only
from datasette_mouvements.dataset.mandates import sitting
from parlement_lists.movement import seats_on
from tests.contract import environment
from tests.tracking.windows import DATA, unpacked

MONTHLY = DATA / "archives" / "se-mensuel.tar.xz"


@pytest.mark.skipif(not MONTHLY.exists(), reason="needs the lists of the Sénat by month")
def test_no_more_senators_sit_than_there_are_seats(tmp_path: Path) -> None:
    database, last = tmp_path / "movements.db", "2023-09-01"
    environment.done("build", database, "--lists", unpacked(MONTHLY), "--members", DATA / "elus")
    with closing(connect_read_only(database)) as db:
        # Two weeks later, before the renewal; the file of members is of the winter of 2022.
        found = sitting(db, "senat", last, datetime.date(2023, 9, 15))
    seats = seats_on("senat", datetime.date.fromisoformat(last))
    assert seats - 5 <= len(found) <= seats
