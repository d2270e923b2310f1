from __future__ import annotations

import pytest

from parlement_lists.movement import words
from parlement_lists.tracking.reading.names import (
    civility_and_name,
    family_and_given,
    is_broken,
    misspelling,
    near,
)


@pytest.mark.parametrize(
    ("one", "other", "person"),
    [
        ("Héloïse GAUDRIN", "Heloise Gaudrin", True),
        ("GAUDRIN Héloïse", "Héloïse GAUDIN", True),
        ("Anne Claire GALLIET", "Anne-claire GALLIET", True),
        ("Anneclaire GALLIET", "Anne Claire GALLIET", True),
        ("Miska ROUVEROL", "Msika ROUVEROL", True),
        ("Lou BARTANE", "Lou BARTANE-FOREZ", True),
        ("Tristan de MIRECHOSDJI", "Tristan de MIROSCHEDJI", True),
        ("Elsa FRANCHIER", "Fleur FRANCHIER", False),
        ("Zoé MARN", "Noé MORN", False),
        ("Paul PETIT", "Paul PERIN", False),  # two letters
        ("Zoé VERVEINA", "Zoé VERVANIE", True),  # a long word of the same letters
        ("Marion VASSOR", "Romain VASSOR", False),
    ],
)
def test_spellings_of_one_person_are_near(one: str, other: str, person: bool) -> None:
    assert near(words(one), words(other)) == near(words(other), words(one)) == person


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ("Zoé VERVEINAT", "one letter differs"),
        ("Zoé VERVEINNAC", "one letter differs"),
        ("Zoé VEVREINAC", "one letter differs"),
        ("Zoé VERVE-INAC", "a word in two"),
        ("Zoé Ève VERVEINAC", "a word more or less"),
        ("VERVEINAC", ""),
        ("Zoé VERVEITAT", ""),
        ("Zoé CANIEVREV", ""),
        ("Zoé Ève Lou VERVEINAC", ""),
        ("Zoé VERVEINAC", ""),
    ],
)
def test_a_name_with_one_error_in_it_may_be_a_masked_one(other: str, why: str) -> None:
    keys = words("Zoé VERVEINAC"), words(other)
    assert [misspelling(*keys), misspelling(*reversed(keys))] == [why, why]
    # A word of two letters is not misspelt.
    assert not misspelling(words("Li WU"), words("Li XU"))


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("Mme LE GOFF Maëlle *", ("Mme", "LE GOFF Maëlle")),
        ("M. Mohamed M", ("M.", "Mohamed M")),
        ("Mlle Zoé B", ("Mme", "Zoé B")),
        ("Monique DURAND", ("", "Monique DURAND")),
    ],
)
def test_the_civility_stands_first(written: str, found: tuple[str, str]) -> None:
    assert civility_and_name(written) == found


@pytest.mark.parametrize(
    ("full", "family", "given", "found"),
    [
        ("Maëlle Le Goff", "Le goff", "Maëlle", ("LE GOFF", "Maëlle")),
        ("LE GOFF Maëlle", "", "", ("LE GOFF", "Maëlle")),
        ("Ciara Louise MURROY", "", "", ("MURROY", "Ciara Louise")),
        ("KARINE ESTELLE ATHEMIN", "", "", ("ATHEMIN", "Karine Estelle")),
        ("Maëlle Goff", "Autre", "Maëlle", ("GOFF", "Maëlle")),
        ("Madonnette", "", "", ("MADONNETTE", "")),
        ("KARINE VAN DER ATHEMIN", "", "", ("VAN DER ATHEMIN", "Karine")),
        ("Karine d'Athemin", "", "", ("D'ATHEMIN", "Karine")),
        ("DE ATHEMIN", "", "", ("ATHEMIN", "De")),
    ],
)
def test_the_family_name_is_in_capitals(
    full: str, family: str, given: str, found: tuple[str, str]
) -> None:
    assert family_and_given(full, family, given) == found


@pytest.mark.parametrize(
    ("names", "broken"),
    [
        (["Mxe9lody", "M\\u00e9lody", "M&eacute;lody", "MÃ©lody", "M\ufffdlody"], True),
        # Read in the code page of another machine.
        (["Mélodie".encode().decode(page) for page in ("mac_roman", "cp437", "cp850")], True),
        (["Mélody", "Maxence", "Félix D’ORNANO", "Roxane", "Alix-Éa"], False),
    ],
)
def test_lost_letters_are_seen(names: list[str], broken: bool) -> None:
    assert {is_broken(name) for name in names} == {broken}
