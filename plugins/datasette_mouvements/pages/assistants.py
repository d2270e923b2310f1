"""Tools for assistants, where datasette-mcp is installed: what /v1 and pages answer, each call for a charge.

Only that plugin's hook leads here; it brings `mcp` and pydantic.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from inspect import Parameter as Argument
from inspect import Signature
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlencode

from datasette.app import Datasette
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field

from ..access.payer import account_of
from ..api import coverage, questions, replies
from ..api.listings import MOVEMENTS_LISTING
from ..api.parameters.parameter import Parameter, accepted
from ..api.parameters.parameter_faults import Fault, refusal
from ..api.parameters.search_parameters import BY_NAME, read
from ..api.parameters.stay_parameters import STAYS_BY_NAME
from ..api.questions import Question
from ..api.routes import routes_of
from ..dataset.mandates import FORMER
from ..dataset.served.snapshot import Snapshot
from ..dataset.turnover import Figures, Turnover
from ..refusal import Refusal, unavailable
from .counts.facts import CountPending
from .frame.instance import site_of
from .frame.site import NoData, Site
from .offices import groups, office_table
from .routes import serves
from .weeks.calendar import week_of
from .words import french

RULES = (
    " Chaque appel compte pour une demande de la clé (en-tête Authorization: Bearer, ou X-API-Key)."
    " « reserves » dit, par chambre, les jours sans liste : ce qui y a changé n’est pas connu, zéro n’y veut pas"
    " dire personne. S’il y a « suite », demandez-la avec son offset. Citez « attribution » et « licence »."
)
KEYWORD = Argument.KEYWORD_ONLY
# What a tool found, and the first and last day that it is of; "" where it is of none.
Told = tuple[dict[str, Any], str, str]
# Finds the answer of /v1 to a question.
FindPage = Callable[[Snapshot, Question], Awaitable[replies.PreparedPage]]


class AssistantTool(NamedTuple):
    """One tool: its parameters, the first of which every call needs, and its answer to a query string."""

    name: str
    parameters: dict[str, Parameter]
    ask: Callable[[Site, FindPage, bytes], Awaitable[Told]]
    purpose: str

    async def answer(self, datasette: Datasette, context: Context) -> tuple[str, bool]:
        """The JSON of the answer for one charge, or of the refusal; and whether it is one."""
        site, routes = site_of(datasette), routes_of(datasette)
        if site is None or routes is None:
            return "Le service n’a pas démarré.", True
        service, scope = site.service, context.request_context.request.scope
        # As they were sent: what the signature does not know is told like any wrong parameter.
        sent = context.request_context.params.get("arguments") or {}
        given = dict.fromkeys([*self.parameters][:1], "")
        given |= {name: value for name, value in sent.items() if value not in (None, "")}
        try:
            payment = await service.pay(scope, account_of(scope.get("actor")))
            work = self._found(site, routes.page, urlencode(given).encode())
            found, *days = await routes.paid_for(payment, work)
        except Refusal as refused:
            return replies.refuse(service, refused, service.origin(scope)).body.decode(), True
        known = service.freshness()
        told = [n for n in known if days[0] and n == given.get("chambre", n)]
        periods = {name: known[name].lists.period(*days) for name in told}
        reserves = {n: french.without_lists(one.holes) for n, one in periods.items() if one.holes}
        answer = {
            **found,
            "reserves": reserves | {n: french.gap(p.gap) for n, p in periods.items() if p.gap},
            "couverture": coverage.chambers(known, service.invented),
            "licence": service.config.licence,
            "attribution": service.config.attribution,
        }
        return json.dumps(answer, ensure_ascii=False, separators=(",", ":")), False

    async def _found(self, site: Site, page: FindPage, query: bytes) -> Told:
        try:
            return await self.ask(site, page, query)
        except (CountPending, NoData):
            raise unavailable() from None

    def function(self, datasette: Datasette) -> Callable[..., Awaitable[CallToolResult]]:
        """The tool as the server takes it: its schema is made of the signature, values are checked by `ask`."""

        async def call(context: Context, **given: Any) -> CallToolResult:
            text, failed = await self.answer(datasette, context)
            return CallToolResult(content=[TextContent(type="text", text=text)], is_error=failed)

        arguments: list[Argument] = []
        for one in self.parameters.values():
            said = Field(description=f"{one.meaning} : {accepted(one)}")
            kind = Annotated[str | None, said] if one.least is None else Annotated[int | None, said]
            empty = None if arguments else Argument.empty
            arguments.append(Argument(one.name, KEYWORD, default=empty, annotation=kind))
        call.__signature__ = Signature(arguments)  # type: ignore[attr-defined]
        return call


def register(datasette: Datasette, mcp: MCPServer) -> None:
    """Give the server of datasette-mcp the tools, where movements are served."""
    harmless = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    for tool in TOOLS if serves(datasette) else ():
        text = tool.purpose + RULES
        mcp.add_tool(tool.function(datasette), tool.name, description=text, annotations=harmless)


async def _stays(site: Site, page: FindPage, query: bytes) -> Told:
    question = questions.of_stays(site.service, query)
    day = str(read(query, STAYS_BY_NAME)["le"])
    return await _page(site, page, question), day, day


async def _changes(site: Site, page: FindPage, query: bytes) -> Told:
    asked = read(query, CHANGES)
    week = week_of(str(asked.pop("jour")))
    search = {"depuis": week.since, "jusqua": week.until, **asked}
    question = questions.of_page(MOVEMENTS_LISTING, urlencode(search).encode())
    found = await _page(site, page, question)
    return {"semaine": week.name, **found}, week.since, week.until


async def _turnover(site: Site, page: FindPage, query: bytes) -> Told:
    asked = read(query, TURNOVER)
    chamber, group, member = (str(asked.get(name, "")) for name in TURNOVER)
    if group and member:
        raise refusal([Fault("together", "groupe", "elu")], {}, TURNOVER)
    facts = await site.facts()
    year, figures = facts.years[chamber], facts.figures.get(chamber)
    if group and group not in groups.codes(facts, chamber):
        raise Refusal("parameter", groups.UNKNOWN, "groupe")
    if member and facts.listed(chamber, member) is None:
        raise Refusal("parameter", "Aucun élu de cette chambre n’a cet identifiant.", "elu")
    end = facts.ended(chamber, member, site.today)
    if figures is None or (end and end.how == FORMER):
        found = {"non_calculable": "ancien membre" if figures else "pas de liste"}
    elif group and not figures.grouped:
        found = {"non_calculable": office_table.GROUPS_UNKNOWN}
    else:
        part = figures.groups.get(group) if group else figures.offices.get(member)
        found = _figures(part or figures.nobody if group or member else figures.whole)
    return asked | found, year.since, year.until


async def _coverage(site: Site, page: FindPage, query: bytes) -> Told:
    return {**read(query, {})}, "", ""


async def _page(site: Site, page: FindPage, question: Question) -> dict[str, Any]:
    """The members of an answer of /v1, and where its next page begins."""
    found: dict[str, Any] = json.loads((await page(site.snapshot(), question)).body)
    after = found["offset"] + found["limit"]
    return found | ({"suite": {"offset": after}} if after < found["total"] else {})


def _figures(told: Figures) -> dict[str, Any]:
    """The figures by the names that files give them."""
    counted, median = told.turnover, told.median
    found: dict[str, Any] = {"depuis": counted.since, "jusqua": counted.until}
    if isinstance(counted, Turnover):
        part = round(counted.rate, 4)
        found |= {"parties": counted.left, "passees": counted.people, "part": part}
    else:
        found["non_calculable"] = office_table.why(counted)
    of_offices = median and {"part_mediane": round(median.rate, 4), "equipes": median.offices}
    return found | (of_offices or {})


DAY = BY_NAME["depuis"]._replace(name="jour", meaning="Un jour de la semaine")
STAYS = {name: STAYS_BY_NAME[name] for name in ("le", *STAYS_BY_NAME) if name != "present"}
CHANGES = {"jour": DAY} | {n: BY_NAME[n] for n in ("chambre", "type", "equipe", "limit", "offset")}
TURNOVER = {name: STAYS_BY_NAME[name] for name in ("chambre", "groupe", "elu")}
TOOLS = (
    AssistantTool(
        *("collaborations_du_jour", STAYS, _stays),
        "Qui travaille pour qui un jour donné, selon la dernière liste d’alors (« listes » dit laquelle).",
    ),
    AssistantTool(
        *("mouvements_de_la_semaine", CHANGES, _changes),
        "Arrivées, départs et transferts datés de la semaine (du lundi au dimanche) d’un jour.",
    ),
    AssistantTool(
        *("rotation", TURNOVER, _turnover),
        "Part des personnes parties en douze mois, d’une chambre, d’un groupe ou de l’équipe d’un élu.",
    ),
    AssistantTool("couverture", {}, _coverage, "Les listes de chaque chambre et leurs sources."),
)
