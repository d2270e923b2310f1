"""The corrections file, and what tracking asks of it; whole files: tests/building/test_corrected.py."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from parlement_lists.tracking.corrections import Corrections, CorrectionsError
from parlement_lists.tracking.corrections_file import read
from tests.tracking.lists import fingerprint, list_


def corrections(folder: Path, said: str, reason: str = "Signalé par le Sénat") -> Corrections:
    path = folder / "corrections.yml"
    path.write_text(f"- date: 2026-10-01\n  raison: {reason}\n  {said}\n")
    return read(path)


def test_two_spellings_become_one_person_maybe_in_one_chamber_alone(tmp_path: Path) -> None:
    found = corrections(tmp_path, "meme_personne: {noms: [Ada MOREAU, Ada VASSOR]}").apply(
        list_("senat", "2026-09-01", {1: ["Ada VASSOR"], 2: ["Bo LENGLET"]})
    )
    assert set(found.pairs) == {("99001Z", "ada moreau"), ("99002Z", "bo lenglet")}
    assert found.pairs["99001Z", "ada moreau"].family == "VASSOR"
    same = corrections(tmp_path, "meme_personne: {noms: [Ada MOREAU, Ada VASSOR], chambre: senat}")
    assert same.take_key("senat", "99001Z", "ada vassor") == "ada moreau"
    assert same.take_key("assemblee", "PA999001", "ada vassor") == "ada vassor"


def test_what_has_no_spelling_of_another_in_its_chamber_stands_beside_it(tmp_path: Path) -> None:
    of_chamber = "meme_personne: {noms: [Ada MOREAU, Ada VASSOR], chambre: "
    more = (f"{of_chamber}assemblee}}", "meme_personne: {noms: [Bo LENGLET, Bo GALLIET]}")
    said = "".join(f"\n- {{date: 2026-10-02, raison: x, {value}}}" for value in more)
    assert len(corrections(tmp_path, f"{of_chamber}senat}}{said}").entries) == 3


def test_two_persons_of_one_name_become_two(tmp_path: Path) -> None:
    said = corrections(tmp_path, "homonymes: {nom: Ada MOREAU, elus: [99002Z]}")
    found = said.apply(list_("senat", "2026-09-01", {n: ["Ada MOREAU"] for n in (1, 2, 3)}))
    assert len({person for _, person in found.pairs}) == 2
    numbers = [said.homonym("senat", f"9900{n}Z", "ada moreau") for n in (1, 2, 3)]
    assert numbers == [0, 1, 0]


@pytest.mark.parametrize(
    ("value", "two"),
    [
        ("noms: [moreau ada, Ada VASSOR]", True),
        ("noms: [moreau ada, Ada VASSOR], chambre: assemblee", False),
        ("noms: [moreau ada, Ada VASSOR], elus: [99002Z, 99001Z]", True),
        ("noms: [moreau ada, Ada VASSOR], elus: [99002Z]", False),
        (f"noms: [Ada VASSOR], empreinte: {fingerprint('Ada MOREAU')}", True),
        (f"noms: [Ada VASSOR], empreinte: {fingerprint('Ada AUTRE')}", False),
    ],
)
def test_two_names_are_said_to_be_two_people(tmp_path: Path, value: str, two: bool) -> None:
    said = corrections(tmp_path, f"deux_personnes: {{{value}}}")
    names = ["Ada MOREAU", "Ada VASSOR", "Bo MOREAU"]
    one, other, third = list_("senat", "2026-09-01", {1: names}).pairs.values()
    assert not said.two_people("senat", one, third)
    assert not said.matched
    found = {said.two_people("senat", *pairs) for pairs in ((one, other), (other, one))}
    assert found == {two}
    assert bool(said.matched) == two


def test_two_people_are_known_by_every_spelling_of_one_person(tmp_path: Path) -> None:
    same = "meme_personne: {noms: [Ada MOREAU, Zoé AUTRE]}"
    names = {"key": "Ada MOREAU", "list": "Zoé AUTRE", "nobody": "Bo LENGLET"}
    for kind, name in names.items():
        two = f"deux_personnes: {{noms: [{name}, Ada VASSOR]}}"
        said = corrections(tmp_path, f"{same}\n- {{date: 2026-10-01, raison: x, {two}}}")
        pairs = said.apply(list_("senat", "2026-09-01", {1: ["Zoé AUTRE", "Ada VASSOR"]})).pairs
        assert said.two_people("senat", *pairs.values()) == (kind != "nobody")


def test_a_mask_of_somebody_in_a_list_matches_and_hides_the_name(tmp_path: Path) -> None:
    found = corrections(tmp_path, "masquer: {nom: Ada MOREAU, elus: [99001Z]}")
    elsewhere, here = list_(
        "senat", "2026-09-01", {2: ["Ada MOREAU"], 1: ["Ada MOREAU"]}
    ).pairs.values()
    assert (found.name_of("senat", elsewhere), found.matched) == ("Mme Ada MOREAU", set())
    assert found.name_of("senat", here) == "(masked)"
    found.check_matched()
    assert found.rows() == [(1, "2026-10-01", "masquer", "Signalé par le Sénat")]


def test_an_accepted_list_may_have_given_its_place_to_the_same_later_one(tmp_path: Path) -> None:
    days = datetime.date(2026, 9, 1), datetime.date(2026, 9, 3)
    for day, matched in (("02", True), ("03", False), ("04", False)):
        found = corrections(tmp_path, f"accepter: senat/2026-09-{day}")
        found.know_days_between("senat", *days)
        assert bool(found.matched) == matched


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("Voir Mme Inventée (Zoé)", True),
        ("Zoé Inventée-Autre", True),
        ("Voir Mme Inventée", False),
        ("Demande", False),
    ],
)
def test_no_published_reason_repeats_a_masked_name(tmp_path: Path, reason: str, told: bool) -> None:
    mask = "- {date: 2026-10-01, raison: Demande, masquer: {nom: Zoé Inventée}}"
    fingerprinted = f"- {{date: 2026-10-01, raison: x, masquer: {{empreinte: {fingerprint('x')}}}}}"
    said = f"retirer: mvt_x\n{mask}\n{fingerprinted}"
    if told:
        with pytest.raises(CorrectionsError, match="line 1: raison: the reason is published"):
            corrections(tmp_path, said, reason)
    else:
        assert len(corrections(tmp_path, said, reason).entries) == 3


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("", "line 1: exactly one of"),
        ("effacer: y", "line 1: effacer: not known"),
        ("accepter: lundi", "accepter: the name of a list"),
        ("meme_personne: {noms: [A B]}", "meme_personne: noms: at least two"),
        ("meme_personne: {noms: [A B, C D], elus: [x]}", "elus: not known here"),
        ("meme_personne: {noms: [A B, C D], chambre: [senat]}", "chambre: one of"),
        ("deux_personnes: {noms: [A B, b a]}", "noms: exactly two"),
        ("deux_personnes: {noms: [A B, '']}", "noms: a list of names"),
        ("homonymes: {elus: [x]}", "homonymes: nom: a name is expected"),
        ("homonymes: {nom: A B, elus: PA1}", "homonymes: elus: a list of members"),
        ("masquer: {nom: A B, empreinte: c}", "masquer: either nom or empreinte"),
        ("masquer: {nom: A B, elus: []}", "elus: a list of members"),
        ("masquer: {nom: '...'}", "nom: a name is expected"),
        ("masquer: {nom: Ada EXEMPLE}", "line 1: raison: the reason is published"),
        ("retirer: ''", "retirer: the id of a movement"),
        ("modifier: {type: mut}", 'type: "mut" is not one of arrivee, depart, transfert'),
        ("modifier: {id: x}", "the id and at least one field"),
        ("modifier: {fonction: x}", "id: is missing"),
        ("modifier: {id: x, type: depart, elu_origine_nom: A B}", "only a transfert has one"),
        ("ajouter: {chambre: senat, type: depart}", "date_event: is missing"),
        ("ajouter: {date_event: 2026-09-01, chambre: senat}", "type: is missing"),
        ("ajouter: {fonction: [x]}", "fonction: a text is expected"),
        ("ajouter: {confiance: bot}", "confiance: not known here"),
        # Not as an entry of its own date and reason.
        ("\n- date: 2026-02-30\n  raison: x\n  retirer: y", "line 4: date: a day"),
        ("\n- date: 2026-10-01\n  retirer: y", "line 4: raison: the reason is missing"),
        ("\n# one\n- 12", "line 5: each correction is a mapping"),
        ("\n- [", "line 5: not YAML"),
        (f"masquer: {{nom: {'x' * 2_001}}}", "nom: 2,001 letters, more than"),
        (2 * "\n- {date: 2026-10-01, raison: x, retirer: y}", "line 5: retirer: repeats line 4"),
        *(
            (
                f"meme_personne: {{noms: [A B, C D]{one}}}\n"
                f"- {{date: 2026-10-02, raison: x, meme_personne: {{noms: [D C, E F]{other}}}}}",
                "line 4: meme_personne: has a spelling of line 1",
            )
            for one, other in (("", ", chambre: senat"), (", chambre: senat", ""))
        ),
    ],
)
def test_a_fault_is_refused_with_line_and_field(tmp_path: Path, said: str, expected: str) -> None:
    with pytest.raises(CorrectionsError) as refused:
        corrections(tmp_path, said, "Exemple")
    assert expected in str(refused.value)
    assert str(tmp_path / "corrections.yml") in str(refused.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(CorrectionsError, match=r"corrections\.yml: .*No such file"):
        read(tmp_path / "corrections.yml")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("# nothing yet", ""), ("date: x", "line 1: a list of corrections"), ("- &a [*a]", "line 1")],
)
def test_a_file_is_a_list_of_corrections_or_empty(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "corrections.yml"
    path.write_text(text)
    if expected:
        with pytest.raises(CorrectionsError, match=expected):
            read(path)
    else:
        assert read(path).entries == []
