"""The order of answers, and that the pages of any filter are exactly its movements."""

from __future__ import annotations

import datetime
import random
import re
from urllib.parse import quote, urlencode, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasette_mouvements.api.parameters import MOVEMENTS, OF, checked, query_string

from .sample import as_sampled, in_order, matching, values
from .service import Answer, Headers, Service, Start, in_every_way
from .situations import CHANGES, PATH, NewKey

rule = pytest.mark.rule
OTHER_DAYS = st.dates(datetime.date(2023, 12, 25), datetime.date(2026, 9, 5)).map(str)
DAYS = st.one_of(st.sampled_from(values("date_event")), OTHER_DAYS)
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


def query(filters: dict[str, str], **more: int) -> str:
    return "&".join(f"{name}={value}" for name, value in {**filters, **more}.items())


def links(answer: Answer) -> dict[str, str]:
    """The targets of the Link header by relation."""
    found = re.findall(r'<([^>]*)>\s*;[^<]*?rel="?([\w-]+)"?', answer.header("Link") or "")
    return {relation: target for target, relation in found}


def within(target: str) -> str:
    """A link's target as a path and query of the service."""
    parts = urlsplit(target)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


@rule("interface-4-optional", "decisions-order", "interface-2-total", "decisions-dates-reversed")
@rule("decisions-total-null", "decisions-dates", "interface-4-chambre", "interface-4-type")
@rule("interface-4-source", "interface-4-elu", "interface-4-depuis", "interface-4-jusqua")
@rule("interface-2-limit", "interface-4-limit", "interface-2-offset", "interface-4-offset")
@rule("interface-8-offset", "decisions-offset-past-total")
@given(
    filters=FILTERS,
    page=st.fixed_dictionaries(
        {},
        optional={
            "limit": st.integers(1, 500),
            "offset": st.one_of(st.integers(0, 400), st.integers(0, 2**63 - 1)),
        },
    ),
    order=st.randoms(use_true_random=False),
)
@settings(max_examples=150, deadline=None, derandomize=True)
def test_any_search_finds_what_a_plain_reading_of_the_sample_finds(
    service: Service,
    reader: Headers,
    filters: dict[str, str],
    page: dict[str, int],
    order: random.Random,
) -> None:
    asked = [*filters.items(), *page.items()]
    order.shuffle(asked)
    answer = service.ask(f"{PATH}?{urlencode(asked)}", reader)
    if filters.get("depuis", "") > filters.get("jusqua", "9999"):
        assert answer.status == 400
        assert set(answer.json()["parametres"]) == {"depuis", "jusqua"}
        return
    expected = matching(**filters)
    assert answer.status == 200, answer.body
    limit, offset, found = page.get("limit", 100), page.get("offset", 0), answer.json()
    assert (found["total"], found["limit"], found["offset"]) == (len(expected), limit, offset)
    assert [as_sampled(one) for one in found["mouvements"]] == expected[offset : offset + limit]


@rule("decisions-link", "interface-4-rule-1", "interface-4-rule-2", "interface-2-mouvements")
@pytest.mark.parametrize(
    ("path", "filters", "limit"),
    [
        (PATH, {}, 49),
        ("/mouvements", {}, len(in_order())),  # the last page is full
        ("/mouvements", {"elu": "99007Z"}, 3),
        (PATH, {"elu": "99007Z"}, len(matching(elu="99007Z")) // 3),
    ],
)
def test_following_next_and_prev_walks_the_whole_set(
    service: Service, reader: Headers, path: str, filters: dict[str, str], limit: int
) -> None:
    expected = matching(**filters)
    first = f"{path}?{query(filters, limit=limit)}"
    forward, target = [], first
    while True:
        answer = service.ask(target, reader)
        forward.append(answer.json()["mouvements"])
        if "next" not in links(answer):
            break
        target = within(links(answer)["next"])
    assert [as_sampled(movement) for page in forward for movement in page] == expected
    assert all(forward)
    backward = [forward[-1]]
    while "prev" in links(answer):
        answer = service.ask(within(links(answer)["prev"]), reader)
        backward.append(answer.json()["mouvements"])
    assert backward == forward[::-1]
    assert service.ask(within(links(answer)["last"]), reader).json()["mouvements"] == forward[-1]
    assert service.ask(within(links(answer)["first"]), reader).json()["mouvements"] == forward[0]


@rule("decisions-link")
@pytest.mark.parametrize(
    ("asked", "present", "absent"),
    [
        ("limit=10", {"first", "next", "last"}, {"prev"}),
        ("limit=10&offset=380", {"first", "prev", "last"}, {"next"}),
        ("limit=10&offset=4", {"first", "prev", "next", "last"}, set()),
        ("limit=500", {"first", "last"}, {"prev", "next"}),
        ("offset=5000", {"first", "last"}, {"next"}),
        ("elu=PA0", {"first"}, {"prev", "next"}),
        ("limit=0", set(), {"prev", "next", "first", "last"}),
    ],
)
def test_links_are_there_when_they_lead_somewhere(
    service: Service, reader: Headers, asked: str, present: set[str], absent: set[str]
) -> None:
    found = links(service.ask(f"{PATH}?{asked}", reader))
    assert present <= found.keys()
    assert not absent & found.keys()
    if asked == "offset=5000":
        assert found["prev"] == found["last"]


@rule("decisions-link", "decisions-elu")
def test_links_carry_a_member_s_identifier_whatever_its_characters() -> None:
    member = 'a&limit=5>"é/ %'
    asked = query_string({"elu": member}, MOVEMENTS)
    assert asked == f"elu={quote(member, safe='')}"
    assert checked(asked.encode(), OF[MOVEMENTS]) == {"elu": member}


@in_every_way
@rule("decisions-link")
@pytest.mark.parametrize("target", [f"{PATH}?limit=2&offset=4", f"{CHANGES}?limit=2", "/v1/quota"])
def test_links_are_of_the_host_that_was_asked(
    service: Service, reader: Headers, target: str
) -> None:
    for host in ("exemple.fr", "exemple.fr:8001", "[::1]:8001"):
        answer = service.ask(target, {**reader, "Host": host})
        ours = {name: to for name, to in links(answer).items() if name != "license"}
        assert ours
        assert all(to.startswith(f"http://{host}/") for to in ours.values())
    for host in ('evil"><', "a b", "exemple.fr/x"):
        link = service.ask(target, {**reader, "Host": host}).header("Link")
        assert host not in (link or "")


@rule("decisions-link", "interface-4-address", "decisions-description-absolute")
def test_the_public_address_stands_in_every_link(in_process: Start, new_key: NewKey) -> None:
    public = "https://mouvements.exemple.fr/api"
    service = in_process({"public_url": public, "open_whole_file": True})
    key = new_key(service) | {"Host": "autre.exemple"}
    found = links(service.ask(f"{PATH}?limit=2", key))
    assert all(found[name].startswith(f"{public}{PATH}?") for name in ("first", "next", "last"))
    feed = links(service.ask(f"{CHANGES}?limit=2", key))
    assert feed["next"].startswith(f"{public}{CHANGES}?curseur=")
    refused = service.ask("/v1/inconnu", key)
    assert links(refused)["service-doc"] == f"{public}/documentation"
    assert refused.json()["type"].startswith(f"{public}/")
    described = service.ask("/v1/openapi.json", key)
    assert described.json()["servers"][0]["url"] == public
    assert "autre.exemple" not in described.body.decode()
    # An answer that is everyone's is the same at every name.
    assert service.ask("/fichiers/tout").header("Vary") is None
