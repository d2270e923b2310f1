"""Sentences and words that depend on who somebody is or on how many there are."""

from __future__ import annotations

import unicodedata

from parlement_lists.meanings import MEANINGS

from . import french

# By civility: where it is not known the word says no gender.
_ROLES = {
    "assemblee": {"M.": "député", "Mme": "députée"},
    "senat": {"M.": "sénateur", "Mme": "sénatrice"},
    "europarl": {"M.": "député européen", "Mme": "députée européenne"},
}
# What chambers are called where there is little room.
_SHORT = {"assemblee": "Assemblée", "europarl": "Parl. européen"}
_VOWELS = tuple("aeiouœæ")
_WORDS = (
    *("zéro", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix"),
    *("onze", "douze", "treize", "quatorze", "quinze", "seize"),
)


def role(chamber: str, civility: str) -> str:
    """« députée », « sénateur », or « membre du Sénat » where the civility is not known."""
    return _ROLES[chamber].get(civility, f"membre {french.OF_CHAMBER[chamber]}")


def of(name: str) -> str:
    """« d’Océane », « d’Yves », « de Jean », « de Yaël »; before an H, which may be either, « de »."""
    letters = unicodedata.normalize("NFD", name[:4]).lower()
    first, then = letters[:1], letters[1:2]
    elided = first in _VOWELS or (first == "y" and then not in _VOWELS)
    return f"d’{name}" if name and elided else f"de {name}"


def in_words(value: int) -> str:
    """A number of people: in letters up to sixteen, « une » for one."""
    return "une" if value == 1 else _WORDS[value] if value < len(_WORDS) else french.number(value)


def beginning(text: str) -> str:
    """The text with a capital."""
    return text[:1].upper() + text[1:]


def who_left(left: int, people: int, with_member: int = 0, after_end: int = 0) -> str:
    """The departures of an office in a year, where it has a figure (`FEWEST` people): « Trois des huit personnes… ».

    `with_member` of them left with the whole team, and are not among those `left`, of whom `after_end` left
    after the mandate's last day, when the lists still had somebody.
    """
    said = _left(left, people)
    if after_end:
        of_them = f"dont {in_words(after_end)} " if after_end < left else "toutes " * (left > 1)
        return f"{said}, {of_them}après la fin du mandat"
    return (
        f"Départ de toute l’équipe mis à part, {said[:1].lower()}{said[1:]}"
        if with_member
        else said
    )


def _left(left: int, people: int) -> str:
    whom = f"{in_words(people)} personnes passées par cette équipe en douze mois"
    if left == people:
        return f"Les {whom} l’ont quittée"
    if left < 2:
        begin, end = ("Aucune", "ne l’a quittée") if left == 0 else ("Une", "l’a quittée")
        return f"{begin} des {whom} {end}"
    return f"{beginning(in_words(left))} des {whom} l’ont quittée"


def after(lasted: str) -> str:
    """How long one had been somewhere: « après 15 à 17 mois » of « entre 15 et 17 mois »."""
    if lasted.startswith("entre "):
        lasted = lasted.removeprefix("entre ").replace(" et ", " à ")
    return f"après {lasted}"


def times(number: int) -> str:
    """In how many stays: « en deux fois »; nothing of one."""
    return f"en {in_words(number)} fois" if number > 1 else ""


def short_chamber(chamber: str) -> str:
    """What a chamber is called where there is little room."""
    return _SHORT.get(chamber, MEANINGS[chamber])
