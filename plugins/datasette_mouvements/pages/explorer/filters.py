"""The filters of feeds: a page's query string, and the movements that it selects."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple
from urllib.parse import urlencode

from datasette.utils.asgi import Request

from parlement_lists.meanings import MEANINGS

from ...api import resources
from ...api.parameter import Parameter
from ...api.parameters import MOVEMENTS, OF, PRINTABLE, checked
from ...api.resources import SEARCH
from ...dataset.served import DataVersion
from ..counts.publications import EVERYTHING, FeedCondition, FeedEntry
from ..people import name_search
from ..words import french, phrases

# The interface's filters.
CONDITIONS = {
    name: parameter for name, parameter in OF[MOVEMENTS].items() if parameter.where[MOVEMENTS]
}
# Filters that only feeds have.
OWN = (
    Parameter(
        "groupe",
        "Groupe politique de l’élu (elu_groupe)",
        {},
        f"un groupe de 1 à {name_search.LENGTH} caractères",
        "GEST",
        longest=name_search.LENGTH,
        pattern=PRINTABLE,
    ),
    Parameter(
        "nom",
        "Début d’un nom, comme dans la recherche",
        {},
        f"au moins deux lettres, {name_search.LENGTH} caractères au plus",
        "exemple",
        longest=name_search.LENGTH,
        pattern=PRINTABLE,
        is_one=lambda text: bool(name_search.expression(text)),
    ),
)
OF_FEEDS = CONDITIONS | {own.name: own for own in OWN}


class FeedQuery(NamedTuple):
    """The filters of a feed: those of the interface, a political group, the words of a name."""

    given: Mapping[str, str]

    @property
    def query(self) -> str:
        """The normalised query string."""
        return urlencode({name: self.given[name] for name in OF_FEEDS if name in self.given})

    @property
    def explored(self) -> dict[str, str]:
        """The same in the words of the explorer's address."""
        return {"q" if name == "nom" else name: self.given.get(name, "") for name in OF_FEEDS}


def of_feed(version: DataVersion, request: Request) -> FeedQuery:
    """What a feed's query string asks of a version. Raises Refusal as `parameters.given` does."""
    return FeedQuery(_read(request, OF_FEEDS, partial(resources.has_member, version, SEARCH)))


def has_feed(group: str) -> bool:
    """Whether a feed can be filtered by this group; without a group it is the chamber's feed."""
    return not group or OF_FEEDS["groupe"].value(group) is not None


def of_everything(request: Request) -> None:
    """Raises Refusal if the file of all data is asked for with any parameter."""
    _read(request, {}, lambda name, value: True)


def _read(
    request: Request, known: Mapping[str, Parameter], is_known: Callable[[str, str], bool]
) -> dict[str, str]:
    """The parameters as the interface reads them, except that an empty value is no filter.

    A form also sends the fields that were left empty.
    """
    parts: list[bytes] = request.scope["query_string"].split(b"&")
    left_empty = {f"{name}=".encode() for name in known}
    kept = [part for part in parts if part not in left_empty]
    return {name: str(value) for name, value in checked(b"&".join(kept), known, is_known).items()}


def feed_condition(asked: FeedQuery) -> FeedCondition:
    """The movements `m` of a feed."""
    given = asked.given
    if not given:
        return EVERYTHING
    conditions, values = [], []
    for name in filter(given.get, CONDITIONS):
        parameter = CONDITIONS[name]
        where = re.sub(r"\br\.", "m.", parameter.where[MOVEMENTS])
        conditions.append(where.replace(f":{name}", "?"))
        value = parameter.bound(given[name]) if parameter.bound else given[name]
        values += [value] * where.count(f":{name}")
    if "groupe" in given:
        conditions.append("m.elu_groupe = ?")
        values.append(given["groupe"])
    return FeedCondition(
        " and ".join(conditions) or "1",
        values,
        name_search.expression(given.get("nom", "")),
        few="elu" in given or "equipe" in given,
    )


def title(asked: FeedQuery, entries: list[FeedEntry]) -> str:
    """What a feed is called; a member by the name that its latest entry of the member has."""
    named = ("chambre", "type", "source", "depuis", "jusqua", "elu", "equipe", "groupe", "nom")
    chamber, kind, source, since, until, member, team, group, name = (
        asked.given.get(one, "") for one in named
    )
    words = [
        *(MEANINGS[value] for value in (chamber, kind, source) if value),
        since and f"depuis le {french.plain_day(since)}",
        until and f"jusqu’au {french.plain_day(until)}",
        member and _named(member, entries),
        team and f"équipe {phrases.of(_named(team, entries))}",
        group and f"groupe {group}",
        name and f"« {name} »",
    ]
    told = ", ".join(filter(None, words))
    return "Derniers mouvements" + (f" : {told}" if told else "")


def _named(member: str, entries: list[FeedEntry]) -> str:
    """The name of a member by the latest entry that has it, else the identifier."""
    rows = [row for entry in entries for row in entry.movements]
    own = [row["elu_nom"] for row in rows if row["elu_id"] == member]
    left = [row["elu_origine_nom"] for row in rows if row["elu_id"] != member]
    return next(filter(None, own + left), member)
