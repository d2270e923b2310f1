"""The stays under one name: a line for each office, what several members share on one, what speaks for namesakes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from parlement_lists.tenure import Tenure

from ...dataset.coverage import Coverage
from ...dataset.stays.namesakes import StayLine, at_once, namesake_signs, stay_lines
from ..charts import drawing
from ..counts.days import GROUPING, NO_GROUP
from ..words import french, phrases

# Lines that are drawn; the table of stays has all of them.
LINES = 24


class CareerLine(StayLine):
    """A line in words."""

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


def lines(stays: Iterable[Tenure]) -> list[CareerLine]:
    """The lines of a name, the earliest begin first."""
    return [CareerLine(*line) for line in stay_lines(stays)]


def namesakes(
    stays: Sequence[Tenure], all_lines: Sequence[CareerLine], corrected: bool
) -> list[str]:
    """The signs that several people have the name, in words; only a maintainer's correction proves it."""
    signs = namesake_signs(stays, all_lines)
    said = ["une correction dit qu’elles sont plusieurs"] if corrected else []
    said += ["deux civilités"] if signs.civilities else []
    if signs.chambers:
        said.append(f"{french.counted(signs.chambers, 'chambre')} au même moment")
    if signs.lines:
        shared = any(line.contract for line in all_lines)
        places = french.counted(
            signs.lines, "équipe", "équipes ou contrats communs" if shared else ""
        )
        said.append(f"{places} au même moment")
    return [french.typography(one) for one in said]


class CareerChart(NamedTuple):
    """The lines of a name, drawn on one scale."""

    defs: Markup
    legend: Markup
    axis: Markup
    bars: list[tuple[CareerLine, str, Markup]]  # each with how long it lasted
    more: int  # lines that are not drawn


def draw(all_lines: Sequence[CareerLine], coverage: Mapping[str, Coverage]) -> CareerChart:
    """The lanes of the lines; days without a list of a chamber are hatched in its own lanes only."""
    stays = [stay for line in all_lines for stay in line.stays]
    since = min(stay.debut_apres or stay.debut for stay in stays)
    chambers = sorted({stay.chambre for stay in stays})
    scale = drawing.Scale(since, max(coverage[chamber].last for chamber in chambers))
    backgrounds = [
        drawing.background(_behind(chamber), scale, coverage[chamber].gaps) for chamber in chambers
    ]
    bars = []
    for line in all_lines[-LINES:]:
        lists = coverage[line.first.chambre]
        picture = drawing.lane(
            line.stays, scale, _behind(line.first.chambre), lists.last, lists.first
        )
        bars.append((line, french.lasted_in_all(list(line.stays), lists.last), picture))
    return CareerChart(
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


def title(all_lines: Sequence[CareerLine], namesakes: bool = False) -> str:
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


def _what(all_lines: Sequence[CareerLine]) -> str:
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


def _when(all_lines: Sequence[CareerLine]) -> str:
    stays = [stay for line in all_lines for stay in line.stays]
    first = min(stays, key=lambda one: (one.debut, one.debut_apres))
    since, until = first.debut[:4], max(one.fin_apres for one in stays)[:4]
    if any(not one.fin for one in stays):
        return f"depuis {since}" + ("" if first.debut_apres else " au moins")
    if not first.debut_apres:
        return f"de {since} ou plus tôt à {until}"
    return french.years(since, until)


def groups(line: CareerLine) -> str:
    """The groups of the members who share a stay, with their numbers: « 9 AUR, 6 BOR »."""
    numbers: dict[str, int] = defaultdict(int)
    for one in line.members:
        numbers[one.elu_groupe or NO_GROUP] += 1
    known = sorted(numbers.items(), key=lambda one: (one[0] == NO_GROUP, one))
    return ", ".join(f"{number} {code}" for code, number in known)
