"""ETags that follow the data and the query, and what a conditional request gets."""

from __future__ import annotations

import gzip
import re

import pytest

from .service import Headers, Service, in_every_way
from .situations import CHANGES, PATH, NewKey

rule = pytest.mark.rule


def etag(service: Service, key: Headers, target: str) -> str:
    answer = service.ask(target, key)
    assert answer.status == 200
    tag = answer.header("ETag") or ""
    assert re.fullmatch(r'W/"[\x21\x23-\x7e]+"', tag)
    return tag


@rule("decisions-etag")
@pytest.mark.parametrize(
    "queries",
    [
        ("", "?", "?limit=100", "?offset=0&limit=100"),
        (
            "?chambre=senat&type=depart",
            "?type=depart&chambre=senat",
            "?type=%64epart&chambre=senat",
        ),
    ],
    ids=lambda queries: queries[0],
)
def test_the_same_search_has_the_same_etag_however_it_is_written(
    service: Service, reader: Headers, queries: tuple[str, ...]
) -> None:
    assert len({etag(service, reader, f"{PATH}{query}") for query in queries}) == 1


@rule("decisions-etag")
def test_different_searches_have_different_etags(service: Service, reader: Headers) -> None:
    queries = ("", "limit=99", "offset=1", "chambre=senat", "type=depart", "source=suivi")
    queries += ("chambre=europarl", "depuis=2024-05-01", "jusqua=2024-05-01", "elu=99007Z")
    queries += ("depuis=2024-05-01&jusqua=2024-05-01", "elu=PA0", "elu=PA1", "limit=1&offset=2")
    addresses = [f"{PATH}?{query}" for query in queries]
    addresses += [f"{CHANGES}?{query}" for query in ("", "limit=1", "curseur=maintenant")]
    tags = [etag(service, reader, address) for address in addresses]
    assert len(set(tags)) == len(addresses)


@in_every_way
@rule("decisions-304", "decisions-caching", "decisions-not-charged", "decisions-version")
@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize(
    "target",
    [
        *(f"{PATH}?chambre=senat&limit=4", f"{PATH}/{{id}}", "/mouvements", CHANGES),
        *("/v1/collaborations", "/v1/collaborations/changements", "/v1/elus"),
    ],
)
def test_who_has_an_answer_gets_a_bodiless_304_that_costs_nothing(
    service: Service, new_key: NewKey, target: str, method: str
) -> None:
    key = new_key(service)
    if "{id}" in target:
        [movement] = service.ask(f"{PATH}?limit=1", new_key(service)).json()["mouvements"]
        target = target.format(id=movement["id"])
    tag = etag(service, key, target)
    for sent in (tag, "*", f'"x", {tag}', f'W/"x",{tag},"y"', tag[2:]):
        answer = service.ask(target, {**key, "If-None-Match": sent}, method)
        assert (answer.status, answer.body, answer.remaining) == (304, b"", 999)
        assert answer.header("ETag") == tag
        assert answer.header("Content-Type") is answer.header("Link") is None


@in_every_way
@rule("decisions-304")
@pytest.mark.parametrize("sent", ['"x"', 'W/"x"', "x", "", "W/*", '"*"'])
def test_another_condition_is_answered_in_full(
    service: Service, reader: Headers, sent: str
) -> None:
    answer = service.ask(f"{PATH}?limit=4", {**reader, "If-None-Match": sent})
    assert answer.status == 200
    assert len(answer.json()["mouvements"]) == 4


@rule("decisions-304", "decisions-order-of-checks")
def test_a_condition_opens_nothing_without_a_key_or_a_valid_search(
    service: Service, reader: Headers
) -> None:
    assert service.ask(PATH, {"If-None-Match": "*"}).status == 401
    assert service.ask(f"{PATH}?limit=0", {**reader, "If-None-Match": "*"}).status == 400


@rule("decisions-caching")
@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip", "gzip"),
        ("br, GZIP ;q=0.5, zstd", "gzip"),
        ("*", "gzip"),
        ("*;q=0, gzip", "gzip"),
        ("gzip;q=0.000, *", None),
        ("identity", None),
        (f"{'a' * 248}, gzip;q=0", None),  # more than is read: a coding that is cut is not read
        ("gzip;q=0.1, identity;q=0.5", None),
    ],
)
def test_a_compressed_answer_is_the_same_answer(
    service: Service, reader: Headers, accepted: str, encoding: str | None
) -> None:
    plain = service.ask(PATH, reader)
    answer = service.ask(PATH, {**reader, "Accept-Encoding": accepted})
    assert answer.header("Content-Encoding") == encoding
    body = gzip.decompress(answer.body) if encoding else answer.body
    assert body == plain.body
    assert service.ask(PATH, {**reader, "If-None-Match": answer.header("ETag") or ""}).status == 304


@rule("decisions-version", "decisions-304")
def test_a_date_alone_is_no_condition(service: Service, reader: Headers) -> None:
    changed = service.ask(PATH, reader).header("Last-Modified") or ""
    assert service.ask(PATH, {**reader, "If-Modified-Since": changed}).status == 200
