"""The rows of `retraits`: which identifiers of before are no more, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .published import Row

# Said of a movement that is in no source any more and of one whose identifier changed: a reason of its own
# would tell that a name was withheld.
GONE = "n’est plus publié"


def withdrawal_rows(
    before: Mapping[str, Row],
    was: Mapping[str, str],
    written: Mapping[str, str],
    reasons: Mapping[str, str],
    today: str,
) -> Iterator[Row]:
    """The rows, in the order of their identifiers, to be read once all movements are written.

    `before` are rows that stay, by identifier. `was` and `written` have the internal identifier of each
    movement of before and of now, with the published one; `reasons` are those of internal ones.
    """
    rows = dict(before)
    for id, public in was.items():
        # The reason of a movement is not that of an identifier which another one stands for now.
        reason = reasons.get(id, GONE) if id not in written else GONE
        rows.setdefault(public, (public, today, reason))
    for public in sorted(rows.keys() - set(written.values())):
        _, day, reason = rows[public]
        yield public, day, reason
