from __future__ import annotations

from pathlib import Path

import pytest
from parlement_lists.tracking.run import Run
from parlement_lists.tracking.state import TrackingState

from parlement_lists.movement import Movement, identifier
from parlement_lists.tracking.correction import CorrectionsError, Entry
from parlement_lists.tracking.corrections import Corrections
from parlement_lists.tracking.corrections_file import read
from parlement_lists.tracking.members.known_members import Members
from tests.tracking.lists import fingerprint, list_, list_file

MOVEMENT = Movement("", "2026-09-02", "senat", "arrivee", "MOREAU", "Ada", "Mme", elu_id="99001Z")
MOVEMENT = MOVEMENT._replace(id=identifier(MOVEMENT))
ADDED = "date_event: 2026-09-02, chambre: senat"


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
    assert corrections(tmp_path, said).take_verdict(name) == verdict


def test_two_spellings_become_one_person(tmp_path: Path) -> None:
    found = corrections(tmp_path, "meme_personne: {noms: [Ada MOREAU, Ada VASSOR]}").apply(
        list_("senat", "2026-09-01", {1: ["Ada VASSOR"], 2: ["Bo LENGLET"]})
    )
    assert set(found.pairs) == {("99001Z", "ada moreau"), ("99002Z", "bo lenglet")}
    assert found.pairs["99001Z", "ada moreau"].family == "VASSOR"


def test_two_spellings_are_one_person_in_one_chamber_alone(tmp_path: Path) -> None:
    same = corrections(tmp_path, "meme_personne: {noms: [Ada MOREAU, Ada VASSOR], chambre: senat}")
    assert same.take_key("senat", "99001Z", "ada vassor") == "ada moreau"
    assert same.take_key("assemblee", "PA999001", "ada vassor") == "ada vassor"


@pytest.mark.parametrize(
    ("one", "other", "refused"),
    [
        ("", "", True),
        ("", ", chambre: senat", True),
        (", chambre: senat", "", True),
        (", chambre: senat", ", chambre: senat", True),
        (", chambre: senat", ", chambre: assemblee", False),
    ],
)
def test_a_spelling_is_of_one_person_in_a_chamber(
    tmp_path: Path, one: str, other: str, refused: bool
) -> None:
    first = f"meme_personne: {{noms: [Ada MOREAU, Ada VASSOR]{one}}}"
    second = f"meme_personne: {{noms: [Vassor Ada, Ada LENGLET]{other}}}"
    said = f"{first}\n- {{date: 2026-10-02, raison: x, {second}}}"
    if refused:
        with pytest.raises(CorrectionsError, match=r"line 4: meme_personne: .* of line 1") as told:
            corrections(tmp_path, said)
        assert "assor" not in str(told.value)
    else:
        assert len(corrections(tmp_path, said).entries) == 2


def test_two_persons_of_one_name_become_two(tmp_path: Path) -> None:
    found = corrections(tmp_path, "homonymes: {nom: Ada MOREAU, elus: [99002Z]}").apply(
        list_("senat", "2026-09-01", {n: ["Ada MOREAU"] for n in (1, 2, 3)})
    )
    assert len({person for _, person in found.pairs}) == 2


@pytest.mark.parametrize(
    ("narrowed", "two"),
    [
        ("", True),
        (", chambre: senat", True),
        (", chambre: assemblee", False),
        (", elus: [99002Z, 99001Z]", True),
        (", elus: [99002Z]", False),
    ],
)
def test_two_names_are_said_to_be_two_people(tmp_path: Path, narrowed: str, two: bool) -> None:
    said = corrections(tmp_path, f"deux_personnes: {{noms: [moreau ada, Ada VASSOR]{narrowed}}}")
    names = ["Ada MOREAU", "Ada VASSOR", "Bo MOREAU"]
    one, other, third = list_("senat", "2026-09-01", {1: names}).pairs.values()
    assert not said.two_people("senat", one, third)
    assert not said.matched
    found = {said.two_people("senat", *pairs) for pairs in ((one, other), (other, one))}
    assert found == {two}
    assert bool(said.matched) == two


def test_one_of_two_people_may_be_known_by_a_fingerprint(tmp_path: Path) -> None:
    two = f"deux_personnes: {{noms: [Ada VASSOR], empreinte: {fingerprint('Ada MOREAU')}}}"
    said = corrections(tmp_path, two)
    names = ["Ada MOREAU", "Ada VASSOR", "Bo MOREAU"]
    one, other, third = list_("senat", "2026-09-01", {1: names}).pairs.values()
    assert [said.two_people("senat", *pair) for pair in ((one, other), (third, other))] == [
        True,
        False,
    ]


def test_two_people_are_known_by_every_spelling_of_one_person(tmp_path: Path) -> None:
    same = "meme_personne: {noms: [Ada MOREAU, Zoé AUTRE]}"
    names = {"key": "Ada MOREAU", "list": "Zoé AUTRE", "nobody": "Bo LENGLET"}
    for kind, name in names.items():
        two = f"deux_personnes: {{noms: [{name}, Ada VASSOR]}}"
        said = corrections(tmp_path, f"{same}\n- {{date: 2026-10-01, raison: x, {two}}}")
        pairs = said.apply(list_("senat", "2026-09-01", {1: ["Zoé AUTRE", "Ada VASSOR"]})).pairs
        assert said.two_people("senat", *pairs.values()) == (kind != "nobody")


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
    assert changed.correct(MOVEMENT) == MOVEMENT._replace(
        date_event="2026-09-01", confiance="manuel"
    )
    withdrawn = corrections(tmp_path, f"retirer: {MOVEMENT.id}")
    assert withdrawn.correct(MOVEMENT) is None
    assert withdrawn.withdrawals() == [(MOVEMENT.id, "2026-10-01", "Signalé par le Sénat")]


def test_a_change_that_makes_no_movement_is_told_by_its_line(tmp_path: Path) -> None:
    transfer = MOVEMENT._replace(type="transfert", elu_origine_nom="Bo LENGLET")
    found = corrections(tmp_path, f"modifier: {{id: {MOVEMENT.id}, type: depart}}")
    assert found.correct(MOVEMENT) is not None
    told = "line 1: modifier: elu_origine_nom: only a transfert has one"
    with pytest.raises(CorrectionsError, match=told):
        found.correct(transfer)


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
    assert found.correct(MOVEMENT) == (expected if masked else MOVEMENT)
    assert "moreau" not in str(found.rows()).lower()
    if masked:
        found.check_matched()
    else:
        with pytest.raises(CorrectionsError, match="line 1: masquer: matches nothing"):
            found.check_matched()


@pytest.mark.parametrize(
    ("mask", "withheld"),
    [
        ("nom: Ada MOREAU", ["Ada MOREAU", "Zoé AUTRE"]),
        ("nom: Zoé Autre", ["Ada MOREAU", "Zoé AUTRE"]),
        (f"empreinte: {fingerprint('Zoé Autre')}", ["Ada MOREAU", "Zoé AUTRE"]),
        ("nom: Bo LENGLET", ["Bo LENGLET"]),
        (f"empreinte: {fingerprint('Bo Lenglet')}", ["Bo LENGLET"]),
    ],
)
def test_a_mask_is_of_every_spelling_of_a_person(
    tmp_path: Path, mask: str, withheld: list[str]
) -> None:
    same = "meme_personne: {noms: [Ada MOREAU, Zoé AUTRE]}"
    found = corrections(tmp_path, f"{same}\n- {{date: 2026-10-01, raison: x, masquer: {{{mask}}}}}")
    names = [("MOREAU", "Ada"), ("AUTRE", "Zoé"), ("LENGLET", "Bo")]
    movements = [MOVEMENT._replace(collab_nom=f, collab_prenom=g) for f, g in names]
    masked = [not found.withhold(movement).collab_nom for movement in movements]
    assert masked == [f"{given} {family}" in withheld for family, given in names]


def test_a_mask_of_somebody_in_a_list_has_matched(tmp_path: Path) -> None:
    found = corrections(tmp_path, "masquer: {nom: Ada MOREAU, elus: [99001Z]}")
    for number, matched in ((2, False), (1, True)):
        pairs = list_("senat", "2026-09-01", {number: ["Ada MOREAU"]}).pairs.values()
        found.note_masks_of("senat", pairs)
        assert bool(found.matched) == matched
    found.check_matched()


def test_masks_that_the_database_lists_were_applied(tmp_path: Path) -> None:
    found = corrections(tmp_path, "masquer: {nom: Ada MOREAU}", reason="Demande")
    others = [("2026-10-01", "retirer", "Demande"), ("2026-10-02", "masquer", "x")]
    assert found.published_masks(others) == []
    assert found.published_masks([*others, ("2026-10-01", "masquer", "Demande")]) == found.masks


def test_of_two_masks_of_one_day_and_reason_one_row_says_nothing(tmp_path: Path) -> None:
    other = "- {date: 2026-10-01, raison: Demande, masquer: {nom: Bo LENGLET}}"
    found = corrections(tmp_path, f"masquer: {{nom: Ada MOREAU}}\n{other}", reason="Demande")
    row = ("2026-10-01", "masquer", "Demande")
    assert [found.published_masks([row] * rows) for rows in (1, 2, 3)] == [
        [],
        found.masks,
        found.masks,
    ]


def test_any_change_of_the_corrections_shows_in_their_digests(tmp_path: Path) -> None:
    one, other = "refuser: senat/2026-09-01", "accepter: senat/2026-09-01"
    later = f"{one}\n- {{date: 2026-10-02, raison: x, {one}}}"
    both = f"{one}\n- {{date: 2026-10-01, raison: x, {other}}}"
    found = [corrections(tmp_path, said).digests for said in (one, other, later, both)]
    assert len({*found, Corrections().digests}) == 5
    assert corrections(tmp_path, one, reason="y").digests == found[0]
    assert "senat" not in "".join(found)
    for said in (one, other):
        entry = corrections(tmp_path, said).entries[0]
        Corrections([entry], "x.yml").check_matched([entry.digest])
        with pytest.raises(CorrectionsError, match=r"x\.yml: line 1: .* matches nothing"):
            Corrections([entry], "x.yml").check_matched(["another"])


def test_an_accepted_list_may_have_given_its_place_to_the_same_list_of_a_later_day() -> None:
    files = [list_file("senat", f"2026-03-0{day}", {1: ["Ada MOREAU"]}) for day in (1, 3)]
    for day in (2, 4):
        said = [Entry(1, "2026-03-02", "x", "accepter", f"senat/2026-03-0{day}")]
        found = Run(TrackingState(), Members(), Corrections(said), "suivi")
        found.feed(files)
        if day == 2:
            found.corrections.check_matched()
        else:
            with pytest.raises(CorrectionsError):
                found.corrections.check_matched()


def test_what_is_added_by_hand_needs_to_match_nothing(tmp_path: Path) -> None:
    found = corrections(tmp_path, "ajouter: {date_event: 2026-09-02, chambre: senat, type: depart}")
    with pytest.raises(CorrectionsError):
        found.check_matched()
    found.added()
    found.check_matched()


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("Voir Mme Inventée (Zoé)", True),
        ("Inventée Zoé", True),
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
    found = corrections(tmp_path, f"masquer: {{{mask}}}").withhold(movement)
    assert found == (bare if masked else movement)


def test_a_movement_without_a_name_is_nobodys(tmp_path: Path) -> None:
    bare = MOVEMENT._replace(collab_nom="", collab_prenom="")
    assert (
        corrections(tmp_path, f"masquer: {{empreinte: {fingerprint('')}}}").withhold(bare) == bare
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- date: 2026-10-01\n  raison: x\n", "line 1: exactly one of"),
        ("- raison: x\n  retirer: y\n", "line 1: date: a day"),
        ("- date: 2026-02-30\n  raison: x\n  retirer: y\n", "line 1: date: a day"),
        ("- date: 2026-10-01\n  retirer: y\n", "line 1: raison: the reason is missing"),
        ("- date: 2026-10-01\n  raison: x\n  effacer: y\n", "line 1: effacer: not known"),
        ("- date: 2026-10-01\n  raison: x\n  accepter: lundi\n", "accepter: the name of a list"),
        ("- date: 2026-10-01\n  raison: x\n  modifier: {type: mut}\n", 'type: "mut" is not one of'),
        ("- date: 2026-10-01\n  raison: x\n  modifier: {nom: y}\n", "nom: not known here"),
        ("- date: 2026-10-01\n  raison: x\n  ajouter: {type: depart}\n", "chambre: is missing"),
        (
            "- date: 2026-10-01\n  raison: Demande de Mme Moreau\n  masquer: {nom: Ada MOREAU}\n",
            "raison: the reason is published",
        ),
        *(
            (f"- date: 2026-10-01\n  raison: x\n  {said}\n", expected)
            for said, expected in [
                ("meme_personne: {noms: [A B]}", "meme_personne: noms: at least two"),
                ("meme_personne: {noms: A B}", "noms: at least two"),
                ("meme_personne: {noms: [A B, [C]]}", "noms: at least two"),
                ("meme_personne: {noms: [A B, '']}", "noms: at least two"),
                ("meme_personne: [A B, C D]", "noms: at least two"),
                ("meme_personne: {noms: [A B, C D], elus: [x]}", "elus: not known here"),
                ("deux_personnes: {noms: [A B]}", "deux_personnes: noms: exactly two"),
                ("deux_personnes: {noms: [A B, C D, E F]}", "noms: exactly two"),
                ("deux_personnes: {noms: [A B, b a]}", "noms: exactly two"),
                ("deux_personnes: {noms: [A B, '']}", "noms: the two names"),
                ("deux_personnes: [A B, C D]", "noms: the two names"),
                ("deux_personnes: {noms: [A B, C D], elus: x}", "elus: a list of members"),
                ("deux_personnes: {noms: [A B, C D], nom: x}", "nom: not known here"),
                ("homonymes: {elus: [x]}", "homonymes: nom: the shared name"),
                ("homonymes: {nom: A B, elus: []}", "elus: the members with whom"),
                ("homonymes: {nom: A B, elus: PA1}", "elus: the members with whom"),
                ("homonymes: A B", "nom: the shared name"),
                ("homonymes: {nom: A B, elus: [x], chambre: senat}", "chambre: not known here"),
                ("masquer: {nom: A B, empreinte: c}", "masquer: either nom or empreinte"),
                ("masquer: {chambre: senat}", "either nom or empreinte"),
                ("masquer: A B", "either nom or empreinte"),
                ("masquer: {nom: A B, elus: []}", "elus: a list of members"),
                ("masquer: {nom: '...'}", "nom: a name is expected"),
                ("masquer: {nom: [A]}", "nom: a name is expected"),
                ("masquer: {nom: A B, groupe: x}", "groupe: not known here"),
                ("retirer: ''", "retirer: the id of a movement"),
                ("retirer: [x]", "the id of a movement"),
                ("refuser: [senat/2026-09-02]", "refuser: the name of a list"),
                ("ajouter: x", "ajouter: the fields of a movement"),
                ("ajouter: {chambre: senat, type: depart}", "date_event: is missing"),
                ("ajouter: {type: x}", 'type: "x" is not one of arrivee, depart, transfert'),
                ("ajouter: {source: x}", 'source: "x" is not one of archives, suivi'),
                ("ajouter: {fonction: [x]}", "fonction: a text is expected"),
                (
                    "ajouter: {date_event: 2026-9-1}",
                    "is not a day from 1900-01-01 to 2100-12-31 (YYYY-MM-DD)",
                ),
                (
                    f"ajouter: {{{ADDED}, type: arrivee, elu_origine_nom: A B}}",
                    "line 1: ajouter: elu_origine_nom: only a transfert has one",
                ),
                (f'ajouter: {{{ADDED}, type: depart, collab_nom: "A\\aB"}}', "control character"),
                ('modifier: {id: x, collab_nom: "A\\uFFFEB"}', "one that XML cannot hold"),
                (
                    "modifier: {id: x, type: depart, elu_origine_nom: A B}",
                    "modifier: elu_origine_nom: only a transfert has one",
                ),
                ("ajouter: {confiance: bot}", "confiance: not known here"),
                ("modifier: x", "modifier: the fields of a movement"),
                ("modifier: {id: x}", "the id and at least one field"),
                ("modifier: {fonction: x}", "id: is missing"),
                ("modifier: {id: x, source: suivi, elu_nom: y, elu_age: z}", "elu_age: not known"),
            ]
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
