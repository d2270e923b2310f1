"""What is held under a name, wherever it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.contract.environment import command, done
from tests.tracking import lists
from tests.tracking.lists import AFTER, STAFF, fingerprint

from .corrections_file import corrections

NAME, NEAR = "Zoé VERVEINAC", "Zoé VERVEINAT"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Lists in which a person comes to one chamber, another of a near name to another one."""
    for chamber, name, number in (("senat", NAME, 9), ("assemblee", NEAR, 2)):
        lists.write(tmp_path / "lists", chamber, "2026-09-01", STAFF)
        for day in ("12", "22"):
            staff = {**STAFF, number: [*STAFF[number], name]}
            lists.write(tmp_path / "lists", chamber, f"2026-09-{day}", staff)
    return tmp_path / "lists"


@pytest.fixture
def built(database: Path, folder: Path) -> Path:
    done("build", database, "--lists", folder)
    return database


def person(name: str, *options: object) -> Any:
    return json.loads(done("person", name, *options, "--json").output)


def places(things: dict[str, Any]) -> dict[str, list[tuple[str, str]]]:
    return {
        place: [(thing["chamber"], thing["member"]) for thing in things[place]]
        for place in things
        if place not in ("why", "corrections")
    }


def test_what_file_and_lists_hold_is_told_and_near_names_apart(built: Path, folder: Path) -> None:
    answer = person(NAME, "--db", built, "--lists", folder)
    here, there = [("senat", "99009Z")], [("assemblee", "PA999002")]
    assert places(answer["held"]) == {"stays": here, "movements": here, "lists": here}
    assert answer["held"]["lists"][0] | {"chamber": "", "member": ""} == {
        **{"chamber": "", "member": "", "first": "2026-09-12", "last": "2026-09-22", "lists": 2}
    }
    ((near, of_near),) = answer["near"].items()
    assert (near, of_near["why"]) == ("verveinat zoe", "one letter differs")
    assert places(of_near) == {"stays": there, "movements": there, "lists": there}
    assert answer["unread"] == []
    text = done("person", NAME, "--db", built, "--lists", folder).output
    assert "near, held under verveinat zoe: one letter differs\n" in text
    # No correction is told: one that matches nothing is an error.
    assert done("person", "Personne Inconnue", "--db", built).output == (
        "nothing is held under Personne Inconnue\nnot read: lists: give --lists\n"
    )


def test_the_printed_entry_withholds_the_name(built: Path, folder: Path, tmp_path: Path) -> None:
    answer = person(NAME, "--db", built)
    (path := tmp_path / "corrections.yml").write_text(answer["correction"] + "\n")
    given = "--lists", folder, "--corrections", path
    done("build", built, *given)
    assert b"VERVEINAC" not in built.read_bytes()
    # The file has no name any more; the lists and the corrections have.
    answer = person(NAME, "--db", built, *given)
    assert list(answer["held"]) == ["lists", "corrections"]
    assert answer["held"]["corrections"] == [{"line": 1, "kind": "masquer"}]
    assert answer["correction"] is None  # a second one would give another pseudonym
    assert answer["unread"] == [
        f"1 stay of {built} without a name, which is withheld: the lists say whose"
    ]
    unread = person(NAME, "--db", built)["unread"]
    assert unread[0] == "corrections that the database was made with: give --corrections"
    assert unread[-1] == "lists: give --lists"


def test_corrections_are_told_by_their_line_as_they_may_name_another_person(
    built: Path, folder: Path, tmp_path: Path
) -> None:
    (id,) = (thing["id"] for thing in person(NAME, "--db", built)["held"]["movements"])
    path = corrections(
        tmp_path,
        f"deux_personnes: {{noms: [{NAME}, {NEAR}]}}",
        f"homonymes: {{nom: {NEAR}, elus: [99009Z]}}",
        f"meme_personne: {{noms: [{NAME}, {AFTER[1][0]}], chambre: senat}}",
        f"masquer: {{empreinte: {fingerprint(NAME)}}}",
        f"retirer: {id}",
    )
    answer = person(NAME, "--db", built, "--lists", folder, "--corrections", path)
    kinds = {1: "deux_personnes", 3: "meme_personne", 4: "masquer", 5: "retirer"}
    assert {row["line"]: row["kind"] for row in answer["held"]["corrections"]} == kinds
    # A spelling of one chamber is nobody's elsewhere.
    assert places(answer["held"])["lists"] == [("senat", "99001Z"), ("senat", "99009Z")]


def test_who_had_the_name_before_is_told(database: Path, tmp_path: Path) -> None:
    former, *others = STAFF[7]
    for day, name in (("01", former), ("02", f"{former.split()[0]} SURMÈRE")):
        lists.write(tmp_path / "lists", "senat", f"2026-09-{day}", {**STAFF, 7: [name, *others]})
    done("build", database, "--lists", tmp_path / "lists")
    for name in (former, f"{former.split()[0]} SURMÈRE"):
        assert places(person(name, "--db", database)["held"]) == {"stays": [("senat", "99007Z")]}


def test_what_cannot_be_looked_into_is_said(folder: Path) -> None:
    (folder / "senat" / "2026-09-23.csv").write_text("torn")
    (folder / "originaux").mkdir()
    (folder / ".git").mkdir()
    answer = person(NAME, "--lists", folder)
    assert answer["held"]["lists"][0]["lists"] == 2
    unread = answer["unread"]
    assert [line.split(": ")[0].rpartition("/")[2] for line in unread] == [
        *("database", "2026-09-23.csv", "originaux", ".git")
    ]
    assert command("person", "...", "--lists", folder).exit_code == 2
    assert command("person", NAME).exit_code == 2
