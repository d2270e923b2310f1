"""Pages held against what lists alone give: what is wrong on them, without a name."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from . import expected_pages as expected
from .expected_pages import Chamber, day, plural
from .from_lists import Stay, Words, words
from .read_pages import MemberPage, NamePage

# Longer pages draw the latest stays only.
DRAWN = 24


def member(
    page: MemberPage,
    lists: Chamber,
    member: str,
    medians: Mapping[str, tuple[int, str]],
    today: str,
) -> list[str]:
    """What the page of a member says otherwise than the lists."""
    stays, end = lists.of(member), lists.mandate_end(member, today)
    people: dict[Words, list[Stay]] = defaultdict(list)
    for stay in stays:
        people[stay.name].append(stay)
    there = [of for of in people.values() if not all(stay.end for stay in of)]
    wrong = _team(page, lists, people, len(there), end)
    wrong += _present(page, lists, stays, len(there), end)
    wrong += _year(page, lists, stays, people, end)
    if "turnover" not in wrong:
        wrong += _comparison(page, lists, stays, medians, lists.group(member))
    of = expected.movements(stays)
    if page.total != plural(of["came"] + of["went"], "mouvement"):
        wrong.append("movements")
    return wrong + ["years"] * (page.years != _by_year(stays))


def _team(
    page: MemberPage, lists: Chamber, people: dict[Words, list[Stay]], there: int, end: str
) -> list[str]:
    """The titles, every line and every row of the team."""
    wrong = []
    past = len(people) - there
    titles = " / ".join(page.titles)
    if there and f"{day(lists.last)}{_ended(end)} : {plural(there, 'personne')}" not in titles:
        wrong.append("title of those present")
    gone = f"{'A' if past == 1 else 'Ont'} quitté l’équipe : {plural(past, 'personne')}"
    if (gone in titles) != bool(past):
        wrong.append("title of those past")
    rows = Counter(
        (stay.name, expected.began(stay), _end(stay, lists.last, end), _long([stay], lists, end))
        for of in people.values()
        for stay in of
    )
    lanes = Counter(
        (name, _long(of, lists, end) + (" en" if len(of) > 1 else ""))
        for name, of in people.items()
    )
    read = Counter((who, begin, _on(left), long) for who, begin, left, long in page.dates)
    bars = Counter((who, _lasted(when)) for who, when in page.lanes)
    whole = rows.total() <= DRAWN
    if read - rows or (whole and rows - read):
        wrong.append("dates")
    if bars - lanes or (whole and lanes - bars):
        wrong.append("lanes")
    return wrong + ["few lanes"] * (bars.total() < min(len(people), DRAWN // 2))


def _ended(end: str) -> str:
    return f", mandat terminé le {day(end)}" if end else ""


def _end(stay: Stay, last: str, end: str) -> str:
    if not stay.end:
        return f"{'encore ' if end else ''}sur la liste du {day(last)}"
    return expected.between(stay.seen, stay.end)


def _long(stays: list[Stay], lists: Chamber, end: str) -> str:
    """How long, "–" for who is on a list after the mandate's end."""
    if end and not all(stay.end for stay in stays):
        return "–"
    return expected.lasted(stays, lists.last)


def _lasted(when: str) -> str:
    """The duration of a line and whether it says of several times, "–" of none."""
    found = re.match(r"(.*?)( en) \w+ fois ", when) or re.match(
        r"(.*?)(?= (?:début|déjà|dernier|fin))()", when
    )
    return found[1] + found[2] if found else "–"


def _present(
    page: MemberPage, lists: Chamber, stays: list[Stay], there: int, end: str
) -> list[str]:
    """How many are there and for how long; of a mandate that ended, how many were at its end."""
    on = [one for one in lists.order if one <= end]
    if end:
        names = {
            s.name for s in stays if on and s.begin <= on[-1] and (on[-1] < s.end or not s.end)
        }
        said = f"dans l’équipe à la dernière liste du mandat, {day(on[-1])}" if on else ""
        figure = plural(len(names), "personne")
    else:
        said, figure = f"dans l’équipe, liste du {day(lists.last)}", plural(there, "personne")
        figure = figure if there else "Personne"
    wrong = ["count"] * (bool(said) and page.facts.get(said) != figure)
    shown = [text for what, text in page.facts.items() if "présence" in what]
    median = "" if end else expected.presence(stays, lists.last)
    return wrong + ["presence"] * (shown != [median] * bool(median))


def _year(
    page: MemberPage,
    lists: Chamber,
    stays: list[Stay],
    people: dict[Words, list[Stay]],
    end: str,
) -> list[str]:
    """Who left and came in the year, and the figure or why there is none."""
    year, facts = lists.year(stays), " / ".join(f"{dt} {dd}" for dd, dt in page.facts.items())
    wrong = []
    if not year.people and end:
        return ["year of nobody"] * ("Non calcul" in facts)
    if lists.unknown:
        if f"Non calculable départs et arrivées en douze mois : {lists.unknown}" not in facts:
            wrong.append("turnover")
    elif year.rate is None:
        if "Non calculé départs en douze mois : moins de trois personnes" not in facts:
            wrong.append("turnover")
    elif f"{len(year.left)} sur {len(year.people)} personne" not in facts:
        wrong.append("turnover")
    if not lists.unknown:
        came = [stay for stay in stays if stay.after and stay.begin >= lists.since]
        figure = plural(len(came), "arrivée") if came else "Aucune arrivée"
        if f"{figure} en douze mois" not in facts:
            wrong.append("arrivals")
    left = Counter()
    for name in year.left:
        of = [stay for stay in people[name] if stay.end]
        last = max(of, key=lambda stay: stay.end)
        left[name, f"{expected.between(last.seen, last.end)}, {_after(of, lists.last)}"] += 1
    told = Counter((who, re.split(r" en \w+ fois| ;", _on(rest))[0]) for who, rest in page.left)
    return wrong + ["departures"] * (told != left)


def _on(rest: str) -> str:
    """A departure as if its day were known, where a page says that a list of that day came late."""
    return re.sub(r"^nom absent de la liste du (.*?) \(.*?\)", r"le \1", rest)


def _after(stays: list[Stay], last: str) -> str:
    return "après " + re.sub(r"^entre (\d+) et", r"\1 à", expected.lasted(stays, last))


def _comparison(
    page: MemberPage,
    lists: Chamber,
    stays: list[Stay],
    medians: Mapping[str, tuple[int, str]],
    group: str,
) -> list[str]:
    """The table of shares: this office, the group's and the chamber's median, and of how many offices."""
    year = lists.year(stays)
    if lists.unknown or year.rate is None:
        return ["figures"] * bool(page.figures)
    shown = {where.split(",")[0]: of for where, of in page.figures.items()}
    own = (str(len(year.left)), str(len(year.people)), expected.percent(year.rate))
    wrong = ["share"] * (shown.pop("Cette équipe", ()) != own)
    told = [medians[group]] if group else []
    told.append(medians[""])
    wrong += ["medians"] * ([of[-1] for of in shown.values()] != [rate for _, rate in told])
    wrong += ["offices"] * (page.offices != [plural(number, "équipe") for number, _ in told])
    return wrong + ["group"] * (bool(group) and f"Groupe {group}" not in shown)


def _by_year(stays: list[Stay]) -> dict[str, str]:
    came = Counter(stay.begin[:4] for stay in stays if stay.after)
    went = Counter(stay.end[:4] for stay in stays if stay.end)
    return {
        year: ", ".join(
            plural(number, noun)
            for number, noun in ((came[year], "arrivée"), (went[year], "départ"))
            if number
        )
        for year in came | went
    }


def name(
    page: NamePage,
    chambers: Mapping[str, Chamber],
    name: Words,
    stays: Sequence[tuple[str, Stay]],
    names: Mapping[str, str],
    today: str,
) -> list[str]:
    """What the page of a name says otherwise than the lists."""
    offices: dict[tuple[str, str], list[Stay]] = defaultdict(list)
    for chamber, stay in stays:
        offices[chamber, stay.member].append(stay)
    ends = {key: chambers[key[0]].mandate_end(key[1], today) for key in offices}
    wrong = ["name"] * (words(page.name) != name)
    rows = Counter(
        (
            f"/elus/{chamber}/{stay.member}",
            "Assemblée nationale" if chamber == "assemblee" else "Sénat",
            expected.began(stay),
            _last(stay, chambers[chamber], ends[chamber, stay.member]),
            _long([stay], chambers[chamber], ends[chamber, stay.member]),
        )
        for chamber, stay in stays
    )
    read = Counter((*row[:3], _on(row[3]), row[4]) for row in page.periods)
    wrong += ["periods"] * (read != rows)
    lanes = Counter(
        (
            f"/elus/{chamber}/{member}",
            "mandat terminé"
            if ends[chamber, member] and not line[-1].end
            else expected.lasted(line, chambers[chamber].last),
            len(line) > 1,
        )
        for (chamber, member), of in offices.items()
        for line in _beside(of)
    )
    bars = Counter((where, when.split(" en ")[0], " en " in when) for where, when in page.lanes)
    wrong += ["lanes"] * (bars != lanes)
    listed = [key for key, of in offices.items() if not all(stay.end for stay in of)]
    wrong += _lead(page.lead, chambers, {key: ends[key] for key in listed}, names)
    number = expected.in_words(len(offices))
    teams = f"{number} équipe{'s' if len(offices) > 1 else ''} "
    wrong += ["title"] * (not page.title.lower().startswith(teams))
    once = max(
        sum(any(s.begin <= on <= s.seen for s in of) for of in offices.values())
        for on in {stay.begin for _, stay in stays}
    )
    # Two civilities or three offices at once speak for several people, of whom none is told to be in two.
    civilities = {chambers[c].days[s.seen][s.member][s.name].civility for c, s in stays} - {""}
    several = len(civilities) > 1 or once > 2
    wrong += ["warning"] * (("Plusieurs personnes portent peut-être" in page.text) != several)
    wrong += ["as one"] * (several and page.title.lower() != f"{teams}sous ce nom")
    wrong += ["at once"] * (
        (f"jusqu’à {expected.in_words(once)} en même temps" in page.title)
        != (once > 1 and not several)
    )
    return wrong + ["movements"] * (page.total != plural(_movements(stays), "mouvement"))


def _lead(
    lead: str,
    chambers: Mapping[str, Chamber],
    listed: Mapping[tuple[str, str], str],
    names: Mapping[str, str],
) -> list[str]:
    """The first sentences: `listed` are the offices of the last lists, with the days on which mandates ended."""
    going = [key for key, end in listed.items() if not end]
    wrong = ["lead"] * (
        ("n’est dans aucune équipe" in lead) == bool(listed)
        or not all(names[member] in lead for _, member in listed)
        or (bool(going) and lead.count(";") != len(going) - 1)
        or lead.count("Encore sur la liste") != len(listed) - len(going)
    )
    ended = [(f"Encore sur la liste du {day(chambers[c].last)}", e) for (c, _), e in listed.items()]
    for said, end in ended:
        wrong += ["ended"] * (
            bool(end) and not (said in lead and f", mandat terminé le {day(end)}." in lead)
        )
    return wrong


def _last(stay: Stay, lists: Chamber, end: str) -> str:
    if stay.end:
        with_member = ", fin du mandat" if lists.gone_with_member(stay) else ""
        return expected.between(stay.seen, stay.end) + with_member
    said = f"sur la liste du {day(lists.last)}"
    return f"encore {said}, mandat terminé le {day(end)}" if end else f"toujours {said}"


def _movements(stays: Sequence[tuple[str, Stay]]) -> int:
    """Those that begin and end stays; one of a day that does both is one, a transfer."""
    came = Counter((chamber, stay.begin) for chamber, stay in stays if stay.after)
    went = Counter((chamber, stay.end) for chamber, stay in stays if stay.end)
    return came.total() + went.total() - (came & went).total()


def _beside(stays: list[Stay]) -> list[list[Stay]]:
    """The stays with one member on lines of which no two stays stand at once."""
    lines: list[list[Stay]] = []
    for stay in sorted(stays, key=lambda one: one.begin):
        for line in lines:
            if line[-1].seen < stay.begin:
                line.append(stay)
                break
        else:
            lines.append([stay])
    return lines
