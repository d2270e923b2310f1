"""The stays under one name: a line for each office, what several members share on one, what speaks for namesakes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from parlement_lists.movement import MEANINGS
from parlement_lists.tenure import Tenure

from ...dataset.coverage import Coverage
from ..charts import drawing
from ..counts.days import GROUPING
from ..words import french, phrases

# Stays of one day, one end and one function with so many members of the European Parliament are shown as
# one line: a contract that they share, mostly.
SHARED = 3
# Lines that are drawn; the table of stays has all of them.
LINES = 24


class Line(NamedTuple):
    """One line: the stays with one member, or one stay that several members share."""

    stays: tuple[Tenure, ...]  # in order; of a shared one, that with the first of `members`
    members: tuple[Tenure, ...] = ()  # of a shared stay, one with each member

    @property
    def first(self) -> Tenure:
        return self.stays[0]

    @property
    def contract(self) -> bool:
        """Whether the lists say that the members share one contract."""
        return bool(self.members) and GROUPING in self.first.fonction

    @property
    def shared(self) -> str:
        """What several members have in common: « contrat commun à 18 membres », or but one name."""
        many = french.counted(len(self.members), "membre")
        return f"contrat commun à {many}" if self.contract else f"même nom chez {many}"

    @property
    def told(self) -> str:
        """The same in a sentence."""
        return f"{'un' if self.contract else 'le'} {self.shared}"


def lines(stays: Iterable[Tenure]) -> list[Line]:
    """The lines of a name, the earliest begin first."""
    shared: dict[tuple[str, ...], list[Tenure]] = defaultdict(list)
    for one in stays:
        shared[_terms(one)].append(one)
    offices: dict[tuple[str, str], list[Tenure]] = defaultdict(list)
    found: list[Line] = []
    for same in shared.values():
        if same[0].chambre == "europarl" and len({one.elu_id for one in same}) >= SHARED:
            members = sorted(same, key=lambda one: (one.elu_groupe, one.elu_cle, one.elu_id))
            found.append(Line((members[0],), tuple(members)))
        else:
            for one in same:
                offices[one.chambre, one.elu_id].append(one)
    for of in offices.values():
        found += [Line(tuple(line)) for line in _side_by_side(of)]
    return sorted(found, key=lambda line: (line.first.debut, line.first.elu_cle))


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


def at_once(all_lines: Sequence[Line]) -> int:
    """The most lines that lists show on one day."""
    days = {stay.debut for line in all_lines for stay in line.stays}
    return max(
        (sum(any(_there(stay, day) for stay in line.stays) for line in all_lines) for day in days),
        default=0,
    )


def _there(stay: Tenure, day: str) -> bool:
    return stay.debut <= day <= stay.fin_apres


def namesakes(stays: Sequence[Tenure], all_lines: Sequence[Line]) -> list[str]:
    """What speaks for several people under the name; nothing of it proves it."""
    said = []
    civilities = {one.collab_civilite for one in stays if one.collab_civilite}
    if len(civilities) > 1:
        said.append(french.typography("deux civilités"))
    days = sorted({one.debut for one in stays})
    chambers = max(
        (len({one.chambre for one in stays if _there(one, day)}) for day in days), default=0
    )
    if chambers > 2:
        said.append(f"{french.counted(chambers, 'chambre')} au même moment")
    most = at_once(all_lines)
    if most > SHARED - 1:
        shared = any(line.contract for line in all_lines)
        places = french.counted(most, "équipe", "équipes ou contrats communs" if shared else "")
        said.append(f"{places} au même moment")
    return said


class Drawn(NamedTuple):
    """The lines of a name, drawn on one scale."""

    defs: Markup
    legend: Markup
    axis: Markup
    bars: list[tuple[Line, str, Markup]]  # each with how long it lasted
    more: int  # lines that are not drawn


def drawn(all_lines: Sequence[Line], coverage: Mapping[str, Coverage]) -> Drawn:
    """The lanes of the lines; what is not known of a chamber is hatched in its own lanes alone."""
    stays = [stay for line in all_lines for stay in line.stays]
    since = min(stay.debut_apres or stay.debut for stay in stays)
    chambers = sorted({stay.chambre for stay in stays})
    scale = drawing.Scale(since, max(coverage[chamber].last for chamber in chambers))
    backgrounds = [
        drawing.background(_behind(chamber), scale, coverage[chamber].gaps) for chamber in chambers
    ]
    bars = []
    for line in all_lines[-LINES:]:
        known = coverage[line.first.chambre]
        picture = drawing.lane(
            line.stays, scale, _behind(line.first.chambre), known.last, known.first
        )
        bars.append((line, french.lasted_in_all(list(line.stays), known.last), picture))
    return Drawn(
        drawing.defs(*chambers, backgrounds=backgrounds),
        drawing.legend(
            "lanes", bars[-1][0].first.chambre, [*backgrounds, *(bar for _, _, bar in bars)]
        ),
        drawing.axis(scale),
        bars,
        max(len(all_lines) - LINES, 0),
    )


def _behind(chamber: str) -> str:
    return f"fond-{drawing.CHAMBER_CLASS[chamber]}"


def title(all_lines: Sequence[Line], namesakes: bool = False) -> str:
    """What the lines show: « Six équipes dans trois chambres depuis 2015, jusqu’à deux en même temps ».

    What several members share is no office: « Une équipe et un contrat commun à 18 membres… ».

    Where no stay goes on it is the years of the first and the last one. Where the page warns of namesakes,
    nobody is told to have been in several at once, nor somewhere from the first to the last: « Deux équipes
    sous ce nom ».
    """
    what = phrases.beginning(_what(all_lines))
    if namesakes:
        return f"{what} sous ce nom"
    chambers = {line.first.chambre for line in all_lines}
    where = (
        f"dans {phrases.in_words(len(chambers))} chambres"
        if len(chambers) > 1
        else french.IN_CHAMBER[next(iter(chambers))]
    )
    said = f"{what} {where} {_when(all_lines)}"
    most = at_once(all_lines)
    return said + (f", jusqu’à {phrases.in_words(most)} en même temps" if most > 1 else "")


def _what(all_lines: Sequence[Line]) -> str:
    shared = [line for line in all_lines if line.members]
    alone = len(all_lines) - len(shared)
    said = [f"{phrases.in_words(alone)} équipe{'s' if alone > 1 else ''}"] if alone else []
    if len(shared) == 1:
        said.append(shared[0].told)
    elif shared:
        common = (
            "contrats communs" if all(line.contract for line in shared) else "présences communes"
        )
        said.append(f"{phrases.in_words(len(shared))} {common} à plusieurs membres")
    return " et ".join(said)


def _when(all_lines: Sequence[Line]) -> str:
    stays = [stay for line in all_lines for stay in line.stays]
    first = min(stays, key=lambda one: (one.debut, one.debut_apres))
    since, until = first.debut[:4], max(one.fin_apres for one in stays)[:4]
    if any(not one.fin for one in stays):
        return f"depuis {since}" + ("" if first.debut_apres else " au moins")
    if not first.debut_apres:
        return f"de {since} ou plus tôt à {until}"
    return f"en {since}" if since == until else f"de {since} à {until}"


def groups(line: Line) -> str:
    """The groups of the members who share a stay, with their numbers: « 9 AUR, 6 BOR »."""
    numbers: dict[str, int] = defaultdict(int)
    for one in line.members:
        numbers[one.elu_groupe or MEANINGS[one.chambre]] += 1
    return ", ".join(f"{number} {code}" for code, number in sorted(numbers.items()))
