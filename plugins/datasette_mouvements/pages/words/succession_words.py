"""How a return, and where a name is seen next, are told: with the bounds that lists give, and of a name only."""

from __future__ import annotations

from parlement_lists.tenure import Tenure

from ...dataset.stays.successions import Succession
from . import french


def days_after(one: Succession) -> str:
    """When the next stay began after the end: « 12 jours après », « 98 à 112 jours après ».

    Where one list lacks the one and shows the other: « entre le 3 et le 9 mars 2026 ».
    """
    least, most = one.bounds
    return f"{_days(least, most)} après" if one.days and most else moved_on(one.ended)


def moved_on(ended: Tenure) -> str:
    """When one list lacks a stay and shows the next: « le même jour », « entre le 3 et le 9 mars 2026 »."""
    if french.precise(ended.fin_apres, ended.fin):
        return "le même jour"
    return french.plain_between(ended.fin_apres, ended.fin)


def already_there(one: Succession) -> str:
    """Until when a returning name was there before: « jusqu’au 2 mars 2024, puis absent 12 jours ».

    « au moins » where lists are missing after that day.
    """
    ended = one.ended
    until = f"jusqu’au {french.plain_day(ended.fin_apres)}"
    until += "" if french.precise(ended.fin_apres, ended.fin) else " au moins"
    least, most = one.bounds
    return f"{until}, puis absent {_days(least, most)}" if most else until


def _days(least: int, most: int) -> str:
    days = french.counted(most, "jour")
    return days if least == most else f"{french.number(least)} à {days}"
