"""What the page of a staff member's name must say, by the lists and the members' files alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import groupby, permutations, product

from .expected_pages import Chamber, Event
from .expected_successions import Successions
from .expected_words import (
    IN,
    OF,
    SHORT,
    TITLE,
    ago,
    begin,
    between,
    day,
    exact,
    function,
    joined,
    of,
    plural,
    renewed,
)
from .from_lists import Stay, Words, bare, words
from .read_pages import Expected, Possible

LINES, MOVEMENTS = 16, 30
Of = tuple[Chamber, Stay]


class NameSentences:
    """The sentences of one name's page."""

    def __init__(
        self, chambers: Mapping[str, Chamber], name: Words, successions: Successions
    ) -> None:
        self.chambers, self.successions = chambers, successions
        stays: dict[object, Of] = {}
        events: dict[object, tuple[Chamber, Event]] = {}
        for c in chambers.values():
            own = c.by_name.get(name, []) + c.by_former.get(name, [])
            spelled = c.told.get(name, [])
            # What a movement of this name begins or ends under another one is here too.
            linked = [stay for e in spelled for stay in (e.out, e.come) if stay]
            stays |= {(c.name, stay): (c, stay) for stay in own + linked}
            some = [*spelled, *(e for _, s in stays.values() for e in c.told.get(s, []))]
            events |= {(c.name, e): (c, e) for e in some}
        self.events = sorted(events.values(), key=lambda one: one[1].day, reverse=True)
        self.stays = sorted(stays.values(), key=_latest, reverse=True)
        self.lines = sorted(self._lines(), key=lambda line: _latest(line[-1]), reverse=True)
        days = {stay.begin for _, stay in self.stays}
        self.once = max(
            sum(any(s.begin <= on <= s.seen for _, s in line) for line in self.lines) for on in days
        )
        civilities = {stay.row.civility for _, stay in self.stays} - {""}
        once = max(len({c.name for c, s in self.stays if s.begin <= on <= s.seen}) for on in days)
        self.signs = ["deux civilités"] * (len(civilities) > 1)
        self.signs += [f"{once} chambres au même moment"] * (once > 2)
        self.signs += [f"{plural(self.once, 'collaboration')} au même moment"] * (self.once > 2)
        rows = [stay.row for _, stay in self.stays] + [e.row for _, e in self.events]
        rows.sort(key=lambda row: row.name != name)
        self.spellings = list(dict.fromkeys(row.written for row in rows))
        self.names = {row.name for row in rows}
        self.name = self.spellings[0]
        self.who = "Ce nom" if self.signs else self.name

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

    def expected(self) -> Iterator[Expected]:
        yield from (f"{self.name}{TITLE}", self.name, self.name)
        yield "Sous un nom, les équipes parlementaires où les listes le donnent, depuis quand et jusqu’à quand, et les mouvements."
        yield from self._lead()
        yield from self._notes()
        yield from self._table()
        yield plural(len(self.events), "mouvement")
        yield "Aucun mouvement sur les listes connues." * (not self.events)
        shown = self.events[:MOVEMENTS]
        for year, some in groupby(shown, key=lambda of_: of_[1].day[:4]):
            yield year
            for chamber, event in some:
                yield self._movement(chamber, event)
        more = "Les mouvements les plus récents ; tous ceux de ce nom."
        yield more * (len(self.events) > MOVEMENTS)

    def _other(self, stay: Stay) -> str:
        """The name that lists have of a stay, "" where it is the page's."""
        return "" if words(stay.written) == words(self.name) else stay.written

    def _lead(self) -> Iterator[Expected]:
        present = [line[-1] for line in self.lines if not line[-1][1].end]
        if not present:
            same = [s for s in self.stays if _latest(s) == _latest(self.stays[0])]
            yield tuple(self._gone(*one) for one in same)
        for other, listed in groupby(
            sorted(present, key=lambda o: self._other(o[1])), key=lambda o: self._other(o[1])
        ):
            of_chambers = []
            for name, some in groupby(
                sorted(listed, key=lambda o: o[0].name), key=lambda o: o[0].name
            ):
                on = f"sur la liste {OF[name]} du {day(self.chambers[name].last)}"
                orders = permutations([_since(*one) for one in some])
                of_chambers.append([f"{on}, {' ; '.join(order)}" for order in orders])
            yield tuple(
                f"{other or self.who} est {' ; '.join(parts)}." for parts in product(*of_chambers)
            )

    def _gone(self, chamber: Chamber, stay: Stay) -> str:
        """Who is on no last list, and where lists have the name again if it is another one now."""
        end = f"sur les listes {OF[chamber.name]} jusqu’au {day(stay.seen)}"
        then = "Les listes ne disent pas où est la personne depuis"
        if back := self.successions.of(chamber, stay).back:
            after = self.successions.back(chamber, stay).removeprefix("nom revenu ici ")
            then = f"Le nom {back.written} y est revenu {after}"
        elif elsewhere := self.successions.elsewhere(chamber, stay):
            then = elsewhere.capitalize()
        who = self._other(stay) or self.who
        return f"{who} a été {end}, {_since(chamber, stay)}. {then}."

    def _notes(self) -> Iterator[Expected]:
        for chamber, stay in (line[-1] for line in self.lines if not line[-1][1].end):
            whose = of(chamber.member(stay.member)[0])
            terms = chamber.terms.get(stay.member, [])
            if not chamber.sits(stay.member):
                ended = chamber.standing(stay.member).ended
                known = "a pris fin le" if ended else "n’est connu que jusqu’au"
                yield f"Le mandat {whose} {known} {day(chamber.over(stay.member))}, et la liste a encore le nom."
            elif since := [b for _, b in terms if chamber.last < b < chamber.today]:
                yield f"Depuis cette liste, le mandat {whose} a pris fin le {day(min(since))}."
        notes = []
        for chamber in {line[0][0] for line in self.lines[:LINES]}:
            before = f", avant {renewed(chamber.renewals[0])}" if chamber.renewals else ""
            if before or chamber.late:
                notes.append(
                    f"La dernière liste {OF[chamber.name]} date du {day(chamber.last)}, {ago(chamber.last, chamber.today)}{before} : ce qui a changé depuis n’est pas connu."
                )
        yield tuple(" ".join(order) for order in permutations(notes)) if notes else ""
        if self.signs:
            yield f"Plusieurs personnes portent peut-être ce nom. Les listes ne donnent pas d’identifiant : ici, {', '.join(self.signs)}. Ne lisez pas ces lignes comme un seul parcours."
        yield from self._other_names()
        for chamber in self.chambers.values():
            for member in chamber.by_member:
                if words(chamber.member(member)[0]) in self.names:
                    elected = f"{chamber.member(member)[0]} {chamber.group_of(member)}".strip()
                    yield f"Une personne de ce nom siège ou a siégé {IN[chamber.name]} : {elected}. Rien ne dit si c’est la même."

    @property
    def renamed(self) -> list[str]:
        """The other names taken for the person's."""
        chain = [n for _, s in self.stays if s.former for n in (s.written, *s.former)]
        return [name for name in dict.fromkeys(chain) if words(name) != words(self.name)]

    def _other_names(self) -> Iterator[Expected]:
        changed = [(c, s) for c, s in self.stays if s.former]
        others = self.renamed
        if others:
            at = {
                s.member: f"{c.member(s.member)[0]} {c.group_of_stay(s)}".strip()
                for c, s in changed
            }
            same = (
                "nom de famille" if any(map(_family_twice, (s for _, s in changed))) else "prénom"
            )
            yield tuple(
                f"{joined(['Ce nom', *names])} sont tenus pour ceux d’une seule personne : chez {joined(members)}, l’un remplace l’autre sur les listes, avec la même civilité et le même {same}. Les listes ne le confirment pas."
                for names, members in product(permutations(others), permutations(at.values()))
            )
        if spelled := [name for name in self.spellings[1:] if name not in others]:
            yield f"Aussi écrit : {', '.join(spelled)}."

    def _table(self) -> Iterator[Expected]:
        most = f", jusqu’à {self.once} en même temps" * (self.once > 1)
        most = " sous ces noms" if self.renamed else most
        yield f"Collaborations{' sous ce nom' if self.signs else most}"
        for line in self.lines[:LINES]:
            chamber, last = line[-1]
            when = f"jusqu’au {day(last.seen)}" if last.end else begin(last)
            times = f", {len(line)} périodes" * (len(line) > 1)
            yield f"{SHORT[chamber.name]} {_member(chamber, last)} {when}{times}"
        if (more := len(self.lines) - LINES) > 0:
            yield f"Et {plural(more, 'ligne plus ancienne', 'lignes plus anciennes')}, en tableau."
        shown = [of_ for line in self.lines for of_ in line]
        first = f", les {LINES} premières" * (len(shown) > LINES)
        yield f"Les périodes, de la plus récente à la plus ancienne{first}"
        texts = [self._period(*of_) for of_ in sorted(shown, key=_latest, reverse=True)]
        yield from map(Possible, texts) if first else texts
        alone = " Elles ne donnent pas d’identifiant : cette page réunit ce qui est écrit sous ce nom, et des homonymes sont possibles."
        yield (
            "« Entre le 3 et le 9 mars 2021 » : le changement s’est fait entre la liste du 3 et celle du 9, sans liste entre les deux. Le groupe est celui du dernier jour de la période. Les listes ne disent rien de ce qui se passe entre deux périodes."
            + alone * (not self.signs)
        )

    def _period(self, chamber: Chamber, stay: Stay) -> str:
        successions = self.successions
        begun = (
            between(stay.after, stay.begin) if stay.after else f"le {day(stay.begin)} au plus tard"
        )
        to = next((e.come for e in chamber.told.get(stay, []) if e.out == stay), None)
        until = [self._until(chamber, stay), successions.elsewhere(chamber, stay, to)]
        until.append(successions.back(chamber, stay))
        under = f"sous le nom {self._other(stay)} " * bool(self._other(stay))
        cells = (
            f"{_member(chamber, stay)} {under}{function(stay.row.function)}",
            f"{begun} {successions.before(chamber, stay)}",
            " ".join(filter(None, until)),
        )
        return " | ".join(cell.strip() for cell in cells)

    def _until(self, chamber: Chamber, stay: Stay) -> str:
        over = "" if chamber.sits(stay.member) else chamber.over(stay.member)
        ended = chamber.standing(stay.member).ended
        known = (
            f" (mandat {'terminé le' if ended else 'connu jusqu’au'} {day(over)})" if over else ""
        )
        if not stay.end:
            return f"sur la liste du {day(chamber.last)}{known}"
        late = bool(over) and stay.end > over
        told = f"nom absent de la liste du {day(stay.end)}{known}" if late else chamber.left(stay)
        return told + ", avec toute l’équipe" * chamber.gone_with_member(stay)

    def _movement(self, chamber: Chamber, event: Event) -> str:
        out, come, name, badge = event.out, event.come, event.written, f"{event.badge} "
        origin = out and f"{chamber.member(out.member)[0]} {chamber.group_of_stay(out)}"
        to = come and f"{chamber.member(come.member)[0]} {chamber.group(come.member, event.day)}"
        told = f"{name} rejoint {to}"
        if out and come:
            told = f"{name} quitte {str(origin).strip()} pour {to}"
        elif out and chamber.gone_with_member(out):
            badge, whose = "", of(chamber.member(out.member)[0])
            told = f"{name} : sortie de la liste, équipe {whose} vidée ou mandat fini"
        elif out:
            told = f"{name} quitte {origin}"
        after = (
            f"du {day(event.day)}"
            if exact(event.before, event.day)
            else between(event.before, event.day)
        )
        if out and chamber.faint(out):
            after = f"vers le {day(event.day)}" if come else f"vu sur la liste du {day(event.day)}"
        return f"{chamber.when(event)} · {badge}{told.strip()} · Détail du mouvement {after}"


def _family_twice(stay: Stay) -> bool:
    """Whether a former name has the family name in the place of the given name, which tells nothing then."""
    given = " ".join(sorted(stay.row.given))
    before = (bare(name) for name in stay.former)
    return any(
        name.endswith(bare(stay.row.family)) and not name.startswith(given) for name in before
    )


def _latest(of_: Of) -> tuple[bool, str, str]:
    return not of_[1].end, of_[1].seen, of_[1].begin


def _since(chamber: Chamber, stay: Stay) -> str:
    leave = ", en congé sans solde" * stay.row.on_leave
    return f"chez {_member(chamber, stay)}, {begin(stay)}{leave}"


def _member(chamber: Chamber, stay: Stay) -> str:
    return f"{chamber.member(stay.member)[0]} {chamber.group_of_stay(stay)}".strip()


def case(chambers: Mapping[str, Chamber], name: Words) -> tuple[object, ...]:
    """What pages of names differ by."""
    stays = [stay for lists in chambers.values() for stay in lists.by_name.get(name, [])]
    renamed = any(stay.begun.name != name for stay in stays)
    places = len({stay.member for stay in stays})
    return min(places, 3), len(stays) > places, any(not stay.end for stay in stays), renamed
