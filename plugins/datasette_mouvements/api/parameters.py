"""Query parameters: what each accepts, what it selects, and how a query string is read.

PARAMETERS is the one table: a filter is a row of it. Checks, messages, SQL and the documentation page are derived
from it; a test compares openapi.json with it (specification, "Parameters").
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from itertools import islice
from urllib.parse import quote, unquote_to_bytes

from parlement_lists.bounds import FULL_NAME_LETTERS, GROUP_LETTERS
from parlement_lists.movement import CHAMBERS, SOURCES, TYPES, words

from .. import addresses
from ..dataset import schema
from ..dataset.changes import parse_cursor
from ..refusal import SITE
from .parameter import SHOWN, Arguments, Fault, Parameter, Value, refusal

LIMIT_DEFAULT, LIMIT_MOST = 100, 500
OFFSET_MOST = 2**63 - 1
MEMBER_LENGTH = 80
CURSOR_LENGTH = 80
NOW = "maintenant"
YES = "oui"
# Parameters each with the one that no request has beside it.
APART = {"elu": "equipe", "equipe": "elu", "le": "present", "present": "le"}
# A query is read up to so many parameters more than an operation has: enough to say what is wrong.
FAULTY = 8
# A character takes four bytes, each escaped by three.
RAW_CHARACTER = 12

_PART = re.compile(rb"[^&]+")
UNPRINTABLE = r"\u0000-\u001f\u007f-\u009f\ufffd-\uffff"
PRINTABLE = f"^[^{UNPRINTABLE}]+$"
# A name, a list, a wildcard, an identifier in small letters. A maintainer's file may have such identifiers.
_APART, _SMALL = r"\s,;*%?", "(?:pa[0-9]+|[0-9]+[a-z])"
NO_IDENTIFIER = re.compile(f".*[{_APART}].*|{_SMALL}")

# The resources of which a parameter selects rows, by the name of their list.
MOVEMENTS, STAYS, MEMBERS = "mouvements", "collaborations", "elus"
ALL = (MOVEMENTS, STAYS, MEMBERS)
FEED = "changements"

_DAY = "un jour qui existe, au format AAAA-MM-JJ"
_MEMBER = Parameter(
    "elu",
    "Identifiant de l’élu (elu_id), pour les trois chambres",
    dict.fromkeys(ALL, "r.elu_id = :elu"),
    f"un seul identifiant d’élu de 1 à {MEMBER_LENGTH} caractères : PA et un nombre (Assemblée"
    " nationale), un matricule comme 14263U (Sénat), un nombre (Parlement européen)",
    "99099Z",
    longest=MEMBER_LENGTH,
    pattern=PRINTABLE,
    usual=f"^(?!{_SMALL}$)[^{_APART}{UNPRINTABLE}]+$",
)
_GROUP = Parameter(
    "groupe",
    "Groupe politique de l’élu : au jour de le s’il est connu, sinon elu_groupe",
    {STAYS: "r.elu_groupe = :groupe"},
    f"un groupe de 1 à {int(GROUP_LETTERS)} caractères",
    "GEST",
    longest=int(GROUP_LETTERS),
    pattern=PRINTABLE,
    # Nobody was in a group that was formed later. Of the European Parliament's no source tells since when.
    on_day=f"""
        coalesce((select a.groupe from {schema.MEMBERSHIPS} a
          where a.chambre = r.chambre and a.elu_id = r.elu_id
            and a.debut <= :le and (a.fin = '' or :le <= a.fin)
          order by a.debut desc, a.fin = '' desc, a.fin desc, a.groupe limit 1),
          iif(exists (select 1 from {schema.GROUPS} g
            where g.chambre = r.chambre and g.code = r.elu_groupe and g.debut > :le
              and g.chambre <> 'europarl'), '', r.elu_groupe)
        ) = :groupe""",
)
_ON = Parameter(
    "le",
    "Jour : les collaborations que dit la dernière liste de ce jour ou d’avant. Pas avec present",
    {STAYS: "r.debut <= :le and (r.fin is null or :le < r.fin)"},
    _DAY,
    "2026-09-14",
    format="date",
)
_LIMIT = Parameter(
    "limit",
    "Nombre {} par page",
    {},
    f"un entier de 1 à {LIMIT_MOST}",
    "100",
    least=1,
    most=LIMIT_MOST,
    default=LIMIT_DEFAULT,
    beyond=f"Pour tout lire : plusieurs pages, ou le fichier entier, à {SITE}{addresses.WHOLE_FILE}.",
)
_OFFSET = Parameter(
    "offset",
    "Nombre {} à passer",
    {},
    f"un entier de 0 à {OFFSET_MOST}",
    "200",
    least=0,
    most=OFFSET_MOST,
    default=0,
)
PARAMETERS = (
    Parameter(
        name="chambre",
        meaning="Chambre",
        where=dict.fromkeys(ALL, "r.chambre = :chambre"),
        example="senat",
        values=CHAMBERS,
    ),
    Parameter(
        name="type",
        meaning="Nature du mouvement",
        where={MOVEMENTS: "r.type = :type"},
        example="arrivee",
        values=TYPES,
    ),
    Parameter(
        name="source",
        meaning="Source du mouvement",
        where={MOVEMENTS: "r.source = :source"},
        example="suivi",
        values=SOURCES,
    ),
    Parameter(
        name="depuis",
        meaning="Premier jour, inclus",
        where={MOVEMENTS: "r.date_event >= :depuis"},
        accepted=_DAY,
        example="2026-01-31",
        format="date",
    ),
    Parameter(
        name="jusqua",
        meaning="Dernier jour, inclus",
        where={MOVEMENTS: "r.date_event <= :jusqua"},
        accepted=_DAY,
        example="2026-12-31",
        format="date",
    ),
    _GROUP._replace(
        meaning="Groupe politique d’aujourd’hui",
        where={MEMBERS: "r.groupe = :groupe"},
        on_day="",
    ),
    _MEMBER,
    _MEMBER._replace(
        name="equipe",
        meaning="Identifiant de l’élu dont on veut tous les mouvements de l’équipe : ceux de elu, et les"
        " transferts qui la quittent. Pas avec elu",
        where={MOVEMENTS: schema.OF_TEAM.format(of="r.", member=":equipe")},
    ),
    _GROUP,
    Parameter(
        "nom",
        "Nom du collaborateur : tous ces mots, dans n’importe quel ordre, sans égard aux accents",
        {
            STAYS: f"""
                :nom <> '[]' and r.rowid in (select c.rowid from {schema.SPELLED_STAYS} where not exists (
                  select 1 from json_each(:nom) word
                  where instr(' ' || n.mots || ' ', ' ' || word.value || ' ') = 0))"""
        },
        f"un nom de 1 à {int(FULL_NAME_LETTERS)} caractères",
        "Dominique Exemple",
        longest=int(FULL_NAME_LETTERS),
        pattern=PRINTABLE,
        bound=lambda text: json.dumps(words(text).split()),
    ),
    _ON,
    _ON._replace(
        meaning="Jour où un mandat connu est en cours",
        where={
            MEMBERS: f"""
                exists (select 1 from {schema.MANDATES} d where d.chambre = r.chambre
                  and d.elu_id = r.elu_id and d.debut <= :le
                  and (:le <= d.fin or d.fin = '' and (r.fin_apres = '' or :le <= r.fin_apres)))"""
        },
    ),
    Parameter(
        "present",
        "Sur la dernière liste de la chambre, le mandat de l’élu se poursuivant. Pas avec le",
        {
            STAYS: f"""
                r.fin is null and (r.chambre, r.fin_apres) in (
                  select chambre, max(date) from listes where statut <> 'refusee' group by chambre)
                and (r.chambre, r.elu_id) in (
                  select chambre, elu_id from {schema.MEMBER_LINES} where siege)"""
        },
        "",
        YES,
        (YES,),
    ),
    Parameter(
        "curseur",
        "Où reprendre les changements ; absent, depuis le début",
        {FEED: ""},
        f"le curseur d’une réponse, tel quel, ou {NOW}",
        NOW,
        longest=CURSOR_LENGTH,
        pattern="^[0-9a-z-]+$",
        is_one=lambda text: text == NOW or parse_cursor(text) is not None,
    ),
    *(
        parameter._replace(meaning=parameter.meaning.format(many), where={resource: ""})
        for parameter in (_LIMIT, _OFFSET)
        for resource, many in (
            (MOVEMENTS, "de mouvements"),
            (STAYS, "de collaborations"),
            (MEMBERS, "d’élus"),
            (FEED, "de changements"),
        )
        if (parameter, resource) != (_OFFSET, FEED)
    ),
)
# By the name of the list, then by that of the parameter.
OF: dict[str, dict[str, Parameter]] = {
    resource: {parameter.name: parameter for parameter in PARAMETERS if resource in parameter.where}
    for resource in (*ALL, FEED)
}
NONE: dict[str, Parameter] = {}


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
    sent: dict[str, str] = {}
    wrong: dict[Fault, None] = {}
    for part in parts:
        raw_name, _, raw_value = part.partition(b"=")
        name = _decoded(raw_name)
        parameter = known.get(name)
        fault: Fault | None = None
        if parameter is None:
            fault = Fault("unknown", name)
            sent.setdefault(name, _decoded(raw_value))
        elif name in sent:
            fault = Fault("repeated", name)
        else:
            sent[name] = text = _decoded(raw_value, parameter.longest or 0)
            value = parameter.value(text)
            if value is None:
                fault = Fault("value", name, text)
            else:
                values[name] = value
                fault = _contradiction(name, values)
        if fault is not None:
            wrong[fault] = None
    # An unlikely identifier may be somebody's: that takes a search, and is asked last.
    named = [
        fault._replace(kind="value") if fault.kind == "unlikely" else fault
        for fault in wrong
        if fault.kind != "unlikely" or not is_known(fault.name, fault.value)
    ]
    if named:
        raise refusal(named, sent, known, whole_query)
    return values


def _contradiction(name: str, values: Arguments) -> Fault | None:
    """What is wrong with a parameter that has just been read, as far as its value alone does not say it."""
    if (other := APART.get(name, "")) in values:
        return Fault("together", name, other)
    first, last = values.get("depuis"), values.get("jusqua")
    if name in ("depuis", "jusqua") and first and last and str(last) < str(first):
        return Fault("reversed", name)
    value = str(values[name])
    if name in ("elu", "equipe") and NO_IDENTIFIER.fullmatch(value):
        return Fault("unlikely", name, value)
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
