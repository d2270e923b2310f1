"""What HTTP says of the site's file of everything: tags, conditions, parts, codings, who may keep it, what it costs."""

from __future__ import annotations

import io
import json
import re
import zipfile
from email.utils import formatdate, parsedate_to_datetime

import pytest

from .service import Answer, Headers, Service, Start, in_every_way, used
from .situations import NewKey
from .test_paging import links

rule = pytest.mark.rule
EVERYTHING = "/fichiers/tout"
OPENING = {"authorization", "x-api-key", "cookie", "accept-encoding", "host"}
OPENING |= {"sec-fetch-site", "accept"}


def had(answer: Answer, name: str) -> str:
    """A header that must be there."""
    value = answer.header(name)
    assert value is not None, name
    return value


@pytest.fixture
def key(service: Service, new_key: NewKey) -> dict[str, str]:
    return new_key(service)


@in_every_way
@rule("files-etag", "files-gzip", "files-head")
def test_the_same_file_has_the_same_strong_tag_and_bytes_and_its_head_costs_nothing(
    service: Service, key: Headers
) -> None:
    head = service.ask(EVERYTHING, key, "HEAD")
    assert (head.status, head.body, used(service, key)) == (200, b"", 0)
    assert service.ask(EVERYTHING, key | {"Range": "bytes=0-0"}, "HEAD").status == 200
    first = service.ask(EVERYTHING, key)
    second = service.ask(EVERYTHING, key | {"Accept-Encoding": "gzip"})
    assert (first.status, second.header("Content-Encoding")) == (200, None)
    assert re.fullmatch(r'"[\x21\x23-\x7e]+"', had(first, "ETag"))
    assert first.body == second.body
    assert int(had(first, "Content-Length")) == len(first.body)
    for name in ("Content-Length", "ETag", "Content-Type", "Link", "Content-Disposition"):
        assert had(head, name) == had(first, name) == had(second, name)


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
    for unfit in ("hier", "", "é", "2026-09-14", "Mon, 99 Foo 2026 10:00:00 GMT"):
        assert service.ask(EVERYTHING, key | {"If-Modified-Since": unfit}).status == 200


@in_every_way
@rule("files-cors", "files-method")
def test_a_page_of_any_origin_may_ask_for_a_file_and_nobody_may_write_it(
    service: Service, reader: Headers
) -> None:
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
    refused = service.ask(EVERYTHING, origin, "PROPFIND")
    assert (refused.status, had(refused, "Content-Type")) == (405, "application/problem+json")
    assert refused.json()["type"].endswith("#methode-refusee")
    assert refused.json()["licence"]
    methods = allowed.listed("Access-Control-Allow-Methods")
    assert refused.listed("Allow") == methods == {"get", "head", "options"}
    assert had(refused, "Access-Control-Allow-Origin") == "*"
    assert 'rel="license"' in had(refused, "Link")


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


@rule("files-never-shared")
def test_a_service_without_data_is_never_kept(unavailable: Service, new_key: NewKey) -> None:
    answer = unavailable.ask(EVERYTHING, new_key(unavailable))
    assert (answer.status, "no-store" in answer.listed("Cache-Control")) == (503, True)
    assert (had(answer, "Retry-After"), answer.remaining) == ("5", 1000)


@in_every_way
@rule("files-told")
def test_a_file_says_its_licence_its_description_its_version_and_where_its_feed_goes_on(
    service: Service, reader: Headers
) -> None:
    answer = service.ask(EVERYTHING, reader)
    by_relation = links(answer)
    assert by_relation["license"] == "https://opendatacommons.org/licenses/odbl/1-0/"
    assert re.fullmatch("http://[^/]+/documentation#champs", by_relation["describedby"])
    assert by_relation["service-desc"].startswith("http://")
    with zipfile.ZipFile(io.BytesIO(answer.body)) as file:
        described = json.loads(file.read("datapackage.json"))
    assert re.fullmatch(r"[0-9a-f]{16}-[0-9]+-[0-9a-f]{16}", described["curseur"])
    assert had(answer, "Mouvements-Curseur") == described["curseur"]
    page = service.ask("/v1/mouvements?limit=1", reader)
    versions = had(answer, "Mouvements-Version"), had(page, "Mouvements-Version")
    assert versions == (described["version"], described["version"])


@in_every_way
@rule("files-second-machine")
def test_who_has_the_movements_file_asks_for_nothing(service: Service, key: Headers) -> None:
    whole = service.ask("/movements.db", key)
    assert (whole.status, whole.body[:15]) == (200, b"SQLite format 3")
    unchanged = service.ask("/movements.db", key | {"If-None-Match": had(whole, "ETag")})
    assert (unchanged.status, unchanged.body) == (304, b"")
    assert (unchanged.remaining, used(service, key)) == (999, 1)
    assert had(unchanged, "ETag") == had(whole, "ETag")


@pytest.mark.ways("in-process", "serve")
@rule("files-range")
def test_a_part_is_that_part_for_one_charge(service: Service, key: Headers) -> None:
    whole = service.ask(EVERYTHING, key)
    size = len(whole.body)
    assert had(whole, "Accept-Ranges") == "bytes"
    parts = {
        "bytes=0-0": (0, 1),
        "bytes=10-19": (10, 20),
        "bytes=-7": (size - 7, size),
        "BYTES=5-": (5, size),
        f"bytes=3-{size + 50}": (3, size),
        f"bytes=-{size + 50}": (0, size),
    }
    for number, (asked, (start, end)) in enumerate(parts.items(), 2):
        part = service.ask(EVERYTHING, key | {"Range": asked, "If-Range": had(whole, "ETag")})
        assert (part.status, part.body) == (206, whole.body[start:end]), asked
        assert had(part, "Content-Range") == f"bytes {start}-{end - 1}/{size}"
        assert had(part, "ETag") == had(whole, "ETag")
        assert used(service, key) == number
    several = service.ask(EVERYTHING, key | {"Range": "bytes=0-3,100-102"})
    assert several.status == 206
    assert had(several, "Content-Type").startswith("multipart/byteranges; boundary=")
    for asked in (f"bytes={size}-", "bytes=-0", f"bytes=0-4,{size}-", "bytes=4-2", "bytes=x"):
        beyond = service.ask(EVERYTHING, key | {"Range": asked})
        assert (beyond.status, had(beyond, "Content-Range")) == (416, f"bytes */{size}")
        assert beyond.json()["type"].endswith("#partie-hors-du-fichier")
    assert used(service, key) == len(parts) + 2


@rule("files-range")
@pytest.mark.parametrize(
    "asked", ["lines=0-4", "bytes=" + ",".join(f"{2 * n}-{2 * n}" for n in range(101))]
)
def test_other_units_and_very_many_parts_are_the_whole_file(
    service: Service, reader: Headers, asked: str
) -> None:
    answer = service.ask(EVERYTHING, reader | {"Range": asked})
    assert (answer.status, len(answer.body)) == (200, int(had(answer, "Content-Length")))


@rule("files-range")
def test_a_part_is_only_of_the_very_file_that_the_client_has_begun(
    service: Service, reader: Headers
) -> None:
    whole = service.ask(EVERYTHING, reader)
    tag = had(whole, "ETag")
    for condition in ('"x"', f"W/{tag}", tag.strip('"'), had(whole, "Last-Modified")):
        part = {"Range": "bytes=0-9", "If-Range": condition}
        answer = service.ask(EVERYTHING, reader | part)
        assert (answer.status, answer.body) == (200, whole.body)


@pytest.mark.ways("plugins-dir")
@rule("files-range")
def test_where_parts_cannot_be_sent_the_file_says_so_and_is_whole(
    service: Service, reader: Headers
) -> None:
    answer = service.ask(EVERYTHING, reader | {"Range": "bytes=0-9"})
    assert (answer.status, had(answer, "Accept-Ranges")) == (200, "none")
    assert len(answer.body) == int(had(answer, "Content-Length")) > 10


@rule("files-parameters", "decisions-not-charged", "decisions-unknown-parameter", "files-open")
@pytest.mark.parametrize("target", [EVERYTHING, "/v1/quota", "/v1/couverture"])
def test_a_parameter_too_many_is_refused_and_costs_nothing(
    service: Service, in_process: Start, new_key: NewKey, target: str
) -> None:
    key = new_key(service, quota=7)
    for method in ("GET", "HEAD"):
        for headers in (key, key | {"If-None-Match": "*"}):
            answer = service.ask(f"{target}?chambre=senat", headers, method)
            assert (answer.status, answer.remaining, used(service, key)) == (400, 7, 0)
    assert service.ask(f"{target}?chambre=senat", key).json()["parametre"] == "chambre"
    assert service.ask(f"{target}?chambre=senat", {"Accept": "*/*"}).status == 401
    plain, asked = service.ask("/v1/openapi.json"), service.ask("/v1/openapi.json?v=2&x")
    assert (asked.status, asked.body) == (200, plain.body)
    if target == EVERYTHING:
        page = service.ask(f"{target}?%3Cb%3E=1", key | {"Accept": "text/html"})
        assert (page.status, b"&lt;b&gt;" in page.body) == (400, True)
        assert had(page, "Content-Length") == str(len(page.body))
        opened = in_process({"open_whole_file": True}).ask(f"{target}?chambre=senat")
        assert (opened.status, opened.json()["parametre"]) == (400, "chambre")
