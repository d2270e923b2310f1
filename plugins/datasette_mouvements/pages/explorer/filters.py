"""The filters of feeds: a page's query string, and the movements that it selects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlencode

from datasette.utils.asgi import Request

from parlement_lists.meanings import MEANINGS

from ...api.parameters.parameter import Parameter, value_of
from ...api.parameters.search_parameters import BY_NAME, Search, query_string, read
from ...dataset.schema import OF_TEAM
from ..counts.publications import EVERYTHING, FeedCondition, FeedEntry
from ..people import name_search
from ..words import french, phrases

# The interface's filters as SQL on the movements `m`.
CONDITIONS = {
    "chambre": "m.chambre = ?",
    "type": "m.type = ?",
    "source": "m.source = ?",
    "depuis": "m.date_event >= ?",
    "jusqua": "m.date_event <= ?",
    "elu": "m.elu_id = ?",
    "equipe": OF_TEAM.format(of="m.", member="?"),
}
# Filters that only feeds have.
OWN = (
    Parameter(
        "groupe",
        "Groupe politique de l’élu (elu_groupe)",
        f"un groupe de 1 à {name_search.LENGTH} caractères",
        "GEST",
        longest=name_search.LENGTH,
        pattern=BY_NAME["elu"].pattern,
    ),
    Parameter(
        "nom",
        "Début d’un nom, comme dans la recherche",
        f"au moins deux lettres, {name_search.LENGTH} caractères au plus",
        "exemple",
        longest=name_search.LENGTH,
        pattern=BY_NAME["elu"].pattern,
        is_one=lambda text: bool(name_search.expression(text)),
    ),
)
OF_FEEDS = {name: BY_NAME[name] for name in CONDITIONS} | {own.name: own for own in OWN}


class FeedQuery(NamedTuple):
    """The filters of a feed: those of the interface, a political group, the words of a name; "" filters nothing."""

    search: Search
    group: str = ""
    name: str = ""

    @property
    def query(self) -> str:
        """The normalised query string."""
        own = [
            (name, value) for name, value in (("groupe", self.group), ("nom", self.name)) if value
        ]
        return "&".join(filter(None, (query_string(self.search), urlencode(own))))

    @property
    def explored(self) -> dict[str, str]:
        """The same in the words of the explorer's address."""
        shown = {name: getattr(self.search, name) for name in CONDITIONS}
        return shown | {"groupe": self.group, "q": self.name}


def of_feed(request: Request) -> FeedQuery:
    """What a feed's query string asks for. Raises Refusal as `read` does."""
    given = _read(request, OF_FEEDS)
    group, name = given.pop("groupe", ""), given.pop("nom", "")
    return FeedQuery(Search(**given), group, name)  # type: ignore[arg-type]


def has_feed(group: str) -> bool:
    """Whether a feed can be filtered by this group; without a group it is the chamber's feed."""
    return not group or value_of(OF_FEEDS["groupe"], group) is not None


def of_everything(request: Request) -> None:
    """Raises Refusal if the file of all data is asked for with any parameter."""
    _read(request, {})


def _read(request: Request, known: Mapping[str, Parameter]) -> dict[str, str]:
    """The parameters as the interface reads them, except that an empty value is no filter.

    A form also sends the fields that were left empty.
    """
    parts: list[bytes] = request.scope["query_string"].split(b"&")
    left_empty = {f"{name}=".encode() for name in known}
    kept = [part for part in parts if part not in left_empty]
    return {name: str(value) for name, value in read(b"&".join(kept), known).items()}


def _conditions(search: Search) -> tuple[str, list[str]]:
    """The search as a condition on the movements `m`, with its values."""
    used = [name for name in CONDITIONS if getattr(search, name)]
    where = " and ".join(CONDITIONS[name] for name in used) or "1"
    return where, [getattr(search, name) for name in used]


def feed_condition(asked: FeedQuery) -> FeedCondition:
    """The movements of a feed."""
    if not asked.query:
        return EVERYTHING
    where, values = _conditions(asked.search)
    if asked.group:
        where, values = f"{where} and m.elu_groupe = ?", [*values, asked.group]
    return FeedCondition(
        where,
        values,
        name_search.expression(asked.name),
        few=bool(asked.search.elu or asked.search.equipe),
    )


def title(asked: FeedQuery, entries: list[FeedEntry]) -> str:
    """What a feed is called; a member by the name that its latest entry of the member has."""
    chamber, kind, source, since, until, member, team = asked.search[:7]
    words = [
        *(MEANINGS[value] for value in (chamber, kind, source) if value),
        since and f"depuis le {french.plain_day(since)}",
        until and f"jusqu’au {french.plain_day(until)}",
        member and _named(member, entries),
        team and f"équipe {phrases.of(_named(team, entries))}",
        asked.group and f"groupe {asked.group}",
        asked.name and f"« {asked.name} »",
    ]
    told = ", ".join(filter(None, words))
    return "Derniers mouvements" + (f" : {told}" if told else "")


def _named(member: str, entries: list[FeedEntry]) -> str:
    """The name of a member by the latest entry that has it, else the identifier."""
    rows = [row for entry in entries for row in entry.movements]
    own = [row["elu_nom"] for row in rows if row["elu_id"] == member]
    left = [row["elu_origine_nom"] for row in rows if row["elu_id"] != member]
    return next(filter(None, own + left), member)
