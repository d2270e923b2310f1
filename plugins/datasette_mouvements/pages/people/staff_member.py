"""The page of a staff member's name: where it stands on lists, from when to when, and the movements."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple
from urllib.parse import unquote

from datasette.utils.asgi import Request, Response
from markupsafe import Markup

from parlement_lists.dates import days_between
from parlement_lists.movement import CHAMBERS, plain, slug_of
from parlement_lists.tenure import Tenure

from ...dataset.coverage import Coverage
from ...dataset.mandates import MandateEnd
from ...dataset.schema import MEMBERSHIPS, SPELLINGS, TENURES
from ..counts import days, group_times, stay_links
from ..counts.facts import CountPending, Facts, Row, VersionReader, faint
from ..frame import correction_request
from ..frame.site import PageMissing, Site
from ..words import french, phrases
from . import career

CALLS = 5
UNKNOWN = (
    "Rien n’est publié sous ce nom. Il est peut-être mal écrit, ou il a été retiré à la"
    " demande de la personne."
)
# Bounds of the page's size; the tables of stays and movements have the rest. MEMBERS_SHOWN is of all
# shared contracts together.
STAYS_SHOWN, MEMBERS_SHOWN, MOVEMENTS_SHOWN = 24, 60, 40
# Bytes that one of each takes, about; bytes that all may take.
LANE, STAY, LINKED, MEMBER, MOVEMENT = 800, 700, 250, 320, 1100
BYTES = 46_000
FEWEST = 5
# Days between two mandates of one time in office: those of a dissolution are 29.
SAME_TIME = 31
CALL = (
    "<p>L’interface ne filtre pas par nom de collaborateur : voici l’appel pour chaque"
    " parlementaire, du plus récent au plus ancien.</p>"
)


class NameRecord(NamedTuple):
    """What is known under a name, by its address, or linked to it: the latest first."""

    slug: str
    stays: list[Tenure]
    movements: list[Row]

    @property
    def spellings(self) -> list[tuple[str, str]]:
        """Every family and given name, those of the address first, then those of stays; none if nothing is known."""
        written = [(stay.collab_nom, stay.collab_prenom) for stay in self.stays]
        written += [(row["collab_nom"] or "", row["collab_prenom"] or "") for row in self.movements]
        names = [name for name in dict.fromkeys(written) if any(name)]
        return sorted(names, key=lambda name: slug_of(*name) != self.slug)


class StayStatus(NamedTuple):
    """One stay, the lists of its chamber, and how the mandate of the last one ended, if it is in progress."""

    stay: Tenure
    known: Coverage
    end: MandateEnd | None
    after: MandateEnd | None = None  # where it ended after the mandate had
    groups_before: Sequence[str] = ()  # that of its last day is the stay's own

    @property
    def listed(self) -> bool:
        """Whether the last list has it."""
        return not self.stay.fin and self.stay.fin_apres == self.known.last


async def staff(site: Site, request: Request) -> Response:
    """The stays and movements under a staff member's name."""
    asked = unquote(request.url_vars["nom"])
    slug = slug_of(asked, "")
    if slug and slug != asked:
        return Response.redirect(site.staff(slug, ""), 301)
    facts = await site.facts()
    if not site.snapshot().has_name(slug):
        raise PageMissing(UNKNOWN)  # before it waits for its turn
    key = ("staff", facts.build, site.origin(request), slug)
    return await site.cached(request, key, "staff", lambda: _context(site, request, facts, slug))


async def _context(site: Site, request: Request, facts: Facts, slug: str) -> dict[str, Any]:
    found = await of_name(facts.reader, slug)
    successions = await stay_links.link(facts.reader.rows, found.movements, found.stays)
    family, given = found.spellings[0]
    names = [french.full_name(given, family) for family, given in found.spellings]
    lines = career.lines(found.stays)
    # A stay that members share is told once, with its members under it.
    of_line = {stay.id: line for line in lines for stay in line.stays}
    shown = [stay for stay in found.stays if stay.id in of_line]
    told = [
        (of_line[stay.id], _of_line(site, facts, of_line[stay.id], stay))
        for stay in shown[:STAYS_SHOWN]
    ]
    linked = {
        one.stay.id: stay_links.links_of(successions, one.stay.id, one.stay.id) for _, one in told
    }
    contracts, most = _room(
        site, lines, [line for line, _ in told], sum(map(bool, linked.values()))
    )
    moves = days.fold(found.movements)
    corrected = any(stay.person in successions.several for stay in found.stays)
    signs = career.namesakes(found.stays, lines, corrected)
    chambers = {stay.chambre for stay in found.stays}
    left = {row["elu_origine_nom"] for row in found.movements if row["type"] == "transfert"}
    path = site.staff(found.slug, "")
    return {
        "name": names[0],
        "others": names[1:],
        "stays": found.stays,
        "title": career.title(lines, namesakes=bool(signs)) if lines else "",
        "drawn": career.draw(lines, facts.coverage) if lines else None,
        "groups": career.groups,
        "groups_before": await _groups_before(facts, found.stays),
        "told": told,
        "more_told": len(shown) > STAYS_SHOWN,
        "contracts": contracts,
        **_on_lists(facts, told),
        "with_mandate": {row["id"] for row in found.movements if row["contexte"] == "elu_sortant"},
        "coverage": facts.coverage,
        "signs": signs,
        "corrected": corrected,
        "linked": bool(left),
        "links": linked,
        "elected": await _elected(facts, names, site.today.isoformat()),
        "late": [(c, facts.coverage[c]) for c in sorted(chambers)],
        "undecided": any(
            not stay.fin and stay.fin_apres < facts.coverage[stay.chambre].last
            for stay in found.stays
        ),
        "moves": moves[:most],
        "all_moves": len(moves),
        "total": len(found.movements),
        "faint": faint(found.movements),
        "asking": correction_request.asking(site, request, path),
        "feed": f"{path}/flux",
        "explorer": site.path("/explorer", q=names[0]),
        "stays_table": site.sidebar_table(TENURES, collab_nom=family, collab_prenom=given),
        "calls": _calls(site, request, found),
        "call_note": Markup(french.typography(CALL)),
    }


class ElectedNamesake(NamedTuple):
    """Who has the name and has sat: the years of each time in office, "" of an end, or a begin, that nobody knows."""

    chamber: str
    member: str
    role: str
    times: list[tuple[str, str]]

    @property
    def over(self) -> bool:
        """Whether all these times are known from their begin to their end."""
        return bool(self.times) and all(since and until for since, until in self.times)

    @property
    def since(self) -> str:
        """The year since which the last one goes on, as far as is known; "" where it does not."""
        return self.times[-1][0] if self.times and not self.times[-1][1] else ""


async def _elected(facts: Facts, names: Iterable[str], today: str) -> list[ElectedNamesake]:
    """Whoever of the name has sat by today."""
    wanted = {plain(one) for one in names}
    found = []
    for chamber, name in sorted(
        facts.namesakes.keys() & {(c, n) for c in CHAMBERS for n in wanted}
    ):
        for member in facts.namesakes[chamber, name]:
            times: list[tuple[str, str]] = []
            for since, until in await facts.reader.mandates(chamber, member):
                if since > today:
                    continue
                until = until if until < today else ""
                before = times[-1][1] if times else ""
                if times and not (before and since and days_between(before, since) > SAME_TIME):
                    times[-1] = (times[-1][0], max(until, before) if until and before else "")
                else:
                    times.append((since, until))
            years = [(since[:4], until[:4]) for since, until in times]
            role = phrases.role(chamber, facts.civility(chamber, member))
            found.append(ElectedNamesake(chamber, member, role, years))
    return found


async def _groups_before(facts: Facts, stays: Iterable[Tenure]) -> dict[str, list[str]]:
    """The groups that members had during stays before those of the last days, by the stay's identifier."""
    held: dict[tuple[str, str], list[group_times.Membership]] = defaultdict(list)
    members = json.dumps(sorted({stay.elu_id for stay in stays}))
    for chamber, member, *span in await facts.reader.rows(
        f"""
        select chambre, elu_id, groupe, debut, fin from {MEMBERSHIPS}
        where elu_id in (select value from json_each(?)) order by debut, fin = '', fin
        """,
        [members],
    ):
        held[chamber, member].append((span[0], span[1], span[2]))
    found = {
        stay.id: group_times.groups_of(stay, held[stay.chambre, stay.elu_id]) for stay in stays
    }
    return {id: codes[:-1] for id, codes in found.items()}


def _on_lists(facts: Facts, told: list[tuple[career.CareerLine, StayStatus]]) -> dict[str, Any]:
    """Which lines the last lists have, those of ended mandates apart, and what their members are."""
    return {
        "present": [line for line, one in told if one.listed and not one.end],
        "lingering": [(line, one) for line, one in told if one.listed and one.end],
        "role": lambda stay: phrases.role(stay.chambre, facts.civility(stay.chambre, stay.elu_id)),
        # The lists name these after the mandate's end, so no duration is given.
        "over": [line for line, one in told if one.end and one.end.known],
    }


class SharedContract(NamedTuple):
    """What several members share: as many of them as the page names, and the table that has all."""

    line: career.CareerLine
    shown: Sequence[Tenure]
    more: int
    table: str


def _room(
    site: Site, lines: list[career.CareerLine], told: list[career.CareerLine], linked: int
) -> tuple[list[SharedContract], int]:
    """The contracts with the members whom the page names, and how many movements it has room for.

    `linked` of the stays told have links.
    """
    shared = dict.fromkeys(line for line in told if line.members)
    room = BYTES - LANE * min(len(lines), career.LINES) - STAY * len(told) - LINKED * linked
    contracts = _contracts(site, shared, min(MEMBERS_SHOWN, room // 2 // MEMBER))
    room -= MEMBER * sum(len(one.shown) for one in contracts)
    return contracts, max(min(MOVEMENTS_SHOWN, room // MOVEMENT), FEWEST)


def _contracts(site: Site, lines: Collection[career.CareerLine], most: int) -> list[SharedContract]:
    each = max(most // max(len(lines), 1), 1)
    found = []
    for line in lines:
        named = {name: getattr(line.first, name) for name in ("collab_nom", "collab_prenom")}
        table = site.sidebar_table(
            TENURES, **named, debut=line.first.debut, fonction=line.first.fonction
        )
        found.append(
            SharedContract(line, line.members[:each], max(len(line.members) - each, 0), table)
        )
    return found


async def of_name(reader: VersionReader, slug: str) -> NameRecord:
    """What is known under a name, in every spelling that makes the same address; PageMissing if nothing is.

    A stay bears the latest name, its movements those of their days: each brings the other along.
    """
    # `is`, because one part of a name may be null.
    spelled = "where collab_nom is nullif(?, '') and collab_prenom is nullif(?, '')"
    stays: dict[str, Tenure] = {}
    movements: dict[str, Row] = {}
    sql = f"select nom, prenom from {SPELLINGS} where adresse = ?"
    for name in await reader.rows(sql, [slug]):
        stays |= {stay.id: stay for stay in await reader.stays(spelled, name)}
        movements |= {row["id"]: row for row in await reader.movements(spelled, name)}
    ends = [id for s in stays.values() for id in (s.mouvement_debut, s.mouvement_fin)]
    own = list(movements)
    linked = await reader.movements(f"where id in ({_marks(ends)})", ends)
    marks = _marks(own)
    linking = await reader.stays(
        f"where mouvement_debut in ({marks}) or mouvement_fin in ({marks})", own * 2
    )
    movements |= {row["id"]: row for row in linked}
    stays |= {stay.id: stay for stay in linking}
    found = NameRecord(
        slug,
        sorted(stays.values(), key=lambda s: (not s.fin, s.fin_apres, s.debut), reverse=True),
        sorted(movements.values(), key=lambda row: -row["n"]),
    )
    if not found.spellings:
        raise PageMissing(UNKNOWN)
    return found


def _marks(values: list[str]) -> str:
    return ", ".join("?" * len(values))


def _status_of(site: Site, facts: Facts, stay: Tenure) -> StayStatus:
    end = facts.ended(stay.chambre, stay.elu_id, site.today)
    known = facts.coverage[stay.chambre]
    if stay.fin:
        return StayStatus(stay, known, None, end if end and stay.fin >= end.over else None)
    return StayStatus(stay, known, end)


def _of_line(site: Site, facts: Facts, line: career.CareerLine, stay: Tenure) -> StayStatus:
    """A stay, or of a shared one that with a member whose mandate goes on, if there is one."""
    first = _status_of(site, facts, stay)
    for one in line.members[1:] if first.end else ():
        other = _status_of(site, facts, one)
        if not other.end:
            return other
    return first


async def stay_status(site: Site, identifier: str) -> tuple[StayStatus | None, frozenset[str]]:
    """One stay as `c.told` of the templates writes it; None while no version that has it is counted."""
    try:
        facts = await site.facts()
    except CountPending:
        return None, frozenset()
    for stay in await facts.reader.stays("where id = ?", [identifier]):
        ends = await facts.reader.movements("where id = ?", [stay.mouvement_fin])
        groups = await _groups_before(facts, [stay])
        told = _status_of(site, facts, stay)._replace(groups_before=groups[stay.id])
        return told, faint(ends)
    return None, frozenset()


def _calls(site: Site, request: Request, found: NameRecord) -> list[str]:
    members = dict.fromkeys(
        (row["chambre"], row["elu_id"]) for row in found.movements if row["elu_id"]
    )
    return [
        site.call(request, chambre=chamber, equipe=identifier)
        for chamber, identifier in list(members)[:CALLS]
    ]
