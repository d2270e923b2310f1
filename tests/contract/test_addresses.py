"""Which addresses and methods answer, CORS, and the 404 of everything else under /v1."""

from __future__ import annotations

import re
from urllib.parse import urljoin

import pytest

from .service import Headers, Service, Start, in_every_way
from .situations import PATH, PREFLIGHT, NewKey

rule = pytest.mark.rule
LINKED = re.compile(r"<([^>]*)>;")
UNKNOWN = (
    *("/v1", "/v1/", "/v1?limit=1", "/v1/x", "/v1/x.json", "/v1//", "/v1//mouvements", "/v1/x/y/z"),
    *("/v1/mouvements.json", "/v1/mouvements//", "/v1/../v1/x", "/v1/./mouvements", "/v1/%C3%A9"),
    *("/v1/mouvements%2F", "/v1/%FF", "/v1/%00", "/v1%2Fmouvements", "/v1/mouvements%0A"),
    *("/v1/mouvements%3Flimit=1", "/v1/Mouvements", "/v1/-/versions", "/v1/%2e%2e/-/plugins"),
    *("/%76%31/x", "/v%31/x.json", "/v1/%zz", "/v1/mouvementsx", "/v1/mouvements/x/y"),
    *("/v1/mouvements/x%2Fy", "/v1/events", "/v1/webhooks", "/v1/~2D"),
)
WRITING = ("POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND")


@in_every_way
@rule("decisions-not-found", "interface-1-1", "interface-6", "interface-9-2")
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_anything_else_under_v1_is_a_404_in_the_error_form(service: Service, method: str) -> None:
    for target in UNKNOWN:
        answer = service.ask(target, method=method)
        assert answer.status == 404, target
        assert (answer.header("Content-Type") or "").startswith("application/problem+json"), target
        problem = answer.json()
        assert (problem["status"], bool(problem["licence"])) == (404, True), target
        there_is = ("/v1/mouvements, ", "/v1/changements", "/v1/quota", "/v1/mouvements/ID")
        assert all(path in problem["detail"] for path in there_is)
        limits = answer.header("X-RateLimit-Limit"), answer.header("X-RateLimit-Remaining")
        assert (*limits, answer.header("RateLimit")) == ("1000", "1000", None), target


@in_every_way
@rule("decisions-not-found", "decisions-cors-route-only")
@pytest.mark.parametrize("target", ["/v2/mouvements", "/v1x", "/", "/movements/mouvements"])
def test_the_rest_of_the_site_is_not_the_interface_s(service: Service, target: str) -> None:
    answer = service.ask(target, {"Origin": "https://exemple.fr"})
    assert answer.header("X-RateLimit-Limit") is None
    assert (answer.header("Content-Type") or "").startswith("text/html")
    assert not [name for name, _ in answer.headers if name.startswith("access-control-")]


@in_every_way
@rule("decisions-methods", "decisions-allow", "interface-1-7")
@pytest.mark.parametrize("target", [PATH, "/mouvements"])
@pytest.mark.parametrize("method", WRITING)
def test_nothing_can_be_written(service: Service, method: str, target: str) -> None:
    for headers in ({}, {"Origin": "https://ailleurs.fr", "Sec-Fetch-Site": "cross-site"}):
        answer = service.ask(target, headers, method)
        assert answer.status == 405
        assert answer.json()["status"] == 405
        assert answer.listed("Allow") == {"get", "head", "options"}


@in_every_way
@rule("decisions-options", "decisions-cors")
@pytest.mark.parametrize("target", [PATH, "/mouvements", f"{PATH}?limit=0&x=1"])
def test_a_preflight_needs_no_key(service: Service, target: str) -> None:
    answer = service.ask(target, PREFLIGHT, "OPTIONS")
    assert (answer.status, answer.body) == (204, b"")
    assert answer.header("Access-Control-Allow-Origin") == "*"
    assert answer.listed("Access-Control-Allow-Methods") >= {"get", "head"}
    assert answer.listed("Access-Control-Allow-Headers") >= {
        *("authorization", "x-api-key", "if-none-match"),
        # Wrappers of fetch set these.
        *("content-type", "cache-control", "if-modified-since", "x-requested-with"),
    }
    assert answer.header("Content-Type") is None


@rule("decisions-alias", "interface-4-alias")
@pytest.mark.parametrize("query", ["", "?chambre=senat&limit=3", "?limit=0"])
def test_the_alias_answers_the_same_and_links_to_its_canonical_address(
    service: Service, reader: Headers, query: str
) -> None:
    alias, route = service.ask(f"/mouvements{query}", reader), service.ask(f"{PATH}{query}", reader)
    assert (alias.status, alias.json()) == (route.status, route.json())
    canonical = re.search(r'<([^>]*)>; ?rel="?canonical"?', alias.header("Link") or "")
    assert canonical
    assert canonical[1].endswith(PATH + (query if alias.status == 200 else ""))
    assert "canonical" not in (route.header("Link") or "")


@in_every_way
@rule("interface-4-address", "interface-9-2")
@pytest.mark.parametrize(
    "target", [PATH, f"{PATH}?", f"{PATH}/", "/v1/%6Douvements", "/mouvements"]
)
def test_the_search_answers_at_its_address(service: Service, reader: Headers, target: str) -> None:
    assert service.ask(target, reader).status == 200


@rule("service-base-url", "interface-4-address")
def test_a_base_url_moves_everything(in_process: Start, new_key: NewKey) -> None:
    service = in_process(base_url="/m/")
    key = new_key(service)
    found = service.ask(f"/m{PATH}?limit=2", key)
    assert found.status == 200
    targets = [
        urljoin("http://localhost", link) for link in LINKED.findall(found.header("Link") or "")
    ]
    ours = [target.removeprefix("http://localhost") for target in targets if "localhost" in target]
    assert len(ours) == 5  # first, next, last, service-desc, service-doc
    for target in ours:
        assert target.startswith("/m/")
        assert service.ask(target, key).status == 200
    # A proxy may take the base off, which begins as the route does.
    for path in ("/mouvements", "/m/mouvements", PATH):
        assert service.ask(path, key).status == 200
    led = service.ask("/m/fichiers/tout", {"Accept": "text/html"})
    assert (led.status, led.header("Location")) == (303, "/m/-/cle")
    for target, headers, status in (
        (f"/m{PATH}", {}, 401),
        (f"/m{PATH}?limit=0", key, 400),
        (f"/m{PATH}", {"Authorization": "Bearer dstok_junk"}, 401),
        ("/m/v1/x.json", {"Authorization": "Bearer dstok_junk"}, 404),
        ("/m/v1", {}, 404),
        ("/v1/inconnu", {}, 404),  # a proxy may have taken the prefix off, as core allows
        (PATH, {}, 401),
    ):
        answer = service.ask(target, headers)
        assert answer.status == status
        kind, _, anchor = answer.json()["type"].partition("#")
        kind = urljoin("http://localhost", kind).removeprefix("http://localhost")
        assert kind.startswith("/m/")
        page = service.ask(kind)
        assert f'id="{anchor}"' in page.body.decode()
