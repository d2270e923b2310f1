"""What the frame of every page says of the site, and of where the page stands in it."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from urllib.parse import quote, unquote, urlencode

from datasette.utils.asgi import Request
from markupsafe import Markup

from parlement_lists.movement import PARIS

from ... import addresses
from ..words import french
from .site import Site

# What is told of a page that is not to be shared by its own words.
NEUTRAL = (
    "Qui rejoint et qui quitte les équipes parlementaires, d’après les listes que publient l’Assemblée"
    " nationale, le Sénat et le Parlement européen."
)
SHORT_TITLE = 24  # characters that stand beside the menu of a small screen
_NAVIGATION = (
    ("/semaine", "Cette semaine"),
    ("/elus", "Parlementaires"),
    ("/groupes", "Groupes"),
    ("/classements", "Comparer"),
    ("/explorer", "Explorer"),
    (addresses.DOCUMENTATION, "Documentation"),
    (addresses.KEY_PAGE, "Votre clé"),
)


class PageFrame:
    """The frame around the pages of one site."""

    neutral = NEUTRAL

    def __init__(self, site: Site) -> None:
        self._site = site

    @property
    def navigation(self) -> list[tuple[str, str]]:
        """The pages every page leads to."""
        return [(self._site.path(path), label) for path, label in _NAVIGATION]

    def current(self, path: str, shown: str) -> Markup:
        """The `aria-current` of the link to `path` on the page `shown`: whether it is that page, or one above it."""
        below = self._site.service.below
        here, there = below(shown), below(path)
        if here == there or (there == "/explorer" and here == below(self._site.table)):
            return Markup(' aria-current="page"')
        return Markup(' aria-current="true"') if here.startswith(f"{there}/") else Markup()

    @property
    def short_title(self) -> tuple[str, str]:
        """What the site is called, in the words that a small screen has room for, and the others."""
        if len(self._site.title) <= SHORT_TITLE:
            return self._site.title, ""
        first, _, rest = self._site.title.partition(" ")
        return first, rest

    @property
    def published(self) -> str:
        """When the file served now was built, in words and in Paris; "" where that is not known."""
        snapshot = self._site.service.version
        if snapshot is None or not snapshot.built_at:
            return ""
        return french.instant(datetime.datetime.fromisoformat(snapshot.built_at).astimezone(PARIS))

    def address(
        self, request: Request, kept: Mapping[str, object] | None = None, path: str | None = None
    ) -> str:
        """The address of the page in one spelling, whatever the request's, because the cache keeps the page for everyone.

        `kept` is what of the query says which part is shown, of values that are a closed set; `path`
        is that of a page that was asked for by another.
        """
        parts = (quote(unquote(part), safe=":~.-") for part in (path or request.path).split("/"))
        query = urlencode({name: value for name, value in (kept or {}).items() if value})
        return "/".join(parts) + (f"?{query}" if query else "")

    def canonical(
        self, request: Request, kept: Mapping[str, object] | None = None, path: str | None = None
    ) -> str:
        """The page's one address; see `public`."""
        return self.public(self.address(request, kept, path))

    def public(self, path: str) -> str:
        """A path of the site in full; "" without `public_url`, because then any Host header is accepted."""
        service = self._site.service
        return "" if service.reflects_host else service.url(service.below(path))
