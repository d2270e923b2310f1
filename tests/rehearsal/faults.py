"""What may go wrong in a year: how it acts, how long it lasts, and who mends it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from . import answers as a
from .chambers import Answer
from .house import House
from .originals import Rows, Spoiled
from .world import Member, World

MACHINE = ""
ALWAYS = 1000  # nights
# What a person may do.
GIVES_ADDRESS, ACCEPTS = "gives the new address", "accepts the list by name"
MENDS, MOVES_AWAY = "mends the file", "moves git's folder away"
RESTORES = "restores the database and its state"
RESTORES_ALL = "restores lists, corrections, database and state"
Deed = Callable[[House, random.Random], object]


class Fault(NamedTuple):
    """One thing that goes wrong, at a chamber or (chamber "") where the runs are.

    It lasts for `nights`, the fewest and the most. `answers` are those of the chamber's servers by path, made
    anew for each time; `spoiled` is how its originals are wrong. `befalls` happens before its first run, and
    returns False where it harmed nothing. `by_hand` is what a person does after it, and `mend` does that; a
    fault without it is declared to heal alone. `hides` says that the chamber itself shows its changes later
    only, `unread` of which members nothing can be read meanwhile, `quiet` for how many nights nobody needs to be
    told, `each_night` that it befalls each of its runs, `renews` that only a new list heals it, `as_renewed` that
    a chamber is so after an election, where no reader can tell it: it begins long after one.
    """

    name: str
    chamber: str
    nights: tuple[int, int]
    answers: Callable[[], Mapping[str, Answer]] = dict
    spoiled: Spoiled | None = None
    befalls: Deed | None = None
    by_hand: str = ""
    mend: Callable[[House], object] | None = None
    hides: bool = False
    unread: Callable[[World], Iterable[str]] = lambda world: ()
    quiet: int = 0
    each_night: bool = False
    renews: bool = False
    as_renewed: bool = False


def _half(rows: Rows) -> Rows:
    return rows[: len(rows) // 2 - 5]


def _nobody(rows: Rows) -> Rows:
    return []


def _shifted(rows: Rows) -> Rows:
    """Each person stands one member lower."""
    members = [row[:4] for row in rows]
    return [
        row._replace(elu_id=id, elu_nom=family, elu_prenom=given, groupe=group)
        for row, (id, family, given, group) in zip(rows, [*members[7:], *members[:7]], strict=True)
    ]


def _garbled(rows: Rows) -> Rows:
    return [row._replace(collab_prenom=row.collab_prenom.replace("é", "\ufffd")) for row in rows]


def _twice_as_many(rows: Rows) -> Rows:
    return [
        *rows,
        *(row._replace(collab_nom=f"AUTRE{row.collab_nom}") for row in rows for _ in "12345"),
    ]


def _without_the_newest(members: Sequence[Member]) -> Sequence[Member]:
    return members[:-3]


def _answered(answer: Answer, *paths: str) -> Callable[[], Mapping[str, Answer]]:
    return lambda: dict.fromkeys(paths, answer)


def _stands_still(*paths: str) -> Callable[[], Mapping[str, Answer]]:
    return lambda: dict.fromkeys(paths, a.StandsStill())


_AN, _ZIP = "/assemblee", "/assemblee/zip"
_SENAT, _PDF, _BY_STAFF = "/senat", "/senat/par_senateur", "/senat/alphabetique"
_EP, _PAGE, _API, _FULL = "/europarl", "/europarl/page", "/europarl/members", "/europarl/full_list"

OF_CHAMBERS = (
    Fault("the zip is gone", "assemblee", (1, 12), _answered(a.not_found, _ZIP)),
    Fault("a page of maintenance for the zip", "assemblee", (1, 3), _answered(a.a_page, _ZIP)),
    Fault(
        "the zip is cut, its length is right", "assemblee", (1, 3), _answered(a.cut_and_whole, _ZIP)
    ),
    Fault("the connection ends in the zip", "assemblee", (1, 3), _answered(a.cut, _ZIP)),
    Fault("a PDF for the zip", "assemblee", (1, 3), _answered(a.another_type, _ZIP)),
    Fault("an empty answer for the zip", "assemblee", (1, 3), _answered(a.empty, _ZIP)),
    Fault("the zip comes a byte at a time", "assemblee", (1, 1), _answered(a.slow, _ZIP)),
    Fault("the Assemblée's server is broken", "assemblee", (1, 6), _answered(a.broken, _AN)),
    Fault("the Assemblée asks to come back later", "assemblee", (1, 3), _answered(a.busy, _AN)),
    Fault("the Assemblée's files move", "assemblee", (1, 5), _answered(a.moved, _AN), quiet=ALWAYS),
    Fault("the zip of some days before", "assemblee", (3, 5), _answered(a.of_days_before(6), _AN)),
    Fault("the zip stands still", "assemblee", (12, 36), _stands_still(_AN), hides=True, quiet=12),
    Fault(
        "half of the deputies have no staff",
        "assemblee",
        (1, 10),
        spoiled=Spoiled(_half),
        as_renewed=True,
    ),
    Fault("no deputy has staff", "assemblee", (1, 10), spoiled=Spoiled(_nobody)),
    Fault("staff stand at another deputy", "assemblee", (1, 10), spoiled=Spoiled(_shifted)),
    Fault("letters of the zip are garbled", "assemblee", (1, 10), spoiled=Spoiled(_garbled)),
    Fault(
        "each deputy has six times the staff", "assemblee", (1, 10), spoiled=Spoiled(_twice_as_many)
    ),
    Fault(
        "an election, the old zip stays as it was",
        "assemblee",
        (1, 1),
        befalls=lambda house, chance: house.call_election(False),
        renews=True,
    ),
    Fault(
        "an election, the old zip ends all mandates",
        "assemblee",
        (1, 1),
        befalls=lambda house, chance: house.call_election(True),
        renews=True,
    ),
    Fault("the PDF is gone", "senat", (1, 5), _answered(a.not_found, _PDF)),
    Fault("a page called a PDF", "senat", (1, 3), _answered(a.a_page_called_otherwise, _PDF)),
    Fault("the connection ends in the PDF", "senat", (1, 3), _answered(a.cut, _PDF)),
    Fault("a zip for the PDF", "senat", (1, 3), _answered(a.another_type, _PDF)),
    Fault("the Sénat's server is broken", "senat", (1, 6), _answered(a.broken, _SENAT)),
    Fault(
        "the edition of the day before",
        "senat",
        (1, 4),
        _answered(a.of_days_before(1), _PDF),
        quiet=ALWAYS,
    ),
    Fault(
        "an edition of days before",
        "senat",
        (2, 5),
        _answered(a.of_days_before(7), _PDF, _BY_STAFF),
    ),
    Fault("the PDF stands still", "senat", (12, 30), _stands_still(_PDF, _BY_STAFF), quiet=12),
    Fault("the other PDF is gone", "senat", (1, 8), _answered(a.not_found, _BY_STAFF)),
    Fault("senateurs.json is broken", "senat", (1, 8), _answered(a.broken, "/senat/senateurs")),
    Fault("half of the PDF, whole", "senat", (1, 10), spoiled=Spoiled(_half)),
    Fault(
        "three new senators are unknown",
        "senat",
        (2, 13),
        spoiled=Spoiled(members=_without_the_newest),
        befalls=lambda house, chance: house.renewals.update(senat=3),
        unread=lambda world: [member.id for member in world.members["senat"][-3:]],
    ),
    Fault("the Parliament's API is broken", "europarl", (1, 8), _answered(a.broken, _API)),
    Fault("both lists of members are broken", "europarl", (1, 4), _answered(a.broken, _API, _FULL)),
    Fault("pages are a challenge with 202", "europarl", (1, 8), _answered(a.a_challenge, _PAGE)),
    Fault("pages are broken", "europarl", (1, 4), _answered(a.broken, _PAGE)),
    Fault(
        "a member's page is gone",
        "europarl",
        (1, 12),
        _answered(a.not_found, "/europarl/page/190003"),
        unread=lambda world: ["190003"],
    ),
    Fault(
        "a member's page is cut",
        "europarl",
        (1, 3),
        _answered(a.cut_and_whole, "/europarl/page/190010"),
    ),
    Fault(
        "a zip for a member's page",
        "europarl",
        (1, 3),
        _answered(a.another_type, "/europarl/page/190010"),
    ),
    Fault("no member has staff", "europarl", (1, 10), spoiled=Spoiled(_nobody)),
    Fault("the API lacks five members", "europarl", (1, 3), _answered(a.lacks_five, _API)),
    Fault("pages move", "europarl", (1, 3), _answered(a.moved, _PAGE), quiet=ALWAYS),
    Fault(
        "pages stand still", "europarl", (12, 30), _stands_still(_PAGE), hides=True, quiet=ALWAYS
    ),
)
