from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from parlement_lists.sources.europarl import SOURCE
from parlement_lists.sources.originals import (
    ChamberMembers,
    MemberRecord,
    Original,
    OriginalRefused,
)

from .europarl_pages import api_answer, full_list, member

DAY = datetime.date(2026, 9, 14)
SEATED = [member(number) for number in range(1001, 1082)]
Maker = Callable[[Sequence[MemberRecord]], bytes]


def members(*bodies: bytes) -> ChamberMembers:
    found = SOURCE.members([Original("liste", body) for body in bodies], DAY)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("maker", "origin"), [(api_answer, "europarl-api"), (full_list, "europarl-xml")]
)
def test_both_forms_say_the_same(maker: Maker, origin: str) -> None:
    found = members(maker(SEATED))
    assert found.members == SEATED
    assert found.group_names == {"EPP": "Groupe du Parti populaire européen (Démocrates-Chrétiens)"}
    assert (found.dated, found.origin, found.remarks) == (False, origin, [])
    assert members(b"\xef\xbb\xbf" + maker(SEATED)).members == SEATED


@pytest.mark.parametrize("maker", [api_answer, full_list])
@pytest.mark.parametrize("number", [64, 97])
def test_too_few_and_too_many_are_refused(maker: Maker, number: int) -> None:
    with pytest.raises(OriginalRefused, match=f"{number} French members, where 65 to 96"):
        members(maker([member(id) for id in range(1, number + 1)]))


def test_members_of_other_countries_are_none_of_ours() -> None:
    with pytest.raises(OriginalRefused, match="0 French members"):
        members(api_answer(SEATED, "BE"))
    with pytest.raises(OriginalRefused, match="0 French members"):
        members(full_list(SEATED, "Belgique"))


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("PPE", "EPP"),
        ("Group of the European People's Party (Christian Democrats)", "EPP"),
        ("Verts/ALE", "Greens/EFA"),
        ("S&D", "S&D"),
        ("Groupe «Les patriotes pour l’Europe»", "PfE"),
        ("Club of Modèle", "Club of Modèle"),
    ],
)
@pytest.mark.parametrize("maker", [api_answer, full_list])
def test_a_group_has_one_code_whoever_names_it(maker: Maker, said: str, code: str) -> None:
    found = members(maker([*SEATED[1:], member(1001, said)]))
    assert found.members[-1].group == code
    assert [*found.remarks] == (
        ['group "Club of Mod\\u00e8le" is not known, and kept as it stands']
        if code == said and code not in ("S&D",)
        else []
    )


def test_a_member_without_a_group_is_told() -> None:
    found = members(api_answer([*SEATED, member(7, "")]))
    assert found.members[-1].group == ""
    assert found.remarks == ["no group is told of Anne Élu7 (7)"]


@pytest.mark.parametrize("maker", [api_answer, full_list])
@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (member(1001), "member 1001 stands in it twice"),
        (MemberRecord("x1", "Exemple", "Jeanne"), '82: "x1" is no member\'s number'),
        (MemberRecord("7", "", ""), "82: no name"),
        (MemberRecord("7", "=HYPERLINK(1)", "Jeanne"), "82: .* is no name"),
        (MemberRecord("7", "Exem\x0bple", "Jeanne"), "82: holds a control char|not well-formed"),
    ],
)
def test_a_member_who_cannot_be_is_refused(maker: Maker, fault: MemberRecord, reason: str) -> None:
    with pytest.raises(OriginalRefused, match=reason):
        members(maker([*SEATED, fault]))


@pytest.mark.parametrize("maker", [api_answer, full_list])
def test_what_shows_nothing_is_no_part_of_a_name(maker: Maker) -> None:
    found = members(maker([*SEATED, MemberRecord("7", "Exem\u00adple", "Jean\u200bne\ufeff")]))
    assert found.members[-1][:3] == ("7", "Exemple", "Jeanne")


def _records(**changed: Any) -> bytes:
    records = json.loads(api_answer(SEATED))["data"]
    for key, value in changed.items():
        records[0][key] = value
    return json.dumps({"data": records}).encode()


def test_a_record_may_be_less_than_whole() -> None:
    assert members(_records(identifier=1001)).members == SEATED
    assert members(_records(identifier=None)).members == SEATED
    assert members(_records(familyName=None)).members == SEATED
    assert members(_records(**{"api:political-group": ["x"]})).members[0].group == ""


@pytest.mark.parametrize(
    "body",
    [
        b"{}",
        b'{"data": {}}',
        b'{"data": ["x"]}',
        b'{"data": [',
        b"<?xml version='1.0'?><meps><mep></meps>",
        b"<?xml version='1.0'?><other></other>",
        b"<?xml version='1.0' encoding='x-none'?><meps></meps>",
    ],
)
def test_what_is_no_list_of_members_is_refused(body: bytes) -> None:
    with pytest.raises(OriginalRefused, match=r"^liste: "):
        members(body)


def test_two_lists_are_refused() -> None:
    with pytest.raises(OriginalRefused, match="a second list of members"):
        members(api_answer(SEATED), full_list(SEATED))


def test_pages_alone_say_nothing_of_members() -> None:
    assert SOURCE.members([Original("1.html", b"<!DOCTYPE html><html></html>")], DAY) is None
