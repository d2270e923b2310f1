"""Query parameters: what each accepts, what it selects, and how a query string is read.

What each accepts stands in openapi.json, and what it selects in OF, a row each. Checks, messages, SQL and the
documentation page are derived from both (specification, "Parameters").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any
from urllib.parse import quote, unquote_to_bytes

from parlement_lists.movement import words

from .. import addresses
from ..dataset import schema
from ..dataset.changes import parse_cursor
from ..fields import DESCRIPTION, followed
from .parameter import SHOWN, Arguments, Fault, Parameter, Value, refusal, unknown

NOW = "maintenant"
# Parameters each with the one that no request has beside it.
APART = {"elu": "equipe", "equipe": "elu", "le": "present", "present": "le"}
# A query is read up to so many parameters more than an operation has: enough to say what is wrong.
FAULTY = 8
# A character takes four bytes, each escaped by three.
RAW_CHARACTER = 12

_PART = re.compile(rb"[^&]+")
# A name, a list, a wildcard, an identifier in small letters. A maintainer's file may have such identifiers.
NO_IDENTIFIER = re.compile(r".*[\s,;*%?].*|pa[0-9]+|[0-9]+[a-z]")

# The resources of which a parameter selects rows, by the name of their list.
MOVEMENTS, STAYS, MEMBERS = "mouvements", "collaborations", "elus"
FEED = "changements"

_CHAMBER = "r.chambre = :chambre"
_MEMBER = "r.elu_id = :elu"
# Of the member on that day, where the members' folder knows it. Nobody was in a group that was formed later; of the
# European Parliament's no source tells since when.
_GROUP_ON_DAY = f"""
    coalesce((select a.groupe from {schema.MEMBERSHIPS} a
      where a.chambre = r.chambre and a.elu_id = r.elu_id
        and a.debut <= :le and (a.fin = '' or :le <= a.fin)
      order by a.debut desc, a.fin = '' desc, a.fin desc, a.groupe limit 1),
      iif(exists (select 1 from {schema.GROUPS} g
        where g.chambre = r.chambre and g.code = r.elu_groupe and g.debut > :le
          and g.chambre <> 'europarl'), '', r.elu_groupe)
    ) = :groupe"""
# Words are sorted and distinct on both sides, so one pattern finds them; spaces are doubled, so that neighbours share
# none.
_NAME = f"""
    r.rowid in (select c.rowid from {schema.SPELLED_STAYS}
      where ' ' || replace(n.mots, ' ', '  ') || ' ' glob :nom)"""
_PRESENT = f"""
    r.fin is null and (r.chambre, r.fin_apres) in (
      select chambre, max(date) from listes where statut <> 'refusee' group by chambre)
    and (r.chambre, r.elu_id) in (
      select chambre, elu_id from {schema.MEMBER_LINES} where siege)"""
_MANDATE = f"""
    exists (select 1 from {schema.MANDATES} d where d.chambre = r.chambre
      and d.elu_id = r.elu_id and d.debut <= :le
      and (:le <= d.fin or d.fin = '' and (r.fin_apres = '' or :le <= r.fin_apres)))"""
_PAGES = {"limit": "", "offset": ""}


def _pattern(name: str) -> str:
    """The words of a name as _NAME finds them; "" finds nobody."""
    found = words(name).split()
    return f"* {' * '.join(found)} *" if found else ""


def _described(path: str, where: Mapping[str, str], **more: dict[str, Any]) -> dict[str, Parameter]:
    """The parameters of an address, each with its condition, and with what else it has."""
    parameters = {}
    for part in DESCRIPTION["paths"][path]["get"]["parameters"]:
        about = followed(part)
        if about["in"] == "query":
            name = about["name"]
            meaning, _, accepted = about["description"].removesuffix(".").rpartition(" : ")
            parameters[name] = Parameter(
                name,
                meaning,
                accepted,
                str(about["example"]),
                followed(about["schema"]),
                where[name],
                **more.get(name, {}),
            )
    return parameters


# By the name of the list, then by that of the parameter.
OF: dict[str, dict[str, Parameter]] = {
    MOVEMENTS: _described(
        addresses.SEARCH,
        {
            "chambre": _CHAMBER,
            "type": "r.type = :type",
            "source": "r.source = :source",
            "depuis": "r.date_event >= :depuis",
            "jusqua": "r.date_event <= :jusqua",
            "elu": _MEMBER,
            "equipe": schema.OF_TEAM.format(of="r.", member=":equipe"),
            **_PAGES,
        },
    ),
    STAYS: _described(
        addresses.STAYS,
        {
            "chambre": _CHAMBER,
            "elu": _MEMBER,
            "groupe": "r.elu_groupe = :groupe",
            "nom": _NAME,
            "le": "r.debut <= :le and (r.fin is null or :le < r.fin)",
            "present": _PRESENT,
            **_PAGES,
        },
        groupe={"on_day": _GROUP_ON_DAY},
        nom={"bound": _pattern},
    ),
    MEMBERS: _described(
        addresses.MEMBERS,
        {
            "chambre": _CHAMBER,
            "groupe": "r.groupe = :groupe",
            "elu": _MEMBER,
            "le": _MANDATE,
            **_PAGES,
        },
    ),
    FEED: _described(
        addresses.CHANGES,
        {"curseur": "", "limit": ""},
        curseur={"is_one": lambda text: text == NOW or parse_cursor(text)},
    ),
}
NONE: dict[str, Parameter] = {}
LIMIT_DEFAULT: int = OF[MOVEMENTS]["limit"].schema["default"]
LIMIT_MOST: int = OF[MOVEMENTS]["limit"].schema["maximum"]


def checked(
    query: bytes,
    known: Mapping[str, Parameter] = NONE,
    is_known: Callable[[str, str], bool] = lambda name, value: True,
) -> Arguments:
    """What a raw query string gives for these parameters, by default none.

    Raises one Refusal("parameter", ...) that names, in its order, all that is unknown, repeated, empty, out of
    bounds, together though APART, and `jusqua` before `depuis` (specification, "Parameters"). `is_known` says of
    `elu` or `equipe` and a value that is plainly no identifier whether somebody has it all the same.
    """
    parts, whole_query = _parts(query, len(known) + FAULTY)
    values: Arguments = {}
    sent: set[str] = set()
    faults: dict[Fault, None] = {}
    for part in parts:
        raw_name, _, raw_value = part.partition(b"=")
        name = _decoded(raw_name)
        parameter = known.get(name)
        fault: Fault | None = None
        if parameter is None:
            fault = unknown(name, known)
        elif name in sent:
            fault = parameter.repeated()
        else:
            sent.add(name)
            text = _decoded(raw_value, parameter.schema.get("maxLength", 0))
            value = parameter.value(text)
            if value is None:
                fault = parameter.refused(text)
            else:
                values[name] = value
                fault = _contradiction(name, values)
                # An unlikely identifier may be somebody's all the same.
                unlikely = name in ("elu", "equipe") and NO_IDENTIFIER.fullmatch(text)
                if fault is None and unlikely and not is_known(name, text):
                    fault = parameter.refused(text)
        if fault is not None:
            faults[fault] = None
    if faults:
        raise refusal([*faults], known, whole_query)
    return values


def _contradiction(name: str, values: Arguments) -> Fault | None:
    """What is wrong with a parameter that has just been read, beside those before it."""
    if (other := APART.get(name, "")) in values:
        return Fault(
            (other, name),
            f"« {name} » et « {other} » ne se demandent pas ensemble ; retirez l’un des deux.",
        )
    first, last = values.get("depuis"), values.get("jusqua")
    if name in ("depuis", "jusqua") and first and last and str(last) < str(first):
        return Fault(
            ("depuis" if name == "jusqua" else "jusqua", name),
            f"« jusqua » ({last}) est antérieur à « depuis » ({first}) ; donnez des bornes dans"
            f" l’ordre, par exemple depuis={last}&jusqua={first}.",
        )
    return None


def query_string(arguments: Mapping[str, Value], resource: str) -> str:
    """The normalised query string of what was given: in known order, defaults left out."""
    return "&".join(
        f"{name}={quote(str(arguments[name]), safe='')}"
        for name, parameter in OF[resource].items()
        if name in arguments and arguments[name] != parameter.default
    )


def _parts(query: bytes, most: int) -> tuple[list[bytes], bool]:
    """The first `most` parameters of a raw query string, and whether there are no others."""
    if query.count(b"&") < most:
        return [part for part in query.split(b"&") if part], True
    parts = [part[0] for part in islice(_PART.finditer(query), most + 1)]
    return parts[:most], len(parts) <= most


def _decoded(raw: bytes, longest: int = 0) -> str:
    # Cut, it is still longer than any value, so it is refused, and costs no more than one.
    raw = raw[: RAW_CHARACTER * (max(SHOWN, longest) + 1)]
    if b"%" not in raw and b"+" not in raw and raw.isascii():
        return raw.decode("ascii")
    # What is not UTF-8 becomes U+FFFD: no parameter accepts it, and a message can show it.
    return unquote_to_bytes(raw.replace(b"+", b" ")).decode("utf-8", "replace")
