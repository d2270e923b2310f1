"""Whether the stays under a name may be several people's: lists have no identifier of staff."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from parlement_lists.tenure import Tenure

# From so many members of the European Parliament on, stays of the same days and function are one line,
# because they are mostly a contract that the members share.
SHARED = 3
# So many lines, or chambers, at once are more than one person has.
MOST_AT_ONCE = 2


class StayLine(NamedTuple):
    """The stays with one member one after the other, or one stay that several members share."""

    stays: tuple[Tenure, ...]  # in order; of a shared one, that with the first of `members`
    members: tuple[Tenure, ...] = ()  # of a shared stay, one with each member


class NamesakeSigns(NamedTuple):
    """The signs, none of them a proof, that several people have a name."""

    civilities: int  # 0 for fewer than two
    chambers: int  # the most at once, 0 where one person may be in so many
    lines: int  # the same

    @property
    def found(self) -> bool:
        """Whether there is one."""
        return any(self)


def stay_lines(stays: Iterable[Tenure]) -> list[StayLine]:
    """The lines of a name, the earliest begin first."""
    shared: dict[tuple[str, ...], list[Tenure]] = defaultdict(list)
    for one in stays:
        shared[_terms(one)].append(one)
    offices: dict[tuple[str, str], list[Tenure]] = defaultdict(list)
    found: list[StayLine] = []
    for same in shared.values():
        if same[0].chambre == "europarl" and len({one.elu_id for one in same}) >= SHARED:
            members = sorted(same, key=lambda one: (one.elu_groupe, one.elu_cle, one.elu_id))
            found.append(StayLine((members[0],), tuple(members)))
        else:
            for one in same:
                offices[one.chambre, one.elu_id].append(one)
    for of in offices.values():
        found += [StayLine(tuple(line)) for line in _side_by_side(of)]
    return sorted(found, key=lambda line: (line.stays[0].debut, line.stays[0].elu_cle))


def _side_by_side(stays: Iterable[Tenure]) -> list[list[Tenure]]:
    """The stays with one member on as few lines as hold them; two at once are drawn beside each other."""
    found: list[list[Tenure]] = []
    for stay in sorted(stays, key=lambda one: (one.debut, one.id)):
        free = next((line for line in found if line[-1].fin_apres < stay.debut), None)
        if free is None:
            found.append([stay])
        else:
            free.append(stay)
    return found


def _terms(one: Tenure) -> tuple[str, ...]:
    return (
        *(one.chambre, one.debut_apres, one.debut, one.fin_apres, one.fin),
        *(one.fonction, one.collab_civilite, one.person),
    )


def at_once(lines: Sequence[StayLine]) -> int:
    """The most lines that lists show on one day."""
    days = {stay.debut for line in lines for stay in line.stays}
    return max(
        (sum(any(_there(stay, day) for stay in line.stays) for line in lines) for day in days),
        default=0,
    )


def _there(stay: Tenure, day: str) -> bool:
    return stay.debut <= day <= stay.fin_apres


def namesake_signs(stays: Sequence[Tenure], lines: Sequence[StayLine]) -> NamesakeSigns:
    """The signs that `stays`, which are all of a name in every chamber, are several people's.

    Two civilities, more than two chambers at once, or more than two lines at once.
    """
    civilities = len({one.collab_civilite for one in stays if one.collab_civilite})
    days = {one.debut for one in stays}
    chambers = max(
        (len({one.chambre for one in stays if _there(one, day)}) for day in days), default=0
    )
    most = at_once(lines)
    return NamesakeSigns(
        civilities if civilities > 1 else 0,
        chambers if chambers > MOST_AT_ONCE else 0,
        most if most > MOST_AT_ONCE else 0,
    )
