"""The feed of changes: every movement ever published, once, by cursors that say when they are gone."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from .sample import as_sampled, in_order
from .service import Answer, Headers, Service
from .situations import CHANGES, ELSEWHERE, PATH, NewKey
from .test_paging import links, within

rule = pytest.mark.rule


def walk(service: Service, key: Headers, target: str) -> Iterator[Answer]:
    """Every page from `target` on, by Link."""
    while target:
        answer = service.ask(target, key)
        assert answer.status == 200, answer.body
        yield answer
        target = within(links(answer).get("next", ""))


@rule("decisions-changes", "decisions-link", "decisions-changes-cursor")
@pytest.mark.parametrize("limit", [7, 500])
def test_a_walk_tells_every_movement_once(service: Service, reader: Headers, limit: int) -> None:
    pages = list(walk(service, reader, f"{CHANGES}?limit={limit}"))
    changes = [change for page in pages for change in page.json()["changements"]]
    assert all(len(page.json()["changements"]) == limit for page in pages[:-1])
    assert [page.json()["encore"] for page in pages] == [True] * (len(pages) - 1) + [False]
    assert {page.json()["version"] for page in pages} == {pages[0].header("Mouvements-Version")}
    assert len({change["id"] for change in changes}) == len(changes) == len(in_order()) + 1
    published = [change["mouvement"] for change in changes if change["nature"] == "publication"]
    searched = service.ask(f"{PATH}?limit=500", reader).json()["mouvements"]
    by_id = {movement["id"]: movement for movement in searched}
    assert {movement["id"]: movement for movement in published} == by_id
    assert sorted(map(str, map(as_sampled, published))) == sorted(map(str, in_order()))


@rule("decisions-changes-cursor")
def test_now_is_where_the_last_page_ends(service: Service, reader: Headers) -> None:
    *_, last = walk(service, reader, f"{CHANGES}?limit=400")
    now = service.ask(f"{CHANGES}?curseur=maintenant", reader)
    cursor = last.json()["curseur"]
    assert (now.json()["changements"], now.json()["encore"]) == ([], False)
    assert (now.json()["curseur"], "next" in links(now)) == (cursor, False)
    again = service.ask(f"{CHANGES}?curseur={cursor}&limit=3", reader).json()
    assert (again["changements"], again["curseur"]) == ([], cursor)


@rule("decisions-changes-cursor", "interface-7-400", "decisions-unknown-parameter")
@rule("decisions-repeated-or-empty", "decisions-integers")
@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("curseur=", "curseur"),
        ("curseur=hier", "curseur"),
        ("curseur=Maintenant", "curseur"),
        (f"curseur={ELSEWHERE}%0A", "curseur"),
        ("curseur=maintenant&curseur=maintenant", "curseur"),
        ("limit=501", "limit"),
        ("offset=0", "offset"),
        ("chambre=senat", "chambre"),
        ("limit=0&curseur=hier&inconnu=1", "limit curseur inconnu"),
    ],
)
def test_what_is_no_cursor_or_no_parameter_of_the_feed_is_named(
    service: Service, new_key: NewKey, query: str, named: str
) -> None:
    answer = service.ask(f"{CHANGES}?{query}", new_key(service))
    assert (answer.status, answer.remaining) == (400, 999)
    problem = answer.json()
    assert problem.get("parametres", [problem["parametre"]]) == named.split()


@rule("decisions-changes-cursor")
@pytest.mark.parametrize("condition", [{}, {"If-None-Match": "*"}], ids=len)
def test_a_cursor_of_another_history_is_gone_and_told_where_to_begin_again(
    service: Service, new_key: NewKey, condition: Headers
) -> None:
    key = new_key(service)
    answer = service.ask(f"{CHANGES}?curseur={ELSEWHERE}", {**key, **condition})
    assert (answer.status, answer.remaining) == (410, 999)
    assert answer.json()["type"].endswith("#curseur-perime")
    link = answer.header("Link") or ""
    assert re.search(
        r'<http://[^/>]+/fichiers/tout>; rel="alternate"; type="application/zip"', link
    )
    first = service.ask(within(links(answer)["first"]), key)
    assert first.json()["changements"]
