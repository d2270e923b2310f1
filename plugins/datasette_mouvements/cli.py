"""`datasette mouvements ...`: the commands of every room, in one group.

Exit status: 0 done, 1 the input was refused (says why, changes nothing) or what was written calls for a
look (says at what), 2 wrong usage.
"""

from __future__ import annotations

from collections import UserDict
from importlib import import_module
from typing import Any

import click

# Where each command is, below this package or beside it.
PLACES = {
    "serve": ".serving.commands:serve",
    "build": ".building.commands:build",
    "check": ".dataset.commands:check",
    "read": "parlement_lists.sources.commands:read_command",
    "fetch": "parlement_lists.sources.commands:fetch_command",
    "daily": ".building.daily:daily",
    "nights": ".building.nights:nights_command",
    "person": ".building.person:person_command",
    "copy": ".dataset.commands:copy",
    "keys": ".keys.commands:keys",
    "contact": ".serving.commands:contact_command",
}


class ImportedCommands(UserDict[str, Any]):
    """Commands by name, each imported when it is asked for.

    Datasette loads this group for each of its own commands too, which need none of them.
    """

    def __getitem__(self, name: str) -> click.Command:
        module, _, attribute = self.data[name].partition(":")
        command: click.Command = getattr(import_module(module, __package__), attribute)
        return command


@click.group(commands=ImportedCommands(PLACES))
def mouvements() -> None:
    """Build, check and serve movements of parliamentary staff; manage keys."""
