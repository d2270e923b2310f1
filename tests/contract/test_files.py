"""What HTTP says of the site's files: tags, conditions, parts, codings, and who may keep them."""

from __future__ import annotations

import io
import json
import re
import zipfile
from email.utils import formatdate, parsedate_to_datetime

import pytest

from .service import Answer, Headers, Service, in_every_way, used
from .situations import NewKey

rule = pytest.mark.rule
EVERYTHING = "/fichiers/tout"
OPENING = {"authorization", "x-api-key", "cookie", "accept-encoding", "host"}
YEAR = "Tue, 15 Nov 99999999999999999999 12:45:26 GMT"


def had(answer: Answer, name: str) -> str:
    """A header that must be there."""
    value = answer.header(name)
    assert value is not None, name
    return value


@pytest.fixture
def key(service: Service, new_key: NewKey) -> dict[str, str]:
    return new_key(service)


@in_every_way
@rule("files-etag", "files-gzip")
def test_the_same_file_has_the_same_strong_tag_and_bytes(service: Service, reader: Headers) -> None:
    first = service.ask(EVERYTHING, reader)
    second = service.ask(EVERYTHING, reader | {"Accept-Encoding": "gzip"})
    assert (first.status, second.header("Content-Encoding")) == (200, None)
    assert re.fullmatch(r'"[\x21\x23-\x7e]+"', had(first, "ETag"))
    assert (first.body, had(first, "ETag")) == (second.body, had(second, "ETag"))
    assert int(had(first, "Content-Length")) == len(first.body)
    assert parsedate_to_datetime(had(first, "Last-Modified"))


@in_every_way
@rule("files-304")
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_who_has_the_file_gets_a_304_that_costs_nothing(
    service: Service, key: Headers, method: str
) -> None:
    whole = service.ask(EVERYTHING, key)
    for sent in ("{0}", "*", 'W/{0}, "x"', '"x",{0}'):
        condition = {"If-None-Match": sent.format(had(whole, "ETag"))}
        answer = service.ask(EVERYTHING, key | condition, method)
        assert (answer.status, answer.body) == (304, b"")
        assert answer.header("Link") is answer.header("Content-Type") is None
        for name in ("ETag", "Last-Modified", "Mouvements-Version", "Vary", "Cache-Control"):
            assert had(answer, name) == had(whole, name)
        assert had(answer, "X-RateLimit-Remaining") == "999"
    assert used(service, key) == 1


@rule("files-304")
def test_a_date_is_a_condition_too_but_a_tag_counts_more(service: Service, key: Headers) -> None:
    whole = service.ask(EVERYTHING, key)
    at = parsedate_to_datetime(had(whole, "Last-Modified")).timestamp()
    for since, status in ((at - 1, 200), (at, 304), (at + 3600, 304)):
        date = {"If-Modified-Since": formatdate(since, usegmt=True)}
        assert service.ask(EVERYTHING, key | date).status == status
        assert service.ask(EVERYTHING, key | date | {"If-None-Match": '"x"'}).status == 200
    for unfit in ("hier", "", "é", "2026-09-14", "Mon, 99 Foo 2026 10:00:00 GMT", YEAR):
        assert service.ask(EVERYTHING, key | {"If-Modified-Since": unfit}).status == 200


@in_every_way
@rule("files-head")
def test_the_head_of_a_file_says_how_long_it_is(service: Service, key: Headers) -> None:
    head = service.ask(EVERYTHING, key, "HEAD")
    assert (head.status, head.body, used(service, key)) == (200, b"", 0)
    whole = service.ask(EVERYTHING, key)
    for name in ("Content-Length", "ETag", "Content-Type", "Link", "Content-Disposition"):
        assert had(head, name) == had(whole, name)
    assert service.ask(EVERYTHING, key | {"Range": "bytes=0-0"}, "HEAD").status == 200


@in_every_way
@rule("files-cors")
def test_a_page_of_any_origin_may_ask_for_a_file(service: Service, reader: Headers) -> None:
    origin = {"Origin": "https://exemple.fr"}
    asked = origin | {"Access-Control-Request-Method": "GET"}
    asked |= {"Access-Control-Request-Headers": "x-api-key,range"}
    allowed = service.ask(EVERYTHING, asked, "OPTIONS")
    assert (allowed.status, allowed.body) == (204, b"")
    wanted = {"authorization", "x-api-key", "if-none-match", "if-modified-since", "range"}
    assert wanted | {"if-range"} <= allowed.listed("Access-Control-Allow-Headers")
    for headers in (reader, reader | {"If-None-Match": "*"}, {}):
        answer = service.ask(EVERYTHING, headers | origin)
        assert had(answer, "Access-Control-Allow-Origin") == "*"
    readable = service.ask(EVERYTHING, reader | origin).listed("Access-Control-Expose-Headers")
    told = {"content-range", "content-disposition", "accept-ranges", "etag", "last-modified"}
    told |= {"mouvements-version", "mouvements-curseur", "x-ratelimit-remaining", "link"}
    assert told <= readable


@in_every_way
@rule("files-never-shared", "files-304")
def test_no_cache_may_give_a_file_or_a_refusal_to_another(
    service: Service, new_key: NewKey
) -> None:
    spent = new_key(service, quota=1)
    for headers, status in (
        (spent, 200),
        (spent, 429),
        (spent | {"If-None-Match": "*"}, 429),
        ({}, 401),
        ({"X-API-Key": "mvt_faux"}, 401),
        ({"If-None-Match": "*"}, 401),
        ({"Accept": "text/html"}, 303),
        (new_key(service) | {"If-None-Match": "*"}, 304),
    ):
        answer = service.ask(EVERYTHING, headers)
        assert answer.status == status
        assert answer.listed("Vary") >= OPENING
        kept = {"private", "no-cache"} if status in (200, 304) else {"private", "no-store"}
        assert answer.listed("Cache-Control") == kept
    wrong = service.ask(EVERYTHING, spent, "PUT")
    assert (wrong.status, wrong.listed("Cache-Control")) == (405, {"private", "no-store"})


@in_every_way
@rule("files-method")
def test_files_cannot_be_written_and_any_origin_reads_why(service: Service) -> None:
    answer = service.ask(EVERYTHING, {"Origin": "https://exemple.fr"}, "PROPFIND")
    assert (answer.status, had(answer, "Content-Type")) == (405, "application/problem+json")
    assert answer.json()["type"].endswith("#methode-refusee")
    assert answer.json()["licence"]
    allowed = service.ask(EVERYTHING, method="OPTIONS").listed("Access-Control-Allow-Methods")
    assert answer.listed("Allow") == allowed == {"get", "head", "options"}
    assert had(answer, "Access-Control-Allow-Origin") == "*"
    assert 'rel="license"' in had(answer, "Link")


@rule("files-never-shared")
def test_a_service_without_data_is_never_kept(unavailable: Service, new_key: NewKey) -> None:
    answer = unavailable.ask(EVERYTHING, new_key(unavailable))
    assert (answer.status, "no-store" in answer.listed("Cache-Control")) == (503, True)
    assert (had(answer, "Retry-After"), answer.remaining) == ("5", 1000)


@in_every_way
@rule("files-told")
def test_a_file_says_its_licence_its_description_and_its_version(
    service: Service, reader: Headers
) -> None:
    answer = service.ask(EVERYTHING, reader)
    links = dict(re.findall(r'<([^>]+)>; rel="([a-z-]+)"', had(answer, "Link")))
    by_relation = {relation: address for address, relation in links.items()}
    assert by_relation["license"] == "https://opendatacommons.org/licenses/odbl/1-0/"
    assert by_relation["describedby"].startswith("http://")
    assert by_relation["describedby"].endswith("/documentation#champs")
    assert by_relation["service-desc"].startswith("http://")
    page = service.ask("/v1/mouvements?limit=1", reader)
    assert had(answer, "Mouvements-Version") == had(page, "Mouvements-Version")


@rule("files-told")
def test_the_whole_file_says_where_its_feed_goes_on(service: Service, reader: Headers) -> None:
    answer = service.ask(EVERYTHING, reader)
    with zipfile.ZipFile(io.BytesIO(answer.body)) as file:
        described = json.loads(file.read("datapackage.json"))
    assert re.fullmatch(r"[0-9a-f]{16}-[0-9]+-[0-9a-f]{16}", described["curseur"])
    assert had(answer, "Mouvements-Curseur") == described["curseur"]
    assert had(answer, "Mouvements-Version") == described["version"]


@in_every_way
@rule("files-second-machine")
def test_who_has_the_movements_file_asks_for_nothing(service: Service, key: Headers) -> None:
    whole = service.ask("/movements.db", key)
    assert (whole.status, whole.body[:15]) == (200, b"SQLite format 3")
    unchanged = service.ask("/movements.db", key | {"If-None-Match": had(whole, "ETag")})
    assert (unchanged.status, unchanged.body) == (304, b"")
    assert (unchanged.remaining, used(service, key)) == (999, 1)
    assert had(unchanged, "ETag") == had(whole, "ETag")
