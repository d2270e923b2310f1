"""The table that is printed: goal, measured, ratio, met or not, and the commands behind each line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Line:
    """One measurement. `ratio` is None where nothing is compared, `met` where there is no goal."""

    what: str
    measured: str
    commands: Sequence[str]
    goal: str = ""
    ratio: float | None = None
    met: bool | None = None

    def cells(self, numbers: str) -> list[str]:
        ratio = "" if self.ratio is None else f"{self.ratio:.3g}"
        met = {True: "yes", False: "**no**", None: ""}[self.met]
        return [self.what, self.goal, self.measured, ratio, met, numbers]


def at_least(least: float, what: str, measured: str, ratio: float, commands: Sequence[str]) -> Line:
    return Line(what, measured, commands, f"at least {least:g}", ratio, ratio >= least)


def at_most(most: float, what: str, measured: str, ratio: float, commands: Sequence[str]) -> Line:
    return Line(what, measured, commands, f"at most {most:g}", ratio, ratio <= most)


def paired(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The median of the ratios of runs that followed one another: what drifts, drifts for both."""
    return median(a / b for a, b in zip(ours, theirs, strict=True))


def text(lines: Sequence[Line]) -> str:
    """The lines as a Markdown table, and under it their commands by number."""
    commands: list[str] = []
    cells = [["what", "goal", "measured", "ratio", "met", "command"]]
    for line in lines:
        for command in line.commands:
            if command not in commands:
                commands.append(command)
        numbers = ", ".join(str(commands.index(command) + 1) for command in line.commands)
        cells.append(line.cells(numbers))
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    rows = [_row(row, widths) for row in cells]
    rows.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    numbered = [f"{number}. `{command}`" for number, command in enumerate(commands, 1)]
    return "\n".join([*rows, "", *numbered])


def _row(cells: Iterable[str], widths: Sequence[int]) -> str:
    padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    return "| " + " | ".join(padded) + " |"
