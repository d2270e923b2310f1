"""Names made plain, and identifiers that stay."""

import json

import pytest

from parlement_lists.meanings import MEANINGS
from parlement_lists.movement import (
    DAY,
    NOT_XML,
    VALUES,
    Movement,
    faults_of,
    identifier,
    is_date,
    join_key,
    plain,
    words,
)
from parlement_lists.tracking.movements import GOOD, MIDDLING

ARRIVAL = Movement(
    "", "2026-03-01", "senat", "arrivee", "LE GOFF", "Maëlle", "Mme", "essai anne", "99001Z"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Jadot  Yannick", "jadot yannick"),
        ("D’Almeida-Œuvré", "d almeida oeuvre"),
        ("  Ça; (là) ", "ca la"),
        ("ÎLE_DE", "ile de"),
        ("ŁUKASZ Straße", "lukasz strasse"),
        ("e\u0301te\u0301", "ete"),
        ("", ""),
        ("…", ""),
    ],
)
def test_plain_has_no_accent_case_or_punctuation(text, expected):
    assert plain(text) == expected


@pytest.mark.rule("decisions-elu-cle")
def test_a_join_key_is_family_then_given_name():
    assert join_key("JADOT", "Yannick") == "jadot yannick"


def test_the_words_of_a_name_do_not_depend_on_order_or_repetition():
    assert words("LE GOFF", "Maëlle") == words("maelle", "Goff-Le le") == "goff le maelle"


@pytest.mark.rule("decisions-id")
def test_an_identifier_is_known_for_ever():
    # Published identifiers depend on it: a change here breaks every client that stored one.
    assert identifier(ARRIVAL) == "mvt_12ed22cc3f573387ad99"


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({"source": "suivi", "confiance": "faible", "contexte": "elu_entrant"}, True),
        ({"elu_nom": "Anne Essai", "elu_groupe": "NI", "collab_civilite": ""}, True),
        ({"collab_nom": "Maëlle", "collab_prenom": "Le Goff"}, True),
        ({"date_event": "2026-03-02"}, False),
        ({"chambre": "assemblee"}, False),
        ({"type": "depart"}, False),
        ({"collab_prenom": "Maëla"}, False),
        ({"elu_id": "99002Z"}, False),
        ({"type": "transfert", "elu_origine_nom": "Zoé Essai"}, False),
    ],
)
def test_what_is_only_said_of_a_movement_does_not_change_its_identifier(change, same):
    assert (identifier(ARRIVAL._replace(**change)) == identifier(ARRIVAL)) == same


def test_a_member_without_identifier_is_known_by_the_join_key_else_by_the_name():
    keyed = ARRIVAL._replace(elu_id="", elu_nom="Anne ESSAI")
    named = keyed._replace(elu_cle="")
    assert identifier(keyed._replace(elu_nom="Essai A.")) == identifier(keyed)
    assert identifier(keyed._replace(elu_cle="essai zoe")) != identifier(keyed)
    assert identifier(named._replace(elu_nom="Zoé Essai")) != identifier(named)


@pytest.mark.rule("decisions-dates")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-02-29", True),
        ("2023-02-29", False),
        ("2026-3-01", False),
        ("٢٠٢٦-03-01", False),
        ("2026-03-01\n", False),
        ("20260301", False),
        ("0000-01-01", False),
    ],
)
def test_a_date_is_a_day_that_exists_in_ascii_digits(text, expected):
    assert is_date(text) is expected


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({}, []),
        ({"type": "transfert", "elu_origine_nom": "Zoé Essai"}, []),
        ({"contexte": "", "collab_civilite": ""}, []),
        ({"type": "mut"}, ['type: "mut" is not one of arrivee, depart, transfert']),
        ({"source": ""}, ['source: "" is not one of archives, suivi']),
        ({"date_event": "2026-2-1"}, [f'date_event: "2026-2-1" is not {DAY}']),
        (
            {"elu_origine_nom": "Zoé", "elu_origine_groupe": "NI"},
            [f"elu_origine_{n}: only a transfert has one" for n in ("nom", "groupe")],
        ),
        *(
            (
                {"elu_nom": f"A{c}B"},
                [
                    f"elu_nom: {json.dumps(f'A{c}B')} holds a control character,"
                    " or one that XML cannot hold"
                ],
            )
            for c in "\x00\t\x7f\x85\ud800\ufffe\uffff"
        ),
        ({"elu_nom": "A\u2028B \N{ZERO WIDTH JOINER}"}, []),
    ],
)
def test_what_a_movement_cannot_be_is_told_with_its_field(change, told):
    assert faults_of(ARRIVAL._replace(**change)) == told


def test_exactly_what_xml_allows_is_let_through():
    """XML 1.0, production 2."""
    allowed = {9, 10, 13, *range(0x20, 0xD800), *range(0xE000, 0xFFFE), *range(0x10000, 0x110000)}
    every = "".join(map(chr, range(0x110000)))
    assert set(map(ord, NOT_XML.findall(every))) == set(range(0x110000)) - allowed


def test_what_a_confidence_means_names_the_days_that_give_it():
    days = {3: "trois jours", 10: "dix jours"}
    assert days[GOOD] in MEANINGS["bot"]
    assert days[GOOD] in MEANINGS["fort"]
    assert days[MIDDLING] in MEANINGS["moyen"]


def test_every_allowed_value_has_a_meaning_in_french():
    allowed = {value for name in VALUES if name != "collab_civilite" for value in VALUES[name]}
    assert allowed == set(MEANINGS)
