"""All that is wrong with a request's parameters, told at once and within bounds."""

from __future__ import annotations

import tracemalloc
from urllib.parse import quote, quote_from_bytes, unquote_to_bytes

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from datasette_mouvements.api.faults import EXPLAINED, shown
from datasette_mouvements.api.parameters import FAULTY, MOVEMENTS, OF, checked
from datasette_mouvements.refusal import Refusal

from .service import Headers, Service
from .situations import PATH

rule = pytest.mark.rule
BY_NAME = OF[MOVEMENTS]
LONGEST = 2500  # characters of a detail
LONGEST_QUERY = 64_000


ALONE = "Le paramètre « x » est inconnu. Paramètres"
REVERSED = "depuis=2026-03-02&jusqua=2026-03-01"
BEFORE = "« jusqua » (2026-03-01) est antérieur à « depuis » (2026-03-02)"
ONE_FAULT = ("x=1&x=2", REVERSED, "equipe=PA1&chambre=senat&elu=PA1", "limit=5;offset=2")
NOT_TOGETHER = "« elu » et « equipe » ne se demandent pas ensemble"


@rule("decisions-all-faults", "decisions-error-parametre", "decisions-dates-reversed")
@pytest.mark.parametrize(
    ("query", "names", "said"),
    [
        ("limit=0&offset=-1", "limit offset", ["2 fautes.", "1) Le paramètre « limit »", "2) "]),
        ("x=1&limit=0&chambre=", "x limit chambre", ["3 fautes.", "« x »", "est vide"]),
        ("limit=0&limit=5", "limit", ["« 0 »", "est répété"]),
        ("x=1&x=2", "x", [ALONE]),
        (REVERSED, "depuis jusqua", [BEFORE]),
        (f"{REVERSED}&limit=0", "depuis jusqua limit", [f"1) {BEFORE}", "2) Le paramètre"]),
        (
            "jusqua=2026-03-01&limit=0&depuis=2026-03-02&offset=-1",
            "limit jusqua depuis offset",
            ["3 fautes.", f"2) {BEFORE}", "3) Le paramètre « offset »"],
        ),
        ("equipe=PA1&chambre=senat&elu=PA1", "equipe elu", [NOT_TOGETHER]),
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
    assert ("fautes." in problem["detail"]) == (query not in ONE_FAULT)
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
@example(b"&".join(b"%d%s=" % (i, b"x" * 100) for i in range(30)))
@example(b"&".join(b"depuis%d=%s" % (i, b"x" * 100) for i in range(30)))
@example(b"&".join(b"%s=%s" % (name.encode(), b"x" * 100) for name in BY_NAME))
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
    assert len(refused.detail) <= LONGEST


def refusal_of(query: bytes) -> Refusal | None:
    try:
        checked(query, BY_NAME)
    except Refusal as refused:
        return refused
    return None


@rule("interface-4-rule-3", "decisions-error-received", "decisions-error-parametre")
@given(
    name=st.sampled_from([*BY_NAME]),
    value=st.text(max_size=100).map(quote) | st.binary(max_size=40).map(quote_from_bytes),
)
@settings(max_examples=150, deadline=None, derandomize=True)
def test_any_value_is_accepted_or_refused_by_name(
    service: Service, reader: Headers, name: str, value: str
) -> None:
    answer = service.ask(f"{PATH}?{name}={value}", reader)
    if answer.status == 200:
        assert answer.json()["limit"] <= 500
    else:
        assert answer.status == 400
        assert answer.json()["parametre"] == name
        assert len(answer.json()["detail"]) < 400


HOSTILE = {
    "many": b"&".join(b"%d" % i for i in range(12_000)),
    "the same": b"a&" * 32_000,
    "long name": b"a" * LONGEST_QUERY,
    "long value": b"limit=" + b"1" * LONGEST_QUERY,
    "escapes": b"elu=" + b"%41" * (LONGEST_QUERY // 3),
    "escaped names": b"&".join(b"%%c3%%a9%d%s" % (i, b"%41" * 600) for i in range(30)),
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


@rule("decisions-dates")
@pytest.mark.parametrize(
    ("sent", "example"),
    [
        ("30%2F01%2F2026", "2026-01-30"),
        ("3-2-2026", "2026-02-03"),
        ("2026/02/03", "2026-02-03"),
        ("20260203", "2026-02-03"),
        ("2026-02-03T23:30:00%2B01:00", "2026-02-03"),
        ("+2026-02-03", "2026-02-03"),
        ("01%2F30%2F2026", "2026-01-30"),  # the month first, where it can be nothing else
        ("2026-02", "2026-01-31"),
        ("hier", "2026-01-31"),
    ],
)
def test_a_day_in_another_form_is_shown_in_the_right_one(
    service: Service, reader: Headers, sent: str, example: str
) -> None:
    detail = service.ask(f"{PATH}?depuis={sent}", reader).json()["detail"]
    assert f"par exemple depuis={example}." in detail
    assert "n’existe pas" not in detail


@rule("decisions-dates")
@pytest.mark.parametrize("sent", ["2026-02-30", "0000-01-01", "31%2F04%2F2026", "20260431"])
def test_a_day_that_does_not_exist_is_told_as_that(
    service: Service, reader: Headers, sent: str
) -> None:
    detail = service.ask(f"{PATH}?jusqua={sent}", reader).json()["detail"]
    assert "un jour qui n’existe pas" in detail
    assert "par exemple jusqua=2026-12-31." in detail


@rule("interface-8-limit")
@pytest.mark.parametrize("path", [PATH, "/v1/changements"])
@pytest.mark.parametrize(("limit", "told"), [("501", True), ("0", False), ("9" * 30, False)])
def test_who_wants_more_than_a_page_is_told_of_pages_and_of_the_whole_file(
    service: Service, reader: Headers, path: str, limit: str, told: bool
) -> None:
    detail = service.ask(f"{path}?limit={limit}", reader).json()["detail"]
    assert ("par exemple limit=500." in detail) == told
    assert ("/fichiers/tout" in detail) == told
    assert ("plusieurs pages" in detail) == told
