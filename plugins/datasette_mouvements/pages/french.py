"""How values are written for people: dates, numbers, typography, names."""

from __future__ import annotations

import datetime
import re

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
# The functions that the European Parliament lists in English begin so.
_ENGLISH = ("Accredited ", "Local ", "Paying ", "Service ", "Trainee", "Assistants to ")

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
