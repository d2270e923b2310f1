"""How values are written for people and in sentences: dates, numbers, typography, what people and functions are called."""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any, NamedTuple

from markupsafe import Markup

from parlement_lists.dates import MONTH_NAMES, days_between
from parlement_lists.meanings import MEANINGS
from parlement_lists.movement import PARIS, is_date, plain
from parlement_lists.tracking.members.known_members import DISSOLUTIONS

from ..dataset.coverage import Gap
from ..dataset.stays import Succession

NO_BREAK = "\u00a0"
NARROW = "\u202f"
WEEKDAYS = ["Lundi", "Mardi", "Mercredi", "Jeudi", "Vendredi", "Samedi", "Dimanche"]
# « mars », « mai », « juin » and « août » have no abbreviation.
SHORT_MONTHS = [
    *("janv.", "févr.", "mars", "avril", "mai", "juin"),
    *("juil.", "août", "sept.", "oct.", "nov.", "déc."),
]
FIRST = "1ᵉʳ"
# Holes that one sentence names.
HOLES_TOLD = 3
WITHDRAWN = "nom retiré"


class ChamberWords(NamedTuple):
    the: str
    at: str
    of: str
    short: str  # where there is little room
    members: dict[str, str]  # by civility: where it is not known the word says no gender
    css: str  # the class of its colour


CHAMBERS = {
    "assemblee": ChamberWords(
        the="L’Assemblée nationale",
        at="à l’Assemblée nationale",
        of="de l’Assemblée nationale",
        short="Assemblée",
        members={"M.": "député", "Mme": "députée"},
        css="an",
    ),
    "senat": ChamberWords(
        the="Le Sénat",
        at="au Sénat",
        of="du Sénat",
        short="Sénat",
        members={"M.": "sénateur", "Mme": "sénatrice"},
        css="se",
    ),
    "europarl": ChamberWords(
        the="Le Parlement européen",
        at="au Parlement européen",
        of="du Parlement européen",
        short="Parl. européen",
        members={"M.": "député européen", "Mme": "députée européenne"},
        css="ep",
    ),
}
OF_CHAMBER = {name: words.of for name, words in CHAMBERS.items()}
# The functions that the European Parliament lists in English begin so.
_ENGLISH = ("Accredited ", "Local ", "Paying ", "Service ", "Trainee", "Assistants to ")

_BEFORE_NARROW = re.compile(r" (?=[;!?%])")
_BEFORE = re.compile(r" (?=[:»])")
# What programs read, and tags, are passed by; a number up to the word that follows it in the same line of text. Years
# have four digits and stand alone.
_INLINE = "(?:b|strong|span|abbr|time)"
_PASSED = re.compile(r"(?s)(<(pre|code|textarea|script|style)\b.*?</\2>)")
_NUMBER = re.compile(
    rf"<[^>]*>|(?<!\d)\d{{1,3}}(?:</{_INLINE}>)?[ \n]+(?=(?:<{_INLINE}\b[^>]*>)?[^\W\d_])"
)
_SPACES = re.compile("[ \n]+")
# Where text alone may stand, no tag: the title of a page or of an image, the choices of a form.
_RAISED = re.compile(rf"<(?:title|text|option)\b[^>]*>[^<]*|<[^>]*>|{FIRST[1:]}")


def typography(text: str) -> str:
    """The text, Markup or not, with no-break spaces where French wants them."""
    spaced = _BEFORE.sub(NO_BREAK, _BEFORE_NARROW.sub(NARROW, text))
    return type(text)(spaced.replace("« ", "«" + NO_BREAK))


def typeset(html: str) -> Markup:
    """A page with the spaces of French, no number broken from the word that says what it counts.

    1ᵉʳ becomes `1<sup>er</sup>`, which is read out well.
    """
    parts = _PASSED.split(html)
    # Of three parts one is text, one is passed by, one is the name of its tag.
    texts = (_RAISED.sub(_raised, typography(_NUMBER.sub(_unbroken, text))) for text in parts[::3])
    return Markup("".join(chain.from_iterable(zip_longest(texts, parts[1::3], fillvalue=""))))


def _unbroken(match: re.Match[str]) -> str:
    return match[0] if match[0].startswith("<") else _SPACES.sub(NO_BREAK, match[0])


def _raised(match: re.Match[str]) -> str:
    return match[0] if match[0].startswith("<") else "<sup>er</sup>"


def number(value: float) -> str:
    """12345 -> 12 345, with narrow no-break spaces; of a median 14.5 -> 14,5."""
    text = f"{value:,}".removesuffix(".0").replace(",", NARROW)
    return text.replace(".", ",")


def counted(value: float, singular: str, plural: str = "") -> str:
    """The number and its noun, in agreement: in French 0 and 1 are singular."""
    noun = singular if abs(value) < 2 else plural or singular + "s"
    return f"{number(value)}{NO_BREAK}{noun}"


def day(text: str | None) -> str:
    """2026-09-01 -> 1ᵉʳ septembre 2026; anything else unchanged."""
    text = text or ""
    return _written(text, MONTH_NAMES) if is_date(text) else text


def renewal(text: str, before: str = "") -> str:
    """2017-10-02 -> le renouvellement du 2 octobre 2017, or au, `before` it « à »; a dissolution is said to be one."""
    if text in DISSOLUTIONS:
        return f"{'à la' if before else 'la'} dissolution du {day(text)}"
    return f"{'au' if before else 'le'} renouvellement du {day(text)}"


def weekday(text: str) -> str:
    """2026-11-20 -> Vendredi 20 novembre, where the year stands elsewhere."""
    name = WEEKDAYS[datetime.date.fromisoformat(text).weekday()]
    return f"{name} {day(text).rpartition(' ')[0]}"


def years(since: str, until: str) -> str:
    """« de 2017 à 2020 », « en 2020 » of one year."""
    return f"en {since}" if since == until else f"de {since} à {until}"


def from_to(since: str, until: str) -> str:
    """« du 16 au 20 novembre 2026 », what two days share said once; « le 16 novembre 2026 » of one day."""
    if since == until:
        return f"le {day(since)}"
    first, second = pair_of_days(since, until)
    return f"du {first} au {second}"


def _written(text: str, names: list[str]) -> str:
    date = datetime.date.fromisoformat(text)
    number = FIRST if date.day == 1 else str(date.day)
    return f"{number}{NO_BREAK}{names[date.month - 1]} {date.year}"


def between(after: str | None, text: str) -> str:
    """When something happened that a list shows and the list before does not, by the days of both.

    « le 12 mars 2024 » where it was on that very day, else « entre le 3 et le 9 mars 2021 ».
    """
    if not after or precise(after, text):
        return f"le {day(text)}"
    first, second = pair_of_days(after, text)
    return f"entre le {first} et le {second}"


def short(text: str) -> str:
    """« 18 juil. », where there is little room and the year stands elsewhere."""
    return _written(text, SHORT_MONTHS).rpartition(" ")[0]


def pair_of_days(after: str, text: str) -> tuple[str, str]:
    """Two days, what they share said with the second only."""
    first, second = day(after), day(text)
    if after[:7] == text[:7]:
        first = first.partition(NO_BREAK)[0]
    elif after[:4] == text[:4]:
        first = first.rpartition(" ")[0]
    return first, second


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
        # Of a team that was emptied nobody is told to have left.
        absent = absence(seen) if row.get("contexte") == "elu_sortant" else missing(seen)
        return When(absent, f"vu sur la liste du {day(seen)}")
    if faint or (not after and row["confiance"] == "moyen"):
        return When(f"vers le {day(seen)}", f"vers le {day(seen)}")
    return When(day(seen), f"du {day(seen)}", exact=True)


def absence(seen: str) -> str:
    """That a name is absent from the list of a day."""
    return f"nom absent de la liste du {day(seen)}"


def missing(seen: str) -> str:
    """That a name is absent from the list of a day, which does not tell the day of the departure."""
    return f"{absence(seen)}, jour du départ inconnu"


def precise(after: str, text: str) -> bool:
    """Whether there is a list of the day before, or of that very day: the day is known."""
    return days_between(after, text) <= 1


def gap(missing: Gap) -> str:
    """The days without a list: « pas de liste du 4 mars au 17 mai 2026 »."""
    if not missing.before:
        return f"pas de liste avant le {day(missing.after)}" if missing.after else "pas de liste"
    if not missing.after:
        return f"pas de liste après le {day(missing.before)}"
    return f"pas de liste {from_to(missing.since, missing.until)}"


def without_lists(holes: Sequence[Gap]) -> str:
    """The holes within a period: « sans liste du 14 au 26 avril 2026 »; of many the longest; "" of none."""
    longest = sorted(holes, key=lambda hole: hole.days)[-HOLES_TOLD:]
    spans = [from_to(hole.since, hole.until) for hole in sorted(longest)]
    if len(spans) < len(holes):
        days = sum(hole.days - 1 for hole in holes)
        more = counted(len(holes) - len(spans), "autre fois", "autres fois")
        spans.append(f"{more}, {counted(days, 'jour')} en tout")
    *some, last = spans or [""]
    return f"sans liste {', '.join(some)}{' et ' if some else ''}{last}" if last else ""


def ago(day: str, today: datetime.date) -> str:
    """How long ago a day was: « il y a 34 jours », « il y a 2 ans et 5 mois »."""
    years, rest = divmod(months(day, today.isoformat()), 12)
    told = [counted(years, "an")] * bool(years) + [counted(rest, "mois", "mois")] * bool(rest)
    if not years and rest < 2:
        told = [counted(days_between(day, today.isoformat()), "jour")]
    return NO_BREAK.join(("il", "y", "a", " et ".join(told)))


def months(since: str, until: str) -> int:
    """How many months of the calendar are over from one day to another."""
    begin, end = datetime.date.fromisoformat(since), datetime.date.fromisoformat(until)
    whole = (end.year - begin.year) * 12 + end.month - begin.month
    # From 31 January a month is over at the end of February.
    short_of_it = begin.day > end.day and (end + datetime.timedelta(1)).day != 1
    return max(whole - short_of_it, 0)


def instant(text: str) -> str:
    """An instant of ISO 8601 -> 21 novembre 2026 à 1 h 05, in Paris."""
    moment = datetime.datetime.fromisoformat(text).astimezone(PARIS)
    clock = f"{moment.hour}{NO_BREAK}h{NO_BREAK}{moment.minute:02}"
    return f"{day(moment.date().isoformat())} à {clock}"


def share(rate: float) -> str:
    """A rate (0 to 1) in whole per cent, a half upwards."""
    return f"{(round(rate * 10**6) + 5000) // 10_000}{NARROW}%"


def measure(text: str) -> str:
    """What a list was refused for, as the guard wrote it: « 24,5 % », « 100 % »."""
    return text.replace(",0 %", " %")


def full_name(given_name: str | None, family_name: str | None) -> str:
    """Maëlle LE GOFF; what stands there when the name was withdrawn."""
    return " ".join(part for part in (given_name, family_name) if part) or WITHDRAWN


def is_english(text: str | None) -> bool:
    """Whether a function is in English, which a screen reader must be told."""
    return (text or "").startswith(_ENGLISH)


# A member of whom a list gives no name.
UNNAMED = "parlementaire dont le nom n’est pas connu"

_MEANINGS = MEANINGS | {
    "elu_sortant": "Équipe entière sortie de la liste",
    "elu_entrant": "Équipe nouvelle",
}
# The functions that the European Parliament lists in English, in French words that say no gender: by the words of the
# English name in the singular, without « (grouping) ».
FUNCTIONS = {
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
    name = FUNCTIONS.get(alone.removesuffix("s"), "")
    return f"{name}, contrat commun" if name and alone != words else name


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
    words = CHAMBERS[chamber]
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
    if precise(after, ended.fin):
        return "le même jour"
    return between(after, ended.fin)


def already_there(one: Succession) -> str:
    """Until when a returning name was there before: « jusqu’au 2 mars 2024, puis absent 12 jours ».

    « au moins » where lists are missing after that day.
    """
    ended = one.ended
    until = f"jusqu’au {day(ended.fin_apres)}"
    until += "" if precise(ended.fin_apres, ended.fin) else " au moins"
    least, most = one.bounds
    return f"{until}, puis absent {_days(least, most)}" if most else until


def _days(least: int, most: int) -> str:
    days = counted(most, "jour")
    return days if least == most else f"{number(least)} à {days}"
