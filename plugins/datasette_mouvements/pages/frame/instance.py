"""The pages of one Datasette instance, made once, and what every template asks of them."""

from __future__ import annotations

from datasette.app import Datasette

from ...api.routes import routes_of
from ..words import french
from .core_pages import CorePages
from .page_frame import Frame
from .sidebar_tables import TABLES
from .site import Site

_ATTRIBUTE = "_mouvements_site"


def site_of(datasette: Datasette) -> Site | None:
    """The instance's pages; None where no movements are served."""
    known: Site | None = getattr(datasette, _ATTRIBUTE, None)
    if known is None:
        routes = routes_of(datasette)
        if routes is None:
            return None
        known = Site(datasette, routes.service)
        setattr(datasette, _ATTRIBUTE, known)
        # A global, because core renders its error page without the variables that plugins add.
        environment = datasette.get_jinja_environment()
        environment.globals |= {
            "mouvements": known,
            "mouvements_frame": Frame(known),
            "mouvements_core": CorePages(known),
            "mouvements_tables": TABLES,
            "withdrawn": french.WITHDRAWN,
        }
    return known
