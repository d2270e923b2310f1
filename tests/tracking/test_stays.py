"""Stays: on any day that has a list, those that cover it are its pairs; movements begin and end them."""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlement_lists.movement import words
from parlement_lists.tenure import Tenure
from parlement_lists.tracking.corrections import Corrections, Entry
from tests.tracking.lists import list_file, member, tracked

SEVEN_DAYS = datetime.timedelta(7)
FIRST_DAY = datetime.date(2026, 1, 5)
# Each person's spellings: the usual one, one letter more, a second given name, a married name.
SPELLINGS = {
    "ada": ("Ada MOREAU", "Ada MOREAUX", "Ada Lise MOREAU", "Ada TILLIER"),
    "bo": ("Bo LENGLET", "Bo LENGLETT", "Bo Marc LENGLET", "Bo HURIEZ"),
    "cleo": ("Cleo VASSOR", "Cleo VASSORT", "Cleo Jane VASSOR", "Cleo DUMENIL"),
    "dan": ("Dan ROUVEROL", "Dan ROUVEROLE", "Dan Paul ROUVEROL", "Dan KESTELOOT"),
}
PERSON = {words(name): person for person, names in SPELLINGS.items() for name in names}
CORRECTIONS = {
    "none": None,
    "meme_personne": {"noms": [SPELLINGS["ada"][3], SPELLINGS["ada"][0]]},
    "deux_personnes": {"noms": [SPELLINGS["bo"][0], SPELLINGS["bo"][1]]},
    "homonymes": {"nom": SPELLINGS["cleo"][0], "elus": [member("senat", 2)]},
    "refuser": "senat/2026-01-12",
}
# At one member: the persons there, each under one of the spellings.
offices = st.dictionaries(st.sampled_from(sorted(SPELLINGS)), st.integers(0, 3), max_size=4)
# A list: how many days after the one before, and each member's office.
History = list[tuple[int, dict[int, dict[str, int]]]]


def histories(*gaps: int) -> st.SearchStrategy[History]:
    office = st.fixed_dictionaries({1: offices, 2: offices})
    return st.lists(st.tuples(st.sampled_from(gaps), office), min_size=1, max_size=9)


kinds = st.sampled_from(sorted(CORRECTIONS))
Pairs = set[tuple[str, str]]


class Read(NamedTuple):
    """What a run over a history found, and what its accepted lists say, in order: who is with whom."""

    tenures: list[Tenure]
    movements: dict[str, str]  # identifier -> type
    lists: dict[str, Pairs]  # DATEThhmm -> (member, person)
    names: dict[tuple[str, str], set[str]]  # (member, person) -> the names they had there

    def days(self) -> dict[str, str]:
        """Each day's last list."""
        return {moment[:10]: moment for moment in self.lists}


def corrections(kind: str) -> Corrections:
    value = CORRECTIONS[kind]
    return Corrections([] if value is None else [Entry(1, "2026-01-01", "Exemple", kind, value)])


def read(history: History, kind: str) -> Read:
    day = FIRST_DAY
    files = []
    said: dict[str, Pairs] = {}
    names: dict[tuple[str, str], set[str]] = defaultdict(set)
    for number, (gap, content) in enumerate([(0, {3: {"ada": 0}}), *history]):
        day += datetime.timedelta(gap)
        staff = {n: [SPELLINGS[p][s] for p, s in office.items()] for n, office in content.items()}
        files.append(list_file("senat", f"{day}T{number:04}", {9: ["Zia PRESENTE"], **staff}))
        said[files[-1].name] = set()
        for n, office in content.items():
            for person, spelling in office.items():
                said[files[-1].name].add((member("senat", n), person))
                names[member("senat", n), person].add(SPELLINGS[person][spelling])
    told = tracked(files, corrections=corrections(kind))
    accepted = [record.name for record in told.report.records if record.status == "accepted"]
    return Read(
        [t for t in told.stays if t.elu_id != member("senat", 9)],
        {m.id: m.type for m in told.movements},
        {name.removeprefix("senat/"): said[name] for name in accepted},
        names,
    )


def only_missing(lists: Mapping[str, Pairs], moment: str, pair: tuple[str, str]) -> bool:
    """Whether the pair, which a list lacks, is back at most seven days after it was first missing."""
    had = [other for other in lists if other < moment and pair in lists[other]]
    back = [other for other in lists if other > moment and pair in lists[other]]
    if not had or not back:
        return False
    first, again = min(other for other in lists if other > max(had)), min(back)
    days = datetime.date.fromisoformat(again[:10]) - datetime.date.fromisoformat(first[:10])
    return days <= SEVEN_DAYS


@pytest.mark.rule("record-stays")
@settings(max_examples=100, deadline=None)
@given(histories(0, 1, 2, 3, 7, 8, 20, 45), kinds)
def test_the_stays_that_cover_a_day_are_its_lists_pairs(history: History, kind: str) -> None:
    """Respelled, married, shared, back after a while or missing for some days: each is there when listed."""
    found = read(history, kind)
    for day, moment in found.days().items():
        covering = Counter(
            (t.elu_id, PERSON[words(t.collab_nom, t.collab_prenom)])
            for t in found.tenures
            if t.covers(day)
        )
        assert found.lists[moment] <= covering.keys()
        for pair in covering.keys() - found.lists[moment]:
            assert only_missing(found.lists, moment, pair)
        for pair, count in covering.items():
            assert count == 1 or len(found.names[pair]) > 1, "nobody is twice in an office"


@settings(max_examples=100, deadline=None)
@given(histories(1, 2, 3, 7, 8, 20, 45), kinds)
def test_movements_and_stays_correspond_one_to_one(history: History, kind: str) -> None:
    """With a list a day: the identifier of a movement does not tell two of one day apart."""
    found = read(history, kind)
    begun = Counter(t.mouvement_debut for t in found.tenures if t.mouvement_debut)
    ended = Counter(t.mouvement_fin for t in found.tenures if t.mouvement_fin)
    assert begun == Counter(id for id, type_ in found.movements.items() if type_ != "depart")
    assert ended == Counter(id for id, type_ in found.movements.items() if type_ != "arrivee")
    first, last = min(found.days()), max(found.days())
    for tenure in found.tenures:
        assert tenure.debut_apres <= tenure.debut <= tenure.fin_apres
        assert bool(tenure.mouvement_debut) == bool(tenure.debut_apres)
        assert tenure.debut_apres or tenure.debut == first
        assert bool(tenure.mouvement_fin) == bool(tenure.fin)
        assert tenure.fin >= tenure.fin_apres if tenure.fin else tenure.fin_apres == last
    assert len({tenure.id for tenure in found.tenures}) == len(found.tenures)
