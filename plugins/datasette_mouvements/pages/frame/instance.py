"""The pages of one Datasette instance, made once, and the templates that ask them."""

from __future__ import annotations

from typing import Any

from datasette.app import Datasette
from jinja2 import BaseLoader, Environment

from ...api.front import front_of
from ..words import french
from .core_pages import CorePages
from .page_frame import PageFrame
from .sidebar_tables import TABLES
from .site import Site

_ATTRIBUTE = "_mouvements_site"


def site_of(datasette: Datasette) -> Site | None:
    """The instance's pages; None where no movements are served."""
    known: Site | None = getattr(datasette, _ATTRIBUTE, None)
    if known is None:
        front = front_of(datasette)
        if front is None:
            return None
        known = Site(datasette, front.service)
        setattr(datasette, _ATTRIBUTE, known)
        # A global, because core renders its error page without the variables that plugins add.
        environment = datasette.get_jinja_environment()
        environment.globals |= {
            "mouvements": known,
            "mouvements_frame": PageFrame(known),
            "mouvements_core": CorePages(known),
            "mouvements_tables": TABLES,
            "withdrawn": french.WITHDRAWN,
        }
    return known


# Core asks for its home by the name of its own template.
REPLACED = {"default:index.html": "mouvements/index.html"}


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
