from __future__ import annotations

from pathlib import Path

import pytest

from datasette_mouvements.movement import Movement, identifier
from datasette_mouvements.tracking.corrections import Corrections, CorrectionsError, fingerprint
from datasette_mouvements.tracking.corrections_file import read
from tests.tracking.lists import list_

MOVEMENT = Movement("", "2026-09-02", "senat", "arrivee", "MOREAU", "Ada", "Mme", elu_id="99001Z")
MOVEMENT = MOVEMENT._replace(id=identifier(MOVEMENT))


def corrections(folder: Path, said: str, reason: str = "Signalé par le Sénat") -> Corrections:
    path = folder / "corrections.yml"
    path.write_text(f"- date: 2026-10-01\n  raison: {reason}\n  {said}\n")
    return read(path)


@pytest.mark.parametrize(
    ("said", "name", "verdict"),
    [
        ("accepter: senat/2026-09-02", "senat/2026-09-02", "accepter"),
        ("refuser: senat/2026-09-02T0100", "senat/2026-09-02T0100", "refuser"),
        ("refuser: senat/2026-09-02", "senat/2026-09-02T0100", "refuser"),
        ("refuser: senat/2026-09-02T0100", "senat/2026-09-02", ""),
        ("accepter: senat/2026-09-02", "assemblee/2026-09-02", ""),
    ],
)
def test_a_list_is_accepted_or_refused_by_name(
    tmp_path: Path, said: str, name: str, verdict: str
) -> None:
    assert corrections(tmp_path, said).verdict(name) == verdict


def test_two_spellings_become_one_person(tmp_path: Path) -> None:
    found = corrections(tmp_path, "meme_personne: {noms: [Ada MOREAU, Ada VASSOR]}").apply(
        list_("senat", "2026-09-01", {1: ["Ada VASSOR"], 2: ["Bo LENGLET"]})
    )
    assert set(found.pairs) == {("99001Z", "ada moreau"), ("99002Z", "bo lenglet")}
    assert found.pairs["99001Z", "ada moreau"].family == "VASSOR"


def test_two_spellings_are_one_person_in_one_chamber_alone(tmp_path: Path) -> None:
    same = corrections(tmp_path, "meme_personne: {noms: [Ada MOREAU, Ada VASSOR], chambre: senat}")
    assert same.person("senat", "99001Z", "ada vassor") == "ada moreau"
    assert same.person("assemblee", "PA999001", "ada vassor") == "ada vassor"


def test_two_persons_of_one_name_become_two(tmp_path: Path) -> None:
    found = corrections(tmp_path, "homonymes: {nom: Ada MOREAU, elus: [99002Z]}").apply(
        list_("senat", "2026-09-01", {n: ["Ada MOREAU"] for n in (1, 2, 3)})
    )
    assert len({person for _, person in found.pairs}) == 2


def test_a_movement_is_added_changed_and_withdrawn_by_hand(tmp_path: Path) -> None:
    added = corrections(
        tmp_path,
        "ajouter: {date_event: 2026-09-02, chambre: senat, type: depart, collab_nom: MOREAU}",
    ).added()
    assert [(m.confiance, m.id == identifier(m)) for m in added] == [("manuel", True)]
    named = corrections(
        tmp_path, "ajouter: {id: mvt_1, date_event: 2026-09-02, chambre: senat, type: depart}"
    ).added()
    assert [m.id for m in named] == ["mvt_1"]
    changed = corrections(tmp_path, f"modifier: {{id: {MOVEMENT.id}, date_event: 2026-09-01}}")
    assert changed.corrected(MOVEMENT) == MOVEMENT._replace(
        date_event="2026-09-01", confiance="manuel"
    )
    withdrawn = corrections(tmp_path, f"retirer: {MOVEMENT.id}")
    assert withdrawn.corrected(MOVEMENT) is None
    assert withdrawn.withdrawals() == [(MOVEMENT.id, "2026-10-01", "Signalé par le Sénat")]


@pytest.mark.parametrize(
    ("said", "masked"),
    [
        ("masquer: {nom: moreau ada}", True),
        ("masquer: {nom: Ada MOREAU, elus: [99001Z]}", True),
        ("masquer: {nom: Ada MOREAU, elus: [99002Z]}", False),
        ("masquer: {nom: Ada MOREAU, chambre: assemblee}", False),
        (f"masquer: {{empreinte: {fingerprint('Ada Moreau')}}}", True),
        ("masquer: {nom: Bo MOREAU}", False),
    ],
)
def test_a_masked_person_has_no_name_and_the_movement_keeps_its_id(
    tmp_path: Path, said: str, masked: bool
) -> None:
    found = corrections(tmp_path, said)
    expected = MOVEMENT._replace(collab_nom="", collab_prenom="", collab_civilite="")
    assert found.corrected(MOVEMENT) == (expected if masked else MOVEMENT)
    assert "moreau" not in str(found.rows()).lower()
    if masked:
        found.check_matched()
    else:
        with pytest.raises(CorrectionsError, match="line 1: masquer: matches nothing"):
            found.check_matched()


@pytest.mark.parametrize(
    ("known", "mask", "masked"),
    [
        ({"collab_nom": "", "collab_prenom": "Ada"}, "nom: Ada", True),
        ({"collab_nom": "MOREAU", "collab_prenom": ""}, "nom: Moreau", True),
        ({"collab_nom": "MOREAU", "collab_prenom": ""}, "nom: Ada Moreau", False),
        ({}, "nom: Ada", False),
        ({}, "nom: Moreau", False),
        ({}, "nom: Ada Bo Moreau", False),
    ],
)
def test_a_mask_is_of_the_whole_name_that_is_known(
    tmp_path: Path, known: dict[str, str], mask: str, masked: bool
) -> None:
    movement = MOVEMENT._replace(**known)
    bare = movement._replace(collab_nom="", collab_prenom="", collab_civilite="")
    found = corrections(tmp_path, f"masquer: {{{mask}}}").masked(movement)
    assert found == (bare if masked else movement)


def test_a_movement_without_a_name_is_nobodys(tmp_path: Path) -> None:
    bare = MOVEMENT._replace(collab_nom="", collab_prenom="")
    assert corrections(tmp_path, f"masquer: {{empreinte: {fingerprint('')}}}").masked(bare) == bare


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- date: 2026-10-01\n  raison: x\n", "line 1: exactly one of"),
        ("- raison: x\n  retirer: y\n", "line 1: date: a day"),
        ("- date: 2026-02-30\n  raison: x\n  retirer: y\n", "line 1: date: a day"),
        ("- date: 2026-10-01\n  retirer: y\n", "line 1: raison: the reason is missing"),
        ("- date: 2026-10-01\n  raison: x\n  effacer: y\n", "line 1: effacer: not known"),
        ("- date: 2026-10-01\n  raison: x\n  accepter: lundi\n", "accepter: the name of a list"),
        ("- date: 2026-10-01\n  raison: x\n  modifier: {type: mut}\n", "type: 'mut' is not one of"),
        ("- date: 2026-10-01\n  raison: x\n  modifier: {nom: y}\n", "nom: not known here"),
        ("- date: 2026-10-01\n  raison: x\n  ajouter: {type: depart}\n", "chambre: is missing"),
        (
            "- date: 2026-10-01\n  raison: Demande de Mme Moreau\n  masquer: {nom: Ada MOREAU}\n",
            "raison: the reason is published",
        ),
        ("# one\n\n- 12\n", "line 3: each correction is a mapping"),
        ("date: 2026-10-01\n", "line 1: a list of corrections"),
        ("- date: [\n", "not YAML"),
        ("- &a [*a]\n", "line 1"),
        (
            2 * "- {date: 2026-10-01, raison: x, retirer: y}\n",
            "line 2: retirer: repeats line 1",
        ),
    ],
)
def test_a_wrong_file_is_refused_with_line_and_field(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "corrections.yml"
    path.write_text(text)
    with pytest.raises(CorrectionsError) as refused:
        read(path)
    assert said in str(refused.value)
    assert str(path) in str(refused.value)


def test_an_empty_file_corrects_nothing(tmp_path: Path) -> None:
    path = tmp_path / "corrections.yml"
    path.write_text("# nothing yet\n")
    assert read(path).entries == []
