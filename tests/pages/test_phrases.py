"""Sentences that depend on who somebody is or on how many there are."""

from __future__ import annotations

import pytest

from datasette_mouvements.dataset.stays import Succession
from datasette_mouvements.pages.words import phrases
from parlement_lists.tenure import Tenure


def test_a_name_that_begins_with_a_vowel_is_elided() -> None:
    names = ("Océane", "Évariste", "Yves", "Jean", "Hector", "Yaël", "")
    said = ["d’Océane", "d’Évariste", "d’Yves", "de Jean", "de Hector", "de Yaël", "de "]
    assert [phrases.of(name) for name in names] == said


@pytest.mark.parametrize(
    ("end", "begin", "after", "there"),
    [
        (
            ("2026-02-23", "2026-03-03"),
            ("2026-03-08", "2026-03-15"),
            "6 à 19\u00a0jours après",
            "jusqu’au 23\u00a0février 2026 au moins, puis absent 6 à 19\u00a0jours",
        ),
        # Lists between hid the other member.
        (
            ("2026-03-02", "2026-03-03"),
            ("2026-02-23", "2026-03-03"),
            "entre le 23\u00a0février et le 3\u00a0mars 2026",
            "jusqu’au 2\u00a0mars 2026",
        ),
        (
            ("2026-03-02", "2026-03-03"),
            ("2026-03-02", "2026-03-03"),
            "le même jour",
            "jusqu’au 2\u00a0mars 2026",
        ),
    ],
)
def test_what_lies_between_two_stays_is_told_as_well_as_lists_tell_it(end, begin, after, there):
    ended = Tenure("col_1", "senat", "e1", fin_apres=end[0], fin=end[1])
    begun = Tenure("col_2", "senat", "e2", debut_apres=begin[0], debut=begin[1])
    one = Succession(ended, (begun,))
    assert phrases.days_after(one) == after
    assert phrases.already_there(one) == there
