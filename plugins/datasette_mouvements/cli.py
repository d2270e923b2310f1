"""`datasette mouvements ...`: the commands of every room, in one group.

Exit status: 0 done, 1 the input was refused (says why, changes nothing) or what was written calls for a
look (says at what), 2 wrong usage.
"""

from __future__ import annotations

import click

from parlement_lists.sources.commands import fetch
from parlement_lists.sources.read_command import read

from .access.commands import keys
from .copying.copy_command import copy_from
from .dataset.commands import check
from .serving.commands import serve
from .updating.commands import build, mask, track
from .updating.daily_command import daily
from .updating.nights.nights_command import nights_command
from .upkeep.commands import COMMANDS, KEY_COMMANDS


@click.group()
def mouvements() -> None:
    """Build, check, track and serve movements of parliamentary staff; manage keys."""


OWN_COMMANDS = (
    *(serve, build, track, mask, check, read, fetch, daily, nights_command, copy_from, keys),
    *COMMANDS,
)
for command in OWN_COMMANDS:
    mouvements.add_command(command)
for command in KEY_COMMANDS:
    keys.add_command(command)
