"""The filters of files and feeds: a page's query string, and the movements that it selects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from datasette.utils.asgi import Request

from ..api.parameters import BY_NAME, Parameter, Search, parse, query_string, read
from ..movement import MEANINGS
from ..refusal import Refusal
from . import french, name_search
from .entries import EVERYTHING, Entry, Wanted

# The interface's filters as SQL on the movements table.
CONDITIONS = {
    "chambre": "chambre = ?",
    "type": "type = ?",
    "source": "source = ?",
    "depuis": "date_event >= ?",
    "jusqua": "date_event <= ?",
    "elu": "elu_id = ?",
}
# What feeds filter by besides.
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
    ),
)
_TOO_SHORT = "Le paramètre « nom » est trop court : donnez un mot de deux lettres au moins, par exemple nom=exemple."
_KNOWN = {name: BY_NAME[name] for name in CONDITIONS} | {own.name: own for own in OWN}


class Asked(NamedTuple):
    """What a feed is of: the interface's filters, a political group, the words of a name; "" is no filter."""

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


def parse_filters(request: Request, beside: Sequence[str]) -> Search:
    """The search of a file's query string, without paging; parameters `beside` it are left out.

    A form sends its empty fields too: they filter nothing. Raises Refusal as the interface does.
    """
    asked = parse(_given(request, beside))
    if asked != asked._replace(limit=Search().limit, offset=0):
        raise Refusal(
            "parameter", "Un fichier n’a pas de pages : retirez limit et offset.", "limit"
        )
    return asked


def of_feed(request: Request) -> Asked:
    """What a feed's query string asks for. Raises Refusal as `parse_filters`, also for a name too short."""
    given = {name: str(value) for name, value in read(_given(request), _KNOWN).items()}
    group, name = given.pop("groupe", ""), given.pop("nom", "")
    if name and not name_search.expression(name):
        raise Refusal("parameter", _TOO_SHORT, "nom")
    # Each value is right by itself; this judges the days together.
    search = parse(query_string(Search(**given)).encode())  # type: ignore[arg-type]
    return Asked(search, group, name)


def _given(request: Request, beside: Sequence[str] = ()) -> bytes:
    parts = [part.partition("=") for part in request.query_string.split("&")]
    kept = [f"{name}={value}" for name, _, value in parts if value and name not in beside]
    return "&".join(kept).encode()


def conditions(search: Search) -> tuple[str, list[str]]:
    """The search as a condition on the movements table, with its values."""
    used = [name for name in CONDITIONS if getattr(search, name)]
    where = " and ".join(CONDITIONS[name] for name in used) or "1"
    return where, [getattr(search, name) for name in used]


def wanted(asked: Asked) -> Wanted:
    """The movements of a feed."""
    if not asked.query:
        return EVERYTHING
    where, values = conditions(asked.search)
    if asked.group:
        where, values = f"{where} and elu_groupe = ?", [*values, asked.group]
    return Wanted(where, values, name_search.expression(asked.name), few=bool(asked.search.elu))


def title(asked: Asked, entries: list[Entry]) -> str:
    """What a feed is called; a member by the name that its latest entry has."""
    chamber, kind, source, since, until, member = asked.search[:6]
    if member and entries:
        member = entries[0].movements[0]["elu_nom"] or member
    words = [
        *(MEANINGS[value] for value in (chamber, kind, source) if value),
        since and f"depuis le {french.day(since)}",
        until and f"jusqu’au {french.day(until)}",
        member,
        asked.group and f"groupe {asked.group}",
        asked.name and f"« {asked.name} »",
    ]
    told = ", ".join(filter(None, words))
    return "Derniers mouvements" + (f" : {told}" if told else "")
