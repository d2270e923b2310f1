"""What each parameter accepts, what it refuses, and how the refusal names it."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest

from .sample import as_sampled, matching
from .service import Headers, Service
from .situations import PATH

rule = pytest.mark.rule
GOOD = {"chambre": "senat", "type": "depart", "source": "suivi", "depuis": "2024-01-01"}
GOOD |= {"jusqua": "2024-01-01", "elu": "PA1", "equipe": "PA1", "limit": "5", "offset": "0"}


@rule("interface-2-limit", "interface-4-limit", "interface-8-limit", "interface-2-offset")
@rule("interface-4-offset", "interface-8-offset", "decisions-offset-past-total")
@pytest.mark.parametrize(
    ("query", "limit", "offset"),
    [
        ("", 100, 0),
        ("?limit=1", 1, 0),
        ("?limit=500", 500, 0),
        ("?offset=382", 100, 382),
        ("?offset=383", 100, 383),
        ("?offset=384&limit=500", 500, 384),
        (f"?offset={2**63 - 1}", 100, 2**63 - 1),
    ],
)
def test_limit_and_offset_are_applied_and_repeated(
    service: Service, reader: Headers, query: str, limit: int, offset: int
) -> None:
    answer = service.ask(f"{PATH}{query}", reader)
    assert answer.status == 200, answer.body
    page = answer.json()
    assert (page["limit"], page["offset"], page["total"]) == (limit, offset, len(matching()))
    movements = [as_sampled(movement) for movement in page["mouvements"]]
    assert movements == matching()[offset : offset + limit]


NOT_INTEGERS = (
    *("1e2", "+5", " 5", "٥", "\uff15", "5.0", "0x10", "1_0", "cinq", "5\n", "5\0", "²"),
    *("9" * 30, "-", "1,5", "-1", str(2**63)),
)
NOT_DATES = (
    *("2023-02-29", "2024-13-01", "2024-1-01", "20240101", "2024-01", "2024-01-01T00:00:00"),
    *("٢٠٢٤-٠١-٠١", "\uff12024-01-01", " 2024-01-01", "2024-01-01\n", "2024-W01-1", "-2024-01-01"),
    *("01/02/2024", "hier", "12024-01-01"),
)
NOT_VALUES = {
    "chambre": ("Senat", "assemblée", "senat,europarl", " senat", "senat\0", "*"),
    "type": ("arrivée", "arrivees", "Depart", "mutation"),
    "source": ("suivis", "bot", "Archives"),
}
# Of each parameter: what it refuses, what the message says is accepted, and the rules that say so.
REFUSED = {
    "limit": (("0", "501", *NOT_INTEGERS), "1 500", ("decisions-integers", "interface-8-limit")),
    "offset": (NOT_INTEGERS, "0", ("decisions-integers",)),
    "depuis": (NOT_DATES, "AAAA-MM-JJ", ("decisions-dates",)),
    "jusqua": (NOT_DATES, "AAAA-MM-JJ", ("decisions-dates",)),
    "chambre": (NOT_VALUES["chambre"], "assemblee senat europarl", ()),
    "type": (NOT_VALUES["type"], "arrivee depart transfert", ()),
    "source": (NOT_VALUES["source"], "suivi archives", ()),
}


@rule("interface-4-rule-3", "interface-7-400", "decisions-error-parametre", "decisions-error-words")
@pytest.mark.parametrize(
    ("name", "values", "accepted"),
    [
        pytest.param(name, values, accepted, marks=rule(*rules), id=name)
        for name, (values, accepted, rules) in REFUSED.items()
    ],
)
def test_a_bad_value_is_refused_with_its_parameter_named(
    service: Service, reader: Headers, name: str, values: tuple[str, ...], accepted: str
) -> None:
    for value in values:
        answer = service.ask(f"{PATH}?{name}={quote(value, safe='')}", reader)
        assert answer.status == 400, value
        problem = answer.json()
        assert problem["parametre"] == name, value
        for word in (name, *accepted.split()):
            assert word in problem["detail"], value
        assert re.search(rf"\b{name}=[\w-]+\.", problem["detail"]), value


@rule("decisions-elu")
@pytest.mark.parametrize("elu", ["Jeanne%20ESSAI", "99001Z,99002Z", "PA*", "9900%25", "pa719890"])
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


@rule("decisions-repeated-or-empty")
@pytest.mark.parametrize(("name", "value"), GOOD.items())
def test_a_repeated_or_empty_parameter_is_refused(
    service: Service, reader: Headers, name: str, value: str
) -> None:
    for query in (f"{name}=", name, f"{name}={value}&{name}={value}", f"{name}={value}&{name}="):
        answer = service.ask(f"{PATH}?{query}", reader)
        assert answer.status == 400, query
        assert answer.json()["parametre"] == name
        assert name in answer.json()["detail"]


@rule("decisions-unknown-parameter")
@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("chamber", "chambre"),
        ("Chambre", "chambre"),
        ("chambres", "chambre"),
        ("types", "type"),
        ("depui", "depuis"),
        ("jusqu'a", "jusqua"),
        ("jusquà", "jusqua"),
        ("elus", "elu"),
        ("LIMIT", "limit"),
        (" offset", "offset"),
        ("xyz", ""),
        ("_shape", ""),
        ("typo", ""),
        ("departement", ""),
    ],
)
def test_an_unknown_parameter_is_refused_with_the_nearest_name_if_one_is_near(
    service: Service, reader: Headers, name: str, nearest: str
) -> None:
    answer = service.ask(f"{PATH}?limit=5&{quote(name)}=1", reader)
    assert answer.status == 400, answer.body
    assert answer.json()["parametre"] == name
    detail = answer.json()["detail"]
    assert f"« {name} »" in detail
    suggested = re.findall(r"vouliez-vous dire « (\w+) », par exemple (\w+)=", detail)
    assert suggested == ([(nearest, nearest)] if nearest else [])
    assert ", ".join(GOOD) in detail


@rule("decisions-error-received")
@pytest.mark.parametrize("name", ["chambre", "limit", "depuis"])
def test_what_was_received_is_repeated_up_to_80_characters(
    service: Service, reader: Headers, name: str
) -> None:
    for length in (60, 300):
        detail = service.ask(f"{PATH}?{name}={'z' * length}", reader).json()["detail"]
        assert "z" * 60 in detail
        assert "z" * 81 not in detail
    assert "x" * 81 not in service.ask(f"{PATH}?{'x' * 90}=1", reader).json()["detail"]
