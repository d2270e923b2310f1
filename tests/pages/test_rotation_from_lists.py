"""Every cell of the file of figures is what an independent reader of the lists computes, day by day."""

from __future__ import annotations

import csv
import datetime
import io
from typing import Any

import pytest

from tests.tracking.windows import DATA, MISSING

from . import expected_rotation
from .conftest import site
from .expected_rotation import Recount, Span
from .test_downloads import bearer, key
from .test_pages_from_lists import Real, a_year, built, european, invented, ten_years

pytestmark = pytest.mark.asyncio
# In each set a term, or a year, has figures.
SETS = [
    (invented, "2026-09-22"),
    (a_year, "2021-01-02"),
    (ten_years, "2024-06-14"),
    (european, "2022-12-05"),
]


@pytest.fixture(scope="module", params=SETS, ids=lambda one: one[0].__name__)
def real(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Real:
    lists, today = request.param
    if lists is not invented and not DATA.is_dir():
        pytest.skip(MISSING)
    folder = tmp_path_factory.mktemp("rotation")
    files = list(lists(folder))
    return built(folder, files, today, folder / "members" if lists is invented else DATA / "elus")


async def rows_of(shared: Any, real: Real, chamber: str) -> list[dict[str, str]]:
    started = await shared({"contact": "contact@exemple.fr"}, path=real.database)
    moment = datetime.datetime.fromisoformat(f"{real.today}T10:00:00+00:00")
    site(started).service.clock = lambda: moment
    made = await key(started)
    for _ in range(20):  # each waits two seconds for the count
        answer = await started.client.get(f"/chiffres/{chamber}.csv", headers=bearer(made))
        if answer.status_code != 503:
            break
    assert answer.status_code == 200
    return list(csv.DictReader(io.StringIO(answer.text)))


async def test_every_cell_is_what_the_lists_give(shared: Any, real: Real) -> None:
    wrong: list[object] = []
    cells = 0
    for chamber, lists in real.chambers.items():
        rows = await rows_of(shared, real, chamber)
        joined = expected_rotation.joined(lists)
        told = [row for row in rows if row["genre"] != "mois"]
        found: dict[Span, dict[Any, dict[str, str]]] = {}
        for row in told:
            span = Span(
                row["genre"], row["periode"], row["du"], row["au"], not row["non_calculable"]
            )
            values = {name: row[name] for name in list(row)[7:17]}
            found.setdefault(span, {})[row["groupe"], row["sexe"]] = values
        spans = list(expected_rotation.spans(lists))
        assert list(found) == spans
        for span in spans:
            if not span.given:
                assert {value for row in found[span].values() for value in row.values()} == {""}
                continue
            expected = Recount(lists, span, joined).cells()
            cells += len(expected)
            wrong += [
                (chamber, span.name, part, found[span].get(part), expected.get(part))
                for part in sorted(expected.keys() | found[span].keys())
                if found[span].get(part) != expected.get(part)
            ]
    assert (len(wrong), wrong[:6]) == (0, [])
    assert cells


async def test_every_month_is_what_the_lists_give(shared: Any, real: Real) -> None:
    for chamber, lists in real.chambers.items():
        found: dict[str, dict[str, str]] = {}
        for row in await rows_of(shared, real, chamber):
            if row["genre"] == "mois":
                assert bool(row["effectif_moyen"]) != bool(row["non_calculable"])
                found.setdefault(row["periode"], {})
                if row["effectif_moyen"]:
                    found[row["periode"]][row["sexe"]] = row["effectif_moyen"]
        assert found == {
            month: {sex: f"{mean:.2f}" for sex, mean in of.items()}
            for month, of in expected_rotation.months(lists)
        }
