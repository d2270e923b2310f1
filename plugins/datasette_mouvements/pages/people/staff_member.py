"""The page of a staff member's name: where it stands on lists, from when to when, and the movements."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple
from urllib.parse import unquote

from datasette.utils.asgi import Request, Response
from markupsafe import Markup

from parlement_lists.movement import slug_of
from parlement_lists.tenure import Tenure

from ...dataset.coverage import Coverage
from ...dataset.schema import SPELLINGS, TENURES
from ..counts import days
from ..counts.facts import Counting, Facts, Reader, Row, faint
from ..counts.mandates import End, mandate_end
from ..frame import correction_request
from ..frame.not_found import absent
from ..frame.site import Site
from ..words import french, phrases
from . import career

CALLS = 5
# A longer page weighs too much; the tables of stays and movements have the rest. MEMBERS_SHOWN share contracts, of all
# contracts together.
STAYS_SHOWN, MEMBERS_SHOWN, MOVEMENTS_SHOWN = 24, 60, 40
# About what each takes, and all of them may.
LANE, STAY, MEMBER, MOVEMENT = 800, 700, 320, 1000
BYTES = 46_000
FEWEST = 5
CALL = (
    "<p>L’interface ne filtre pas par nom de collaborateur : voici l’appel pour chaque"
    " parlementaire, du plus récent au plus ancien.</p>"
)


class Named(NamedTuple):
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


class Told(NamedTuple):
    """One stay, the lists of its chamber, and how the mandate of the last one ended, if it is in progress."""

    stay: Tenure
    known: Coverage
    end: End | None

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
    key = ("staff", facts.build, site.origin(request), slug)
    known = site.cached_page(request, key)
    if known is not None:
        return known
    found = await of_name(facts.reader, slug)
    if not found.spellings:
        return await absent(
            site,
            request,
            "Rien n’est publié sous ce nom. Il est peut-être mal écrit, ou il a été retiré à la"
            " demande de la personne.",
        )
    return await site.cache_page(request, key, "staff", await _context(site, request, facts, found))


async def _context(site: Site, request: Request, facts: Facts, found: Named) -> dict[str, Any]:
    family, given = found.spellings[0]
    names = [french.full_name(given, family) for family, given in found.spellings]
    lines = career.lines(found.stays)
    # Of a stay that members share one is told; the others are under it.
    of_line = {stay.id: line for line in lines for stay in line.stays}
    shown = [stay for stay in found.stays if stay.id in of_line]
    told = [
        (of_line[stay.id], await _of_line(site, facts, of_line[stay.id], stay))
        for stay in shown[:STAYS_SHOWN]
    ]
    contracts, most = _room(site, lines, [line for line, _ in told])
    moves = days.folded(found.movements)
    signs = career.namesakes(found.stays, lines)
    chambers = {stay.chambre for stay in found.stays}
    left = {row["elu_origine_nom"] for row in found.movements if row["type"] == "transfert"}
    path = site.staff(found.slug, "")
    return {
        "name": names[0],
        "others": names[1:],
        "stays": found.stays,
        "title": career.title(lines, namesakes=bool(signs)) if lines else "",
        "drawn": career.drawn(lines, facts.coverage) if lines else None,
        "groups": career.groups,
        "told": told,
        "more_told": len(shown) > STAYS_SHOWN,
        "contracts": contracts,
        **_on_lists(facts, told),
        "with_mandate": {row["id"] for row in found.movements if row["contexte"] == "elu_sortant"},
        "coverage": facts.coverage,
        "signs": signs,
        "linked": bool(left),
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
        "stays_table": site.beside(TENURES, collab_nom=family, collab_prenom=given),
        "calls": _calls(site, request, found),
        "call_note": Markup(french.typography(CALL)),
    }


def _on_lists(facts: Facts, told: list[tuple[career.Line, Told]]) -> dict[str, Any]:
    """Which lines the last lists have, those of ended mandates apart, and what their members are."""
    return {
        "present": [line for line, one in told if one.listed and not one.end],
        "lingering": [(line, one) for line, one in told if one.listed and one.end],
        "role": lambda stay: phrases.role(stay.chambre, facts.civility(stay.chambre, stay.elu_id)),
        # Of these it is not said how long they last: the lists name them after the mandate's end.
        "over": [line for line, one in told if not one.stay.fin and one.end],
    }


class Contract(NamedTuple):
    """What several members share: as many of them as the page names, and the table that has all."""

    line: career.Line
    shown: Sequence[Tenure]
    more: int
    table: str


def _room(
    site: Site, lines: list[career.Line], told: list[career.Line]
) -> tuple[list[Contract], int]:
    """The contracts with the members whom the page names, and how many movements it has room for."""
    shared = dict.fromkeys(line for line in told if line.members)
    room = BYTES - LANE * min(len(lines), career.LINES) - STAY * len(told)
    contracts = _contracts(site, shared, min(MEMBERS_SHOWN, room // 2 // MEMBER))
    room -= MEMBER * sum(len(one.shown) for one in contracts)
    return contracts, max(min(MOVEMENTS_SHOWN, room // MOVEMENT), FEWEST)


def _contracts(site: Site, lines: Collection[career.Line], most: int) -> list[Contract]:
    each = max(most // max(len(lines), 1), 1)
    found = []
    for line in lines:
        named = {name: getattr(line.first, name) for name in ("collab_nom", "collab_prenom")}
        table = site.beside(TENURES, **named, debut=line.first.debut, fonction=line.first.fonction)
        found.append(Contract(line, line.members[:each], max(len(line.members) - each, 0), table))
    return found


async def of_name(reader: Reader, slug: str) -> Named:
    """What is known under a name, in every spelling that makes the same address.

    A stay bears the latest name, its movements those of their days: each brings the other along.
    """
    # `is`, for a name of which only one part is known.
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
    return Named(
        slug,
        sorted(stays.values(), key=lambda s: (not s.fin, s.fin_apres, s.debut), reverse=True),
        sorted(movements.values(), key=lambda row: -row["n"]),
    )


def _marks(values: list[str]) -> str:
    return ", ".join("?" * len(values))


async def _told(site: Site, facts: Facts, stay: Tenure) -> Told:
    known, end = facts.coverage[stay.chambre], None
    if not stay.fin and known.last:
        mandates = await facts.reader.mandates(stay.chambre, stay.elu_id)
        former = await facts.reader.stays(
            "where elu_id = ? and chambre = ? and fin is not null", [stay.elu_id, stay.chambre]
        )
        begins = [one.debut for one in former]
        end = mandate_end(stay.chambre, mandates, stay.debut, known.last, site.today, begins)
    return Told(stay, known, end)


async def _of_line(site: Site, facts: Facts, line: career.Line, stay: Tenure) -> Told:
    """A stay, or of a shared one that with a member whose mandate goes on, if there is one."""
    first = await _told(site, facts, stay)
    for one in line.members[1:] if first.end else ():
        other = await _told(site, facts, one)
        if not other.end:
            return other
    return first


async def told(site: Site, identifier: str) -> tuple[Told | None, frozenset[str]]:
    """One stay as `c.told` of the templates writes it; None while no version that has it is counted."""
    try:
        facts = await site.facts()
    except Counting:
        return None, frozenset()
    for stay in await facts.reader.stays("where id = ?", [identifier]):
        ends = await facts.reader.movements("where id = ?", [stay.mouvement_fin])
        return await _told(site, facts, stay), faint(ends)
    return None, frozenset()


def _calls(site: Site, request: Request, found: Named) -> list[str]:
    members = dict.fromkeys(
        (row["chambre"], row["elu_id"]) for row in found.movements if row["elu_id"]
    )
    return [
        site.call(request, chambre=chamber, elu=identifier)
        for chamber, identifier in list(members)[:CALLS]
    ]
