"""Days, durations and numbers in the words that pages use, written again from their definitions."""

from __future__ import annotations

import calendar
import datetime
from collections.abc import Sequence
from fractions import Fraction

from datasette_mouvements.pages import french
from parlement_lists.dates import MONTH_NAMES
from parlement_lists.meanings import MEANINGS
from parlement_lists.movement import CHAMBERS as _CHAMBERS

from .from_lists import Stay

IN = {chamber: words.at for chamber, words in french.CHAMBERS.items()}
OF = french.OF_CHAMBER
CHAMBERS = {name: MEANINGS[name] for name in _CHAMBERS}

SHORT = {chamber: words.short for chamber, words in french.CHAMBERS.items()}
SIGNS = {"Arrivée": "+", "Départ": "−", "Transfert": "→"}
TITLE = " – Mouvements des collaborateurs parlementaires"
DISSOLUTION = "2024-06-09"


def apart(since: str, until: str) -> int:
    return (datetime.date.fromisoformat(until) - datetime.date.fromisoformat(since)).days


def moved(on: str, days: int) -> str:
    return (datetime.date.fromisoformat(on) + datetime.timedelta(days)).isoformat()


def exact(after: str, on: str) -> bool:
    return apart(after, on) <= 1


def day(text: str) -> str:
    date = datetime.date.fromisoformat(text)
    return f"{'1er' if date.day == 1 else date.day} {MONTH_NAMES[date.month - 1]} {date.year}"


def weekday(text: str) -> str:
    name = french.WEEKDAYS[datetime.date.fromisoformat(text).weekday()]
    return f"{name} {day(text).rpartition(' ')[0]}"


def brief(text: str) -> str:
    """« 4 sept. », the day without the year."""
    return f"{day(text).split()[0]} {french.SHORT_MONTHS[int(text[5:7]) - 1]}"


def pair(after: str, on: str) -> tuple[str, str]:
    """Two days, what they share said with the second."""
    first = day(after).split()
    shared = 2 if after[:7] == on[:7] else after[:4] == on[:4]
    return " ".join(first[: 3 - shared]), day(on)


def between(after: str, on: str) -> str:
    """« le 12 mars 2024 », « entre le 3 et le 9 mars 2021 »."""
    if not after or exact(after, on):
        return f"le {day(on)}"
    return "entre le {} et le {}".format(*pair(after, on))


def from_to(since: str, until: str) -> str:
    return f"le {day(since)}" if since == until else "du {} au {}".format(*pair(since, until))


def no_list(before: str, first: str) -> str:
    if not before:
        return f"pas de liste avant le {day(first)}"
    if not first:
        return f"pas de liste après le {day(before)}"
    return f"pas de liste {from_to(moved(before, 1), moved(first, -1))}"


def without(holes: Sequence[tuple[str, str]]) -> str:
    """The holes within a time, the three longest by their days: « , sans liste du 10 au 30 janvier 2018 »."""
    longest = sorted(holes, key=lambda hole: apart(*hole))[-3:]
    told = [from_to(moved(before, 1), moved(first, -1)) for before, first in sorted(longest)]
    if len(holes) > len(told):
        days, more = sum(apart(*hole) - 1 for hole in holes), len(holes) - len(told)
        told.append(f"{more} autre{'s' * (more > 1)} fois, {plural(days, 'jour')} en tout")
    return f", sans liste {joined(told)}" if told else ""


def joined(texts: Sequence[str]) -> str:
    return " et ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))


def renewed(on: str, to: str = "") -> str:
    """The renewal of a day, or the one dissolution of these years; `to` it « à »."""
    if on == DISSOLUTION:
        return f"{to and to + ' '}la dissolution du {day(on)}"
    return f"{'au' if to else 'le'} renouvellement du {day(on)}"


def function(written: str) -> str:
    """What a list calls the work, in French."""
    alone = written.removesuffix(" (grouping)")
    name = french.FUNCTIONS.get(alone.lower().removesuffix("s"), "")
    return name + ", contrat commun" * (alone != written)


def plural(number: int, noun: str, several: str = "") -> str:
    return f"{thousands(number)} {noun if number < 2 else several or noun + 's'}"


def percent(share: Fraction) -> str:
    """In whole per cent, a half upwards, as of four decimals."""
    return f"{int(round(share, 4) * 100 + Fraction(1, 2))} %"


def people(number: int) -> str:
    return plural(number, "personne")


def thousands(number: int) -> str:
    return f"{number:,}".replace(",", " ")


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def of(name: str) -> str:
    vowel = _initial(name) in "aeiouœæ"
    # Yves, Yvonne; Yaël, Yannick.
    consonant = name[:1] == "Y" and _initial(name[1:]) not in "aeiou"
    return f"d’{name}" if vowel or consonant else f"de {name}"


def _initial(name: str) -> str:
    return name[:1].lower().translate(str.maketrans("éèêëâàîïôöûüç", "eeeeaaiioouuc"))


def role(chamber: str, civility: str) -> str:
    return french.CHAMBERS[chamber].members.get(civility, f"membre {OF[chamber]}")


def ago(since: str, today: str) -> str:
    number = months(since, apart(since, today))
    if number < 2:
        return f"il y a {plural(apart(since, today), 'jour')}"
    told = [plural(number // 12, "an")] * (number > 11) + [f"{number % 12} mois"] * bool(
        number % 12
    )
    return f"il y a {' et '.join(told)}"


def begin(stay: Stay) -> str:
    if not stay.after:
        return f"depuis le {day(stay.begin)} au plus tard"
    bounds = between(stay.after, stay.begin)
    return f"depuis {bounds if exact(stay.after, stay.begin) else f'une date comprise {bounds}'}"


def months(since: str, days: int) -> int:
    """How many months are over some days after a day."""
    first = datetime.date.fromisoformat(since)
    end, number = first + datetime.timedelta(days), 0
    while True:
        year, month = divmod(first.year * 12 + first.month + number, 12)
        most = calendar.monthrange(year, month + 1)[1]
        if datetime.date(year, month + 1, min(first.day, most)) > end:
            return number
        number += 1
