"""What the page of a staff member's name must say, by the lists and the members' files alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import permutations, product

from .expected_pages import Chamber, Event, Standing
from .expected_successions import Successions
from .expected_words import (
    CHAMBERS,
    IN,
    SHORT,
    SIGNS,
    absent,
    began,
    between,
    capital,
    day,
    ended,
    exact,
    function,
    gone,
    group_at,
    in_words,
    lasted,
    late,
    leave,
    of,
    plural,
    role,
    times,
)
from .from_lists import Stay, Words, words
from .said import Possible, Said

DRAWN = 24
Of = tuple[Chamber, Stay]


class NameSentences:
    """The sentences of one name's page."""

    def __init__(
        self, chambers: Mapping[str, Chamber], name: Words, successions: Successions
    ) -> None:
        self.successions = successions
        stays: dict[object, Of] = {}
        events: dict[object, tuple[Chamber, Event]] = {}
        for c in chambers.values():
            own, spelled = c.by_name.get(name, []), c.told.get(name, [])
            # What a movement of this name begins or ends under another one is here too.
            linked = [stay for e in spelled for stay in (e.out, e.come) if stay]
            stays |= {(c.name, stay): (c, stay) for stay in own + linked}
            some = [*spelled, *(e for stay in own for e in c.told.get(stay, []))]
            events |= {(c.name, e): (c, e) for e in some}
        self.events = list(events.values())
        self.stays = sorted(stays.values(), key=lambda of_: _latest(of_[1]), reverse=True)
        self.lines = sorted(self._lines(), key=lambda line: (line[0][1].begin, line[0][1].member))
        days = {stay.begin for _, stay in self.stays}
        self.once = max(sum(s.begin <= on <= s.seen for _, s in self.stays) for on in days)
        civilities = {stay.civility for _, stay in self.stays} - {""}
        self.signs = ["deux civilités"] * (len(civilities) > 1)
        self.signs += [f"{self.once} équipes au même moment"] * (self.once > 2)
        written = [*(stay.written for _, stay in self.stays), *(e.written for _, e in self.events)]
        self.spellings = sorted(dict.fromkeys(written), key=lambda one: words(one) != name)
        self.name, *self.others = self.spellings

    @property
    def said(self) -> Said:
        title = iter([f"{self.name} – Mouvements des collaborateurs parlementaires"])
        sections = {"head": title, "contenu": self._head(), "parcours": self._career()}
        return Said({**sections, "periodes": self._periods(), "mouvements": self._movements()})

    def _lines(self) -> Iterator[list[Of]]:
        """The stays with one member on lines of which no two stays stand at once."""
        lines: dict[tuple[str, str], list[list[Of]]] = defaultdict(list)
        for chamber, stay in sorted(self.stays, key=lambda of_: of_[1].begin):
            own = lines[chamber.name, stay.member]
            free = next((line for line in own if line[-1][1].seen < stay.begin), None)
            if free is None:
                own.append(free := [])
            free.append((chamber, stay))
        return (line for own in lines.values() for line in own)

    def _head(self) -> Iterator[str]:
        yield from (self.name, self.name)
        listed = [(c, s, c.standing(s.member)) for c, s in self.stays if not s.end]
        going = [
            f"{_place(c, s)} (liste du {day(c.last)}{', en congé sans solde' * s.on_leave})"
            for c, s, end in listed
            if not end.how
        ]
        still = [(c, end, _place(c, s)) for c, s, end in listed if end.how]
        after_ = [
            f" {'Encore sur' if end.ended else 'Sur'} la liste du {day(c.last)} : {place}, {ended(c.name, end)}."
            for c, end, place in still
        ]
        nowhere = " Les listes ne disent pas où est la personne depuis." * (
            not going and not self.signs
        )
        if not listed:
            yield f"Dernière équipe connue : {self._latest()}. Ce nom n’est dans aucune équipe sur les dernières listes connues.{nowhere}"
        for now, then in product(
            permutations(going), permutations(after_)
        ):  # in an order of its own
            said = f"Sur les listes : {' ; '.join(now)}." if now else ""
            yield Possible(f"{said}{''.join(then)}{nowhere}".strip())
        yield from {late(chamber) for chamber, _ in self.stays}
        linked = any(event.kind == "Transfert" for _, event in self.events)
        if self.signs:
            also = (
                " En sens inverse, un transfert d’une équipe à une autre, sur une même liste, parle pour une seule personne."
                * linked
            )
            yield f"Plusieurs personnes portent peut-être ce nom. Les listes ne donnent pas d’identifiant : ici, {', '.join(self.signs)}. Ne lisez pas ces lignes comme un seul parcours.{also}"
        else:
            those = " et ceux qui suivent" * bool(self.others)
            also = (
                " Les transferts d’une équipe à une autre, sur une même liste, parlent ici pour une seule personne."
                * linked
            )
            yield f"Les listes ne donnent pas d’identifiant aux membres des équipes : cette page réunit ce qui est écrit sous ce nom{those}, et des homonymes sont possibles.{also}"
        if self.others:
            yield f"Autres noms ou graphies réunis ici : {', '.join(self.others)}. Ils sont tenus pour ceux d’une seule personne, ce que les listes ne confirment pas."

    def _latest(self) -> str:
        """The last office known of a name that no list has any more, from when to when."""
        chamber, stay = self.stays[0]
        end = chamber.standing(stay.member)
        over = bool(end.how) and stay.end >= end.over
        begun = f"au moins depuis le {day(stay.begin)}"
        if stay.after and over and exact(stay.after, stay.begin):
            begun = f"depuis le {day(stay.begin)}"
        elif stay.after:
            begun = f"arrivée {between(stay.after, stay.begin)}"
        left = f"départ {between(stay.seen, stay.end)}"
        if over:
            left = gone(stay, end)
        elif chamber.faint(stay) and exact(stay.seen, stay.end):
            left = absent(stay.end).removeprefix("nom ")
        return f"{_place(chamber, stay)}, {begun}, {left}{',' * stay.on_leave}{leave(stay, chamber.last)}"

    def _career(self) -> Iterator[str]:
        lines, several = self.lines, ""
        yield self._title()
        if len(lines) > 1:
            both = (
                "peuvent être deux personnes"
                if self.signs
                else "sont deux collaborations simultanées"
            )
            several = f" ; deux barres l’une au-dessus de l’autre au même moment {both}"
        yield Possible(f"Une ligne par équipe{several}.")
        yield Possible(
            f"Une ligne par équipe{several}. Le gris hachuré est propre à chaque chambre."
        )
        more = len(lines) - DRAWN
        if more > 0:
            yield f"Et {more} {'lignes plus anciennes' if more > 1 else 'ligne plus ancienne'}, en tableau."
        for line in lines[-DRAWN:]:
            chamber, stays = line[0][0], [stay for _, stay in line]
            over = any(not s.end for s in stays) and chamber.standing(stays[0].member).ended
            long = "mandat terminé" if over else lasted(stays, chamber.last)
            yield f"{SHORT[chamber.name]} {_member(chamber, *stays)} | {long}{times(stays)}"

    def _title(self) -> str:
        number, stays = len(self.lines), [stay for _, stay in self.stays]
        what = f"{capital(in_words(number))} équipe{'s' * (number > 1)}"
        if self.signs:
            return f"{what} sous ce nom"
        chambers = {chamber.name for chamber, _ in self.stays}
        where = "dans deux chambres" if len(chambers) > 1 else IN[chambers.pop()]
        first = min(stays, key=lambda s: (s.begin, s.after))
        since, until = first.begin[:4], max(s.seen for s in stays)[:4]
        when = f"de {since} à {until}" if since != until else f"en {since}"
        if any(not s.end for s in stays):
            when = f"depuis {since}{' au moins' * (not first.after)}"
        elif not first.after:
            when = f"de {since} ou plus tôt à {until}"
        most = f", jusqu’à {in_words(self.once)} en même temps" if self.once > 1 else ""
        return f"{what} {where} {when}{most}"

    def _periods(self) -> Iterator[str]:
        for chamber, stay in self.stays[:DRAWN]:
            end = chamber.standing(stay.member)
            long = "–" if end.ended and not stay.end else lasted([stay], chamber.last)
            to = next((e.come for e in chamber.told.get(stay, []) if e.out == stay), None)
            begun = f"{began(stay)} {self.successions.before(chamber, stay, 'ici')}".strip()
            until = f"{_until(chamber, stay, end)} {self.successions.after(chamber, stay, 'ici', to)}".strip()
            what = f"{_member(chamber, stay)} {function(stay.function)}".strip()
            yield f"{what}{leave(stay, chamber.last)} | {CHAMBERS[chamber.name]} | {begun} | {until} | {long}"

    def _movements(self) -> Iterator[str]:
        yield plural(len(self.events), "mouvement")
        yield "Aucun mouvement sur les listes connues." * (not self.events)
        for chamber, event in self.events:
            yield self._movement(chamber, event)

    def _movement(self, chamber: Chamber, event: Event) -> str:
        out, come, told = event.out, event.come, []
        if out:
            group = chamber.group(out.member, out.seen, leaving=True)
            if not come:
                group = group or group_at(chamber, out.member, event.day)
            told.append(f"quitte {chamber.member(out.member, event.day)[0]} {group}".strip())
        if come:
            name = chamber.member(come.member, event.day)[0]
            told.append(
                f"{'pour' if out else 'rejoint'} {name} {group_at(chamber, come.member, event.day)}".strip()
            )
        when = after_ = between(event.before, event.day)
        if exact(event.before, event.day):
            when, after_ = day(event.day), f"du {day(event.day)}"
        if out and chamber.faint(out):
            when = f"vers le {day(event.day)}" if come else absent(event.day)
            after_ = when if come else f"vu sur la liste du {day(event.day)}"
        context = {"fin": "Équipe entière partie", "début": "Équipe nouvelle"}.get(
            chamber.context(event), ""
        )
        links = self.successions.beside(chamber, event)
        detail = f"Détail du mouvement {after_}, {event.written}"
        work = function(come.begun_as if come else out.function if out else "")
        how = (when, CHAMBERS[chamber.name], work, context, "Archives historiques", links, detail)
        return f"{SIGNS[event.kind]} {event.kind} {event.written} {' '.join(told)} | {' · '.join(filter(None, how))}"


def _latest(stay: Stay) -> tuple[bool, str, str]:
    return not stay.end, stay.seen, stay.begin


def _place(chamber: Chamber, stay: Stay) -> str:
    name, civility = chamber.member(stay.member, stay.seen)
    return f"équipe {of(name)}, {role(chamber.name, civility)}"


def _member(chamber: Chamber, *stays: Stay) -> str:
    """The member with the groups of the last of some stays, and of the others."""
    *before, group = chamber.groups_of(stays[-1]) or [""]
    if chamber.name == "europarl":
        group = group or group_at(chamber, stays[-1].member, stays[-1].seen)
    others = [code for stay in stays[:-1] for code in chamber.groups_of(stay)[-1:]]
    rest = [code for code in dict.fromkeys(others) if code != group and code not in before]
    told = "".join(f" (avant : {', '.join(codes)})" for codes in (before, rest) if codes)
    return f"{chamber.member(stays[-1].member, stays[-1].seen)[0]} {group}".strip() + told


def _until(chamber: Chamber, stay: Stay, end: Standing) -> str:
    still = f"sur la liste du {day(chamber.last)}"
    if not stay.end and not end.how:
        return f"toujours {still}"
    if not stay.end:
        return f"{'encore ' * end.ended}{still}, {ended(chamber.name, end)}"
    if stay.end >= end.over:
        return gone(stay, end)
    told = absent(stay.end) if chamber.faint(stay) else between(stay.seen, stay.end)
    return told + ", avec toute l’équipe" * chamber.gone_with_member(stay)


def case(chambers: Mapping[str, Chamber], name: Words) -> tuple[object, ...]:
    """What pages of names differ by."""
    stays = [stay for lists in chambers.values() for stay in lists.by_name.get(name, [])]
    renamed = any(words(stay.as_begun) != name for stay in stays)
    places = len({stay.member for stay in stays})
    return min(places, 3), len(stays) > places, any(not stay.end for stay in stays), renamed
