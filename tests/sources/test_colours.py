"""The colour of a group: as the Assemblée's zip tells it, and as the members folder keeps it."""

from __future__ import annotations

from pathlib import Path

import pytest

from parlement_lists.sources.assemblee import SOURCE
from parlement_lists.sources.members import in_memory, merge
from parlement_lists.sources.source import Original
from parlement_lists.tracking.members.known_members import Members

from . import amo10
from .test_members import D1, D2, D3, D9, seen

ROWS = [amo10.row(11, "Jeanne Modèle")]


@pytest.mark.parametrize(
    ("told", "colours"),
    [("#00AAff", {"EX": "#00aaff"}), ("red", {}), (None, {}), (12, {}), (amo10.NIL, {})],
)
def test_the_zip_tells_it_and_what_is_no_colour_is_left_out(
    told: object, colours: dict[str, str]
) -> None:
    content = amo10.files(ROWS)
    content["json/organe/PO800000.json"]["organe"]["couleurAssociee"] = told
    found = SOURCE.members([Original("AMO10.json.zip", amo10.pack(content))], amo10.MADE)
    assert found is not None
    assert found.group_colours == colours


def test_it_is_kept_until_the_source_tells_another(tmp_path: Path) -> None:
    folder = tmp_path / "elus"
    folder.mkdir()
    merge(folder, "senat", seen(A="GRA")._replace(group_colours={"GRA": "#00aaff"}), D1)
    merge(folder, "senat", seen(A="GRA"), D2)
    assert Members.read(folder).group_colour("senat", "GRA") == "#00aaff"
    merge(folder, "senat", seen(A="GRA")._replace(group_colours={"GRA": "#112233"}), D3)
    assert Members.read(folder).group_colour("senat", "GRA") == "#112233"
    found = in_memory([folder], "senat", seen(A="GRA"), D9)
    assert found.group_colour("senat", "GRA") == "#112233"
