"""What each parameter accepts, what it refuses, and how the refusal names it."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest

from .sample import as_sampled, matching
from .service import Headers, Service
from .situations import PATH

rule = pytest.mark.rule
PARAMETERS = ("chambre", "type", "source", "depuis", "jusqua", "elu", "equipe", "limit", "offset")


@rule("interface-2-limit", "interface-4-limit", "interface-8-limit", "interface-2-offset")
@rule(
    "interface-4-offset", "interface-8-offset", "decisions-integers", "decisions-offset-past-total"
)
@pytest.mark.parametrize(
    ("query", "limit", "offset"),
    [
        ("", 100, 0),
        ("limit=1", 1, 0),
        ("limit=500", 500, 0),
        ("offset=0", 100, 0),
        ("offset=10&limit=3", 3, 10),
        ("offset=382", 100, 382),
        ("offset=383", 100, 383),
        ("offset=384&limit=500", 500, 384),
        (f"offset={2**63 - 1}", 100, 2**63 - 1),
        (f"limit=500&offset={2**63 - 1}&chambre=senat&depuis=2025-01-01", 500, 2**63 - 1),
    ],
)
def test_limit_and_offset_are_applied_and_repeated(
    service: Service, reader: Headers, query: str, limit: int, offset: int
) -> None:
    answer = service.ask(f"{PATH}?{query}".rstrip("?"), reader)
    assert answer.status == 200, answer.body
    page = answer.json()
    assert (page["limit"], page["offset"]) == (limit, offset)
    if "chambre" not in query:
        found = [as_sampled(movement) for movement in page["mouvements"]]
        assert found == matching()[offset : offset + limit]
        assert page["total"] == len(matching())
    else:
        assert page["mouvements"] == []


NOT_INTEGERS = (
    *("1e2", "+5", " 5", "5 ", "٥", "\uff15", "5.0", "0x10", "1_0", "cinq", "5\n", "5\0", "--5"),
    *("½", "²", "9" * 30, "-", "1,5"),
)
NOT_DATES = (
    *("2023-02-29", "2024-13-01", "2024-00-10", "2024-04-31", "2024-1-01", "20240101", "2024-01"),
    *("2024-01-01T00:00:00", "٢٠٢٤-٠١-٠١", "\uff12024-01-01", " 2024-01-01", "2024-01-01\n"),
    *("2024-W01-1", "01/02/2024", "hier", "+2024-01-01", "12024-01-01", "2024-001", "-2024-01-01"),
)
NOT_VALUES = {
    "chambre": ("Senat", "SENAT", "assemblée", "senat,europarl", " senat", "senat\0", "sénat", "*"),
    "type": ("arrivée", "arrivees", "Depart", "mutation"),
    "source": ("suivis", "bot", "Archives"),
}
REFUSED = [
    *(("limit", value) for value in ("0", "501", "-1", str(2**63), *NOT_INTEGERS)),
    *(("offset", value) for value in ("-1", str(2**63), str(2**64), *NOT_INTEGERS)),
    *((name, value) for name in ("depuis", "jusqua") for value in NOT_DATES),
    *((name, value) for name, bad in NOT_VALUES.items() for value in bad),
]
RULES = {"limit": ("decisions-integers", "interface-8-limit"), "offset": ("decisions-integers",)}
RULES |= {"depuis": ("decisions-dates",), "jusqua": ("decisions-dates",)}
# What a message must say is accepted, beside an example.
ACCEPTED = {
    "limit": ("1", "500"),
    "offset": ("0",),
    "depuis": ("AAAA-MM-JJ",),
    "jusqua": ("AAAA-MM-JJ",),
    "chambre": ("assemblee", "senat", "europarl"),
    "type": ("arrivee", "depart", "transfert"),
    "source": ("suivi", "archives"),
}


@rule("decisions-elu")
@pytest.mark.parametrize(
    "elu", ["Jeanne%20ESSAI", "99001Z,99002Z", "PA*", "9900%25", "pa719890", "99001z"]
)
@pytest.mark.parametrize("name", ["elu", "equipe"])
def test_what_is_plainly_no_identifier_is_told(
    service: Service, reader: Headers, elu: str, name: str
) -> None:
    answer = service.ask(f"{PATH}?{name}={elu}&type=depart", reader)
    assert (answer.status, answer.json()["parametre"]) == (400, name)
    assert "un seul identifiant" in answer.json()["detail"]
    assert "14263U" in answer.json()["detail"]


@rule("decisions-elu")
@pytest.mark.parametrize("elu", ["PA0", "99999Z", "MAISON-7", "x"])
def test_another_identifier_that_nobody_has_is_an_empty_list(
    service: Service, reader: Headers, elu: str
) -> None:
    assert service.ask(f"{PATH}?elu={elu}", reader).json()["total"] == 0


@rule("interface-4-rule-3", "interface-7-400", "decisions-error-parametre", "decisions-error-words")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        pytest.param(name, value, marks=rule(*RULES.get(name, ("interface-4-rule-3",))))
        for name, value in REFUSED
    ],
    ids=lambda text: ascii(text),
)
def test_a_bad_value_is_refused_with_its_parameter_named(
    service: Service, reader: Headers, name: str, value: str
) -> None:
    answer = service.ask(f"{PATH}?{name}={quote(value, safe='')}", reader)
    assert answer.status == 400, answer.body
    problem = answer.json()
    assert problem["parametre"] == name
    assert name in problem["detail"]
    for accepted in ACCEPTED[name]:
        assert accepted in problem["detail"]
    assert re.search(rf"\b{name}=[\w-]+\.", problem["detail"])


@rule("decisions-repeated-or-empty")
@pytest.mark.parametrize("name", PARAMETERS)
@pytest.mark.parametrize("form", ["{0}=", "{0}", "{0}={1}&{0}={1}", "{0}={1}&limit=5&{0}="])
def test_a_repeated_or_empty_parameter_is_refused(
    service: Service, reader: Headers, name: str, form: str
) -> None:
    if name == "limit":
        form = form.replace("&limit=5", "")
    good = {"depuis": "2024-01-01", "jusqua": "2024-01-01", "elu": "PA1", "equipe": "PA1"}
    good |= {"limit": "5", "chambre": "senat", "type": "depart", "source": "suivi", "offset": "0"}
    answer = service.ask(f"{PATH}?{form.format(name, good[name])}", reader)
    assert answer.status == 400, answer.body
    assert answer.json()["parametre"] == name
    assert name in answer.json()["detail"]


@rule("decisions-unknown-parameter")
@pytest.mark.parametrize(
    ("query", "name", "nearest"),
    [
        ("chamber=senat", "chamber", "chambre"),
        ("Chambre=senat", "Chambre", "chambre"),
        ("types=depart", "types", "type"),
        ("sources=suivi", "sources", "source"),
        ("depui=2024-01-01", "depui", "depuis"),
        ("jusqu%27a=2024-01-01", "jusqu'a", "jusqua"),
        ("jusqu%C3%A0=2024-01-01", "jusquà", "jusqua"),
        ("elus=PA1", "elus", "elu"),
        ("LIMIT=5", "LIMIT", "limit"),
        ("limite=5", "limite", "limit"),
        ("ofset=5", "ofset", "offset"),
        ("limit=5&%20offset=5", " offset", "offset"),
        ("xyz=1", "xyz", ""),
        ("_shape=objects", "_shape", ""),
        ("xyz", "xyz", ""),
        ("chambres=senat", "chambres", "chambre"),
        ("typo=depart", "typo", ""),
        ("time=1", "time", ""),
        ("departement=75", "departement", ""),
    ],
)
def test_an_unknown_parameter_is_refused_with_the_nearest_name_if_one_is_near(
    service: Service, reader: Headers, query: str, name: str, nearest: str
) -> None:
    answer = service.ask(f"{PATH}?{query}", reader)
    assert answer.status == 400, answer.body
    assert answer.json()["parametre"] == name
    detail = answer.json()["detail"]
    assert f"« {name} »" in detail
    suggested = re.findall(r"vouliez-vous dire « (\w+) », par exemple (\w+)=", detail)
    assert suggested == ([(nearest, nearest)] if nearest else [])
    assert ", ".join(PARAMETERS) in detail


@rule("decisions-error-received")
@pytest.mark.parametrize("name", ["chambre", "limit", "depuis", "offset", "x" * 90])
def test_what_was_received_is_repeated_up_to_80_characters(
    service: Service, reader: Headers, name: str
) -> None:
    for length in (60, 300):
        answer = service.ask(f"{PATH}?{name}={'z' * length}", reader)
        assert answer.status == 400
        detail = answer.json()["detail"]
        assert "z" * 81 not in detail
        assert "x" * 81 not in detail
        if name != "x" * 90:
            assert "z" * 60 in detail
