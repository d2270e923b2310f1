"""What each fault led to, as a table that the rehearsal prints."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from .episodes import Episode, Words

COLUMNS = ("fault", "times", "ledger", "report", "alarm", "healed", "a person", "first words")
_WIDE = 110


def lines(episodes: Sequence[Episode]) -> Iterator[str]:
    """A row for each fault: nights until the ledger, the report and an alarm told it, and from its end until it healed."""
    rows = [COLUMNS, *(_row(name, own) for name, own in _by_fault(episodes))]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    faults = list(_by_fault(episodes))
    alone = [name for name, own in faults if not any(one.acts for one in own)]
    yield f"{len(alone)} of {len(faults)} faults asked nothing of a person"


def not_as_declared(episodes: Sequence[Episode]) -> Iterator[str]:
    """What a fault declares and its times did not keep to."""
    found: Counter[str] = Counter()
    for one in episodes:
        fault = one.fault
        if one.healed < 0:
            found[f"{fault.name}: not healed"] += 1
        for act in one.acts:
            if act != fault.by_hand:
                found[f"{fault.name}: heals alone, and a person {act}"] += 1
        if one.harms and one.heard > fault.quiet + one.killed and one.told.nights < 0:
            found[f"{fault.name}: nobody was told"] += 1
    yield from (f"{said} ({times} times)" for said, times in sorted(found.items()))


def _by_fault(episodes: Iterable[Episode]) -> list[tuple[str, list[Episode]]]:
    found: dict[str, list[Episode]] = {}
    for one in sorted(episodes, key=lambda one: (one.fault.chamber, one.fault.name)):
        found.setdefault(one.fault.name, []).append(one)
    return list(found.items())


def _row(name: str, own: Sequence[Episode]) -> tuple[str, ...]:
    acts = Counter(act for one in own for act in one.acts)
    return (
        name,
        str(len(own)),
        _nights(one.ledger.nights for one in own),
        _nights(one.report.nights for one in own),
        _nights(one.alarm.nights for one in own),
        _nights(one.healed for one in own),
        ", ".join(f"{act} ({times} of {len(own)})" for act, times in acts.items()) or "nothing",
        _commonest(one.told for one in own),
    )


def _nights(found: Iterable[int]) -> str:
    """The fewest to the most nights; "-" where there was nothing."""
    told = sorted(number for number in found if number >= 0)
    if not told:
        return "-"
    return str(told[0]) if told[0] == told[-1] else f"{told[0]} to {told[-1]}"


def _commonest(words: Iterable[Words]) -> str:
    """The commonest words, figures left out of the comparison."""
    said = [one.said for one in words if one.said]
    if not said:
        return "-"
    alike = Counter(re.sub("[0-9a-f]*[0-9][0-9a-f]*", "n", text) for text in said)
    best = alike.most_common(1)[0][0]
    text = next(t for t in said if re.sub("[0-9a-f]*[0-9][0-9a-f]*", "n", t) == best)
    return text if len(text) <= _WIDE else f"{text[: _WIDE - 3]}..."
