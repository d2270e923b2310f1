"""Datasette's table page as the explorer: the friendly address, the search, what its template tells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from datasette.filters import FilterArguments
from datasette.utils.asgi import Request, Response
from markupsafe import Markup

from parlement_lists.dates import add_days, days_between
from parlement_lists.movement import CHAMBERS

from ...api.parameters import MOVEMENTS, OF, checked
from ...dataset.schema import OF_TEAM, TABLE
from ...refusal import Refusal
from ..counts.facts import Group
from ..frame.site import Site, with_query
from ..people import name_search
from ..words import french, labels

# Filters that the form keeps in hidden fields; filters for which the interface has no parameter.
HIDDEN = ("elu", "equipe", "confiance")
ONLY_HERE = ("q", "groupe", "confiance")
QUERY, TEAM = "_q", "_equipe"
# The names of filters in the addresses of Datasette's table page.
NATIVE = {
    "q": QUERY,
    "depuis": "date_event__gte",
    "jusqua": "date_event__lte",
    "elu": "elu_id",
    "equipe": TEAM,
    "groupe": "elu_groupe",
    "chambre": "chambre",
    "type": "type",
    "source": "source",
    "confiance": "confiance",
}
# Those of the interface that the form has.
FILTERS = [parameter for parameter in OF[MOVEMENTS].values() if parameter.name in NATIVE]
FIELDS_SHOWN = [parameter for parameter in FILTERS if parameter.name not in HIDDEN]
# The column of the family name shows the whole name.
HEADS = {**labels.LABELS, "collab_nom": "Personne", "elu_nom": "Équipe de"}
# What a filter is called where it can be dropped.
NAMED = {
    "q": "Nom",
    "depuis": "Depuis le",
    "jusqua": "Jusqu’au",
    "elu": "Équipe rejointe ou quittée, sans les transferts qui la quittent",
    "equipe": "Équipe de",
    "groupe": "Groupe",
    "chambre": "Chambre",
    "type": "Mouvement",
    "source": "Source",
    "confiance": "Date",
}
# How well a day is known where no stay says which list came before.
WITHOUT_LIST = {
    "bot": "à trois jours près",
    "fort": "à trois jours près",
    "moyen": "à dix jours près",
    "manuel": "donnée à la main",
}
DAYS = 7
# Datasette has no link to the page before: the parameter TRAIL has where each page before this one begins.
TRAIL, FIRST, LONGEST_TRAIL = "_pages", "1", 30


def redirect(site: Site, request: Request) -> Response:
    """The redirect from the address that people share and forms use to that of the table page."""
    given = {
        native: (request.args.get(name) or "").strip()[: name_search.LENGTH]
        for name, native in NATIVE.items()
    }
    chamber, _, code = given["elu_groupe"].partition("/")
    if chamber in CHAMBERS:
        given |= {"chambre": chamber, "elu_groupe": code}
    query = {name: value for name, value in given.items() if value}
    return Response.redirect(site.table + (f"?{urlencode(query)}" if query else ""))


def view(site: Site, request: Request) -> dict[str, Any]:
    """What the explorer's template tells of one request: its filters in the interface's words."""
    args = request.args
    given = {name: args.get(native) or "" for name, native in NATIVE.items()}
    asked = {parameter.name: given[parameter.name] for parameter in FILTERS}
    native = {NATIVE[name]: value for name, value in given.items() if value}
    known = {*NATIVE.values(), "_sort", "_sort_desc", "_next", "_size", TRAIL}
    known |= {name for name in args if name.startswith("_facet")}
    fault = _fault(asked)
    others_know = not fault and set(args) <= known
    interface_knows = others_know and not any(given[name] for name in ONLY_HERE)
    too_short = bool(given["q"]) and not name_search.expression(given["q"])
    trail = _trail(args.get(TRAIL))
    followed = asked | {"groupe": given["groupe"], "nom": "" if too_short else given["q"]}
    return {
        "given": given,
        "filters": FIELDS_SHOWN,
        "kept": [(name, given[name]) for name in _without_field(site) if given[name]],
        "too_short": too_short,  # the name: it filters nothing
        "fault": fault,  # why the interface would refuse these filters
        "filtered": any(given.values()) or not set(args) <= known,
        "beyond": "_next" in args,  # past the first page
        "start": site.path("/explorer", **given),
        # "" where no feed, or not the interface, can give the same.
        "feed": site.path("/flux", **followed) if others_know and not given["confiance"] else "",
        # In another order core gives rows twice or never from its second page on.
        "csv": with_query(f"{site.table}.csv", native | {"_sort": "id", "_stream": "1"}),
        "call": site.call(request, **asked) if interface_knows else "",
        "heads": HEADS,
        # Each filter in force with its value, and the address without it.
        "dropped": [
            (label, _value(site, given, name), site.path("/explorer", **given | {name: ""}))
            for name, label in NAMED.items()
            if given[name]
        ],
        "week": _week(site, given),
        "groups": _groups(site, given["chambre"]),
        # Where the page before begins, None where it is not known; and the way back from there.
        "before": trail[-1] if "_next" in args and trail else None,
        "trail": "|".join(trail[:-1]),
    }


def _without_field(site: Site) -> tuple[str, ...]:
    return HIDDEN if site.latest_facts.known else (*HIDDEN, "groupe")


def _value(site: Site, given: Mapping[str, str], name: str) -> str:
    """A filter's value as people read it."""
    value, facts = given[name], site.latest_facts.known
    if name in ("depuis", "jusqua"):
        return french.plain_day(value)
    if name == "groupe":
        names = {site.group(c, value).name for c in CHAMBERS if given["chambre"] in ("", c)} - {
            value
        }
        return f"{value} ({', '.join(sorted(names))})" if names else value
    if name in ("elu", "equipe") and facts:
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
    return f"à {french.counted(days_between(after, row['date_event']), 'jour')} près"


def describe_day(row: Mapping[str, Any], after: str) -> Markup:
    """The same with the lists that tell it, as HTML."""
    told = [exact(row, after)]
    seen = row["date_event"]
    if after == seen:
        told.append(f"liste du {french.plain_day(seen)}")
    elif after:
        told.append("listes du {} et du {}".format(*french.pair_of_days(after, seen)))
    if after and row["confiance"] == "manuel":
        told.append("donnée à la main")
    return french.superscript(", ".join(told))


def _week(site: Site, given: dict[str, str]) -> str:
    snapshot = site.service.version
    if snapshot is None:
        return ""
    until = max(snapshot.latest, *(lists.last for lists in snapshot.coverage.values()))
    if not until:
        return ""
    week = {"depuis": add_days(until, 1 - DAYS), "jusqua": ""}
    return site.path("/explorer", **given | week)


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
    # A page in the middle that came without a trail begins a new one.
    trail = [*_trail(args.get(TRAIL)), here or FIRST]
    (token,) = parse_qs(urlsplit(address).query)["_next"]
    return {"_next": token, TRAIL: "|".join(trail[-LONGEST_TRAIL:])}


def _fault(asked: dict[str, str]) -> str:
    try:
        query = urlencode({name: value for name, value in asked.items() if value})
        checked(query.encode(), OF[MOVEMENTS])
    except Refusal as refused:
        return refused.detail
    return ""


def own_condition(
    site: Site, request: Request, database: str, table: str
) -> FilterArguments | None:
    """The condition, on the movements table, of a search for names and of a member's team."""
    if database != site.config.database or table != TABLE:
        return None
    match, team = (
        name_search.expression(request.args.get(QUERY) or ""),
        request.args.get(TEAM) or "",
    )
    conditions, values = [], {}
    if match:
        conditions.append(
            f"rowid in (select rowid from {TABLE}_fts where {TABLE}_fts match :mouvements_q)"
        )
        values["mouvements_q"] = match
    if team:
        conditions.append(OF_TEAM.format(of="", member=":mouvements_equipe"))
        values["mouvements_equipe"] = team
    return FilterArguments(conditions, params=values) if conditions else None
