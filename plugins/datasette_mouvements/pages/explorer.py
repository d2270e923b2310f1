"""Datasette's table page as the explorer: the friendly address, the search, what its template tells."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlencode

from datasette.filters import FilterArguments
from datasette.utils.asgi import Request, Response

from ..api.parameter import Parameter
from ..api.parameters import PARAMETERS, parse
from ..dataset.schema import TABLE
from ..refusal import Refusal
from . import name_search
from .site import LABELS, Site

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
BESIDE = ("elu", "groupe", "confiance")
ONLY_HERE = ("q", "groupe", "confiance")
# The column of the family name shows the whole name; confidence is in the day, not in who stands beside it.
HEADS = {**LABELS, "collab_nom": "Collaborateur", "confiance": "Confiance dans la date"}


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


def redirect(site: Site, request: Request) -> Response:
    """The address that people share and forms use, turned into the table page's own."""
    given = {
        native: (request.args.get(name) or "").strip()[: name_search.LENGTH]
        for name, native in NATIVE.items()
    }
    query = {name: value for name, value in given.items() if value}
    return Response.redirect(site.table + (f"?{urlencode(query)}" if query else ""))


def view(site: Site, request: Request) -> View:
    """The request's filters in the interface's words."""
    args = request.args
    given = {name: args.get(native) or "" for name, native in NATIVE.items()}
    asked = {parameter.name: given[parameter.name] for parameter in FILTERS}
    known = {*NATIVE.values(), "_sort", "_sort_desc", "_next", "_size"}
    known |= {name for name in args if name.startswith("_facet")}
    fault = _fault(asked)
    told = not fault and set(args) <= known
    same = told and not any(given[name] for name in ONLY_HERE)
    too_short = bool(given["q"]) and not name_search.expression(given["q"])
    followed = asked | {"groupe": given["groupe"], "nom": "" if too_short else given["q"]}
    return View(
        given=given,
        filters=FIELDS_SHOWN,
        kept=[(name, given[name]) for name in BESIDE if given[name]],
        too_short=too_short,
        fault=fault,
        filtered=any(given.values()) or not set(args) <= known,
        beyond="_next" in args,
        start=site.path("/explorer", **given),
        feed=site.path("/flux", **followed) if told and not given["confiance"] else "",
        files=site.path("/fichiers", **(asked if same else {})),
        call=site.call(request, **asked) if same else "",
        heads=HEADS,
    )


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
