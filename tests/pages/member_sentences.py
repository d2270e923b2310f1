"""What the page of an elected member must say, by the lists and the members' files alone."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from itertools import accumulate, groupby, pairwise

from .expected_pages import LINGERS, NEW, Chamber, Event, apart, moved, namesakes, year_before
from .expected_successions import Successions
from .expected_words import (
    CHAMBERS,
    IN,
    OF,
    SIGNS,
    absent,
    after,
    began,
    between,
    capital,
    day,
    ended,
    function,
    gone,
    group_at,
    in_words,
    lasted,
    late,
    leave,
    no_list,
    of,
    people,
    percent,
    plural,
    presence,
    renewed,
    role,
    short,
    times,
    without,
)
from .from_lists import Stay, Words
from .said import Possible, Said

DRAWN, HOLES_TOLD = 20, 4
FULL_NAMES = {
    "LR": "Les Républicains",
    "SER": "Socialiste, Écologiste et Républicain",
    "UC": "Union Centriste",
    "LIRT": "Les Indépendants - République et Territoires",
    "RDPI": "Rassemblement des démocrates, progressistes et indépendants",
    "CRCE-K": "Communiste Républicain Citoyen et Écologiste - Kanaky",
    "RDSE": "Rassemblement Démocratique et Social Européen",
    "GEST": "Écologiste - Solidarité et Territoires",
    "NI": "Réunion administrative des Sénateurs ne figurant sur la liste d'aucun groupe",
}
Person = list[Stay]  # the stays of one person here, that which goes on or ended last at the end


class MemberSentences:
    """The sentences of one member's page, of which `shown` movements are there."""

    def __init__(self, lists: Chamber, member: str, successions: Successions, shown: int) -> None:
        self.lists, self.member, self.successions, self.shown = lists, member, successions, shown
        self.stays, self.last, self.day = lists.by_member[member], lists.last, day(lists.last)
        self.name, civility = lists.member(member)
        self.end = lists.standing(member)
        self.terms = list(lists.terms.get(member, []))
        if self.terms and self.end.how == "renouvelé" and not self.terms[-1][1]:
            self.terms[-1] = self.terms[-1][0], self.end.day  # the known end closes it
        self.role = "ancien " * (self.end.how == "ancien") + role(lists.name, civility)
        self.group = lists.group_of(member)
        people: dict[Words, Person] = defaultdict(list)
        for stay in sorted(self.stays, key=lambda s: (not s.end, s.end, s.begin)):
            people[stay.name].append(stay)
        self.people = people
        self.there = [one for one in people.values() if not one[-1].end]
        self.there.sort(key=lambda one: (one[-1].begin, one[-1].filed))
        self.past = [one for one in people.values() if one[-1].end]
        self.past.sort(key=lambda one: one[-1].filed)
        self.past.sort(key=lambda one: (one[-1].end, one[-1].seen), reverse=True)
        away = sum(one[-1].on_leave for one in self.there)
        self.on_leave = f", dont {away} en congé sans solde" if away else ""
        self.year = lists.year(self.stays)
        self.after_end = sum(s.end >= self.end.over for s in self.year.left.values())
        self.after_end *= self.end.ended
        self.events = sorted(lists.told[member], key=lambda event: event.day, reverse=True)
        # A year's figures are given while the mandate goes on, else if somebody was there.
        self.yearly = not self.end.how or (bool(self.year.people) and self.end.how != "ancien")

    @property
    def said(self) -> Said:
        sections = {"head": self._head(), "contenu": self._facts(), "equipe": self._team()}
        sections["departs"] = self._departures() if self.yearly else iter(())
        return Said({**sections, "mouvements": self._movements()})

    def _head(self) -> Iterator[str]:
        group = f" ({self.group})" if self.group else ""
        there = people(len(self.there)) if self.there else "personne"
        there += f"{self.on_leave}," if self.on_leave else ""
        team = f"{there} sur la liste du {self.day}, présences, arrivées et départs"
        if self.end.how:
            until = "jusqu’à la fin du mandat" if self.end.ended else "que les listes montrent"
            team = f"présences, arrivées et départs {until}"
        yield f"{self.name} ({self.role}) : son équipe – Mouvements des collaborateurs parlementaires"
        yield f"L’équipe {of(self.name)}, {self.role}{group} : {team}."

    def _facts(self) -> Iterator[str]:
        lists, end, year = self.lists, self.end, self.year
        yield from (CHAMBERS[lists.name], self.name, self.name)
        yield late(lists, counted=not end.how)
        terms = [self._term(*span) for span in self.terms]
        said = f", {ended(lists.name, end)}" if end.how else ""
        if end.how == "terminé":
            said = f" {terms[-1]}"
        elif end.how == "ancien":
            said = f" (listes jusqu’au {day(end.listed)})"
        yield f"{capital(self.role)}{said} · {CHAMBERS[lists.name]}"
        if self.group:
            full = FULL_NAMES.get(self.group, "") if lists.name == "senat" else ""
            yield f"{self.group} {full}".strip() + " voir le groupe"
        elif lists.name == "europarl":
            yield group_at(lists, self.member, self.last)
        yield self._groups_before()
        if terms and (len(terms) > 1 or end.how != "terminé"):
            yield f"{'Mandats connus' if len(terms) > 1 else 'Mandat'} : {' ; '.join(terms)}"
        others = namesakes(lists, self.member)
        if others:
            told = (f"{lists.member(o)[0]} {lists.group_of(o)}".strip() for o in others)
            yield f"Un même nom, plusieurs personnes élues {IN[lists.name]}. Ne confondez pas cette équipe avec celle de {', '.join(told)}."
        if not end.how or (self.there and not end.ended):
            yield f"{people(len(self.there)) if self.there else 'Personne'} | dans l’équipe{self.on_leave}, liste du {self.day}"
        elif end.how == "terminé" and self._final_list:
            yield f"{people(self._at_end)} | dans l’équipe à la dernière liste du mandat, {day(self._final_list)}"
        if self.there and not end.ended:
            number = sum(not stay.end for stay in self.stays)
            of_whom = f"présence médiane des {in_words(number)} personnes"
            yield f"{presence(self.stays, self.last)} | {of_whom if number > 1 else 'de présence'}, à cette liste"
        if not self.yearly:
            return
        if lists.gap:
            yield f"Non calculable | départs et arrivées en douze mois : {no_list(*lists.gap)}"
            return
        holes = without(lists.inside)
        after_end = f", dont {self.after_end} après la fin du mandat" if self.after_end else ""
        gone_ = "personnes parties" if len(year.left) > 1 else "personne partie"
        if year.rate is None:
            yield "Non calculé | départs en douze mois : moins de trois personnes"
        else:
            yield f"{len(year.left)} sur {len(year.people)} | {gone_} en douze mois{after_end}{holes}"
        came = [s for s in self.stays if s.after and s.begin >= lists.since]
        came.sort(key=lambda s: (s.begin, s.after))
        told_ = (
            f"{plural(len(came), 'arrivée') if came else 'Aucune arrivée'} | en douze mois{holes}"
        )
        if came:
            told_ += f"{' ;' if holes else ','} {'la dernière ' * (len(came) > 1)}{began(came[-1])}"
        yield told_

    def _term(self, since: str, until: str) -> str:
        if until:
            return f"du {day(since)} au {day(until)}"
        known = self.end.ended or not self.end.how
        return f"{'depuis' if known else 'commencé'} le {day(since)}"

    def _groups_before(self) -> str:
        """Those that the member left before the day of which the shown one is told."""
        seen, left = max(stay.seen for stay in self.stays), {}
        for code, _, until in self.lists.memberships(self.member):
            if "" < until < seen and code != self.group:
                left[code] = max(until, left.get(code, ""))
        before = sorted(left.items(), key=lambda one: one[1], reverse=True)
        told = ", ".join(f"{code} jusqu’au {day(until)}" for code, until in before)
        return f"Auparavant : {told}" if told else ""

    @property
    def _final_list(self) -> str:
        return max((on for on in self.lists.order if on <= self.end.day), default="")

    @property
    def _at_end(self) -> int:
        on = self._final_list
        return len({s.name for s in self.stays if s.begin <= on and (not s.end or on < s.end)})

    def _team(self) -> Iterator[str]:
        end = self.end
        since, until = min(s.after or s.begin for s in self.stays), self.last
        if end.how:
            known = end.listed if end.how == "ancien" else end.day
            until = min(until, max([s.end or self.last for s in self.stays] + [known]))
        whole = f"la liste du {self.day}" if not end.how or self.there else until[:4]
        yield (
            f"L’équipe, en {whole}" if whole == since[:4] else f"L’équipe, de {since[:4]} à {whole}"
        )
        yield f"Les dates en tableau : l’équipe depuis {since[:4]}"
        yield f"Présences dans l’équipe {of(self.name)}"
        yield self._why_not()
        numbers = list(accumulate(map(len, self.there + self.past)))
        drawn = self.past[: max(bisect_right(numbers, DRAWN) - len(self.there), 0)]
        if not self.there and not end.how:
            listed = max(s.end for s in self.stays)
            since_ = f", ni sur aucune depuis celle du {day(listed)}" * (listed < self.last)
            yield f"Sur la liste du {self.day}"
            yield f"Personne. Aucun nom ne figure à côté de celui {of(self.name)} sur la liste du {self.day}{since_}."
        for title, some in self._titles():
            if not some:
                continue
            title += f" : {people(len(some))}{self.on_leave * (some is self.there)}"
            yield title
            for one in some:
                if one in drawn or one in self.there:
                    who = f"{one[-1].written} {function(one[-1].function)}".strip()
                    who += leave(one[-1], self.last)
                    yield f"{title} > {who} | {self._lane(one)}"
        if len(drawn) < len(self.past):
            yield f"Sont dessinées ici les présences les plus récentes ({people(len(drawn))} sur {len(self.past)}) : toutes les collaborations en tableau."
        for stay in (stay for one in self.there + drawn for stay in one):
            yield f"{stay.written} | {began(stay)} | {self._left(stay)} | {self._long([stay]) or '–'}"
        yield from self._marks(since, until)
        final = {on[:4]: on for on in self.lists.order}  # of each year
        sizes = [
            (len({s.name for s in self.stays if s.begin <= on <= s.seen}), on)
            for on in final.values()
        ]
        told = [f"{number} le {day(on)}" for number, on in sizes if number]
        if len(told) > 1:
            yield f"Taille de l’équipe, dernière liste de chaque année : {', '.join(told)}."

    def _why_not(self) -> str:
        chamber, end, on = OF[self.lists.name], self.end, day(self.end.day) if self.end.how else ""
        if end.how == "inconnu":
            half = ", qui est celui de la moitié des sièges" * (self.lists.name == "senat")
            return f"Le mandat n’est pas connu depuis {renewed(end.day)}{half} : les listes connues ne disent pas s’il s’est poursuivi."
        if end.how == "fin inconnue":
            return f"La fin du mandat n’est pas connue : la liste du {on} est la dernière qui nomme quelqu’un ici, et toute l’équipe a disparu de la suivante."
        if end.how == "ancien":
            return f"Aucun mandat n’est connu. Les listes ont nommé l’équipe jusqu’à celle du {day(end.listed)}, et aucune depuis que tous les sièges {chamber} ont été renouvelés, le {day(end.renewed)}."
        if end.how == "renouvelé":
            names = f"liste du {self.day} nomme encore"
            if self.last < end.day:
                names = f"dernière liste connue, du {self.day}, nomme"
            still = f" La {names} {people(len(self.there))} ici : qui y travaille depuis n’est pas connu."
            return f"Tous les mandats {chamber} ont pris fin {renewed(end.day, 'à')}.{still * bool(self.there)}"
        number = self._at_end if end.how and self._final_list else 0
        if not number:
            return f"Le mandat a pris fin le {on}." * bool(end.how)
        was = "personnes faisaient" if number > 1 else "personne faisait"
        now = (
            "Elles ne sont plus comptées comme présentes"
            if number > 1
            else "Elle n’est plus comptée comme présente"
        )
        return f"Le mandat a pris fin le {on}. {capital(in_words(number))} {was} partie de l’équipe à la dernière liste de ce mandat, le {day(self._final_list)}. {now}, et les départs qui vident l’équipe ne comptent pas dans la part des départs."

    def _titles(self) -> Iterator[tuple[str, list[Person]]]:
        """The title of each part of the team, and who is in it."""
        end = self.end
        still = f"{'Encore sur' if end.ended else 'Sur'} la liste du {self.day}"
        yield still + (f", {ended(self.lists.name, end)}" if end.how else ""), self.there
        after_end = [one for one in self.past if one[-1].end >= end.over]
        title = f"Plus sur les listes (mandat {'terminé' if end.ended else 'non connu'})"
        if len({one[-1].end for one in after_end}) == 1:
            title = capital(gone(after_end[0][-1], end))
        yield title, after_end
        left = [one for one in self.past if one[-1].end < end.over]
        yield f"{'A' if len(left) == 1 else 'Ont'} quitté l’équipe", left

    def _lane(self, one: Person) -> str:
        stay, again = one[-1], " (retour)" * (len(one) > 1)
        told = [self._long(one) + times(one)] if self._long(one) else []
        begun = f"début : {short(stay.after, stay.begin)}{again}"
        told.append(begun if stay.after else f"déjà là le {short('', stay.begin)}")
        if stay.end >= self.end.over:
            told.append(gone(stay, self.end))
        elif stay.end and self.lists.faint(stay):
            told.append(f"fin : jour inconnu, hors de la liste du {short('', stay.end)}")
        elif stay.end:
            told.append(f"fin : {short(stay.seen, stay.end)}")
        return " ".join(told)

    def _left(self, stay: Stay) -> str:
        if not stay.end:
            return f"{'encore ' * self.end.ended}sur la liste du {self.day}"
        if stay.end >= self.end.over:
            return gone(stay, self.end)
        return absent(stay.end) if self.lists.faint(stay) else between(stay.seen, stay.end)

    def _long(self, stays: list[Stay]) -> str:
        """How long, nothing of who is on a list after the mandate's end."""
        return "" if self.end.ended and not stays[-1].end else lasted(stays, self.last)

    def _marks(self, since: str, until: str) -> Iterator[str]:
        first, last = self.terms[:1], self.terms[-1:]
        marks = [([begin], f"Le {day(begin)} : début du mandat.") for begin, _ in first]
        for (_, end), (begin, _) in pairwise(self.terms):
            if end and apart(end, begin) <= 3:
                marks.append(([begin], f"Le {day(begin)} : fin d’un mandat, début du suivant."))
            elif end:
                marks.append(([end, begin], f"Du {day(end)} au {day(begin)} : entre deux mandats."))
        marks += [([end], f"Le {day(end)} : fin du mandat.") for _, end in last if end]
        inside = [text for days, text in marks if since < days[0] and days[-1] < until]
        yield from (f"{number} {text}" for number, text in enumerate(inside, 1))
        holes = [hole for hole in self.lists.holes if hole[0] < until and hole[1] > since]
        if holes:
            *some, last_ = [between(*hole) for hole in holes[-HOLES_TOLD:]]
            more = len(holes) - len(some) - 1
            rest = (
                f" (et {plural(more, 'autre')} interruption{'s' * (more > 1)} avant)"
                if more
                else ""
            )
            these = "ces intervalles" if some else "cet intervalle"
            yield f"Pas de liste {OF[self.lists.name]} {', '.join(some)}{' et ' * bool(some)}{last_}{rest} : ce qui a commencé ou fini dans {these} n’a pas de date plus précise."

    def _departures(self) -> Iterator[str]:
        lists, year, holes = self.lists, self.year, without(self.lists.inside)
        dated = bool(late(lists) or self.end.how)
        yield "Départs des douze derniers mois" + f", jusqu’au {self.day}" * dated
        span = f"du {day(lists.since)} au {self.day}{holes}"
        for name, last in year.left.items():
            here = [s for s in self.people[name] if s.end and s.end <= last.end and s != last]
            here.append(last)
            yield f"{last.written}, {self._left(last)}, {after(lasted(here, self.last))}{times(here)}{self._went_to(last)}."
        if not year.left:
            none = (
                "Aucun départ n’est connu"
                if lists.gap or holes
                else "Personne n’a quitté cette équipe"
            )
            yield f"{none} {span}{', départ de toute l’équipe mis à part' if year.with_member else ''}."
        if lists.gap:
            yield self._not_known(*lists.gap)
        elif year.rate is None:
            yield "Part des départs en douze mois : non calculée pour une équipe de moins de trois personnes."
        else:
            yield from self._compared(holes)

    def _went_to(self, stay: Stay) -> str:
        for event in self.lists.told[stay]:
            if event.out == stay and event.come:
                name, civility = self.lists.member(event.come.member, event.day)
                group = self.lists.group(event.come.member, event.day)
                return f" ; a rejoint l’équipe {of(name)}, {role(self.lists.name, civility)} {group}".rstrip()
        told = self.successions.after(self.lists, stay, "").partition(" ; nom revenu")[0]
        return f" ; {told}" * told.startswith("nom vu")

    def _not_known(self, before: str, first: str) -> str:
        again, chamber = moved(first, 360), OF[self.lists.name]
        while year_before(again) < (moved(first, 1) if before else first):
            again = moved(again, 1)
        why = f"La première liste connue {chamber} est du {day(first)} : ce qui a changé avant n’est pas connu."
        if before:
            why = f"Aucune liste {chamber} n’est connue {between(before, first)} : ce qui a changé dans cet intervalle est peut-être d’avant les douze mois comptés."
        return f"{why} La part des départs n’est donc pas calculée ; elle le sera au plus tôt avec la liste du {day(again)}."

    def _compared(self, holes: str) -> Iterator[str]:
        lists, year = self.lists, self.year
        among = [("", IN[lists.name])]
        if self.group and self.group in lists.medians:
            among.insert(0, (self.group, f"dans le groupe {self.group}"))
        medians = ", ".join(
            f"{percent(lists.medians[key][1])} {where} ({plural(lists.medians[key][0], 'équipe')})"
            for key, where in among
        )
        not_counted = (
            " Une personne arrivée puis repartie quand les listes manquent n’est pas comptée."
            * bool(holes)
        )
        yield f"{self._title(len(year.left), len(year.people))}. Équipe médiane : {medians}.{not_counted}"
        with_member = f" : {people(len(year.with_member))} ici" if year.with_member else ""
        yield f"Les départs qui vident l’équipe, en général à la fin du mandat, ne sont pas comptés{with_member} ; ceux d’avant le sont."

    def _title(self, left: int, number: int) -> str:
        whom = f"des {in_words(number)} personnes passées par cette équipe en douze mois"
        said = f"{capital(in_words(left))} {whom} l’ont quittée"
        if left < 2:
            said = f"Une {whom} l’a quittée" if left else f"Aucune {whom} ne l’a quittée"
        if left == number:
            said = f"{whom.replace('des', 'Les', 1)} l’ont quittée"
        if self.after_end:
            some = (
                f"dont {in_words(self.after_end)} "
                if self.after_end < left
                else "toutes " * (left > 1)
            )
            return f"{said}, {some}après la fin du mandat"
        return (
            f"Départ de toute l’équipe mis à part, {said[0].lower()}{said[1:]}"
            if self.year.with_member
            else said
        )

    def _movements(self) -> Iterator[str]:
        total, shown = len(self.events), self.shown
        more = f" Les {shown} plus récents sont ici ; tous les mouvements sont dans l’explorateur."
        yield f"{plural(total, 'mouvement')}{', du plus récent au plus ancien' * (total > 1)}.{more * (total > shown)}"
        if not total:
            yield "Rien n’a changé ici sur les listes connues."
        # Which ones of the last day that is shown lists do not tell.
        cut = self.events[shown].day if total > shown else ""
        for year, group in groupby(self.events, key=lambda event: event.day[:4]):
            some = list(group)
            came = sum(bool(e.come and e.come.member == self.member) for e in some)
            numbers = ((came, "arrivée"), (len(some) - came, "départ"))
            told = ", ".join(plural(number, noun) for number, noun in numbers if number)
            if len(some) > shown:
                told += f" ; {shown} sur {plural(len(some), 'mouvement')} sont ici"
            yield f"{year} {told}" * (shown > 0)
            shown -= len(some)
        titles = {self._when(event): event.day for event in self.events}
        told_ = [
            *titles.items(),
            *((f"{self._when(e)} > {self._move(e)}", e.day) for e in self.events),
        ]
        yield from (text if on > cut else Possible(text) for text, on in told_ if on >= cut)

    def _when(self, event: Event) -> str:
        if event.out and self.lists.faint(event.out):
            return f"Vers le {day(event.day)}" if event.come else capital(absent(event.day))
        return capital(between(event.before, event.day))

    def _context(self, context: str, on: str) -> str:
        """A mandate's end or begin where one is known about the day, else what the lists show."""
        days = [until if context == "fin" else since for since, until in self.terms]
        if any(one and -LINGERS <= apart(one, on) <= NEW for one in days):
            return f"{context} du mandat" * bool(context)
        return {"fin": "équipe entière partie", "début": "équipe nouvelle", "": ""}[context]

    def _move(self, event: Event) -> str:
        lists, where = self.lists, ""
        if event.out and event.come and event.come.member == self.member:
            origin, seen = event.out.member, event.out.seen
            where = f"vient de l’équipe {of(lists.member(origin, event.day)[0])} {lists.group(origin, seen, leaving=True)}"
        elif event.out and event.come:
            to = event.come.member
            where = f"rejoint {lists.member(to, event.day)[0]} {group_at(lists, to, event.day)}"
        context = lists.context(event)
        if event.out and event.come:
            # The end is that of the member left, the begin that of the one joined.
            of_here = event.out.member if context == "fin" else event.come.member
            context *= of_here == self.member
        links = self.successions.beside(lists, event, self.member)
        told = (
            SIGNS[event.kind],
            event.kind,
            event.written,
            where.strip(),
            self._context(context, event.day),
            links,
        )
        return " ".join(filter(None, told))
