"""Templates of others in whose place ours stand, whichever plugin comes first and however they are named."""

from __future__ import annotations

from typing import Any

from jinja2 import BaseLoader, Environment

# Core asks for its home by the name of its own template; datasette-accounts has one for all its pages.
REPLACED = {
    "default:index.html": "mouvements/index.html",
    "accounts_base.html": "mouvements/account.html",
}


class ReplacedTemplates(BaseLoader):
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
