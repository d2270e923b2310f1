"""What the page of an elected member must say, by the lists and the members' files alone."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from itertools import accumulate, groupby, pairwise

from .expected_pages import WITHHELD, Chamber, Event
from .expected_successions import Successions
from .expected_words import (
    CHAMBERS,
    DISSOLUTION,
    IN,
    OF,
    TITLE,
    begin,
    between,
    capital,
    day,
    from_to,
    function,
    joined,
    moved,
    of,
    people,
    percent,
    plural,
    renewed,
    role,
    without,
)
from .from_lists import Stay, Words
from .read_pages import Expected, Possible

# Stays whose bars a page surely shows, movements, and stays of one person in words.
STAYS, MOVEMENTS, IN_WORDS = 48, 30, 6
LEGISLATURES = (("2012-06-20", "XIVe"), ("2017-06-21", "XVe"), ("2022-06-22", "XVIe"), ("2024-07-08", "XVIIe"))  # fmt: skip
Person = list[Stay]  # the stays of one person here, that which goes on or ended last at the end


class MemberSentences:
    """The sentences of one member's page."""

    def __init__(self, lists: Chamber, member: str, successions: Successions) -> None:
        self.lists, self.member, self.successions = lists, member, successions
        self.stays, self.last = lists.by_member[member], lists.last
        self.end, self.year = lists.standing(member), lists.teams[member]
        self.name, civility = lists.member(member)
        self.role = "ancien " * (self.end.how == "ancien") + role(lists.name, civility)
        self.group = lists.group_of(member)
        people: dict[Words, Person] = defaultdict(list)
        for stay in sorted(self.stays, key=lambda s: (s.begin, s.row.family)):
            people[stay.name].append(stay)
        self.people = [sorted(one, key=lambda s: (not s.end, s.end)) for one in people.values()]
        self.listed = [one for one in self.people if not one[-1].end]
        until = self.end.until if self.end.how else self.last
        self.told_on = max((on for on in lists.order if on <= until), default="")
        self.there = [
            one for one in self.people if any(s.begin <= self.told_on <= s.seen for s in one)
        ]
        self.events = sorted(lists.told[member], key=lambda event: event.day, reverse=True)

    def expected(self) -> Iterator[Expected]:
        yield from self._head()
        yield from self._picture()
        if not self.end.how or self.year.left or self.year.with_member:
            yield from self._departures()
        yield from self._movements()
        yield from self._mandates()
        lists = self.lists
        holes = f" Les listes {OF[lists.name]} vont du {day(lists.first)} au {day(self.last)}{without(lists.holes)}."
        yield (
            "Une ligne par personne. Un jour de début ou de fin n’est connu que si l’on a la liste de la veille et celle du jour ; sinon la barre s’estompe sur l’intervalle possible. Qui part avec toute l’équipe, en général à la fin du mandat, n’est pas compté parmi les départs."
            + holes * bool(lists.holes)
            + " Toute la méthode"
        )

    def _head(self) -> Iterator[Expected]:
        lists, name = self.lists, self.name
        number, group = len(self.there), f" ({self.group})" if self.group else ""
        yield f"{name} ({self.role}) : son équipe{TITLE}"
        there = people(number) if number else "personne"
        yield f"L’équipe {of(name)}, {self.role}{group} : {there} à la liste du {day(self.told_on or self.last)}, présences, arrivées et départs."
        yield from (CHAMBERS[lists.name], name, name)
        yield self._lead()
        unknown = ", mandat non connu à cette liste" * (
            not self.end.how and not lists.sits(self.member)
        )
        told = (
            CHAMBERS[lists.name].lower() in self.role.lower()
        )  # « membre du Sénat », « sénatrice »
        places = [capital(self.role) + unknown, *[CHAMBERS[lists.name]] * (not told)]
        yield " · ".join(places + [lists.full_group(self.group)] * bool(self.group))
        yield self._since()
        if self.end.how and self.listed:
            yield f"La liste du {day(self.last)} nomme encore {people(len(self.listed))} ici : {self._names(self.listed)}."
        if others := lists.namesakes(self.member):
            told = [f"{lists.member(o)[0]} {lists.group_of(o)}".strip() for o in others]
            yield f"Un même nom, plusieurs personnes élues {IN[lists.name]}. Ne confondez pas cette équipe avec celle de {', '.join(told)}."

    def _lead(self) -> str:
        end, number, names = self.end, len(self.there), self._names(self.there)
        work = "travaillait" if number == 1 else "travaillaient"
        if end.how:
            stood = {
                "terminé": f"jusqu’{_until(end.day)}",
                "renouvelé": f"jusqu’{renewed(end.day, 'à')}",
                "inconnu": f"dont le mandat n’est plus connu depuis {renewed(end.day)}",
                "fin inconnue": f"jusqu’à un jour inconnu après le {day(end.until)}",
                "ancien": f"(listes jusqu’au {day(end.until)})",
            }[end.how]
            team = f" {people(number)} {work} ici à la dernière liste d’alors, du {day(self.told_on)} : {names}."
            return f"{capital(self.role)} {stood}.{team * bool(number)}"
        if number:
            away = sum(one[-1].row.on_leave for one in self.there)
            leave = f", dont {away} en congé sans solde" if away else ""
            work = "travaille" if number == 1 else "travaillent"
            return f"{people(number)} {work} ici d’après la liste du {day(self.last)}{leave} : {names}."
        listed = max(stay.end for stay in self.stays)
        since = f", ni d’après aucune depuis celle du {day(listed)}" * (listed < self.last)
        return f"Personne ne travaille ici d’après la liste du {day(self.last)}{since}."

    def _names(self, some: list[Person]) -> str:
        return joined([one[-1].written for one in some])

    def _since(self) -> str:
        """What the calendar says since the last list."""
        lists = self.lists
        ended = max((until for _, until in lists.terms.get(self.member, [])), default="")
        if not self.end.how and self.last <= ended < lists.today:
            return f"La dernière liste {OF[lists.name]} date du {day(self.last)} : cette page s’arrête à cette date. Depuis, le mandat a pris fin, le {day(ended)} : qui travaille ici n’est plus connu."
        if self.end.how and not self.listed:
            return ""
        return lists.as_of(renewals=not self.end.how)

    def _picture(self) -> Iterator[Expected]:
        since, end = min(s.after or s.begin for s in self.stays)[:4], self.end
        until = (
            min(self.last, max(s.end or self.last for s in self.stays)) if end.how else self.last
        )
        yield (
            f"L’équipe, en {since}" if since == until[:4] else f"L’équipe, de {since} à {until[:4]}"
        )
        past = [one for one in self.people if one[-1].end]
        gone = [o for o in past if self.lists.gone_with_member(o[-1]) or o[-1].end >= end.over]
        unknown = "fini un jour inconnu" if end.how == "fin inconnue" else "non connu"
        over = f"Plus sur les listes (mandat {'terminé' if end.ended else unknown})"
        parts = (
            (f"{'Encore sur' if end.how else 'Sur'} la liste du {day(self.last)}", self.listed),
            (over if end.how else "Sorties de la liste avec toute l’équipe", gone),
            ("Ont quitté l’équipe", [one for one in past if one not in gone]),
        )
        room = accumulate(len(one) for _, some in parts for one in some)
        shown = max(bisect_right(list(room), STAYS) - len(self.listed), 1)
        if (cut := len(past) - shown) > 0:
            yield f"{plural(cut, 'autre personne', 'autres personnes')} avant : toutes les collaborations en tableau."
        for title, some in parts:
            yield f"{title} : {people(len(some))}" if some else ""
            for one in some:
                bounds = [self._when(s) for s in one[: -IN_WORDS - 1 : -1]]
                more = [f"et {len(one) - IN_WORDS} fois avant"] * (len(one) > IN_WORDS)
                who = f"{one[-1].written} {function(one[-1].row.function)}".strip()
                line = f"{who} | {' '.join(bounds + more)}"
                yield line if cut <= 0 or some is self.listed else Possible(line)

        if any(stay.written == WITHHELD for stay in self.stays):
            yield "Un nom est retiré à la demande de la personne. Pourquoi et comment"

    def _when(self, stay: Stay) -> str:
        told = begin(stay)
        if stay.end:
            gone = self._ended(stay)
            told = f"arrivée {between(stay.after, stay.begin)}" if stay.after else told
            out = "sortie de la liste" if self.lists.gone_with_member(stay) else "départ"
            told += f", {gone if gone.startswith('nom absent') else f'{out} {gone}'}"
        if stay.row.on_leave:
            told += ", en congé sans solde"
            told += f" à la liste du {day(stay.seen)}" * (stay.seen < self.last)
        return told

    def _ended(self, stay: Stay) -> str:
        end = self.end.until if self.end.how else "9999"
        if stay.end > end:
            over = "terminé le" if self.end.ended else "connu jusqu’au"
            return f"nom absent de la liste du {day(stay.end)} (mandat {over} {day(end)})"
        return self.lists.left(stay)

    def _departures(self) -> Iterator[Expected]:
        lists, year = self.lists, self.year
        yield "Départs en douze mois" + ("" if year.why else f" : {year.departures}")
        yield f"{capital(from_to(lists.since, self.last))}, tant que le mandat continuait."
        if number := len(year.with_member):
            out = plural(number, "personne est sortie", "personnes sont sorties")
            counted = "elle n’est pas comptée" if number == 1 else "elles ne sont pas comptées"
            yield f"{out} de la liste avec toute l’équipe, en général à la fin du mandat : {counted}."
        for stay in year.left.values():
            yield f"{stay.written}, {self._ended(stay)}{self._went_to(stay)}."
        if year.why:
            yield f"La part n’est pas calculée. {year.why}"
        elif (median := lists.medians.get(self.group)) is not None and self.group:
            teams = f"équipes du groupe {self.group},"
            if median:
                yield f"Dans la moitié des {teams} la part des personnes parties est de {percent(median)} ou moins."
            else:
                yield f"Dans la moitié au moins des {teams} personne n’est parti."

    def _went_to(self, stay: Stay) -> str:
        to = next((e.come for e in self.lists.told[stay] if e.out == stay and e.come), None)
        if to:
            group = self.lists.group(to.member, to.begin)
            office = f"{of(self.lists.member(to.member)[0])} {group}".strip()
            return f" ; a rejoint l’équipe {office}"
        told = self.successions.elsewhere(self.lists, stay)
        return f" ; {told}" * bool(told)

    def _movements(self) -> Iterator[Expected]:
        yield f"{plural(len(self.events), 'mouvement')}, par année"
        for year, group in groupby(self.events, key=lambda event: event.day[:4]):
            some = list(group)
            came = [e for e in some if e.come and e.come.member == self.member]
            gone = [e for e in some if e not in came and self.lists.context(e) == "fin"]
            numbers = (
                plural(len(came), "arrivée") if came else "",
                plural(left, "départ") if (left := len(some) - len(came) - len(gone)) else "",
                f"{plural(len(gone), 'nom sorti', 'noms sortis')} avec toute l’équipe" * bool(gone),
            )
            yield f"{year} {', '.join(filter(None, numbers))}"
            texts = [self._move(event) for event in some if event not in gone]
            for on in {event.day for event in gone}:
                names = ", ".join(e.written for e in gone if e.day == on)
                before = next(e.before for e in gone if e.day == on)
                texts.append(f"Toute l’équipe sort de la liste {between(before, on)} : {names}.")
            yield from texts if len(self.events) <= MOVEMENTS else map(Possible, texts)

    def _move(self, event: Event) -> str:
        lists, out, come, told = self.lists, event.out, event.come, ""
        if out and come and come.member == self.member:
            group = lists.group_of_stay(out)
            told = f", de l’équipe {of(lists.member(out.member)[0])} {group}".rstrip()
        elif out and come:
            to, group = lists.member(come.member)[0], lists.group(come.member, event.day)
            told = f" rejoint {to} {group}".rstrip()
        new = " équipe nouvelle" * (lists.context(event) == "début" and event.come_to(self.member))
        return f"{event.badge} {lists.when(event)} : {event.written}{told}{new}"

    def _mandates(self) -> Iterator[Expected]:
        lists, terms = self.lists, list(self.lists.terms.get(self.member, []))
        held = [span for span in lists.memberships(self.member) if span[1] <= self.last]
        if terms or held:
            yield "Mandats et groupes connus"
        if terms and self.end.how == "renouvelé" and not terms[-1][1]:
            terms[-1] = terms[-1][0], self.end.day  # the known end closes it
        for since, until in terms:
            on = until or (self.end.until if self.end.how else self.last)
            told = f"{capital(self.role)} {self._span(since, until)}"
            names = legislatures(since, on) if lists.name == "assemblee" else ""
            yield f"{told}, {names}" if names else told
        for code, since, until in held:
            yield f"{lists.full_group(code)} {self._span(since, until)}"

    def _span(self, since: str, until: str) -> str:
        if until == DISSOLUTION or not since:
            return f"du {day(since)} {_until(until)}" if since else f"jusqu’{_until(until)}"
        if until:
            return from_to(since, until)
        return f"{'à partir du' if self.end.how else 'depuis le'} {day(since)}"


def legislatures(since: str, until: str) -> str:
    """Those of the Assemblée in which a mandate was; it may begin some days before the first sitting."""
    told = []
    for (begun, name), (following, _) in pairwise([*LEGISLATURES, ("", "")]):
        if begun <= until and (not following or moved(since, 31) < following):
            years = f"{begun[:4]}-{following[:4]}" if following else f"depuis {begun[:4]}"
            told.append(f"{name} législature ({years})")
    return ", ".join(told)


def _until(on: str) -> str:
    return f"à la dissolution du {day(on)}" if on == DISSOLUTION else f"au {day(on)}"
