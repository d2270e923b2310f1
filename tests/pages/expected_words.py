"""Days, durations and numbers in the words that pages use, written again from their definitions."""

from __future__ import annotations

import datetime
import statistics
from collections.abc import Iterable, Sequence
from fractions import Fraction

from .expected_pages import Chamber, Standing, apart, moved
from .from_lists import Stay

_MONTHS = (
    *("janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août"),
    *("septembre", "octobre", "novembre", "décembre"),
)
_BRIEF = {"janvier": "janv.", "février": "févr.", "juillet": "juil.", "septembre": "sept."} | {
    name: f"{name[:3]}." for name in ("octobre", "novembre")
}
_BRIEF["décembre"] = "déc."
_NUMBERS = (
    "zéro une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize"
)
ROLES = {"assemblee": ("député", "députée"), "senat": ("sénateur", "sénatrice")}
CHAMBERS = {
    "assemblee": "Assemblée nationale",
    "senat": "Sénat",
    "europarl": "Parlement européen",
}
SHORT = {"assemblee": "Assemblée", "senat": "Sénat", "europarl": "Parl. européen"}
SIGNS = {"Arrivée": "+", "Départ": "−", "Transfert": "→"}
OF = {
    "assemblee": "de l’Assemblée nationale",
    "senat": "du Sénat",
    "europarl": "du Parlement européen",
}
IN = {
    "assemblee": "à l’Assemblée nationale",
    "senat": "au Sénat",
    "europarl": "au Parlement européen",
}
_FUNCTIONS = {
    "Accredited assistants": "assistance accréditée",
    "Local assistants": "assistance locale",
    "Service providers": "prestation de services",
    "Paying agents": "tiers payant",
    "Trainees": "stage",
}


def day(text: str) -> str:
    date = datetime.date.fromisoformat(text)
    return f"{'1er' if date.day == 1 else date.day} {_MONTHS[date.month - 1]} {date.year}"


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


def short(after: str, on: str) -> str:
    """« 29 juin 2022 », « 12 juin – 18 juil. 2024 »."""
    text = " – ".join(pair(after, on)) if after and not exact(after, on) else day(on)
    for name, brief in _BRIEF.items():
        text = text.replace(name, brief)
    return text


def without(holes: Sequence[tuple[str, str]]) -> str:
    """The holes beside a figure, the three longest by their days: « , sans liste du 10 au 30 janvier 2018 »."""
    longest = sorted(holes, key=lambda hole: apart(*hole))[-3:]
    spans = [(moved(before, 1), moved(first, -1)) for before, first in sorted(longest)]
    told = ["du {} au {}".format(*pair(*span)) for span in spans]
    if len(holes) > len(told):
        days = sum(apart(*hole) - 1 for hole in holes)
        more = plural(len(holes) - len(told), "autre")
        told.append(f"{more} fois, {plural(days, 'jour')} en tout")
    return (
        ", sans liste " + " et ".join(filter(None, (", ".join(told[:-1]), told[-1])))
        if told
        else ""
    )


def renewed(on: str, to: str = "") -> str:
    """The renewal of a day, or the one dissolution of these years."""
    if on == "2024-06-09":
        return f"{to and to + ' '}la dissolution du {day(on)}"
    return f"{'au' if to else 'le'} renouvellement du {day(on)}"


def ended(chamber: str, standing: Standing) -> str:
    """How a mandate does not go on."""
    on = day(standing.listed if standing.how == "ancien" else standing.day)
    return {
        "renouvelé": f"mandats {OF[chamber]} terminés {renewed(standing.day, 'à')}",
        "inconnu": f"mandat non connu depuis {renewed(standing.day)}",
        "fin inconnue": f"fin du mandat non connue, après le {on}",
        "ancien": f"ancien membre (listes jusqu’au {on})",
        "terminé": f"mandat terminé le {on}",
    }[standing.how]


def gone(stay: Stay, standing: Standing) -> str:
    """Of whom the first list after the mandate lacks."""
    known = "terminé" if standing.ended else "non connu"
    return f"plus sur la liste du {day(stay.end)} (mandat {known})"


def leave(stay: Stay, last: str) -> str:
    """That the last list that has a stay says unpaid leave."""
    on = f" à la liste du {day(stay.seen)}" if stay.seen < last else ""
    return f" en congé sans solde{on}" if stay.on_leave else ""


def function(written: str) -> str:
    """What a list calls the work, in French before the English."""
    alone = written.removesuffix(" (grouping)")
    told = _FUNCTIONS.get(alone, "") + ", contrat commun" * (alone != written)
    return f"{told} ({written})" if written else ""


def group_at(lists: Chamber, member: str, on: str, leaving: bool = False) -> str:
    """The group on a day; at the European Parliament also from which day on one is known."""
    group = lists.group(member, on, leaving)
    if group or lists.name != "europarl":
        return group
    known = min((since for _, since, _ in lists.memberships(member)), default="")
    return "groupe non connu" + f" avant le {day(known)}" * (on < known)


def exact(after: str, on: str) -> bool:
    return apart(after, on) <= 1


def began(stay: Stay) -> str:
    if stay.after:
        return between(stay.after, stay.begin)
    return f"avant le {day(stay.begin)} ou ce jour-là"


def absent(on: str) -> str:
    return f"nom absent de la liste du {day(on)} (liste en retard ou fin de mandat : le jour du départ n’est pas connu)"


def plural(number: int, noun: str) -> str:
    return f"{thousands(number)} {noun}{'s' if number > 1 else ''}"


def thousands(number: int) -> str:
    return f"{number:,}".replace(",", " ")


def in_words(number: int) -> str:
    words = _NUMBERS.split()
    return words[number] if number < len(words) else str(number)


def people(number: int) -> str:
    return plural(number, "personne")


def no_list(before: str, first: str) -> str:
    if not before:
        return f"pas de liste avant le {day(first)}"
    return "pas de liste du {} au {}".format(*pair(moved(before, 1), moved(first, -1)))


def late(lists: Chamber, counted: bool = False) -> str:
    """What a page says of a chamber whose last list is old; `counted` where its figures are of that day."""
    days = apart(lists.last, lists.today)
    number = months(lists.last, days)
    age = plural(days, "jour")
    if number > 1:
        parts = [plural(number // 12, "an")] * (number > 11) + [f"{number % 12} mois"] * bool(
            number % 12
        )
        age = " et ".join(parts)
    said = f"La dernière liste {OF[lists.name]} date du {day(lists.last)}, il y a {age}. Ce qui a changé depuis n’est pas connu."
    if counted:
        said += " Les effectifs de cette page sont ceux de ce jour-là, et les douze mois comptés s’y arrêtent."
    return said * (days > 10)


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def times(stays: list[Stay]) -> str:
    return f" en {in_words(len(stays))} fois" if len(stays) > 1 else ""


def percent(share: Fraction) -> str:
    """In whole per cent, a half upwards."""
    return f"{int(share * 100 + Fraction(1, 2))} %"


def of(name: str) -> str:
    vowel = words_initial(name) in "aeiouœæ"
    # Yves, Yvonne; Yaël, Yannick.
    consonant = name[:1] == "Y" and words_initial(name[1:]) not in "aeiou"
    return f"d’{name}" if vowel or consonant else f"de {name}"


def words_initial(name: str) -> str:
    return name[:1].lower().translate(str.maketrans("éèêëâàîïôöûüç", "eeeeaaiioouuc"))


def role(chamber: str, civility: str) -> str:
    if not civility:
        return f"membre {OF[chamber]}"
    return ROLES[chamber][civility == "Mme"]


def lasted(stays: Iterable[Stay], last: str) -> str:
    """How long stays lasted together: each began after `after`, by `begin`, and ended after `seen`, by `end`."""
    some = sorted(stays, key=lambda one: one.begin)
    least = sum(apart(s.begin, moved(s.seen, 1) if s.end else last) for s in some)
    most = sum(apart(_earliest(s), s.end or last) for s in some)
    fewest, whole = months(some[0].begin, least), months(_earliest(some[0]), most)
    if any(not stay.after for stay in some):
        return f"au moins {fewest} mois" if fewest else f"au moins {plural(max(least, 1), 'jour')}"
    return about(fewest, whole)


def _earliest(stay: Stay) -> str:
    return moved(stay.after, 1) if stay.after else stay.begin


def about(least: int, most: int) -> str:
    if not least:
        return f"moins de {most + 1} mois" if most else "moins d’un mois"
    return f"{least} mois" if least == most else f"entre {least} et {most} mois"


def after(lasted: str) -> str:
    if lasted.startswith("entre "):
        lasted = lasted.removeprefix("entre ").replace(" et ", " à ")
    return f"après {lasted}"


def presence(stays: Iterable[Stay], last: str) -> str:
    """The median of those on the last list, up to it."""
    there = sorted((apart(s.begin, last), not s.after) for s in stays if not s.end)
    half = int(statistics.median(days for days, _ in there))
    number, at_least = months(moved(last, -half), half), there[len(there) // 2][1]
    if at_least:
        return f"au moins {number} mois" if number else f"au moins {plural(max(half, 1), 'jour')}"
    return about(number, number)


def months(since: str, days: int) -> int:
    """How many months are over some days after a day."""
    begin = datetime.date.fromisoformat(since)
    end, number = begin + datetime.timedelta(days), 0
    while True:
        year, month = divmod(begin.year * 12 + begin.month + number, 12)
        following = datetime.date(year + (month == 11), (month + 1) % 12 + 1, 1)
        length = (following - datetime.timedelta(1)).day
        if datetime.date(year, month + 1, min(begin.day, length)) > end:
            return number
        number += 1
