"""`datasette mouvements ...`: thin commands over the rooms.

Exit status: 0 done, 1 the input was refused (says why, changes nothing), 2 wrong usage.
"""

from __future__ import annotations

import click


@click.group()
def mouvements() -> None:
    """Build, check, track and serve movements of parliamentary staff; manage keys."""
