"""How a return, and where a name is seen next, are told: with the bounds that lists give, and of a name only."""

from __future__ import annotations

from ...dataset.stays.successions import Succession
from . import french


def days_after(one: Succession) -> str:
    """When the next stay began after the end: « 12 jours après », « 98 à 112 jours après ».

    Where one list lacks the one and shows the other: « le même jour », « entre le 3 et le 9 mars 2026 ».
    """
    least, most = one.bounds
    if one.days and most:
        return f"{_days(least, most)} après"
    ended = one.ended
    # Lists that repeat a member's rows may bound the one and not the other.
    after = min(begun.debut_apres or ended.fin_apres for begun in one.begun)
    after = min(after, ended.fin_apres)
    if french.precise(after, ended.fin):
        return "le même jour"
    return french.plain_between(after, ended.fin)


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
