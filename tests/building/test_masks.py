"""Names that masks withhold, and those near them: unit tests of `publish`, on invented lists, movements and stays."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path

import pytest

from datasette_mouvements.building.masks import KEY_FILE, Published, key_in, pseudonym, publish
from parlement_lists import tenure
from parlement_lists.movement import Movement, identifier, words
from parlement_lists.tenure import UNPAID, Tenure
from parlement_lists.tracking.corrections import Corrections, CorrectionsError
from parlement_lists.tracking.corrections_file import read
from tests.tracking import lists
from tests.tracking.lists import fingerprint, many

TODAY = datetime.date(2026, 10, 2)
KEY, OTHER_KEY = bytes(32), bytes(range(32))
OTHERS = many(60)
MASKED, GIVEN, FAMILY = "Zoé VERVEINAC", "Zoé", "VERVEINAC"
PSEUDONYM = re.compile("(mvt|col)_[0-9a-f]{20}")
Read = Callable[..., Corrections]
Days = Sequence[tuple[str, Mapping[int, Sequence[str]]]]


@pytest.fixture
def read_lines(tmp_path: Path) -> Read:
    def from_lines(*lines: str) -> Corrections:
        path = tmp_path / "corrections.yml"
        path.write_text("\n".join(line if line[0] == "-" else said(line) for line in lines))
        return read(path)

    return from_lines


def said(correction: str, day: str = "2026-09-01") -> str:
    return f"- {{date: {day}, raison: Demande, {correction}}}"


MASK = said(f"masquer: {{nom: {MASKED}}}")


def of_lists(days: Days, corrections: Corrections, key: bytes = KEY) -> Published:
    """What is published of lists of the Sénat in which some members have some people more."""
    dated = (
        (day, {n: [*names, *more.get(n, ())] for n, names in OTHERS.items()}) for day, more in days
    )
    tracked = lists.of_senate(*dated, corrections=corrections)
    published = publish(
        tracked.movements, tracked.stays, tracked.spellings, corrections, key, TODAY
    )
    corrections.check_matched()
    return published


def movement(name: str, **fields: str) -> Movement:
    given, family = name.split()
    values = {"date_event": "2026-09-10", "chambre": "senat", "type": "arrivee"} | fields
    made = Movement("", collab_nom=family, collab_prenom=given, collab_civilite="Mme", **values)
    return made._replace(id=identifier(made))


def of_movements(
    movements: Sequence[Movement], corrections: Corrections, stays: Sequence[Tenure] = ()
) -> Published:
    return publish(movements, stays, {}, corrections, KEY, TODAY)


def at(published: Published, number: int) -> list[str]:
    """The family names of a member's stays that are none of `OTHERS`, with "" for those without."""
    others = {name.split()[1] for name in OTHERS[number]}
    member = lists.member("senat", number)
    return sorted(
        stay.collab_nom
        for stay in published.stays
        if stay.elu_id == member and stay.collab_nom not in others
    )


def answer(question: str, which: str) -> list[str]:
    """The lines that a maintainer is told to write down."""
    (text,) = re.findall(rf"^{which} person:\n((?:- [^\n]*\n?)*)", question, re.M)
    return str(text).splitlines()


def holds(published: Published, family: str) -> bool:
    return family in f"{published.movements}{published.stays}"


@pytest.mark.rule("record-mask")
@pytest.mark.parametrize(
    "mask",
    [
        *(f"nom: {MASKED}", "nom: verveinac zoe", f"empreinte: {fingerprint(MASKED)}"),
        *(f"nom: {MASKED}, elus: [99002Z]", f"nom: {MASKED}, chambre: senat", "nom: Ada AUTRE"),
    ],
)
def test_a_mask_takes_the_name_from_every_movement_and_stay(read_lines: Read, mask: str) -> None:
    """Also from what a transfer connects with them, and from every spelling of `meme_personne`."""
    corrections = read_lines(
        said(f"masquer: {{{mask}}}"), said(f"meme_personne: {{noms: [Ada AUTRE, {MASKED}]}}")
    )
    days = [("2026-09-01", {}), ("2026-09-03", {2: [MASKED]}), ("2026-09-12", {3: [MASKED]})]
    published = of_lists([*days, ("2026-09-22", {})], corrections)
    assert (holds(published, FAMILY), published.questions) == (False, [])
    assert sorted(m.type for m in published.movements) == ["arrivee", "depart", "transfert"]
    assert {(m.collab_nom, m.collab_prenom, m.collab_civilite) for m in published.movements} == {
        ("", "", "")
    }
    assert [at(published, number) for number in (2, 3)] == [[""], [""]]
    ids = {m.id for m in published.movements}
    ends = [(s.mouvement_debut, s.mouvement_fin) for s in published.stays if s.mouvement_debut]
    assert {id for both in ends for id in both} == ids


@pytest.mark.parametrize("name", [MASKED, "Zoé VERVEINAT"])
def test_a_stay_is_withheld_by_a_name_that_it_had(read_lines: Read, name: str) -> None:
    """Also by one near a masked name, and one that is no spelling of now: A, then B, then A again."""
    stay = Tenure("col_1", "senat", "1A", collab_nom="AUTRE", collab_prenom=GIVEN, conge=UNPAID)
    stay = stay._replace(debut="2026-09-02", anciens_noms=f"Zoé TIERCE ; {name}")
    mine = movement(MASKED, elu_id="1A")
    (published,) = of_movements([mine], read_lines(MASK), [stay]).stays
    assert (published.collab_nom, published.anciens_noms, published.conge) == ("", "", "")


def test_a_movement_of_another_name_or_of_a_mask_elsewhere_keeps_it(read_lines: Read) -> None:
    mine = movement(MASKED, elu_id="1A")
    assert of_movements([mine], read_lines("masquer: {nom: Zoé AUTRE}")).movements == [mine]
    for where in ("elus: [2A]", "chambre: europarl"):
        corrections = read_lines(f"masquer: {{nom: {MASKED}, {where}}}")
        assert of_movements([mine], corrections).movements == [mine]
        with pytest.raises(CorrectionsError, match="line 1: masquer: matches nothing"):
            corrections.check_matched()


@pytest.mark.parametrize("long", ["Ada MOREAU-FOREZ", "Ada MOREEAU"])
def test_a_mask_of_the_shorter_of_two_names_of_one_person_in_a_list_withholds_the_fuller(
    read_lines: Read, long: str
) -> None:
    short, family = "Ada MOREAU", long.split()[1]
    days = [("2026-09-01", {7: [short, long]}), ("2026-09-12", {7: [long]}), ("2026-09-22", {})]
    published = of_lists(days, read_lines(f"masquer: {{nom: {short}}}"))
    assert (holds(published, family), at(published, 7), published.questions) == (False, [""], [])


def test_what_a_correction_calls_by_a_masked_name_is_withheld_whole(read_lines: Read) -> None:
    days = [("2026-09-01", {}), ("2026-09-03", {2: ["Zoé TOUTAUTRE"]})]
    (arrival,) = of_lists(days, read_lines("accepter: senat/2026-09-01")).movements
    change = f"modifier: {{id: {arrival.id}, collab_nom: {FAMILY}}}"
    published = of_lists(days, read_lines(change, MASK))
    assert [holds(published, family) for family in (FAMILY, "TOUTAUTRE")] == [False, False]


@pytest.mark.rule("record-mask-identifier")
def test_pseudonyms_stay_and_another_day_or_key_gives_others(read_lines: Read) -> None:
    days = [("2026-09-01", {}), ("2026-09-03", {2: [MASKED]})]

    def ids(key: bytes, *lines: str) -> set[str]:
        published = of_lists(days, read_lines("accepter: senat/2026-09-01", *lines), key)
        (arrival,) = published.movements
        (stay,) = (stay for stay in published.stays if stay.mouvement_debut)
        assert stay.mouvement_debut == arrival.id
        assert PSEUDONYM.fullmatch(arrival.id)
        assert PSEUDONYM.fullmatch(stay.id)
        return {arrival.id, stay.id}

    later = MASK.replace("2026-09-01", "2026-09-02")
    own, masked, again, of_key = (ids(KEY), ids(KEY, MASK), ids(KEY, later), ids(OTHER_KEY, MASK))
    assert len(own | masked | again | of_key) == 8
    assert ids(KEY) == own
    assert ids(KEY, MASK) == masked
    # One that a file gave is withheld whatever its form.
    assert PSEUDONYM.fullmatch(pseudonym(KEY, GIVEN, "2026-09-01"))
    # Of two masks of one person the first day counts, whatever their order.
    assert ids(KEY, later, MASK) == ids(KEY, MASK, later) == masked
    person = words(MASKED)
    assert own == {
        identifier(movement(MASKED, date_event="2026-09-03", elu_id="99002Z")),
        tenure.identifier("senat", "99002Z", person, "2026-09-03"),
    }


def test_the_place_of_a_masked_person_does_not_tell_where_the_name_stands(read_lines: Read) -> None:
    """Lists are in the order of names, stays of one day in that of their identifiers."""
    names = ["Ada ABELARD", "Bea BERTIN", "Cid COUTANT", "Dan DUVAL", "Eva NADALE"]
    days = [("2026-09-01", {}), ("2026-09-13", {9: names})]
    masks = [f"masquer: {{nom: {name}}}" for name in names[:3]]
    published = of_lists(days, read_lines(*masks))
    assert [m.collab_nom for m in published.movements] == ["DUVAL", "NADALE", "", "", ""]
    ids = [m.id for m in published.movements[2:]]
    assert ids == sorted(ids)
    places = [(stay.debut, stay.chambre, stay.id) for stay in published.stays]
    assert places == sorted(places)


@pytest.mark.parametrize("named_by", ["own", "pseudonym"])
def test_a_correction_names_a_masked_movement_by_either_id(read_lines: Read, named_by: str) -> None:
    mine = movement(MASKED, type="depart", elu_id="1A")
    (masked,) = of_movements([mine], read_lines(MASK)).movements
    id = mine.id if named_by == "own" else masked.id
    corrections = read_lines(MASK, f"modifier: {{id: {id}, fonction: Cheffe, collab_nom: VU}}")
    stay = Tenure("col_1", "senat", "1A", debut="2026-09-01", mouvement_fin=mine.id)
    stay = stay._replace(fin=mine.date_event, fin_apres="2026-09-09", collab_nom=FAMILY)
    published = of_movements([mine], corrections, [stay])
    assert published.movements == [masked._replace(fonction="Cheffe", confiance="manuel")]
    assert [(s.fonction, s.collab_nom) for s in published.stays] == [("Cheffe", "")]
    assert of_movements([mine], read_lines(MASK, f"retirer: {id}")).movements == []
    # One that a file gives back without its name is told once.
    assert of_movements([masked, mine], read_lines(MASK)).movements == [masked]


def test_the_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / KEY_FILE
    key = key_in(path)
    path.chmod(0o644)
    assert (key_in(path), len(key), path.stat().st_mode & 0o777) == (key, 32, 0o600)
    path.write_bytes(key[:31])
    with pytest.raises(OSError, match="31 bytes, and a key has 32"):
        key_in(path)
    path.unlink()
    assert key_in(path) != key


NEAR = ["Zoé VERVEINAT", "Zoé VERVEINNAC", "Zoé VERVEINA", "Zoé VEVREINAC"]
MASKS = [MASK, said(f"masquer: {{empreinte: {fingerprint(MASKED)}}}")]


@pytest.mark.rule("record-mask-near")
@pytest.mark.parametrize(
    ("mask", "near", "number"),
    [*product(MASKS, NEAR, [3]), *product(MASKS, [NEAR[0], NEAR[3]], [2])],
)
def test_a_near_name_that_comes_is_withheld_until_either_answer(
    read_lines: Read, mask: str, near: str, number: int
) -> None:
    """With the masked person's own member, beside, as with another one."""
    both = {2: [MASKED]} | {number: [MASKED, near] if number == 2 else [near]}
    family = near.rpartition(" ")[2]
    days = [("2026-08-01", {}), ("2026-08-12", {2: [MASKED]}), ("2026-09-01", both)]
    published = of_lists(days, read_lines(mask))
    (question,) = published.questions
    member = lists.member("senat", number)
    assert question.startswith(f"{near} (senat, {member}) is withheld, as it is near a masked name")
    assert FAMILY not in question.replace(near, "")
    assert [m.collab_nom for m in published.movements] == ["", ""]
    assert set(at(published, number)) == {""}
    for which in ("Another", "The same"):
        lines = answer(question, which)
        assert len(lines) == 1
        published = of_lists(days, read_lines(mask, *lines))
        assert published.questions == []
        assert (family in at(published, number)) == (which == "Another")


def test_who_is_decided_to_be_another_person_is_so_after_a_transfer(read_lines: Read) -> None:
    days = [("2026-08-01", {2: [MASKED]}), ("2026-09-12", {2: [MASKED], 3: [NEAR[0]]})]
    (question,) = of_lists(days, read_lines(MASK)).questions
    corrections = read_lines(MASK, *answer(question, "Another"))
    published = of_lists([*days, ("2026-09-22", {2: [MASKED], 4: [NEAR[0]]})], corrections)
    assert (published.questions, at(published, 3), at(published, 4)) == (
        *([], ["VERVEINAT"], ["VERVEINAT"]),
    )
    # Who comes to another member from nowhere may be the masked person.
    corrections = read_lines(MASK, *answer(question, "Another"))
    more = {2: [MASKED], 3: [NEAR[0]], 4: [NEAR[0]]}
    published = of_lists([*days, ("2026-09-22", more)], corrections)
    assert (len(published.questions), at(published, 3), at(published, 4)) == (
        1,
        ["VERVEINAT"],
        [""],
    )


@pytest.mark.parametrize(("begun", "kept"), [("2026-08-31", True), ("2026-09-01", False)])
def test_what_began_before_the_day_of_the_mask_keeps_its_near_name(
    read_lines: Read, begun: str, kept: bool
) -> None:
    mine, near = movement(MASKED), movement(NEAR[0], date_event=begun)
    published = of_movements([near, mine], read_lines(MASK))
    assert (published.questions == [], holds(published, "VERVEINAT")) == (kept, kept)
    # Whoever was there is another person, also after a transfer or under a new spelling.
    days = [("2026-08-01", {}), (begun, {2: [MASKED], 3: ["Zoé VERVEINRTT"]})]
    moved = [
        ("2026-09-12", {2: [MASKED], 3: [NEAR[0]]}),
        ("2026-09-22", {2: [MASKED], 4: [NEAR[0]]}),
    ]
    published = of_lists([*days, *moved], read_lines(MASK))
    assert (published.questions == [], holds(published, "VERVEINAT")) == (kept, kept)
    assert [at(published, number) for number in (3, 4)] == [["VERVEINAT" if kept else ""]] * 2


def test_what_began_before_a_later_mask_keeps_a_name_near_that_one(read_lines: Read) -> None:
    later = said(f"masquer: {{nom: {MASKED}}}", day="2026-10-01")
    masks = read_lines(said("masquer: {nom: Ida AUTRE}"), later)
    rows = [movement(MASKED), movement("Ida AUTRE"), movement(NEAR[0], date_event="2026-09-15")]
    published = of_movements(rows, masks)
    assert (published.questions, holds(published, "VERVEINAT")) == ([], True)


@pytest.mark.parametrize("names", [("VERVEITUT", "VERVEINAT"), ("VERVEINAT", "VERVEITUT")])
def test_a_stay_that_once_had_a_near_name_is_withheld_under_every_spelling(
    read_lines: Read, names: tuple[str, str]
) -> None:
    first, then = ({2: [MASKED], 3: [f"Zoé {name}"]} for name in names)
    days = [("2026-09-01", {2: [MASKED]}), ("2026-09-02", first), ("2026-09-12", then)]
    published = of_lists([*days, ("2026-09-22", {2: [MASKED]})], read_lines(MASK))
    assert [holds(published, name) for name in names] == [False, False]
    (question,) = published.questions
    assert question.startswith("Zoé VERVEINAT (senat, 99003Z)")
    published = of_lists(days, read_lines(MASK, *answer(question, "Another")))
    assert at(published, 3) == [names[1]]


@pytest.mark.parametrize("mask", MASKS)
def test_a_near_name_in_a_file_is_withheld_in_any_order(read_lines: Read, mask: str) -> None:
    both = [movement(MASKED), movement(NEAR[0])]
    for movements in (both, both[::-1]):
        published = of_movements(movements, read_lines(mask))
        assert ("no member" in published.questions[0], len(published.questions)) == (True, 1)
        assert not holds(published, "VERVEINAT")
        corrections = read_lines(mask, *answer(published.questions[0], "Another"))
        assert holds(of_movements(movements, corrections), "VERVEINAT")


def test_a_narrow_mask_and_its_answers_are_near_nobody_elsewhere(read_lines: Read) -> None:
    mask = f"masquer: {{nom: {MASKED}, chambre: senat, elus: [99002Z, 99003Z]}}"
    days = [
        ("2026-09-01", {2: [MASKED]}),
        ("2026-09-12", {n: [NEAR[0]] for n in (3, 4)} | {2: [MASKED]}),
    ]
    published = of_lists(days, read_lines(mask))
    assert [at(published, number) for number in (3, 4)] == [[""], ["VERVEINAT"]]
    (question,) = published.questions
    assert 'chambre: "senat", elus: ["99003Z"]}' in answer(question, "Another")[0]
    same = '"Zoé VERVEINAT", chambre: "senat", elus: ["99002Z", "99003Z"]}'
    assert same in answer(question, "The same")[0]


@pytest.mark.parametrize(("which", "named"), [("Another", True), ("The same", False)])
def test_a_name_near_two_masks_has_two_lines(read_lines: Read, which: str, named: bool) -> None:
    people = [movement(name, elu_id="1A") for name in (MASKED, "Zoé VERVEINAX", NEAR[0])]
    masks = MASK, "masquer: {nom: Zoé VERVEINAX, elus: [1A]}"
    (question,) = of_movements(people, read_lines(*masks)).questions
    lines = answer(question, which)
    assert len(lines) == 2
    published = of_movements(people, read_lines(*masks, *lines))
    assert (published.questions, holds(published, "VERVEINAT")) == ([], named)


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize(
    "chain", [["VERVEINAT"], ["VERVEINAT", "VERVEIIATTE"], ["VERVEIIATTE", "TOUTAUTRE"]]
)
def test_a_masked_stay_is_withheld_under_whatever_name_it_goes_on(
    read_lines: Read, mask: str, chain: list[str]
) -> None:
    """Its identifier is made of the first name; whoever took the person's place is told by the first new one."""
    spelled = [(f"2026-09-{2 + n:02}", {2: [f"Zoé {name}"]}) for n, name in enumerate(chain)]
    days = [("2026-09-01", {2: [MASKED]}), *spelled, ("2026-09-12", spelled[-1][1])]
    published = of_lists(days, read_lines(mask))
    (question,) = published.questions
    assert question.startswith(
        f"Zoé {chain[-1]} (senat, 99002Z) is withheld, as a masked stay goes on under it"
    )
    assert (FAMILY in question, at(published, 2), published.movements) == (False, [""], [])
    same = of_lists(days, read_lines(mask, *answer(question, "The same")))
    assert (same.questions, at(same, 2)) == ([], [""])
    other = of_lists(days, read_lines(mask, *answer(question, "Another")))
    near = chain[0] == "VERVEINAT" and len(chain) > 1
    assert (other.questions, at(other, 2)) == ([], ["", chain[-1]])
    assert near == ("VERVEIIATTE" in chain and holds(other, "VERVEINAT"))


def test_a_name_between_two_others_is_masked_and_the_last_one_asked_about(read_lines: Read) -> None:
    names = ["Zoé DEBUT", MASKED, "Zoé AUTREFOIS", "Zoé AUTREFOIS"]
    days = [(f"2026-09-{1 + n:02}", {2: [name]}) for n, name in enumerate(names)]
    published = of_lists(days, read_lines(MASK))
    (question,) = published.questions
    assert question.startswith("Zoé AUTREFOIS (senat, 99002Z) is withheld")
    assert at(published, 2) == [""]
