"""The feed of stays keeps a copy right, and takes no cursor of movements."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import urlencode

from datasette_mouvements.dataset.check import inspect
from tests.contract import environment
from tests.tracking import lists

from .test_stays import CHANGES, STAYS, Row, Served, serving
from .test_stays import returned as returned
from .test_stays import served as served


def walk(served: Served, cursor: str = "") -> tuple[list[Row], str]:
    found: list[Row] = []
    while True:
        query = urlencode({"limit": 50} | ({"curseur": cursor} if cursor else {}))
        page = served.ask(f"{CHANGES}?{query}").json()
        found, cursor = found + page["changements"], page["curseur"]
        if not page["encore"]:
            return found, cursor


def test_the_feed_keeps_a_copy_of_stays(returned: Path, tmp_path: Path) -> None:
    with serving(returned, tmp_path) as first:
        found, cursor = walk(first)
        assert {one["id"]: one["collaboration"] for one in found} == {
            item["id"]: item for item in first.find(limit=500)["collaborations"]
        }
        version = first.ask(STAYS).header("Mouvements-Version")
        assert first.ask("/v1/mouvements").header("Mouvements-Version") != version
    folder = returned.parent / "lists"
    lists.write(folder, "senat", "2026-09-15", {**lists.many(40), 1: ["Ada UN"], 2: []})
    lists.write(folder, "senat", "2026-09-25", {**lists.many(40), 1: ["Ada UN"], 2: []})
    asked = folder.parent / "corrections.yml"
    asked.write_text("- {date: 2026-09-26, raison: Demande, masquer: {nom: Béa DEUX}}\n")
    environment.done("build", returned, "--lists", folder, "--corrections", asked)
    assert inspect(returned) == []
    with serving(returned, tmp_path / "again") as again:
        changes, _ = walk(again, cursor)
        copy = {one["id"]: one["collaboration"] for one in found}
        for one in changes:
            if one["nature"] == "retrait":
                del copy[one["id"]]
            else:
                copy[one["id"]] = one["collaboration"]
        assert copy == {item["id"]: item for item in again.find(limit=500)["collaborations"]}
        [gone] = [one for one in changes if one["nature"] == "retrait"]
        assert set(gone) == {"publie_le", "nature", "id"}
        withdrawn = again.ask(f"{STAYS}/{gone['id']}")
        assert (withdrawn.status, "retirée le" in withdrawn.json()["detail"]) == (410, True)
        assert again.ask(STAYS).header("Mouvements-Version") != version
        assert "DEUX" not in json.dumps(changes)


def test_a_cursor_of_movements_is_none_of_stays(served: Served) -> None:
    of_movements = served.ask("/v1/changements?limit=500").json()["curseur"]
    refused = served.ask(f"{CHANGES}?curseur={of_movements}")
    assert refused.status == 410
    assert f'{CHANGES}>; rel="first"' in (refused.header("Link") or "")
    now = served.ask(f"{CHANGES}?curseur=maintenant").json()
    assert (now["changements"], now["encore"]) == ([], False)
    assert served.ask(f"{STAYS}/col_jamais").status == 404
