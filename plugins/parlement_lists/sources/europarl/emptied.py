"""Who had staff and has nobody: a site that serves empty lists for a day is no departure."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

# So many members may lose all staff from one run to the next: in the lists of 2019-2022, one did within
# days, and four, who left the Parliament, within fifteen.
FEW_EMPTIED = 3
_STAFFED, _EMPTIED = "staffed", "emptied"


def newly_emptied(
    memory: dict[str, Any], staffed: Mapping[str, bool], day: datetime.date
) -> list[str]:
    """Those who had staff in the last list and have nobody for the first time on `day`.

    `staffed` tells of each member whose page was read whether it has staff. Whoever had nobody on an
    earlier day, too, is not among them: what two days say is so.
    """
    had, noted = memory.get(_STAFFED), memory.get(_EMPTIED)
    before = noted if isinstance(noted, dict) else {}
    gone = [id for id in had if staffed.get(id) is False] if isinstance(had, list) else []
    memory[_EMPTIED] = {id: str(before.get(id) or day) for id in gone}
    return [id for id, first in memory[_EMPTIED].items() if first == day.isoformat()]


def note_staffed(memory: dict[str, Any], staffed: Mapping[str, bool]) -> None:
    """Note who has staff in a list that is made; of whom nothing was read, what was known stands."""
    had = memory.get(_STAFFED)
    unread = [id for id in had if id not in staffed] if isinstance(had, list) else []
    memory[_STAFFED] = sorted({*unread, *(id for id, some in staffed.items() if some)})
