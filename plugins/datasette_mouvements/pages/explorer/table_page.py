"""Datasette's table page as the explorer: the friendly address, the search, what its template tells."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlencode, urlsplit

from datasette.filters import FilterArguments
from datasette.utils.asgi import Request, Response
from markupsafe import Markup

from parlement_lists.movement import CHAMBERS

from ...api.parameters.parameter import Parameter
from ...api.parameters.search_parameters import PARAMETERS, parse
from ...dataset.schema import TABLE
from ...refusal import Refusal
from ..counts.facts import Group
from ..frame.site import Site
from ..people import name_search
from ..words import french, labels

# The interface's filters, without paging. NATIVE gives the names under which Datasette's table page knows them.
FILTERS = [parameter for parameter in PARAMETERS if parameter.default is None]
FIELDS_SHOWN = [parameter for parameter in FILTERS if parameter.name != "elu"]
QUERY = "_q"
NATIVE = {
    "q": QUERY,
    "depuis": "date_event__gte",
    "jusqua": "date_event__lte",
    "elu": "elu_id",
    "groupe": "elu_groupe",
    "chambre": "chambre",
    "type": "type",
    "source": "source",
    "confiance": "confiance",
}
# The form carries BESIDE on without a field for them; the interface has no parameter for ONLY_HERE.
BESIDE = ("elu", "confiance")
ONLY_HERE = ("q", "groupe", "confiance")
# The column of the family name shows the whole name.
HEADS = {**labels.LABELS, "collab_nom": "Personne", "elu_nom": "Équipe de"}
# What a filter is called where it can be dropped.
NAMED = {
    "q": "Nom",
    "depuis": "Depuis le",
    "jusqua": "Jusqu’au",
    "elu": "Équipe de",
    "groupe": "Groupe",
    "chambre": "Chambre",
    "type": "Mouvement",
    "source": "Source",
    "confiance": "Date",
}
# How well a day is known where no stay tells the list before.
WITHOUT_LIST = {
    "bot": "à trois jours près",
    "fort": "à trois jours près",
    "moyen": "à dix jours près",
    "manuel": "donnée à la main",
}
DAYS = 7
# The way back: where the pages before this one begin, the first one being FIRST. Datasette has no page before.
TRAIL, FIRST, LONGEST_TRAIL = "_pages", "1", 30


class Given(NamedTuple):
    """One filter in force: what it is called, its value, the address without it."""

    name: str
    value: str
    without: str


class View(NamedTuple):
    """What the explorer's template tells of one request."""

    given: dict[str, str]
    filters: list[Parameter]
    kept: list[tuple[str, str]]
    too_short: bool  # the name: it filters nothing
    fault: str  # why the interface would refuse these filters, "" if it would not
    filtered: bool
    beyond: bool  # past the first page
    start: str
    feed: str  # "" if no feed can give the same
    files: str
    call: str  # "" if the interface cannot give the same
    heads: dict[str, str]
    dropped: list[Given]  # the filters, which may be dropped one by one
    week: str  # the last seven days with the other filters, "" where nothing is known
    groups: list[tuple[str, list[Group]]]  # of each chamber, () until they are counted
    before: str | None  # where the page before begins, FIRST, None where it is not known
    trail: str  # the way back from there


def redirect(site: Site, request: Request) -> Response:
    """The address that people share and forms use, turned into the table page's own."""
    given = {
        native: (request.args.get(name) or "").strip()[: name_search.LENGTH]
        for name, native in NATIVE.items()
    }
    chamber, _, code = given["elu_groupe"].partition("/")
    if chamber in CHAMBERS:
        given |= {"chambre": chamber, "elu_groupe": code}
    query = {name: value for name, value in given.items() if value}
    return Response.redirect(site.table + (f"?{urlencode(query)}" if query else ""))


def view(site: Site, request: Request) -> View:
    """The request's filters in the interface's words."""
    args = request.args
    given = {name: args.get(native) or "" for name, native in NATIVE.items()}
    asked = {parameter.name: given[parameter.name] for parameter in FILTERS}
    known = {*NATIVE.values(), "_sort", "_sort_desc", "_next", "_size", TRAIL}
    known |= {name for name in args if name.startswith("_facet")}
    fault = _fault(asked)
    told = not fault and set(args) <= known
    same = told and not any(given[name] for name in ONLY_HERE)
    too_short = bool(given["q"]) and not name_search.expression(given["q"])
    trail = _trail(args.get(TRAIL))
    followed = asked | {"groupe": given["groupe"], "nom": "" if too_short else given["q"]}
    return View(
        given=given,
        filters=FIELDS_SHOWN,
        kept=[(name, given[name]) for name in _without_field(site) if given[name]],
        too_short=too_short,
        fault=fault,
        filtered=any(given.values()) or not set(args) <= known,
        beyond="_next" in args,
        start=site.path("/explorer", **given),
        feed=site.path("/flux", **followed) if told and not given["confiance"] else "",
        files=site.path("/fichiers", **(asked if same else {})),
        call=site.call(request, **asked) if same else "",
        heads=HEADS,
        dropped=[
            Given(
                NAMED[name], _told(site, given, name), site.path("/explorer", **given | {name: ""})
            )
            for name in NAMED
            if given[name]
        ],
        week=_week(site, given),
        groups=_groups(site, given["chambre"]),
        before=trail[-1] if "_next" in args and trail else None,
        trail="|".join(trail[:-1]),
    )


def _without_field(site: Site) -> tuple[str, ...]:
    return BESIDE if site.latest_facts.known else (*BESIDE, "groupe")


def _told(site: Site, given: Mapping[str, str], name: str) -> str:
    """A filter's value as people read it."""
    value, facts = given[name], site.latest_facts.known
    if name in ("depuis", "jusqua"):
        return french.plain_day(value)
    if name == "groupe":
        names = {site.group(c, value).name for c in CHAMBERS if given["chambre"] in ("", c)} - {
            value
        }
        return f"{value} ({', '.join(sorted(names))})" if names else value
    if name == "elu" and facts:
        found = [facts.listed(chamber, value) for chamber in CHAMBERS]
        return next((one.name for one in found if one), value)
    return (labels.precision if name == "confiance" else labels.meaning)(value)


def exact(row: Mapping[str, Any], after: str) -> str:
    """How well the day of a movement is known; `after` is the day of the list before, "" where none is."""
    if not after:
        return french.typography(WITHOUT_LIST.get(row["confiance"], "approximative"))
    if french.when(row, after).exact:
        return "au jour près"
    if french.precise(after, row["date_event"]):
        return "approximative"
    days = date.fromisoformat(row["date_event"]) - date.fromisoformat(after)
    return f"à {french.counted(days.days, 'jour')} près"


def known(row: Mapping[str, Any], after: str) -> Markup:
    """The same with the lists that tell it, as HTML."""
    told = [exact(row, after)]
    seen = row["date_event"]
    if after == seen:
        told.append(f"liste du {french.plain_day(seen)}")
    elif after:
        told.append("listes du {} et du {}".format(*french.apart(after, seen)))
    if after and row["confiance"] == "manuel":
        told.append("donnée à la main")
    return french.superscript(", ".join(told))


def _week(site: Site, given: Mapping[str, str]) -> str:
    snapshot = site.service.live.snapshot
    if snapshot is None:
        return ""
    until = max(snapshot.latest, *(known.last for known in snapshot.coverage.values()))
    if not until:
        return ""
    since = (date.fromisoformat(until) - timedelta(DAYS - 1)).isoformat()
    return site.path("/explorer", **{**given, "depuis": since, "jusqua": ""})


def _groups(site: Site, chamber: str) -> list[tuple[str, list[Group]]]:
    facts = site.latest_facts.known
    if not facts:
        return []
    found = [(c, facts.groups_of(c)) for c in CHAMBERS if chamber in ("", c)]
    return [(of, groups) for of, groups in found if groups]


def _trail(given: str | None) -> list[str]:
    return [token for token in (given or "").split("|") if token]


def next_page(request: Request, address: str) -> dict[str, str]:
    """The parameters of the next page, whose address Datasette gives: where it begins, and the way back."""
    args = request.args
    here = args.get("_next")
    # Without its way back a page in the middle is where a new one begins.
    trail = [*_trail(args.get(TRAIL)), here or FIRST]
    (token,) = parse_qs(urlsplit(address).query)["_next"]
    return {"_next": token, TRAIL: "|".join(trail[-LONGEST_TRAIL:])}


def _fault(asked: dict[str, str]) -> str:
    try:
        parse(urlencode({name: value for name, value in asked.items() if value}).encode())
    except Refusal as refused:
        return refused.detail
    return ""


def searched(site: Site, request: Request, database: str, table: str) -> FilterArguments | None:
    """The condition of a search for names on the movements table."""
    text = request.args.get(QUERY) or ""
    if database != site.config.database or table != TABLE or not text:
        return None
    match = name_search.expression(text)
    if not match:
        return None
    return FilterArguments(
        [f"rowid in (select rowid from {TABLE}_fts where {TABLE}_fts match :mouvements_q)"],
        params={"mouvements_q": match},
        human_descriptions=[],
    )
