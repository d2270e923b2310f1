from __future__ import annotations

from datasette_mouvements.tracking.diff import step
from tests.tracking.lists import Staff, list_, many, member


def compared(before: Staff, after: Staff) -> tuple[list[tuple[str, str]], ...]:
    """(member, given name) of each pair lost, then gained."""
    found = step(list_("senat", "2026-09-01", before), list_("senat", "2026-09-02", after))
    return tuple([(p.member, p.given) for p in pairs] for pairs in (found.lost, found.gained))


def test_pairs_are_lost_and_gained_in_the_order_of_members_and_persons() -> None:
    staff = many(20)
    lost, gained = compared(staff, {})
    assert gained == []
    assert len(lost) == 40
    assert [one for one, _ in lost] == sorted(one for one, _ in lost)
    assert compared({}, staff) == ([], lost)


def test_one_name_out_and_two_near_ones_in_are_a_respelling_and_an_arrival() -> None:
    after = {1: ["Ada MOREAU-FOREZ", "Ada MOREAU-VASSOR"]}
    assert compared({1: ["Ada MOREAU"]}, after) == ([], [(member("senat", 1), "Ada")])


def test_a_name_out_here_and_a_near_one_in_there_are_two_changes() -> None:
    one, two = member("senat", 1), member("senat", 2)
    found = compared({1: ["Ada MOREAU"], 2: ["Bo B"]}, {2: ["Bo B", "Ada MOREAU-FOREZ"]})
    assert found == ([(one, "Ada")], [(two, "Ada")])
