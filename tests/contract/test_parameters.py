"""What each parameter accepts, what it refuses, and how one refusal names all that is wrong, within bounds."""

from __future__ import annotations

import re
import tracemalloc
from urllib.parse import quote, unquote_to_bytes

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasette_mouvements.api.parameter import EXPLAINED, shown
from datasette_mouvements.api.parameters import FAULTY, MOVEMENTS, OF, checked
from datasette_mouvements.refusal import Refusal

from .service import Headers, Service
from .situations import CHANGES, PATH

rule = pytest.mark.rule
BY_NAME = OF[MOVEMENTS]
GOOD = {"chambre": "senat", "type": "depart", "source": "suivi", "depuis": "2024-01-01"}
GOOD |= {"jusqua": "2024-01-01", "elu": "PA1", "equipe": "PA1", "limit": "5", "offset": "0"}


NOT_INTEGERS = (
    *("1e2", "+5", " 5", "٥", "\uff15", "5.0", "0x10", "1_0", "cinq", "5\n", "5\0", "²"),
    *("9" * 30, "-", "1,5", "-1", str(2**63)),
)
NOT_DATES = (
    *("2023-02-29", "2024-13-01", "2024-1-01", "20240101", "2024-01", "2024-01-01T00:00:00"),
    *("٢٠٢٤-٠١-٠١", "\uff12024-01-01", " 2024-01-01", "2024-01-01\n", "2024-W01-1", "-2024-01-01"),
    *("01/02/2024", "hier", "12024-01-01"),
)
# Of each parameter: what it refuses, what the message says is accepted, and the rules that say so.
REFUSED = {
    "limit": (("0", "501", *NOT_INTEGERS), "1 500", ("decisions-integers", "interface-8-limit")),
    "offset": (NOT_INTEGERS, "0", ("decisions-integers",)),
    "depuis": (NOT_DATES, "AAAA-MM-JJ", ("decisions-dates",)),
    "jusqua": (NOT_DATES, "AAAA-MM-JJ", ("decisions-dates",)),
    "chambre": (
        ("Senat", "assemblée", "senat,europarl", " senat", "senat\0", "*"),
        "assemblee senat europarl",
        (),
    ),
    "type": (("arrivée", "arrivees", "Depart", "mutation"), "arrivee depart transfert", ()),
    "source": (("suivis", "bot", "Archives"), "suivi archives", ()),
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
def test_what_is_plainly_no_identifier_is_told_and_one_that_nobody_has_is_an_empty_list(
    service: Service, reader: Headers, elu: str, name: str
) -> None:
    answer = service.ask(f"{PATH}?{name}={elu}&type=depart", reader)
    assert (answer.status, answer.json()["parametre"]) == (400, name)
    assert "un seul identifiant" in answer.json()["detail"]
    assert "14263U" in answer.json()["detail"]
    for nobody in ("PA0", "99999Z", "MAISON-7", "x"):
        assert service.ask(f"{PATH}?{name}={nobody}", reader).json()["total"] == 0


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
        ("types", "type"),
        ("depui", "depuis"),
        ("jusqu'a", "jusqua"),
        ("jusquà", "jusqua"),
        ("LIMIT", "limit"),
        (" offset", "offset"),
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


@rule("interface-8-limit")
@pytest.mark.parametrize("path", [PATH, CHANGES])
@pytest.mark.parametrize(("limit", "told"), [("501", True), ("0", False), ("9" * 30, False)])
def test_who_wants_more_than_a_page_is_told_of_pages_and_of_the_whole_file(
    service: Service, reader: Headers, path: str, limit: str, told: bool
) -> None:
    detail = service.ask(f"{path}?limit={limit}", reader).json()["detail"]
    for words in ("par exemple limit=500.", "/fichiers/tout", "plusieurs pages"):
        assert (words in detail) == told


REVERSED = "depuis=2026-03-02&jusqua=2026-03-01"
BEFORE = "« jusqua » (2026-03-01) est antérieur à « depuis » (2026-03-02)"


@rule("decisions-all-faults", "decisions-error-parametre", "decisions-dates-reversed")
@pytest.mark.parametrize(
    ("query", "names", "said"),
    [
        ("limit=0&offset=-1", "limit offset", ["2 fautes.", "1) Le paramètre « limit »", "2) "]),
        ("x=1&limit=0&chambre=", "x limit chambre", ["3 fautes.", "« x »", "est vide"]),
        ("limit=0&limit=5", "limit", ["2 fautes.", "« 0 »", "est répété"]),
        ("x=1&x=2", "x", ["Le paramètre « x » est inconnu. Paramètres"]),
        (REVERSED, "depuis jusqua", [BEFORE]),
        (
            "jusqua=2026-03-01&limit=0&depuis=2026-03-02&offset=-1",
            "limit jusqua depuis offset",
            ["3 fautes.", f"2) {BEFORE}", "3) Le paramètre « offset »"],
        ),
        (
            "equipe=PA1&chambre=senat&elu=PA1",
            "equipe elu",
            ["« elu » et « equipe » ne se demandent pas ensemble"],
        ),
        ("chambre=%ff&elu=%c3%28&limit=%zz", "chambre elu limit", ["3 fautes."]),
        ("limit=5;offset=2", "limit", ["« 5;offset=2 »"]),
        ("a=&b=&c=&d=&e=&f=", "a b c d e f", ["6 fautes.", "« e »", "Et une autre."]),
        ("a=&b=&c=&d=&e=&f=&g=", "a b c d e f g", ["7 fautes.", "Et 2 autres."]),
    ],
)
def test_all_faults_are_told_in_the_order_of_the_query(
    service: Service, reader: Headers, query: str, names: str, said: list[str]
) -> None:
    answer = service.ask(f"{PATH}?{query}", reader)
    assert answer.status == 400, answer.body
    problem = answer.json()
    expected = names.split()
    assert problem["parametre"] == expected[0]
    assert problem.get("parametres", expected[:1]) == expected
    for words in said:
        assert words in problem["detail"]
    assert ("fautes." in problem["detail"]) == ("fautes." in said[0])
    assert problem["detail"].count("Paramètres admis") == ("x" in expected or "a" in expected)


@rule("decisions-all-faults")
def test_thousands_of_faults_are_told_within_bounds(service: Service, reader: Headers) -> None:
    most = len(BY_NAME) + FAULTY
    problem = service.ask(PATH + "?" + "&".join(f"x{i}=1" for i in range(5000)), reader).json()
    assert problem["parametres"] == [f"x{i}" for i in range(most)]
    assert f"{most} fautes." in problem["detail"]
    assert f"Et {most - EXPLAINED} autres. La suite n’a pas été lue." in problem["detail"]
    # What separates nothing is no parameter.
    assert service.ask(f"{PATH}?{'&' * 5000}limit=1{'&' * 5000}offset=1", reader).status == 200


@rule("decisions-all-faults", "decisions-error-received")
@given(
    st.one_of(
        st.binary(max_size=300),
        st.lists(
            st.tuples(
                st.sampled_from([*BY_NAME, "page", "q", "x", "%6cimit", ""]),
                st.binary(max_size=120),
            ),
            max_size=40,
        ).map(lambda pairs: b"&".join(name.encode() + b"=" + value for name, value in pairs)),
    )
)
@settings(max_examples=200, deadline=None, derandomize=True)
def test_any_query_is_read_or_refused_for_a_parameter_that_stands_in_it(query: bytes) -> None:
    refused = refusal_of(query)
    if refused is None:
        return
    parts = [part.partition(b"=")[0].replace(b"+", b" ") for part in query.split(b"&")]
    sent = {shown(unquote_to_bytes(part).decode("utf-8", "replace")) for part in parts}
    assert refused.kind == "parameter"
    assert refused.parameters
    assert set(refused.parameters) <= sent
    assert len(set(refused.parameters)) == len(refused.parameters)
    assert len(refused.detail) <= 2500


def refusal_of(query: bytes) -> Refusal | None:
    try:
        checked(query, BY_NAME)
    except Refusal as refused:
        return refused
    return None


LONGEST_QUERY = 64_000
HOSTILE = {
    "many": b"&".join(b"%d" % i for i in range(12_000)),
    "long value": b"limit=" + b"1" * LONGEST_QUERY,
    "escapes": b"elu=" + b"%41" * (LONGEST_QUERY // 3),
    "nearly known": b"&".join(b"chambr%s%d" % (b"e" * 2000, i) for i in range(30)),
    "half a key": b"q=" + b"mvt_" * (LONGEST_QUERY // 4),
}


@rule("decisions-all-faults")
@pytest.mark.parametrize("query", HOSTILE.values(), ids=HOSTILE)
def test_no_query_is_dear_to_refuse(query: bytes) -> None:
    assert refusal_of(query) is not None  # what is made once for all
    tracemalloc.start()
    refusal_of(query)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # Some copies of the query's own bytes; each part or escape of it taken for itself is megabytes.
    assert most < 4 * LONGEST_QUERY
