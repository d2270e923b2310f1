"""The rows of `retraits`: which identifiers of before are no more, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .pseudonyms import Pseudonyms
from .published import Row

# Said of a movement that is in no source any more and of one whose identifier changed: a reason of its own
# would tell that a name was withheld.
GONE = "n’est plus publié"
# How the reason begins that names the transfer which a departure turned out to be.
_REPLACED_BY = "remplacé par le transfert "
# The same where one of the two is withheld: the row must not say which movement is the same person's.
REPLACED = "remplacé par un transfert"


def withdrawal_rows(
    before: Mapping[str, Row],
    was: Mapping[str, str],
    written: Mapping[str, str],
    reasons: Mapping[str, str],
    today: str,
    pseudonyms: Pseudonyms,
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
        yield public, day, _neutral(reason, public, pseudonyms)


def _neutral(reason: str, public: str, pseudonyms: Pseudonyms) -> str:
    """A reason without the identifier of another movement, where one of the two is withheld."""
    if not reason.startswith(_REPLACED_BY):
        return reason
    transfer = reason.removeprefix(_REPLACED_BY)
    return REPLACED if pseudonyms.hides(public) or pseudonyms.hides(transfer) else reason


def replacing_transfer(reason: str) -> str:
    """The identifier of the transfer that a reason names; "" where it names none."""
    return reason.removeprefix(_REPLACED_BY) if reason.startswith(_REPLACED_BY) else ""
