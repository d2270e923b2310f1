"""`python -m tests.figures [NAME...]`: the figures, or what makes some of them, beside what documents state."""

from __future__ import annotations

import sys

from parlement_lists.tracking.reading.list_file import ListFilesError
from tests.tracking.windows import DATA

from . import contents, steps  # noqa: F401
from .figure import FIGURES


def main(names: list[str]) -> int:
    """Print every name, or the values of those given; 1 where there is no such figure, or no lists for it."""
    for name, one in FIGURES.items() if not names else ():
        print(f"{name:18} {one.about}")
    for name in names:
        if name not in FIGURES:
            print(f"{name}: no such figure", file=sys.stderr)
            return 1
        try:
            made = FIGURES[name].make()
        except (LookupError, ArithmeticError, ValueError, OSError, ListFilesError) as error:
            where = f"{DATA} (MOUVEMENTS_DATA), MOUVEMENTS_LISTS"
            print(f"{name}: the lists it needs are not in {where}: {error!r}", file=sys.stderr)
            return 1
        for statement in FIGURES[name].statements:
            try:
                stated = statement.stated()
            except ValueError as error:
                print(error)
                continue
            for value, said in stated.items():
                found = "needs MOUVEMENTS_LISTS: every list" if made[value] is None else made[value]
                print(f"{name}\t{statement.path}\t{value}\t{said}\t{found}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
