"""What is said of a list that is refused, missing or the same is done as it stands there; the morning is whole."""

from __future__ import annotations

import re

import pytest

from parlement_lists.sources.hooks import ListSource
from tests.contract.environment import command, done
from tests.sources.misbehaving import says
from tests.tracking import lists
from tests.updating.mornings import rows

from .messages import filled

BY_NAME = "look at it, and accept or refuse it by name in the corrections, or wait for the next"
LOOKED_AT = "accept the list by name in an entry of today (date: {}, accepter: {}/{})"


def said(maintainer, entry):
    """Write what a sentence says into the corrections; the next morning must be whole."""
    day = f"{maintainer.now:%Y-%m-%d}"
    given = entry if entry.startswith("date: ") else f"date: {day}, {entry}"
    with maintainer.corrections.open("a") as file:
        file.write(f"- {{{given}, raison: vu}}\n")
    return whole(maintainer)


def whole(maintainer, days=0):
    found = maintainer.morning(days)
    assert (found.faults, found.matters) == ([], {})
    assert found.published is not None
    return found


def test_a_list_that_grew_is_accepted_by_the_name_that_is_told(maintainer):
    staff = 13
    maintainer.desk.published["senat"] = [
        row._replace(collab_nom=f"{row.collab_nom}{chr(65 + n)}")
        for row in rows("senat")
        for n in range(staff)
    ]
    (told,) = maintainer.morning().alarms
    filled(BY_NAME, told)
    (name,) = re.findall(r"is refused: (senat/\S+):", told)
    said(maintainer, f"accepter: {name}")
    maintainer.morning(8)
    # One of each is the person of before, whose name is near.
    assert len(maintainer.arrivals()) == 59 * (staff - 1)


@pytest.mark.parametrize("way", ["accepter", "refuser", "wait for the next"])
def test_a_list_cut_short_is_accepted_refused_or_waited_for(maintainer, way):
    usual = maintainer.desk.published["europarl"]
    maintainer.desk.published["europarl"] = usual[:44]
    (told,) = maintainer.morning().alarms
    filled(BY_NAME, told)
    (name,) = re.findall(r"is refused: (europarl/\S+):", told)
    if way == "wait for the next":
        maintainer.desk.published["europarl"] = usual
        whole(maintainer, days=1)
    else:
        said(maintainer, f"{way}: {name}")
    assert maintainer.arrivals() == []


@pytest.mark.parametrize("way", ["accepter", "refuser"])
def test_a_list_that_stands_is_accepted_or_refused_by_the_name_of_a_morning_before(maintainer, way):
    usual = maintainer.desk.published["europarl"]
    maintainer.desk.published["europarl"] = usual[:44]
    (told,) = maintainer.mornings(3).matters.values()
    filled(BY_NAME, told)
    ((first, newest),) = re.findall(r": (europarl/\S+), unchanged until (europarl/\S+):", told)
    assert (first, newest) == ("europarl/2026-09-15", "europarl/2026-09-17")
    with maintainer.corrections.open("a") as file:
        file.write(f"- {{date: 2026-09-17, {way}: {first}, raison: vu}}\n")
    for _ in range(7):
        whole(maintainer, days=1)
    assert len(maintainer.movements("depart")) == (len(usual[44:]) if way == "accepter" else 0)


def test_a_list_that_somebody_looked_at_is_accepted_by_the_entry_that_is_told(maintainer):
    maintainer.desk.left_out["senat"] = 3
    (told,) = maintainer.mornings(4).alarms
    day, chamber, list_ = filled(LOOKED_AT, told)
    said(maintainer, f"date: {day}, accepter: {chamber}/{list_}")


def test_later_lists_of_the_daily_run_are_refused_in_the_corrections(hired):
    maintainer = hired("NEUVE")
    later = maintainer.lists / "senat" / "2026-09-23.csv"
    kept = later.read_bytes()
    later.unlink()
    build = ["build", maintainer.database, "--lists", maintainer.lists, "--source", "suivi"]
    told = command(*build).stderr
    filled("give these too, or refuse them in the corrections", told)
    (names,) = re.findall(r"the daily run took .*\((.*)\)", told)
    later.write_bytes(kept)
    maintainer.corrections.write_text(
        "".join(
            f"- {{date: 2026-09-24, refuser: {name}, raison: vu}}\n" for name in names.split(", ")
        )
    )
    done(*build, "--corrections", maintainer.corrections)
    whole(maintainer)


def test_a_list_of_half_as_many_is_kept_by_hand_from_its_original(fetcher, server, clock, tmp_path):
    source = ListSource("essai", "senat", f"{server.url}")
    few, usual = lists.many(20), lists.many(60)
    server.answer_with(*(says(lists.data("senat", staff)) for staff in (usual, few, few)))
    assert fetcher.fetch([source])[0].status == "new"
    clock.passes(days=1)
    (result,) = fetcher.fetch([source])
    assert "the command `read` keeps it by hand, from what lies in originaux/" in result.detail
    (original,) = fetcher.repository.directory.glob("originaux/essai/2026-09-15*/*")
    others = tmp_path / "sources.yml"
    others.write_text(f"essai: {{url: {source.addresses['liste'].url}, chambre: senat}}\n")
    done(
        "read",
        "essai",
        original,
        "--sources",
        others,
        "--date",
        "2026-09-15",
        "-o",
        f"{fetcher.repository.directory}/",
    )
    clock.passes(days=1)
    (result,) = fetcher.fetch([source])
    assert (result.status, result.alarm) == ("unchanged", "")
