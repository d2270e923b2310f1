"""The table of pages, and what Datasette's hooks get from it."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from datasette.app import Datasette
from datasette.filters import FilterArguments
from datasette.utils.asgi import Request, Response
from jinja2 import BaseLoader, Environment

from parlement_lists.meanings import TRANSFERS_COUNT
from parlement_lists.movement import CHAMBERS

from .. import addresses
from .. import config as settings
from ..config import PLUGIN, ConfigError
from ..dataset.recognition import find_movements
from . import chambers, documentation, groups, home, key, members, movement, names, week
from .core import explorer, middleware, tables
from .drawing import CHAMBER_CLASS
from .files import feed, whole_file
from .runner import PageRow, answer, run, say
from .search import search
from .site import Site, site_of
from .words import french, phrases

View = Callable[..., Awaitable[Response | None]]
_CHAMBER = f"(?P<chamber>{'|'.join(CHAMBERS)})"

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
    r"^/groupes$": PageRow("groups", groups.index, indexed=True),
    rf"^/groupes/{_CHAMBER}/(?P<code>[^/]+)$": PageRow("group", groups.group, indexed=True),
    r"^/semaine(?:/(?P<week>[^/]+))?$": PageRow("week", week.read, query=("page", "date")),
    r"^/mouvements/(?P<id>[^/]+)$": PageRow("movement", movement.read),
    r"^/sources$": PageRow("sources", documentation.sources, indexed=True),
    r"^/fichiers$": PageRow("files", whole_file.read, indexed=True),
    rf"^{addresses.DOCUMENTATION}$": PageRow(
        "documentation", documentation.read, indexed=True, open=True
    ),
    rf"^{addresses.YOUR_DATA}$": PageRow(
        "your_data", documentation.your_data, indexed=True, open=True
    ),
}
# Answers that are no such page: a function of the site and the request, and whether it shows movements.
OTHERS: dict[str, tuple[Callable[..., Awaitable[Response]], bool]] = {
    r"^/explorer$": (explorer.redirect, False),
    r"^/flux$": (feed.search, True),
    r"^/collaborateurs/(?P<name>[^/]+)/flux$": (feed.staff, True),
    rf"^{re.escape(addresses.CLIENT)}$": (documentation.client, False),
    rf"^{addresses.KEY_PAGE}$": (key.page, False),
    r"^/robots\.txt$": (documentation.robots, False),
}
# Addresses whose answers their own code sends.
SENDING = {rf"^{addresses.WHOLE_FILE}$": whole_file.everything}
POSTED = rf"^{addresses.KEY_PAGE}$"
# These take their turn by themselves, once something must be made: what is kept waits for nobody.
TAKES_ITS_TURN = [re.compile(pattern) for pattern in (*PAGES, *OTHERS, *SENDING)]
# Core asks for its home by the name of its own template.
REPLACED = {"default:index.html": "mouvements/index.html"}


def routes(datasette: Datasette) -> list[tuple[str, View]]:
    """The pages' routes; none where no movements are served."""
    if not serves(datasette):
        return []
    answers: dict[str, Any] = {}
    for pattern, place in addresses.GONE.items():
        answers[rf"^{pattern}$"] = _view(datasette, partial(_gone, place), guarded=False)
    for pattern, page in PAGES.items():
        # All that are not open need Datasette's permission to view the table.
        answers[pattern] = _view(datasette, partial(_run, page), guarded=not page.open)
    for pattern, (function, guarded) in OTHERS.items():
        answers[pattern] = _view(datasette, function, guarded, posted=pattern == POSTED)
    for pattern, send in SENDING.items():
        answers[pattern] = _sending(datasette, send)
    return list(answers.items())


def serves(datasette: Datasette) -> bool:
    """Whether movements are served, as far as it is known before the start."""
    given = datasette.plugin_config(PLUGIN)
    try:
        database = settings.read(given).database
    except ConfigError:  # startup says so
        return False
    return bool(find_movements(datasette, database, given is not None))


async def _run(page: PageRow, site: Site, request: Request) -> Response:
    return await run(site, request, page)


async def _gone(place: str, site: Site, request: Request) -> Response:
    """What an address of before answers: a redirect to `place`, or 410 where it is empty."""
    if place:
        path = place.format(database=site.config.database, **request.url_vars)
        return Response.redirect(site.path(path), status=301)
    return await say(site, request, 410, "Page retirée", "Cette page n’existe plus.")


def _view(
    datasette: Datasette,
    make: Callable[[Site, Request], Awaitable[Response]],
    guarded: bool,
    posted: bool = False,
) -> View:
    """The page as Datasette calls it."""
    methods = ("GET", "HEAD", "POST") if posted else ("GET", "HEAD")

    async def view(request: Request) -> Response:
        site = site_of(datasette)
        if site is None:
            return Response.text("Le service n’a pas démarré.", 503)
        if request.method not in methods:
            return Response.text("Méthode refusée", 405, {"allow": ", ".join(methods)})
        return await answer(site, request, lambda: make(site, request), guarded)

    return view


def _sending(datasette: Datasette, send_answer: Callable[..., Awaitable[None]]) -> View:
    async def view(request: Request, send: Any) -> Response | None:
        site = site_of(datasette)
        if site is None:
            return Response.text("Le service n’a pas démarré.", 503)
        await send_answer(site, request, send)
        return None

    return view


async def filters(
    datasette: Datasette, request: Request, database: str, table: str
) -> FilterArguments | None:
    """The explorer's search for names."""
    site = site_of(datasette)
    return explorer.own_condition(site, request, database, table) if site else None


# What templates ask of pages, and how they write days, durations, numbers and sentences.
_FILTERS: dict[str, Callable[..., Any]] = {
    "chamber_class": CHAMBER_CLASS.__getitem__,
    "precision": phrases.precision,
    "english": french.is_english,
    "in_french": phrases.in_french,
    "fr_weekday": french.weekday,
    "fr_from_to": french.from_to,
    "fr_day": lambda text: french.day(text or ""),
    "fr_renewal": french.renewal,
    "fr_plain_day": lambda text: french.plain_day(text or ""),
    "fr_between": french.between,
    "fr_short": french.short,
    "fr_precise": french.precise,
    "fr_when": french.when,
    "fr_sup": french.superscript,
    "fr_missing": lambda seen: french.superscript(french.missing(seen)),
    "fr_gap": lambda gap: french.superscript(french.gap(gap)),
    "fr_without_lists": lambda holes: french.superscript(french.without_lists(holes)),
    "fr_ago": french.ago,
    "fr_lasted": french.lasted,
    "fr_lasted_in_all": french.lasted_in_all,
    "fr_years": french.years,
    "fr_number": french.number,
    "fr_count": french.counted,
    "fr_typeset": french.typeset,
    "fr_share": french.share,
    "of": phrases.of,
    "beginning": phrases.beginning,
    "after": phrases.after,
    "short_chamber": phrases.short_chamber,
    "days_after": phrases.days_after,
    "already_there": phrases.already_there,
    "of_chamber": french.OF_CHAMBER.__getitem__,
    "in_chamber": french.IN_CHAMBER.__getitem__,
    "meaning": phrases.meaning,
    **explorer.FILTERS,
    **tables.FILTERS,
    **middleware.FILTERS,
}


class TemplateReplacement(BaseLoader):
    """The templates of another loader, but ours for those names once movements are served."""

    def __init__(self, before: BaseLoader) -> None:
        self.before = before

    def get_source(self, environment: Environment, template: str) -> Any:
        """The template's text, its file and whether it is up to date."""
        if "mouvements" in environment.globals:
            template = REPLACED.get(template, template)
        return self.before.get_source(environment, template)

    def list_templates(self) -> list[str]:
        """The names of all templates."""
        return self.before.list_templates()


def prepare_environment(env: Environment) -> None:
    """Give templates the filters of pages, and ours the place of those that they replace."""
    if env.loader is not None:
        env.loader = TemplateReplacement(env.loader)
    env.globals["unnamed"] = phrases.UNNAMED
    env.globals["withdrawn"] = french.WITHDRAWN
    env.globals["transfers_count"] = TRANSFERS_COUNT
    env.globals.update(tables.GLOBALS)
    env.filters.update(_FILTERS)
