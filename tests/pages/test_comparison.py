"""What the heading says of the offices of a group beside those of its chamber."""

from __future__ import annotations

import pytest

from datasette_mouvements.dataset.turnover import Median
from datasette_mouvements.pages.charts.comparison import title as heading


@pytest.mark.parametrize(
    ("offices", "rate", "title"),
    [
        (4, 0.9, "Départs en douze mois"),
        (5, 0.9, "La part médiane du groupe est plus haute que celle du Sénat"),
        (5, 0.1, "La part médiane du groupe est plus basse que celle du Sénat"),
        (5, 0.42, "Les équipes du groupe se répartissent comme celles du Sénat"),
    ],
)
def test_a_heading_compares_only_where_there_are_five_offices(offices, rate, title) -> None:
    own = Median(**dict.fromkeys(Median._fields, 0) | {"rate": rate, "offices": offices})
    assert heading("senat", own, own._replace(rate=0.4, offices=99)) == title
