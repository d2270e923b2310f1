"""The one form of every refusal: problem details in French, licence, and a type that resolves."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest

from .service import Service, in_every_way
from .situations import REFUSED, SITUATIONS, Answered

rule = pytest.mark.rule
FRENCH = re.compile(r"\b(le|la|les|une?|est|sont|de|du|et|pas|votre|vos|cette)\b|l’", re.I)
ENGLISH = re.compile(r"\b(the|is|must|not|your|invalid|of|and|key)\b", re.I)


@in_every_way
@rule("decisions-error-form", "decisions-error-licence", "interface-1-5", "interface-2-licence")
@rule("decisions-error-words", "decisions-error-type")
@pytest.mark.parametrize("name", REFUSED)
def test_every_refusal_has_the_same_form(service: Service, answered: Answered, name: str) -> None:
    answer, status = answered(name), SITUATIONS[name].status
    assert answer.status == status, answer.body
    kind = (answer.header("Content-Type") or "").removesuffix("; charset=utf-8")
    assert kind == "application/problem+json"
    problem = answer.json()
    assert problem["status"] == status
    for member in ("type", "title", "detail", "licence", "attribution"):
        assert isinstance(problem[member], str), member
        assert problem[member].strip(), member
    assert "ODbL" in problem["licence"]
    named = {"parametre", "parametres"} & problem.keys()
    assert bool(named) == (status == 400)
    assert FRENCH.search(problem["detail"])
    assert not ENGLISH.search(re.sub(r"curl .*|https?://\S+|X-API-Key", "", problem["detail"]))
    assert not ENGLISH.search(problem["title"])
    told = urlsplit(problem["type"])
    assert told.fragment
    page = service.ask(told.path, {"Accept": "text/html"})
    assert page.status == 200
    assert f'id="{told.fragment}"' in page.body.decode()


@rule("interface-7-429", "decisions-error-words")
def test_the_quota_message_says_how_much_and_until_when(answered: Answered) -> None:
    detail = answered("exhausted").json()["detail"]
    assert re.search(r"\b1\b", detail)
    assert "minuit" in detail
