"""The table of pages, and what Datasette's hooks get from it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable
from functools import partial
from types import ModuleType
from typing import Any
from urllib.parse import unquote

from datasette.app import Datasette
from datasette.utils import tilde_decode, tilde_encode
from datasette.utils.asgi import Request, Response
from jinja2 import Environment

from parlement_lists.meanings import TRANSFERS_COUNT
from parlement_lists.movement import CHAMBERS

from .. import addresses
from .. import config as settings
from ..config import PLUGIN, ConfigError
from ..dataset.connections import find_movements
from ..dataset.schema import TABLE
from . import chambers, documentation, french, home, key, members, movement, names
from .calendar import elections, week
from .core import explorer, middleware, tables
from .files import feed, whole_file
from .runner import Context, PageRow, View, handler, run
from .search import search
from .site import PageMissing, Site

Handler = Callable[..., Awaitable[Response | None]]
_CHAMBER = f"(?P<chamber>{'|'.join(CHAMBERS)})"


def _files(view: View) -> Context:
    return {"version": view.version, "most": feed.MOST}


# Pages that are the same for everyone: read, rendered and kept by `runner`.
PAGES = {
    r"^/$": PageRow("home", home.read),
    r"^/recherche$": PageRow("search", search, query=("q",)),
    r"^/elus$": PageRow("chambers", chambers.index, indexed=True),
    rf"^/elus/{_CHAMBER}$": PageRow(
        "chamber", chambers.chamber, query=("le", "groupe", "mandat", "page"), indexed=True
    ),
    rf"^/elus/{_CHAMBER}/(?P<id>[^/]+)$": PageRow("member", members.member, query=("le",)),
    r"^/collaborateurs/(?P<name>[^/]+)$": PageRow("staff", names.staff),
    r"^/groupes$": PageRow("groups", chambers.groups, indexed=True),
    rf"^/groupes/{_CHAMBER}/(?P<code>[^/]+)$": PageRow("group", chambers.group, indexed=True),
    r"^/semaine(?:/(?P<week>[^/]+))?$": PageRow("week", week.read, query=("page", "date")),
    r"^/elections/(?P<year>[0-9]{4})$": PageRow("elections", elections.read, indexed=True),
    r"^/mouvements/(?P<id>[^/]+)$": PageRow("movement", movement.read),
    r"^/sources$": PageRow("sources", documentation.sources, indexed=True),
    r"^/fichiers$": PageRow("files", _files, indexed=True),
    rf"^{addresses.DOCUMENTATION}$": PageRow(
        "documentation", documentation.read, indexed=True, open=True
    ),
    rf"^{addresses.YOUR_DATA}$": PageRow("your_data", indexed=True, open=True),
}
# Answers that are no such page.
OTHERS: dict[str, Handler] = {
    r"^/explorer$": handler(explorer.redirect),
    r"^/flux$": handler(feed.search, guarded=True),
    rf"^{re.escape(addresses.CLIENT)}$": handler(documentation.client),
    rf"^{addresses.KEY_PAGE}$": handler(key.page, methods=("GET", "HEAD", "POST")),
    r"^/robots\.txt$": handler(documentation.robots),
    rf"^{addresses.WHOLE_FILE}$": whole_file.everything,
}
# These take their turn by themselves, once something must be made: what is kept waits for nobody.
TAKES_ITS_TURN = [re.compile(pattern) for pattern in (*PAGES, *OTHERS)]


def routes(datasette: Datasette) -> list[tuple[str, Handler]]:
    """The pages' routes; none where no movements are served, as far as it is known before the start."""
    given = datasette.plugin_config(PLUGIN)
    try:
        database = settings.read(given).database
    except ConfigError:  # startup says so
        return []
    if not find_movements(datasette, database, given is not None):
        return []
    row = rf"^/{re.escape(tilde_encode(database))}/{TABLE}/(?P<id>[^/.]+)$"
    answers = {row: handler(_movement), **OTHERS}
    # Core's own home is in English.
    for pattern, place in (addresses.GONE | {"/-/": "/{database}"}).items():
        answers[rf"^{pattern}$"] = handler(partial(_gone, place))
    for pattern, page in PAGES.items():
        # All that are not open need Datasette's permission to view the table.
        answers[pattern] = handler(partial(run, page), guarded=not page.open)
    return list(answers.items())


async def _movement(site: Site, request: Request) -> Response:
    """The redirect from Datasette's page of a movement to ours."""
    identifier = unquote(tilde_decode(request.url_vars["id"]))
    return Response.redirect(site.movement(identifier), status=301)


async def _gone(place: str, site: Site, request: Request) -> Response:
    """What such an address answers: a redirect to `place`, or 410 where it is empty."""
    if place:
        database = tilde_encode(site.config.database)
        path = place.format(database=database, **request.url_vars)
        return Response.redirect(site.path(path), status=301)
    raise PageMissing("Cette page n’existe plus.", 410, "Page retirée")


def _functions(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """The public functions of a module, by their names as filters of templates."""
    return {
        name: function
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
    }


def prepare_environment(env: Environment) -> None:
    """Give templates the words of pages: how days and numbers are written, and sentences."""
    env.globals |= {
        "unnamed": french.UNNAMED,
        "withdrawn": french.WITHDRAWN,
        "transfers_count": TRANSFERS_COUNT,
        "mouvements_tables": tables.TABLES,
    }
    env.filters |= {
        **_functions(french),
        **_functions(tables),
        "chamber_class": lambda chamber: french.CHAMBERS[chamber].css,
        "short_chamber": lambda chamber: french.CHAMBERS[chamber].short,
        "the_chamber": lambda chamber: french.CHAMBERS[chamber].the,
        "of_chamber": french.OF_CHAMBER.__getitem__,
        "in_chamber": lambda chamber: french.CHAMBERS[chamber].at,
        "explorer_view": explorer.explorer_view,
        "movements_of": explorer.movements_of,
        "not_whole": middleware.not_whole,
    }
