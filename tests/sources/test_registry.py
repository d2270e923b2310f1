"""Which sources are fetched: those known, moved or replaced by a maintainer's file."""

from __future__ import annotations

import pytest

from parlement_lists.movement import CHAMBERS
from parlement_lists.sources.chambers import OWN_SOURCES
from parlement_lists.sources.hooks import SourceError
from parlement_lists.sources.registry import choose

OWN = [source.name for source in OWN_SOURCES]


def described(folder, text):
    file = folder / "sources.yml"
    file.write_text(text)
    return file


def test_without_a_name_each_chamber_has_its_source():
    assert [source.chamber for source in choose(())] == list(CHAMBERS)
    assert [source.name for source in choose(())] == OWN


def test_by_name_others_are_left_out():
    assert [source.name for source in choose(("senat",))] == ["senat"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "expected a mapping"),
        ("[]", "expected a mapping"),
        ("a: {", "while parsing"),
        ("A B: {chambre: senat, url: x}", "lower-case"),
        ("a: {chambre: senat}", "needs url and chambre"),
        ("a: {chambre: senat, url: x, colour: red}", "needs url and chambre"),
        ("a: {chambre: lune, url: x}", "a list is of one chamber"),
        ("a: {chambre: senat, url: x, most_bytes: yes}", "most_bytes"),
        ("a: {adresses: {zip: x}}", "adresses are of a known source"),
        ("assemblee: {adresses: {}}", "an address for one or more of zip"),
        ("assemblee: {adresses: [x]}", "an address for one or more of zip"),
        ("assemblee: {adresses: {pdf: x}}", "an address for one or more of zip"),
        ("assemblee: {adresses: {zip: 1}}", "an address is a text"),
        ("assemblee: {adresses: {zip: x}, url: y, chambre: senat}", "or adresses alone"),
        ("a: {chambre: senat, url: 1}", "url cannot be 1"),
    ],
)
def test_a_wrong_description_of_a_source_is_named(tmp_path, text, reason):
    with pytest.raises(SourceError, match=reason):
        choose((), described(tmp_path, text))


def test_a_known_source_may_have_moved(tmp_path):
    file = described(tmp_path, "assemblee: {adresses: {zip: 'https://lists.example.org/18.zip'}}")
    moved, *others = choose((), file)
    before, *known = choose(())
    assert moved.addresses["zip"].url == "https://lists.example.org/18.zip"
    assert moved.addresses["zip"].most_bytes == before.addresses["zip"].most_bytes
    assert others == known


def test_a_list_of_one_s_own_takes_the_place_of_its_chamber_s_source(tmp_path):
    file = described(tmp_path, "own: {chambre: senat, url: 'https://lists.example.org/s.csv'}")
    assert [source.name for source in choose((), file)] == ["assemblee", "own", "europarl"]
    assert [source.name for source in choose(("senat",), file)] == ["senat"]


def test_the_name_of_a_list_may_be_a_number(tmp_path):
    file = described(tmp_path, "7: {chambre: senat, url: 'https://lists.example.org/s.csv'}")
    assert [source.name for source in choose(("7",), file)] == ["7"]


def test_two_lists_of_one_chamber_would_undo_each_other_every_day(tmp_path):
    file = described(
        tmp_path,
        "own: {chambre: assemblee, url: 'https://lists.example.org/an.csv'}\n"
        "other: {chambre: assemblee, url: 'https://lists.example.org/2.csv'}\n",
    )
    for names in (("assemblee", "own"), ("own", "other"), ()):
        with pytest.raises(SourceError, match="more than one list of assemblee"):
            choose(names, file)


def test_an_unknown_source_is_named_with_those_that_are_known():
    with pytest.raises(SourceError, match="unknown source moon; known: assemblee"):
        choose(("moon",))
