"""What the pages of chambers and of groups must say, by the lists and the members' files alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from .expected_pages import Chamber
from .expected_words import CHAMBERS, IN, OF, TITLE, ago, day, plural, renewed, thousands
from .read_pages import Expected

NO_LIST = "Pas de liste connue."


@cache
def sitting(lists: Chamber) -> list[str]:
    return [member for member in lists.by_member if lists.sits(member)]


def index(chambers: Mapping[str, Chamber]) -> Iterator[Expected]:
    """The page of all chambers."""
    yield f"Les parlementaires et leurs équipes{TITLE}"
    yield "Les membres de l’Assemblée nationale, du Sénat et du Parlement européen, par nom de famille, avec leur groupe, leur équipe et les départs en douze mois."
    yield from ("Parlementaires", "Les parlementaires et leurs équipes")
    for name, title in CHAMBERS.items():
        yield title
        if name not in chambers:
            yield NO_LIST
            continue
        lists, here = chambers[name], sitting(chambers[name])
        stays = sum(map(lists.present, here))
        who = f"{plural(len(here), 'membre')} et leurs {plural(stays, 'collaboration')},"
        yield f"{who if here else 'Aucun mandat en cours'} à la liste du {day(lists.last)}."
        yield lists.as_of()
        over = len(lists.by_member) - len(here)
        mandates = plural(over, "mandat terminé ou non connu", "mandats terminés ou non connus")
        links = [f"{'Les membres' if here else 'Les anciens membres'} de A à Z"]
        yield " · ".join([*links, *[mandates] * bool(here and over), "Les groupes"])


def lead(lists: Chamber, on: str = "") -> str:
    """Who sat on the day of a list, by default the last."""
    here = sitting(lists) if not on else [m for m in lists.by_member if lists.sat(m, on)]
    there = [s for m in here for s in lists.by_member[m] if s.begin <= (on or lists.last) <= s.seen]
    if not here:
        number = plural(len(lists.by_member), "membre")
        return f"Aucun mandat en cours à la liste du {day(lists.last)}. {number} d’avant, dont le mandat était terminé ou n’était plus connu."
    away = sum(stay.listed_on_leave(on or lists.last) for stay in there)
    leave = f", dont {thousands(away)} en congé sans solde" if away else ""
    return f"{plural(len(here), 'membre')} et leurs {plural(len(there), 'collaboration')}{leave}, à la liste du {day(on or lists.last)}."


def rows(lists: Chamber) -> dict[str, list[str]]:
    """Of each member who sits, else of all: the group, how many work there, who left, or the mandate's end."""
    here = sitting(lists)
    if not here:
        return {m: [lists.group_of(m) or "non connu", day(lists.over(m))] for m in lists.by_member}
    cells = {
        m: [lists.group_of(m) or "non connu", str(lists.present(m)), lists.teams[m].departures]
        for m in here
    }
    reasons = {lists.teams[m].why for m in here}
    return (
        {m: own[:2] for m, own in cells.items()} if len(reasons) == 1 and reasons != {""} else cells
    )


def groups(chambers: Mapping[str, Chamber]) -> Iterator[Expected]:
    """The page of all groups."""
    yield f"Les groupes politiques et leurs équipes{TITLE}"
    yield "Les groupes politiques de chaque chambre : membres, collaborations et départs en douze mois."
    yield from ("Groupes", "Les groupes politiques")
    told = [
        f"{plural(len(present(lists)), 'groupe')} {IN[name]}"
        for name, lists in in_order(chambers)
        if present(lists)
    ]
    yield f"{', '.join(told) or 'Aucun groupe n’a de membre connu'}."
    for name, lists in in_order(chambers):
        if not lists.group_years:
            continue
        yield f"{CHAMBERS[name]} liste du {day(lists.told_on[0])}"
        yield from (late(lists), _ended(lists))
        yield from (
            plot(lists)
            if present(lists)
            else ["Aucune adhésion à un groupe n’est connue au jour de la dernière liste."]
        )
        here = members(lists)
        without = sum(not lists.group_then(member) for member in here)
        if without and present(lists):
            yield f"Le groupe de {plural(without, 'membre')} sur {thousands(len(here))} n’est pas connu ce jour-là : aucun groupe ne les compte."
        if former := [code for code in lists.group_years if code not in present(lists)]:
            yield f"{plural(len(former), 'groupe sans adhésion connue', 'groupes sans adhésion connue')} ce jour-là : {CHAMBERS[name]}"
        for code in former:
            since, until = lists.group_spans.get(code, ("", ""))
            known = f", adhésions connues depuis le {day(since)}" if since > lists.last else ""
            known = f", adhésions connues jusqu’au {day(until)}" if until else known
            yield f"{named(lists, code)}{known}"


def in_order(chambers: Mapping[str, Chamber]) -> list[tuple[str, Chamber]]:
    return [(name, chambers[name]) for name in CHAMBERS if name in chambers]


@cache
def present(lists: Chamber) -> dict[str, list[str]]:
    """The groups with members, and these."""
    groups: dict[str, list[str]] = {}
    for member in members(lists):
        if code := lists.group_then(member):
            groups.setdefault(code, []).append(member)
    return groups


@cache
def members(lists: Chamber) -> list[str]:
    """Who sat on the day of which pages of groups tell."""
    on, ended = lists.told_on
    return [m for m in lists.by_member if lists.sat(m, on)] if ended else sitting(lists)


def working(lists: Chamber, member: str) -> int:
    """How many collaborations the list of that day has."""
    on = lists.told_on[0]
    return sum(stay.begin <= on <= stay.seen for stay in lists.by_member[member])


def _ended(lists: Chamber) -> str:
    on, ended = lists.told_on
    told = f"les groupes sont ceux de la liste d’avant, du {day(on)}."
    return f"Tous les mandats ont pris fin {renewed(ended, 'à')} : {told}" if ended else ""


def named(lists: Chamber, code: str) -> str:
    full = lists.full_group(code).removeprefix(code).strip()
    return f"{full} ({code})" if full else code


def late(lists: Chamber) -> str:
    told = f"La dernière liste {OF[lists.name]} date du {day(lists.last)}, {ago(lists.last, lists.today)}. Ce qui a changé depuis n’est pas connu."
    return told * lists.late


def plot(lists: Chamber, here: str = "") -> Iterator[Expected]:
    """The groups side by side, and `here` if it has no member."""
    of_group = {code: lists.group_years[code] for code in [*present(lists), here] if code}
    counted = any(not year.why for year in of_group.values())
    year = " personnes parties, de toutes celles qui ont travaillé dans le groupe en douze mois"
    what = "Départs" if counted else "Membres et collaborations"
    yield f"{what}, groupe par groupe{year * counted}"
    part = f" | Départs | Part, de 0 à {_scale(lists)} %" * counted
    yield f"Groupe | Membres | Collaborations{part}"
    for code, figures in of_group.items():
        own = present(lists).get(code, [])
        name = (
            f"{named(lists, code).partition(' (')[0]} {code}" if "(" in named(lists, code) else code
        )
        stays = sum(working(lists, member) for member in own)
        cells = [name, thousands(len(own)), thousands(stays)]
        yield " | ".join(cells + [figures.departures] * counted)
    reasons = {figures.why for figures in of_group.values()}
    if not counted and len(reasons) == 1:
        why = reasons.pop()
        yield f"Départs en douze mois non calculables : {why[:1].lower()}{why[1:]}"


def _scale(lists: Chamber) -> int:
    """The round number of per cent at or above the largest part of any group."""
    rates = (year.rate for year in lists.group_years.values())
    most = max((rate for rate in rates if rate is not None), default=0)
    round_ones = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100)
    return next(top for top in round_ones if top >= 100 * most)


def group(chambers: Mapping[str, Chamber], lists: Chamber, code: str) -> Iterator[Expected]:
    """The page of one group."""
    title = named(lists, code) if "(" in named(lists, code) else f"Groupe {code}"
    yield f"{title}, {CHAMBERS[lists.name]}{TITLE}"
    yield f"Le groupe {code} {OF[lists.name]} : ses membres, la taille de leurs équipes et les départs en douze mois."
    yield from ("Groupes", code, title)
    own, year = present(lists).get(code, []), lists.group_years[code]
    on, ended = lists.told_on
    since, until = lists.group_spans.get(code, ("", ""))
    if own:
        stays = sum(working(lists, member) for member in own)
        persons = " personnes" * bool(year.left)
        left = "" if year.why else f" ; {year.departures}{persons} en douze mois"
        yield f"{plural(len(own), 'membre')} et {plural(stays, 'collaboration')} sur la liste {OF[lists.name]} du {day(on)}{left}."
    else:
        known = f" ; adhésions connues jusqu’au {day(until)}" if until else ""
        when = f"dernière liste {OF[lists.name]}, le {day(on)}"
        when = f"liste {OF[lists.name]} du {day(on)}" if ended else when
        yield f"Aucune adhésion connue au jour de la {when}{known}."
    yield from (late(lists), _ended(lists))
    if present(lists):
        yield f"Parmi les groupes {OF[lists.name]}"
        yield from plot(lists, here=code)
    if own:
        yield "Le seul membre" if len(own) == 1 else f"Les {plural(len(own), 'membre')}"
        counted = any(not lists.teams[member].why for member in own)
        yield (f"Les équipes des membres liste du {day(on)}" + ", départs en douze mois" * counted)
        yield "Membre | Personnes" + " | Départs" * counted
        for member in own:
            cells = [lists.member(member)[0], str(working(lists, member))]
            yield " | ".join(cells + [lists.teams[member].departures] * counted)
    span = f"Adhésions connues depuis le {day(since)}" if since else ""
    span += f", jusqu’au {day(until)}" if since and until else ""
    others = [n for n, other in in_order(chambers) if n != lists.name and code in other.group_years]
    same = [f"Un groupe de la même abréviation {IN[other]} a sa propre page." for other in others]
    yield " ".join([*[f"{span}."] * bool(span), *same])
