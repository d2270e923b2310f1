"""How values are written for people: dates, numbers, typography, names."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..dataset.coverage import Gap
from ..movement import is_date, plain

NO_BREAK = "\u00a0"
NARROW = "\u202f"
MONTH_NAMES = [
    "janvier",
    "février",
    "mars",
    "avril",
    "mai",
    "juin",
    "juillet",
    "août",
    "septembre",
    "octobre",
    "novembre",
    "décembre",
]
WITHDRAWN = "nom retiré"
OF_CHAMBER = {
    "assemblee": "de l’Assemblée nationale",
    "senat": "du Sénat",
    "europarl": "du Parlement européen",
}
# The functions that the European Parliament lists in English begin so.
_ENGLISH = ("Accredited ", "Local ", "Paying ", "Service ", "Trainee", "Assistants to ")

# A list that is late, or a mandate that ended, makes a departure seen on a day that says nothing of it.
NOT_KNOWN = "liste en retard ou fin de mandat : le jour du départ n’est pas connu"

_BEFORE_NARROW = re.compile(r" (?=[;!?])")
_BEFORE = re.compile(r" (?=[:»%])")


def typography(text: str) -> str:
    """The text with no-break spaces where French wants them."""
    text = _BEFORE_NARROW.sub(NARROW, text)
    return _BEFORE.sub(NO_BREAK, text).replace("« ", "«" + NO_BREAK)


def number(value: int) -> str:
    """12345 -> 12 345, with narrow no-break spaces."""
    return f"{value:,}".replace(",", NARROW)


def counted(value: int, singular: str, plural: str = "") -> str:
    """The number and its noun, in agreement: in French 0 and 1 are singular."""
    noun = singular if abs(value) < 2 else plural or singular + "s"
    return f"{number(value)}{NO_BREAK}{noun}"


def day(text: str) -> str:
    """2026-09-01 -> 1er septembre 2026; anything else unchanged."""
    if not is_date(text):
        return text
    date = datetime.date.fromisoformat(text)
    first = "1er" if date.day == 1 else str(date.day)
    return f"{first}{NO_BREAK}{MONTH_NAMES[date.month - 1]} {date.year}"


def between(after: str | None, text: str) -> str:
    """When something happened that a list shows and the one before does not: their days.

    « le 12 mars 2024 » where it was on that very day, else « entre le 3 et le 9 mars 2021 ».
    """
    if not after or precise(after, text):
        return f"le {day(text)}"
    first, shared = day(after), day(text)
    if after[:7] == text[:7]:
        first = first.partition(NO_BREAK)[0]
    elif after[:4] == text[:4]:
        first = first.rpartition(" ")[0]
    return f"entre le {first} et le {shared}"


class When(NamedTuple):
    """The day of a movement as pages tell it: by itself, and after what happened."""

    text: str
    after: str
    exact: bool = False


def when(row: Mapping[str, Any], after: str | None) -> When:
    """When a movement was, as well as it is known; `after` is the day of the list before, if there is one."""
    seen = row["date_event"]
    if after and not precise(after, seen):
        return When(between(after, seen), between(after, seen))
    faint = row["confiance"] == "faible"
    if after and faint and row["type"] == "depart":
        return When(f"nom {missing(seen)}", f"vu sur la liste du {day(seen)}")
    if faint or (not after and row["confiance"] == "moyen"):
        return When(f"vers le {day(seen)}", f"vers le {day(seen)}")
    return When(day(seen), f"du {day(seen)}", exact=True)


def missing(seen: str) -> str:
    """That a list of a known day has a name no more, which does not tell the day of the departure."""
    return typography(f"absent de la liste du {day(seen)} ({NOT_KNOWN})")


def precise(after: str, text: str) -> bool:
    """Whether there is a list of the day before, or of that very day: the day is known."""
    days = datetime.date.fromisoformat(text) - datetime.date.fromisoformat(after)
    return days <= datetime.timedelta(1)


def gap(missing: Gap) -> str:
    """The days without a list: « pas de liste du 4 mars 2026 au 17 mai 2026 »."""
    if not missing.before:
        return f"pas de liste avant le {day(missing.after)}" if missing.after else "pas de liste"
    if not missing.after:
        return f"pas de liste après le {day(missing.before)}"
    return f"pas de liste du {day(missing.since)} au {day(missing.until)}"


def duration(days: float, until: str) -> str:
    """The days up to that day, in whole months of the calendar: « 12 mois » from 1 September to 1 September.

    Less than a month is told in days, one at least: « 21 jours ».
    """
    end = datetime.date.fromisoformat(until)
    begin = end - datetime.timedelta(int(days))
    months = (end.year - begin.year) * 12 + end.month - begin.month
    # Of 31 January a month is over with February.
    if begin.day > end.day and (end + datetime.timedelta(1)).day != 1:
        months -= 1
    return f"{number(months)}{NO_BREAK}mois" if months else counted(max(int(days), 1), "jour")


def month(text: str) -> str:
    """2026-09 -> septembre 2026."""
    return f"{MONTH_NAMES[int(text[5:7]) - 1]}{NO_BREAK}{text[:4]}"


def instant(moment: datetime.datetime) -> str:
    """An instant given in the time to show it in -> 21 novembre 2026 à 1 h 05."""
    return (
        f"{day(moment.date().isoformat())} à {moment.hour}{NO_BREAK}h{NO_BREAK}{moment.minute:02}"
    )


def percent(part: int, whole: int) -> str:
    """The share, in whole per cent."""
    return f"{round(100 * part / whole) if whole else 0}{NO_BREAK}%"


def full_name(given_name: str | None, family_name: str | None) -> str:
    """Maëlle LE GOFF; what stands there when the name was withdrawn."""
    return " ".join(part for part in (given_name, family_name) if part) or WITHDRAWN


def is_english(text: str | None) -> bool:
    """Whether a function is in English, which a screen reader must be told."""
    return (text or "").startswith(_ENGLISH)


def slug(family_name: str | None, given_name: str | None) -> str:
    """The name as an address spells it, le-goff-maelle; "" for a name that was withdrawn."""
    return plain(f"{family_name or ''} {given_name or ''}").replace(" ", "-")
