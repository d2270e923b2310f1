"""Stays of every scenario: on a day that has a list, those that cover it are its pairs; movements begin and end them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest

from parlement_lists.tracking.track import Tracked
from tests.tracking.lists import Days, date_of, member, of_days
from tests.tracking.scenarios import scenarios
from tests.tracking.test_movements import SCENARIOS as OF_MOVEMENTS
from tests.tracking.test_people import SCENARIOS as OF_PEOPLE

every_scenario = pytest.mark.parametrize(
    "days",
    [scenario.values[0] for text in (OF_MOVEMENTS, OF_PEOPLE) for scenario in scenarios(text)],
)


def listed(days: Days, number: int) -> Mapping[int, Counter[str]]:
    """The given names that each day's list has at a member: whoever bears one of them is respelled, or shares it."""
    return {
        day: Counter(name.removeprefix("M. ").split()[0] for name in offices.get(number, ()))
        for day, offices in days.items()
    }


def covering(told: Tracked, number: int, day: int) -> Counter[str]:
    """The given names of the stays at a member that cover a day."""
    stays = [stay for stay in told.stays if stay.elu_id == member("senat", number)]
    return Counter(stay.collab_prenom for stay in stays if stay.covers(date_of(day)))


@pytest.mark.rule("record-stays")
@every_scenario
def test_the_stays_that_cover_a_day_are_its_lists_pairs(days: Days) -> None:
    """Respelled, married, shared, back after a while or missing for some days: each is there when listed."""
    told = of_days(days)
    for number in {number for offices in days.values() for number in offices}:
        lists = listed(days, number)
        for day, names in lists.items():
            there = covering(told, number, day)
            assert names.keys() <= there.keys()  # one who is written twice has one stay
            for name in there - names:
                last = max(o for o in lists if o < day and lists[o][name] >= there[name])
                gone = min(other for other in lists if other > last)
                back = min(other for other in lists if other > day and name in lists[other])
                assert back - gone <= 7


@every_scenario
def test_movements_and_stays_correspond_one_to_one(days: Days) -> None:
    told = of_days(days)
    begun = Counter(stay.mouvement_debut for stay in told.stays if stay.mouvement_debut)
    ended = Counter(stay.mouvement_fin for stay in told.stays if stay.mouvement_fin)
    assert begun == Counter(m.id for m in told.movements if m.type != "depart")
    assert ended == Counter(m.id for m in told.movements if m.type != "arrivee")
    first, last = date_of(min(days)), date_of(max(days))
    for stay in told.stays:
        assert stay.debut_apres <= stay.debut <= stay.fin_apres
        assert bool(stay.mouvement_debut) == bool(stay.debut_apres)
        assert stay.debut_apres or stay.debut == first
        assert bool(stay.mouvement_fin) == bool(stay.fin)
        assert stay.fin >= stay.fin_apres if stay.fin else stay.fin_apres == last
    assert len({stay.id for stay in told.stays}) == len(told.stays)
