"""Family and given names as published, beside the columns `nom` and `prénom` of the real lists of 2017.

The published family name is the column `nom` in capitals, the published given name the column `prénom`, letter by
letter; in the five lists whose columns are exchanged it is the other way round. Rows whose two columns do not have
every word of the full name are compared by nobody.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tracking.lists import tracked
from tests.tracking.raw_lists import RawRow, letters, raw_lists, raw_rows
from tests.tracking.windows import DATA, MISSING, lists_of

EXCHANGED = (
    *("assemblee/2017-07-22T150140", "assemblee/2017-07-25T031529", "assemblee/2017-07-26T031528"),
    *("assemblee/2017-07-27T031528", "assemblee/2017-07-28T031529"),
)
ARCHIVES = [DATA / "audit" / f"{name}.tar.xz" for name in ("an-noms-2017", "an-noms-2017-fevrier")]


def split(name: str, row: RawRow) -> tuple[str, str]:
    family, given = (row.given, row.family) if name in EXCHANGED else (row.family, row.given)
    return family.upper(), given


@pytest.mark.skipif(not ARCHIVES[0].exists(), reason=MISSING)
@pytest.mark.parametrize("archive", ARCHIVES, ids=lambda path: path.name.partition(".")[0])
def test_each_list_alone_names_everybody_as_its_columns(archive: Path) -> None:
    """Five of these lists have the columns exchanged, eleven only look so, nine are as all others."""
    files = {file.name: file for file in lists_of(archive)}
    for name, data in raw_lists(archive):
        expected: dict[tuple[str, str], set[tuple[str, str]]] = {}
        for row in raw_rows(data):
            of_row = expected.setdefault((row.member, letters(row.full)), set())
            of_row |= {split(name, row)} if row.names_all else set()
        stays = tracked([files[name]]).stays
        assert len(stays) > 1000
        named = [
            ((stay.collab_nom, stay.collab_prenom), expected[stay.elu_id, letters(full)])
            for stay in stays
            for full in [stay.collab_nom + stay.collab_prenom]
        ]
        assert [own for own, columns in named if columns and own not in columns] == [], name
        assert sum(not columns for _, columns in named) <= 4


@pytest.mark.skipif(not ARCHIVES[0].exists(), reason=MISSING)
def test_no_movement_of_july_2017_has_an_exchanged_name() -> None:
    splits = {
        (row.member, letters(row.full), split(name, row))
        for name, data in raw_lists(ARCHIVES[0])
        for row in raw_rows(data)
        if row.names_all
    }
    found = tracked(lists_of(ARCHIVES[0])).movements
    assert len(found) > 200
    wrong = [
        m.id
        for m in found
        for own in [(m.collab_nom, m.collab_prenom)]
        if (m.elu_id, letters("".join(own)), own) not in splits
    ]
    assert len(wrong) <= 4
