"""Whatever is asked: a right page or a refusal in the one form, never a fault of the server."""

from __future__ import annotations

import datetime
import random
from urllib.parse import quote, quote_from_bytes, urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .sample import as_sampled, matching, values
from .service import Headers, Service
from .situations import CHANGES, PATH

rule = pytest.mark.rule
tried = settings(max_examples=150, deadline=None, derandomize=True)
NAMES = ("chambre", "type", "source", "depuis", "jusqua", "elu", "equipe", "limit", "offset")
DAYS = st.dates(datetime.date(2023, 12, 25), datetime.date(2026, 9, 5)).map(str)
FILTERS = st.fixed_dictionaries(
    {},
    optional={
        "chambre": st.sampled_from(values("chambre")),
        "type": st.sampled_from(values("type")),
        "source": st.sampled_from(values("source")),
        "depuis": DAYS,
        "jusqua": DAYS,
        "elu": st.sampled_from([*values("elu_id")[:6], "PA0", "é"]),
    },
)
BYTES = st.binary(max_size=40).map(quote_from_bytes)


@rule("interface-4-optional", "decisions-order", "interface-2-total", "decisions-dates-reversed")
@rule("decisions-total-null", "interface-4-elu", "decisions-dates")
@given(
    filters=FILTERS,
    limit=st.integers(1, 500),
    offset=st.one_of(st.integers(0, 400), st.integers(0, 2**63 - 1)),
    order=st.randoms(use_true_random=False),
)
@tried
def test_any_search_finds_what_a_plain_reading_of_the_sample_finds(
    service: Service,
    reader: Headers,
    filters: dict[str, str],
    limit: int,
    offset: int,
    order: random.Random,
) -> None:
    asked = [*filters.items(), ("limit", str(limit)), ("offset", str(offset))]
    order.shuffle(asked)
    answer = service.ask(f"{PATH}?{urlencode(asked)}", reader)
    if filters.get("depuis", "") > filters.get("jusqua", "9999"):
        assert answer.status == 400
        assert set(answer.json()["parametres"]) == {"depuis", "jusqua"}
        return
    expected = matching(**filters)
    assert answer.status == 200, answer.body
    page = answer.json()
    assert (page["total"], page["limit"], page["offset"]) == (len(expected), limit, offset)
    assert [as_sampled(found) for found in page["mouvements"]] == expected[offset : offset + limit]


@rule("interface-4-rule-3", "decisions-error-received", "decisions-error-parametre")
@given(name=st.sampled_from(NAMES), value=st.one_of(st.text(max_size=100).map(quote), BYTES))
@tried
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


@rule("interface-7-400", "decisions-changes")
@pytest.mark.parametrize("path", [PATH, CHANGES])
@given(
    query=st.one_of(BYTES, st.text("&=;+%2aé/?:@", max_size=30).map(lambda t: quote(t, "&=;+%")))
)
@tried
def test_any_query_string_is_a_page_or_a_400(
    service: Service, reader: Headers, path: str, query: str
) -> None:
    answer = service.ask(f"{path}?{query}", reader)
    assert answer.status in (200, 400)
    assert answer.json()["licence"]
