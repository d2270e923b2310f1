"""What the pages of a week, and the home page, must say, by the lists and the members' files alone."""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from .chamber_sentences import late, sitting
from .expected_groups import is_renamed
from .expected_mandates import RENEWALS
from .expected_pages import Chamber, Event
from .expected_successions import Successions
from .expected_words import (
    CHAMBERS,
    DISSOLUTION,
    IN,
    OF,
    SHORT,
    TITLE,
    ago,
    between,
    brief,
    capital,
    day,
    from_to,
    function,
    joined,
    moved,
    no_list,
    of,
    plural,
    renewed,
    thousands,
    weekday,
)
from .from_lists import Words, bare
from .read_pages import Expected, Possible

COUNTED_FROM, EMPTIED_BY_RENEWAL, RENEWAL_DAYS, NAMED = 20, 20, 31, 20
KINDS = (("Arrivée", "arrivée"), ("Départ", "départ"), ("Transfert", "transfert"))
Of = tuple[Chamber, Event]
Hole = tuple[str, str]


class Days:
    """Some days, both included, in every chamber."""

    def __init__(
        self, chambers: Mapping[str, Chamber], since: str, until: str, successions: Successions
    ) -> None:
        self.chambers, self.since, self.until = chambers, since, until
        self.successions = successions
        self.events = [
            (chamber, event)
            for chamber in chambers.values()
            for event in chamber.events
            if since <= event.day <= until
        ]
        self.lists = {name: self._list(name) for name in CHAMBERS}
        self.gaps = {name: self._gap(name) for name in CHAMBERS}
        self.numbers: dict[str, Counter[str]] = defaultdict(Counter)
        for chamber, event in self.events:
            if not whole(chamber, event):
                self.numbers[chamber.name][event.kind] += 1
        self.counted = [name for name in CHAMBERS if self.lists[name] and not self.gaps[name]]

    def _list(self, name: str) -> str:
        days = self.chambers[name].order if name in self.chambers else []
        return max((on for on in days if self.since <= on <= self.until), default="")

    def _gap(self, name: str) -> Hole | None:
        """The lists around days without one that keep the numbers of a chamber from being known."""
        if name not in self.chambers:
            return None
        lists, last = self.chambers[name], self.lists[name]
        if not last:
            before = [on for on in lists.order if on < self.since][-1:]
            after = [on for on in lists.order if on > self.until][:1]
            return "".join(before), "".join(after)
        if self.since < lists.first:
            return "", lists.first
        end = last if last == lists.last else self.until
        for before, after in lists.holes:
            inside = self.since <= moved(before, 1) and after <= end
            if before < end and self.since <= after and not inside:
                return before, after
        return None

    def facts(self) -> str:
        """What happened: emptied and new teams first and apart, then the movements of chambers whose numbers are known.

        Of a chamber with a list that ends a hole it is told what changed since the list before the hole.
        """
        teams = [*self._teams("fin"), *self._teams("début")]
        told = []
        if self.counted:
            totals = sum((self.numbers[name] for name in self.counted), Counter[str]())
            where = f" {joined([IN[name] for name in self.counted])}" * (len(self.counted) < 3)
            told.append(f"{capital(_kinds(totals))}{where}")
        for name, gap in self.gaps.items():
            if gap and gap[0] and self.since <= gap[1] <= self.lists[name] and self.numbers[name]:
                since = capital(between(gap[0], self.lists[name]))
                told.append(f"{since}, {_kinds(self.numbers[name])} {IN[name]}")
        if told and teams:
            told[-1] += ", sans compter ces équipes"
        if not told:
            listed = any(self.lists.values())
            nothing = "Le nombre des mouvements n’est pas calculable"
            told = [nothing if listed else "Aucune liste n’est connue de ces jours"]
        return " ".join(f"{text}." for text in [*teams, *told])

    def _teams(self, context: str) -> list[str]:
        return [
            teams(own[0][0], [event for _, event in own], self.renewal(own))
            for own in self.whole_teams(context)
        ]

    def whole_teams(self, context: str) -> list[list[Of]]:
        """The events of emptied (« fin ») or new (« début ») teams, by chamber, the most teams first."""
        of_chambers = [
            [one for one in self.events if one[0].name == name and whole(*one) == context]
            for name in sorted(self.chambers)
        ]
        return sorted(filter(None, of_chambers), key=lambda own: -len(_members(own)))

    def renewal(self, own: list[Of]) -> str:
        """The renewal that emptied these teams."""
        chamber, days = own[0][0], [event.day for _, event in own]
        if len(_members(own)) < EMPTIED_BY_RENEWAL or whole(*own[0]) != "fin":
            return ""
        before = max((on for on in chamber.order if on < min(days)), default=min(days))
        earliest = moved(before, -RENEWAL_DAYS)
        return max((on for on in RENEWALS[chamber.name] if earliest < on <= max(days)), default="")

    def table(self) -> Iterator[Expected]:
        yield "Chambre | Arr. | Dép. | Transf. | Dernière liste"
        for name, gap in self.gaps.items():
            numbers = [thousands(self.numbers[name][kind]) for kind, _ in KINDS]
            if name not in self.counted:
                numbers = ["non calculable" if gap else "pas de liste connue"]
            last = self.lists[name]
            yield " | ".join([SHORT[name], *numbers, brief(last) if last else "aucune"])
            if gap:
                told = f"{CHAMBERS[name]} : non calculable, {no_list(*gap)}."
                if gap[0] and "" < gap[1] <= last:
                    told += f" Tout ce qui a changé dans cet intervalle est daté du {day(gap[1])}, jour de la liste suivante."
                yield told

    def told(self) -> Iterator[Expected]:
        """Each day, its teams and offices."""
        by_day: dict[str, list[Of]] = defaultdict(list)
        for chamber, event in self.events:
            by_day[event.day].append((chamber, event))
        for on, of_day in by_day.items():
            shared = _shared(of_day)
            number = sum(not whole(*one) for one in of_day)
            contracts = sum(len(some) for some in shared if _is_contract(some))
            total = f" {plural(number, 'mouvement')}" if number else ""
            total += f", dont {contracts} de contrats communs" if contracts else ""
            yield f"{weekday(on)}{total}"
            yield Possible(f"{weekday(on)}, suite{total}")
            rest = [one for one in of_day if not any(one in some for some in shared)]
            for chamber in self.chambers.values():
                for context in ("fin", "début"):
                    own = [one for one in rest if one[0] is chamber and whole(*one) == context]
                    if len(own) >= COUNTED_FROM:
                        meaning = (
                            "Équipe entière sortie de la liste"
                            if context == "fin"
                            else "Équipe nouvelle"
                        )
                        where = f"{CHAMBERS[chamber.name]}, {day(on)}, {meaning}"
                        yield f"{teams(chamber, [e for _, e in own])}. Les voir dans l’explorateur : {where}"
                        rest = [one for one in rest if one not in own]
            yield from self._offices(rest)
            for some in shared:
                yield from self._contract(some)

    def _offices(self, rest: list[Of]) -> Iterator[Expected]:
        offices: dict[tuple[str, str, str], list[Of]] = defaultdict(list)
        for chamber, event in rest:
            offices[chamber.name, _office(chamber, event), whole(chamber, event)].append(
                (chamber, event)
            )
        for (name, office, context), some in offices.items():
            member, _, group = office.partition(" | ")
            yield f"{member} {CHAMBERS[name]} {group}".strip()
            if not context:
                yield from (self._line(*one) for one in some)
                continue
            some.sort(key=lambda one: (one[1].row.family, one[1].written))
            what = "Équipe nouvelle"
            if context == "fin":
                what = "Mandat fini ou équipe vidée, noms retirés de la liste"
            names = ", ".join(event.written for _, event in some)
            yield f"{what} : {names} {_days(*some[0])}".strip()

    def _line(self, chamber: Chamber, event: Event) -> str:
        told, more = f"{event.badge} {event.written}", _besides(chamber, event)
        if event.kind == "Transfert":
            told += f" {_origin(chamber, event)}"
        links = self.successions.beside(chamber, event, here=event.kind != "Transfert")
        return f"{told} {' · '.join(filter(None, (more, links)))}".strip()

    def _contract(self, some: list[Of]) -> Iterator[Expected]:
        chamber, event = some[0]
        kind = "Contrat commun à" if _is_contract(some) else "Même nom chez"
        yield f"{kind} {len(some)} membres {CHAMBERS[chamber.name]}"
        yield f"{event.badge} {event.written} {_besides(chamber, event)}".strip()
        yield f"Les {len(some)} membres : {event.written}"
        for _, one in some:
            member, _, group = _office(chamber, one).partition(" | ")
            yield f"{member} {group}".strip()


def week(
    chambers: Mapping[str, Chamber], monday: str, pages: int, successions: Successions
) -> Iterator[Expected]:
    """All pages of a week."""
    days = Days(chambers, monday, moved(monday, 6), successions)
    days_known = sorted({on for lists in chambers.values() for on in lists.order})
    before = [on for on in days_known if on < monday][-1:]
    after = [on for on in days_known if on > days.until][:1]
    title = f"Semaine {from_to(monday, days.until)}"
    for page in range(1, pages + 1):
        number = f", page {page}" * (page > 1)
        yield f"{title}{number}{TITLE}"
        yield f"Ce qui a changé dans les équipes parlementaires, {title.lower()}, d’après les listes que publient l’Assemblée nationale, le Sénat et le Parlement européen{number}{f' sur {pages}' * (page > 1)}."
        yield from (f"Semaine du {day(monday)}", title, days.facts(), "Dans les équipes")
        if not after:
            yield from (late(lists) for name, lists in chambers.items() if days.lists[name])
        around = [f"← Semaine du {day(monday_of(on))}" for on in before] or [
            "Pas de semaine connue avant"
        ]
        around += [f"Semaine du {day(monday_of(on))} →" for on in after] or [
            "Pas encore de semaine suivante"
        ]
        yield from (" ".join(around), " ".join(around), "La semaine par chambre")
        yield from days.table()
        if pages > 1:
            yield from (
                f"{n} (cette page)" if n == page else f"Page {n}" for n in range(1, pages + 1)
            )
            yield "Suite" * (page < pages)
        yield Possible(
            "Un contrat commun à plusieurs membres du Parlement européen compte un mouvement par membre et s’écrit sur une ligne."
        )
    yield from days.told()
    for own in days.whole_teams("fin"):
        if on := days.renewal(own):
            link = f"Les élections de {on[:4]} et les équipes {OF[own[0][0].name]}"
            yield from [link] * pages
    if days.counted and not days.events:
        yield "Aucun mouvement n’est établi cette semaine."
    yield from group_changes(chambers, monday, days.until)


def group_changes(chambers: Mapping[str, Chamber], since: str, until: str) -> Iterator[Expected]:
    """The members who went from one group to another: neither the wait for a new assembly's groups nor a new name is one."""
    changes: dict[tuple[str, str, str, str], list[str]] = defaultdict(list)
    for chamber in chambers.values():
        for member in chamber.by_member:
            held = chamber.memberships(member)
            for code, begun, _ in held:
                for other, before, ended in held:
                    next_ = before < begun and moved(begun, -1) <= (ended or "0") <= begun
                    renamed = chamber.name == "senat" and is_renamed(other, code)
                    next_ = next_ and not renamed
                    if since <= begun <= until and next_ and other != code != "AUCUN" != other:
                        key = (chamber.name, begun, other, code)
                        changes[key].append(chamber.member(member)[0])
    yield "Parmi les parlementaires" * bool(changes)
    for (name, on, old, new), members in changes.items():
        who = ", ".join(sorted(members, key=bare))
        if len(members) > NAMED:
            who = plural(len(members), "membre")
        pass_ = "passent" if len(members) > 1 else "passe"
        yield f"{who} {CHAMBERS[name]} {pass_} du groupe {old} au groupe {new} le {day(on)}."


def home(chambers: Mapping[str, Chamber], successions: Successions) -> Iterator[Expected]:
    """The first page; of the days it has as many as it has room for."""
    monday = monday_of(max(lists.last for lists in chambers.values()))
    days = Days(chambers, monday, moved(monday, 6), successions)
    facts = days.facts()
    yield f"Semaine {from_to(monday, days.until)} : {facts[0].lower()}{facts[1:]}"
    yield Possible("La suite de la semaine")
    for name, lists in chambers.items():
        here = sitting(lists)
        stays = sum(map(lists.present, here))
        who = f"{plural(len(here), 'membre')} et leurs {plural(stays, 'collaboration')}"
        since = f", {ago(lists.last, lists.today)}" * lists.late
        yield f"{CHAMBERS[name]} {who if here else 'aucun mandat en cours'} à la liste du {day(lists.last)}{since}"
        yield f"{CHAMBERS[name]} : collaborations des listes, du {day(lists.first)} au {day(lists.last)}"
    yield from map(Possible, (text for text in days.told() if isinstance(text, str)))
    yield "Aucun mouvement n’est établi cette semaine." * (not days.events)


def elections(
    chambers: Mapping[str, Chamber], year: str, successions: Successions
) -> list[Expected]:
    """The page of a year's elections."""
    told = []
    for name, on in ((name, on) for name, days in RENEWALS.items() for on in days):
        if on[:4] == year and on <= next(iter(chambers.values())).today:
            told.append(f"{CHAMBERS[name]}, {renewed(on)}")
            if name in chambers and chambers[name].first < on <= chambers[name].last:
                told += _renewal(chambers[name], on, successions)
            else:
                told.append(
                    "Ce que cela a changé n’est pas connu : il manque une liste d’avant ou d’après."
                )
    title = f"Les élections de {year} et les équipes"
    description = f"Ce que les élections de {year} ont changé dans les équipes parlementaires : équipes vidées, personnes vues ensuite chez un autre membre, arrivées."
    frame = [f"{title}{TITLE}", description, f"Élections de {year}", title]
    return [*frame, *told] if told else []


def _renewal(chamber: Chamber, on: str, successions: Successions) -> Iterator[Expected]:
    before = max(day for day in chamber.order if day < on)
    first = min(day for day in chamber.order if day >= on)
    by = max(day for day in chamber.order if day <= max(moved(on, RENEWAL_DAYS), first))
    until = max(day for day in chamber.order if day <= max(moved(on, 92), first))
    after = [event for event in chamber.events if before < event.day <= until]
    ended = [e for e in after if e.day <= by and e.out and chamber.context(e) == "fin"]
    gone = [e.out for e in ended if e.out and not e.come]
    names_passed = {e.out.row.name for e in ended if e.out and e.come}
    passed = len(names_passed - {stay.row.name for stay in gone})
    emptied = {e.out.member for e in ended if e.out}
    teams = plural(len(emptied), "équipe vidée", "équipes vidées")
    names = plural(len(gone), "nom retiré", "noms retirés")
    since = min((stay.seen for stay in gone), default=before)
    until_ = max((stay.end for stay in gone), default=by)
    yield f"{teams} entre la liste du {day(since)} et celle du {day(until_)}, {names}."
    ways: Counter[tuple[str, str]] = Counter()
    for stay in gone:
        following = successions.of(chamber, stay).elsewhere
        if following and following[0].begin <= until:
            to = min(following, key=lambda one: chamber.filed(one.member))
            ways[chamber.group_of_stay(stay), chamber.group(to.member, to.begin)] += 1
    seen = f"{thousands(ways.total())} {'est vu' if ways.total() < 2 else 'sont vus'} ensuite"
    told = f"De ces noms, {seen}" if ways else "Aucun de ces noms n’est vu ensuite"
    more = f" ; {plural(passed, 'autre y passe', 'autres y passent')} d’une liste à la suivante"
    yield f"{told} chez un autre membre jusqu’à la liste du {day(until)}{more * bool(passed)}."
    came = [e.come.member for e in after if e.come and not e.out]
    new = [e.come.member for e in after if e.come and not e.out and chamber.context(e) == "début"]
    teams = plural(len(set(came)), "équipe")
    of_new = plural(len(set(new)), "équipe nouvelle", "équipes nouvelles")
    of_new = f", dont {thousands(len(new))} dans {of_new}" if new else ""
    yield f"Jusqu’à la même liste, {plural(len(came), 'arrivée')} dans {teams}{of_new}."
    rows = [f"{a} | {b} | {n}" for (a, b), n in ways.items() if n > 2 and a and b]
    if rows:
        yield "D’un groupe à l’autre les noms retirés et vus ensuite chez un autre membre, à partir de trois ; groupe au dernier jour chez l’un, au premier jour chez l’autre"
        yield "Avant | Après | Noms"
    yield from rows


def _members(own: list[Of]) -> set[str]:
    return {member for _, event in own for member in event.members}


def _kinds(numbers: Mapping[str, int]) -> str:
    kinds = [plural(numbers[kind], noun) for kind, noun in KINDS if numbers[kind]]
    return joined(kinds) or "aucun mouvement"


def whole(chamber: Chamber, event: Event) -> str:
    """Whether it is of a team that was emptied (« fin ») or is new (« début »), "" else; a transfer stays one."""
    return "" if event.kind == "Transfert" else chamber.context(event)


def teams(chamber: Chamber, own: list[Event], renewal: str = "") -> str:
    number, new = len({member for e in own for member in e.members}), own[0].come is not None
    what = "Équipes nouvelles" if new else "Mandats finis ou équipes vidées"
    if renewal:
        what = f"{'Dissolution' if renewal == DISSOLUTION else 'Renouvellement'} du {day(renewal)}"
    names = ("nom", "noms") if new else ("nom retiré de la liste", "noms retirés de la liste")
    return f"{what} {IN[chamber.name]} : {plural(number, 'équipe')}, {plural(len(own), *names)}"


def _office(chamber: Chamber, event: Event) -> str:
    """The member joined, or left, and the group."""
    stay = event.come or event.out
    assert stay
    group = chamber.group(stay.member, event.day) if event.come else chamber.group_of_stay(stay)
    name = chamber.member(stay.member)[0]
    return f"{name} | {group}"


def _origin(chamber: Chamber, event: Event) -> str:
    assert event.out
    name, group = (
        chamber.member(event.out.member)[0],
        chamber.group_of_stay(event.out),
    )
    return f"vient de l’équipe {of(name)} {group}".strip()


def _besides(chamber: Chamber, event: Event) -> str:
    """The function if it is not everybody's, the days between which it was."""
    stay = event.come or event.out
    assert stay
    row = stay.begun if event.come else stay.row
    return " · ".join(filter(None, [function(row.function), _days(chamber, event)]))


def _days(chamber: Chamber, event: Event) -> str:
    when = chamber.when(event)
    return "" if when == day(event.day) else when.replace(f" {event.day[:4]}", "")


def _shared(of_day: list[Of]) -> list[list[Of]]:
    """The movements of one name and kind that several members of the European Parliament share."""
    shared: dict[tuple[str, Words, str, str], list[Of]] = defaultdict(list)
    for chamber, event in of_day:
        if chamber.name == "europarl" and not whole(chamber, event):
            work = event.come.begun.function if event.come else event.row.function
            shared[event.kind, event.row.name, event.row.civility, work].append((chamber, event))
    return [some for some in shared.values() if len({_office(*one) for one in some}) > 1]


def _is_contract(some: list[Of]) -> bool:
    return "(grouping)" in some[0][1].row.function


def monday_of(on: str) -> str:
    return moved(on, -datetime.date.fromisoformat(on).weekday())
