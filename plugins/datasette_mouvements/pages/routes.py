"""Which page answers which path, and what Datasette's hooks get from pages."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from datasette.app import Datasette
from datasette.database import QueryInterrupted
from datasette.filters import FilterArguments
from datasette.utils.asgi import Forbidden, Request, Response
from jinja2 import Environment

from parlement_lists.meanings import TRANSFERS_COUNT
from parlement_lists.movement import CHAMBERS

from .. import addresses
from .. import config as settings
from ..api import replies
from ..config import PLUGIN, ConfigError
from ..dataset.recognition import find_movements
from ..dataset.schema import TENURES
from ..keys.store import StoreUnavailable
from ..refusal import RETRY_SECONDS, UNAVAILABLE, Refusal
from . import documentation, home, sources
from .accounts import key_page
from .charts import drawing
from .counts import days
from .counts.facts import CountPending
from .downloads import file_headers, file_requests, office_files
from .explorer import table_cache, table_page
from .explorer.filters import has_feed
from .feeds import feed_pages
from .frame import correction_request, sidebar_tables
from .frame.instance import TemplateReplacement, site_of
from .frame.page_headers import PRIVATE, PUBLIC
from .frame.site import NoData, PageMissing, Site
from .offices import chambers, groups, rankings
from .people import member, name_search, row_links, staff_member
from .weeks import week
from .words import french, labels, phrases, succession_words

log = logging.getLogger(__name__)
PageFunction = Callable[..., Awaitable[Response | None]]
COUNTING = (
    "Le service vient de démarrer et lit ses données : cette page en dépend. Réessayez dans quelques"
    " secondes. L’explorateur et la recherche répondent déjà."
)
LOOK_EVERY = 1.0

_CHAMBER = f"(?P<chamber>{'|'.join(CHAMBERS)})"


def routes(datasette: Datasette) -> list[tuple[str, PageFunction]]:
    """The pages' routes; none where no movements are served."""
    if not serves(datasette):
        return []
    return [(pattern, _view(datasette, page)) for pattern, page in {**PAGES, **_GONE}.items()]


def serves(datasette: Datasette) -> bool:
    """Whether movements are served, as far as it is known before the start."""
    given = datasette.plugin_config(PLUGIN)
    try:
        database = settings.read(given).database
    except ConfigError:  # startup says so
        return False
    return bool(find_movements(datasette, database, given is not None))


async def _explorer(site: Site, request: Request) -> Response:
    return table_page.redirect(site, request)


async def _your_data(site: Site, request: Request) -> Response:
    """What staff may ask to be corrected or withdrawn; it names nobody."""
    asked = correction_request.asking(site, request, site.path(addresses.YOUR_DATA))
    return await site.page(request, "your_data", {"asking": asked}, indexed=True)


async def _robots(site: Site, request: Request) -> Response:
    # Pages that name people say `noindex` themselves, so they must stay readable to robots. The
    # explorer's combinations of filters are without end.
    tables = [f"Disallow: {table}?" for table in (site.table, site.sidebar_table(TENURES))]
    lines = ["User-agent: *", *tables, f"Disallow: {site.path('/explorer')}?"]
    lines += [f"Disallow: {site.path('/recherche')}?", f"Disallow: {site.path('/fichiers/')}"]
    return Response.text("\n".join(lines) + "\n", headers={"cache-control": PUBLIC})


PAGES: dict[str, PageFunction] = {
    r"^/$": home.home,
    r"^/recherche$": home.search,
    r"^/explorer$": _explorer,
    r"^/elus$": chambers.index,
    rf"^/elus/{_CHAMBER}$": chambers.chamber,
    rf"^{addresses.MEMBERS_FILE.format(chamber=_CHAMBER)}$": office_files.members,
    rf"^{addresses.TEAM_FILE.format(chamber=_CHAMBER)}$": office_files.team,
    rf"^/elus/{_CHAMBER}/(?P<id>[^/]+)$": member.member,
    r"^/collaborateurs/(?P<nom>[^/]+)$": staff_member.staff,
    r"^/collaborateurs/(?P<nom>[^/]+)/flux$": feed_pages.staff,
    rf"^{addresses.YOUR_DATA}$": _your_data,
    r"^/semaine(?:/(?P<name>[^/]+))?$": week.week,
    r"^/sources$": sources.page,
    r"^/groupes$": groups.index,
    rf"^{addresses.GROUPS_FILE.format(chamber=_CHAMBER)}$": office_files.groups_of_chamber,
    rf"^{addresses.GROUP_FILE.format(chamber=_CHAMBER)}$": office_files.group,
    rf"^/groupes/{_CHAMBER}/(?P<code>[^/]+)$": groups.group,
    r"^/classements$": rankings.rankings,
    rf"^{addresses.OFFICES_FILE.format(chamber=_CHAMBER)}$": office_files.chamber,
    rf"^/classements/{_CHAMBER}$": rankings.chamber,
    r"^/flux$": feed_pages.search,
    r"^/fichiers$": file_requests.page,
    rf"^{addresses.WHOLE_FILE}$": file_requests.everything,
    rf"^{addresses.DOCUMENTATION}$": documentation.page,
    rf"^{re.escape(addresses.CLIENT)}$": documentation.client,
    rf"^{addresses.KEY_PAGE}$": key_page.page,
    r"^/robots\.txt$": _robots,
}


def _gone(place: str) -> PageFunction:
    """What an address of version 2 answers: a redirect to `place`, or 410 where it is empty."""

    async def page(site: Site, request: Request) -> Response:
        if place:
            return Response.redirect(site.path(place), status=301)
        return await _say(site, request, 410, "Page retirée", "Cette page n’existe plus.")

    return page


_GONE = {rf"^{pattern}$": _gone(place) for pattern, place in addresses.GONE.items()}
_SENDING = (
    file_requests.everything,
    office_files.chamber,
    office_files.group,
    office_files.groups_of_chamber,
    office_files.members,
    office_files.team,
)
# These take their turn by themselves, once something must be made: what is kept waits for nobody.
TAKES_ITS_TURN = [re.compile(pattern) for pattern in PAGES]
# These show no movement; all others need Datasette's permission to view the table.
_UNGUARDED = (
    *(documentation.page, documentation.client),
    *(key_page.page, _explorer, _robots, _your_data, *_GONE.values()),
)
_POSTED = (key_page.page,)


def _view(datasette: Datasette, page: PageFunction) -> PageFunction:
    """The page as Datasette calls it."""

    async def view(request: Request, send: Any) -> Response | None:
        site = site_of(datasette)
        if site is None:
            return Response.text("Le service n’a pas démarré.", 503)
        await site.read_title()
        if request.method not in ("GET", "HEAD") and not (
            request.method == "POST" and page in _POSTED
        ):
            allowed = "GET, HEAD, POST" if page in _POSTED else "GET, HEAD"
            return Response.text("Méthode refusée", 405, {"allow": allowed})
        if page not in _UNGUARDED and not await site.may_view(request.actor):
            raise Forbidden("view-table")
        try:
            if page in _SENDING:
                await page(site, request, request.scope.get(file_headers.SEND, send))
                return None
            answer: Response = await page(site, request)
        except PageMissing as missing:
            answer = await _say(site, request, 404, "Page introuvable", str(missing))
        except (NoData, StoreUnavailable, CountPending) as reason:
            why = COUNTING if isinstance(reason, CountPending) else f"{UNAVAILABLE}."
            answer = await _say(site, request, 503, "Momentanément indisponible", why)
            answer.headers["retry-after"] = str(RETRY_SECONDS)
        except (QueryInterrupted, Refusal) as fault:
            refused = fault if isinstance(fault, Refusal) else Refusal("bounds", str(fault))
            answer = feed_pages.as_response(
                replies.for_visitor(site.service, request.scope, refused)
            )
        if page not in _UNGUARDED and not await site.may_view(None):
            # A public cache would show everyone what only this visitor may see.
            answer.headers["cache-control"] = PRIVATE
        if request.method == "HEAD":
            answer.body = b""
        return answer

    return view


async def _say(site: Site, request: Request, status: int, heading: str, why: str) -> Response:
    """A page that says why it has nothing to show, with ways on."""
    context = {"heading": heading, "message": french.typography(why)}
    return await site.page(request, "absent", context, status)


async def filters(
    datasette: Datasette, request: Request, database: str, table: str
) -> FilterArguments | None:
    """The explorer's search for names."""
    site = site_of(datasette)
    return table_page.own_condition(site, request, database, table) if site else None


def warm(datasette: Datasette) -> None:
    """Count the data once the service has started, and each new version, before a visitor asks."""
    site = site_of(datasette)
    if site is not None:
        datasette.add_background_task(lambda _: _count(site), name="mouvements-pages")
        datasette.add_background_task(lambda _: site.file_cache.watch(), name="mouvements-files")


async def _count(site: Site) -> None:
    while True:
        with suppress(NoData):
            site.count()
        await asyncio.sleep(LOOK_EVERY)


# What templates ask of pages, and how they write days, durations, numbers and sentences.
_FILTERS: dict[str, Callable[..., Any]] = {
    "explorer_view": table_page.view,
    "explorer_next": table_page.next_page,
    "exact": table_page.exact,
    "not_whole": table_cache.not_whole,
    "known_day": table_page.describe_day,
    "precision": labels.precision,
    "explained": labels.explained,
    "sidebar_cell": sidebar_tables.cell,
    "sidebar_columns": sidebar_tables.columns,
    "sidebar_link": sidebar_tables.link,
    "has_feed": has_feed,
    "sum_values": lambda mapping: sum(mapping.values()),
    "english": french.is_english,
    "in_french": labels.in_french,
    "fr": french.typography,
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
    "stay_told": staff_member.stay_status,
    "movement_lasted": days.lasted,
    "movement_links": row_links.of_movement,
    "stay_links": row_links.of_stay,
    "fr_missing": lambda seen: french.superscript(french.missing(seen)),
    "fr_gap": lambda gap: french.superscript(french.gap(gap)),
    "fr_without_lists": lambda holes: french.superscript(french.without_lists(holes)),
    "fr_ago": french.ago,
    "fr_lasted": french.lasted,
    "fr_lasted_in_all": french.lasted_in_all,
    "fr_present": french.present,
    "share": drawing.share,
    "chamber_class": drawing.CHAMBER_CLASS.__getitem__,
    "of": phrases.of,
    "in_words": phrases.in_words,
    "beginning": phrases.beginning,
    "after": phrases.after,
    "times": phrases.times,
    "short_chamber": phrases.short_chamber,
    "days_after": succession_words.days_after,
    "fr_years": french.years,
    "why_unknown": french.why_unknown,
    "already_there": succession_words.already_there,
    "of_chamber": french.OF_CHAMBER.__getitem__,
    "in_chamber": french.IN_CHAMBER.__getitem__,
    "fr_month": french.month,
    "fr_number": french.number,
    "fr_count": french.counted,
    "fr_unbroken": french.unbroken,
    "fr_share": french.share,
    "meaning": labels.meaning,
    "meaning_short": lambda value: labels.meaning(value).partition(f"{french.NO_BREAK}:")[0],
}


def prepare_environment(env: Environment) -> None:
    """Give templates the filters of pages, and ours the place of those that they replace."""
    if env.loader is not None:
        env.loader = TemplateReplacement(env.loader)
    env.globals["longest_name"] = name_search.LENGTH
    env.globals["unnamed"] = labels.UNNAMED
    env.globals["transfers_count"] = french.typography(TRANSFERS_COUNT)
    env.filters.update(_FILTERS)
