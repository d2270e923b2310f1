"""Which version an answer is of, where its links lead, and what a refusal tells of the quota."""

from __future__ import annotations

from contextlib import closing

import pytest
from datasette.utils.sqlite import sqlite3

from .service import Answer, Headers, Service, Start, in_every_way
from .situations import CHANGES, PATH, NewKey
from .test_paging import links

rule = pytest.mark.rule


def quota_told(answer: Answer) -> tuple[str | None, ...]:
    names = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "RateLimit")
    return tuple(answer.header(name) for name in names)


@rule("decisions-version", "decisions-304")
def test_a_date_alone_is_no_condition(service: Service, reader: Headers) -> None:
    changed = service.ask(PATH, reader).header("Last-Modified") or ""
    assert service.ask(PATH, {**reader, "If-Modified-Since": changed}).status == 200


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


@rule("decisions-quota-headers-unknown", "interface-7-503")
def test_while_the_store_is_away_nothing_reads_as_used_up(
    in_process: Start, new_key: NewKey
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
