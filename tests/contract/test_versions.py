"""Which version an answer is of, where its links lead, and what a refusal tells of the quota."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from datasette.app import Datasette
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.access import keys

from . import environment
from .service import Answer, InProcess, Service, in_every_way
from .situations import CHANGES, PATH, NewKey
from .test_given_back import behind, used
from .test_paging import links

rule = pytest.mark.rule
EVERY_PATH = (PATH, "/mouvements", CHANGES, "/v1/quota", "/v1/openapi.json", "/v1/inconnu")


def quota_told(answer: Answer) -> tuple[str | None, ...]:
    names = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "RateLimit")
    return tuple(answer.header(name) for name in names)


@in_every_way
@rule("decisions-version")
@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "POST"])
@pytest.mark.parametrize("path", EVERY_PATH)
def test_every_address_and_method_says_the_version(
    service: Service, reader: dict[str, str], path: str, method: str
) -> None:
    version = service.ask(PATH, reader).header("Mouvements-Version")
    for key in (reader, {}):
        answer = service.ask(path, key, method)
        assert answer.header("Mouvements-Version") == version
        assert (answer.header("Last-Modified") or "").endswith(" GMT")
        assert [name for name, _ in answer.headers].count("last-modified") == 1


@rule("decisions-version", "decisions-304")
def test_a_date_alone_is_no_condition(service: Service, new_key: NewKey) -> None:
    key = new_key(service)
    changed = service.ask(PATH, key).header("Last-Modified") or ""
    for path in (PATH, CHANGES):
        answer = service.ask(path, {**key, "If-Modified-Since": changed})
        assert answer.status == 200


@in_every_way
@rule("decisions-version", "decisions-304", "decisions-alias")
def test_a_304_of_the_alias_has_no_link_either(service: Service, reader: dict[str, str]) -> None:
    whole = service.ask("/mouvements", reader)
    assert "canonical" in links(whole)
    condition = {"If-None-Match": whole.header("ETag") or ""}
    answer = service.ask("/mouvements", {**reader, **condition})
    assert answer.status == 304
    assert answer.header("Link") is None


@in_every_way
@rule("decisions-link")
@pytest.mark.parametrize(
    "target", [f"{PATH}?limit=2&offset=4", "/mouvements?limit=2", f"{CHANGES}?limit=2", "/v1/quota"]
)
def test_links_are_of_the_host_that_was_asked(
    service: Service, reader: dict[str, str], target: str
) -> None:
    for host in ("exemple.fr", "exemple.fr:8001", "[::1]:8001"):
        answer = service.ask(target, {**reader, "Host": host})
        ours = {name: to for name, to in links(answer).items() if name != "license"}
        assert ours
        assert all(to.startswith(f"http://{host}/") for to in ours.values())
    for host in ('evil"><', "a b", "exemple.fr/x"):
        link = service.ask(target, {**reader, "Host": host}).header("Link")
        assert host not in (link or "")


@rule("decisions-link")
def test_the_public_address_stands_in_the_links_of_the_feed(
    in_process: Callable[..., InProcess], new_key: NewKey
) -> None:
    service = in_process({"public_url": "https://mouvements.exemple.fr/api"})
    answer = service.ask(f"{CHANGES}?limit=2", new_key(service))
    assert links(answer)["next"].startswith(f"https://mouvements.exemple.fr/api{CHANGES}?curseur=")
    refused = service.ask("/v1/inconnu")
    assert links(refused)["service-doc"] == "https://mouvements.exemple.fr/api/documentation"


@rule("decisions-version", "decisions-quota-headers-unknown", "interface-7-503")
def test_without_data_no_version_is_named_and_the_quota_is_what_is_left(
    unavailable: Service, new_key: NewKey
) -> None:
    key = new_key(unavailable)
    for path in (PATH, CHANGES, f"{PATH}/mvt_x", f"{CHANGES}?curseur=hier"):
        answer = unavailable.ask(path, key)
        assert answer.status == 503
        assert answer.header("Mouvements-Version") is answer.header("Last-Modified") is None
        assert quota_told(answer)[:2] == ("1000", "1000")
        assert re.match('"jour";r=1000;', answer.header("RateLimit") or "")


@rule("decisions-quota-headers-unknown", "interface-7-503")
def test_while_the_store_is_away_nothing_reads_as_used_up(
    in_process: Callable[..., InProcess], new_key: NewKey
) -> None:
    service = in_process({"quota": 12})
    key = new_key(service)
    with closing(sqlite3.connect(service.internal, isolation_level=None)) as other:
        other.execute("begin exclusive")
        for path in (PATH, CHANGES, f"{PATH}/mvt_x"):
            answer = service.ask(path, key)
            assert answer.status == 503
            assert quota_told(answer) == ("12", "12", None)
            assert answer.header("Mouvements-Version")
        other.execute("rollback")
    assert service.ask(PATH, key).remaining == 11


@rule("service-temporary-internal", "decisions-quota-headers-unknown")
def test_without_a_place_for_keys_nothing_reads_as_used_up(database: Path, tmp_path: Path) -> None:
    datasette = Datasette([str(database)], plugins_dir=str(environment.PLUGINS))
    with closing(InProcess(datasette, tmp_path / "none.sqlite3")) as service:
        for path in (PATH, CHANGES, f"{PATH}/mvt_x", "/v1/quota"):
            answer = service.ask(path, {"X-API-Key": keys.issue()})
            assert answer.status == 503
            assert quota_told(answer) == ("1000", "1000", None)


@rule("decisions-quota-headers-unknown")
def test_the_description_tells_no_quota_as_used_up(service: Service, new_key: NewKey) -> None:
    key = new_key(service, quota=1)
    assert service.ask(PATH, key).remaining == 0
    for headers in (key, {}):
        assert quota_told(service.ask("/v1/openapi.json", headers)) == ("1000", "1000", None)


@rule("decisions-not-charged", "interface-7-503")
@pytest.mark.parametrize("target", [CHANGES, f"{PATH}/mvt_inconnu"])
@pytest.mark.parametrize("condition", [{}, {"If-None-Match": "*"}], ids=len)
def test_what_of_the_feed_cannot_be_read_is_given_back(
    in_process: Callable[..., InProcess], new_key: NewKey, target: str, condition: dict[str, str]
) -> None:
    service = in_process()
    key = new_key(service, quota=1)
    snapshot = behind(service).live.snapshot
    assert snapshot is not None
    snapshot.close()
    answer = service.ask(target, {**key, **condition})
    if target == CHANGES and condition:  # that it is there needs no reading
        assert answer.status == 304
    else:
        assert (answer.status, answer.remaining) == (503, 1)
    assert used(service, key) == 0
