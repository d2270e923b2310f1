"""What pages call fields, values, people and functions, and sentences that depend on how many there are."""

from __future__ import annotations

import unicodedata

from parlement_lists.meanings import MEANINGS
from parlement_lists.movement import plain

from ...dataset.stays import Succession
from . import french

# A member of whom a list gives no name.
UNNAMED = "parlementaire dont le nom n’est pas connu"

_MEANINGS = MEANINGS | {
    "elu_sortant": "Équipe entière sortie de la liste",
    "elu_entrant": "Équipe nouvelle",
}
SHARED_CONTRACT = "contrat commun"
# The functions that the European Parliament lists in English, in French words that say no gender: by the words of the
# English name in the singular, without « (grouping) ».
_FRENCH = {
    "accredited assistant": "assistance accréditée",
    "local assistant": "assistance locale",
    "service provider": "prestation de services",
    "paying agent": "tiers payant",
    "trainee": "stage",
    "assistants to the vice presidency to the quaestorate": "assistance à la vice-présidence ou à la questure",
}


def meaning(value: object) -> str:
    """What an enumerated value means; any other value as it is."""
    return _MEANINGS.get(str(value), str(value)) if value else ""


def precision(confidence: str) -> str:
    """How well a date is known, without the word for how far to trust it."""
    return MEANINGS.get(confidence, confidence).rpartition(" : ")[2]


def in_french(function: str | None) -> str:
    """What a function listed in English is called in French; "" of one that is not known so.

    « Accredited assistants (grouping) » is « assistance accréditée, contrat commun ».
    """
    words = plain(function or "")
    alone = words.removesuffix(" grouping")
    name = _FRENCH.get(alone.removesuffix("s"), "")
    return f"{name}, {SHARED_CONTRACT}" if name and alone != words else name


# What a run found at a source, and how it ended itself.
OUTCOMES = {
    "nouvelle": "liste nouvelle",
    "identique": "liste inchangée",
    "refusee": "liste refusée",
    "echouee": "pas de liste",
    "reussie": "passage réussi",
    "alarme": "à voir",
}

_VOWELS = tuple("aeiouœæ")


def role(chamber: str, civility: str) -> str:
    """« députée », « sénateur », or « membre du Sénat » where the civility is not known."""
    words = french.CHAMBERS[chamber]
    return words.members.get(civility, f"membre {words.of}")


def of(name: str) -> str:
    """« d’Océane », « d’Yves », « de Jean », « de Yaël »; before an H, which may be either, « de »."""
    letters = unicodedata.normalize("NFD", name[:4]).lower()
    first, then = letters[:1], letters[1:2]
    elided = first in _VOWELS or (first == "y" and then not in _VOWELS)
    return f"d’{name}" if name and elided else f"de {name}"


def beginning(text: str) -> str:
    """The text with a capital."""
    return text[:1].upper() + text[1:]


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
    return french.between(after, ended.fin)


def already_there(one: Succession) -> str:
    """Until when a returning name was there before: « jusqu’au 2 mars 2024, puis absent 12 jours ».

    « au moins » where lists are missing after that day.
    """
    ended = one.ended
    until = f"jusqu’au {french.day(ended.fin_apres)}"
    until += "" if french.precise(ended.fin_apres, ended.fin) else " au moins"
    least, most = one.bounds
    return f"{until}, puis absent {_days(least, most)}" if most else until


def _days(least: int, most: int) -> str:
    days = french.counted(most, "jour")
    return days if least == most else f"{french.number(least)} à {days}"
