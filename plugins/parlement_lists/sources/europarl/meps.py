"""The French members of the European Parliament and its groups: its Open Data API, compared with its full list in XML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from xml.etree import ElementTree

from ...csv_rows import one_line
from ...movement import plain, seats_on, shown
from ...tracking.reading.names import family_and_given, is_no_name, visible
from ..download import Downloads
from ..json_elements import parse
from ..originals import (
    Address,
    ChamberMembers,
    FetchFailed,
    MemberRecord,
    Original,
    list_some,
)

# No Member State has more than 96 seats (Treaty on European Union, article 14); France had 74 in
# 2014 and 81 in 2024. Something is missing in a list of fewer members than FEWEST.
FEWEST, MOST = 65, 96
# Number of records that one request of the API asks for.
LIMIT = 200
_BLANK = b"\xef\xbb\xbf \t\r\n"
_ID = re.compile(r"[1-9][0-9]{0,8}")
_COUNTRY_CODE = "FR"
_COUNTRY = "France"
# Members whom one listing may have before the other: in the lists of 2019-2022, of 71 to 79 members, one left
# within days, and four within 15 (figure `members-left`).
FEW_LEFT = 2
CHAMBER = "europarl"
# A member as a listing has one: the place in it; the number, family and given name, full name, group.
_Mep = tuple[str, Sequence[str]]
_OF_API = (
    "api:country-of-representation",
    "id",
    "identifier",
    "familyName",
    "givenName",
    "label",
    "api:political-group",
)
_OF_XML = ("country", "id", "fullName", "politicalGroup")

# Code -> the group's name in French, then its other names. The codes are those of the lists of 2019 to
# 2022; a group that took another name is another group, as in these lists.
GROUPS = {
    "EPP": (
        "Groupe du Parti populaire européen (Démocrates-Chrétiens)",
        "Group of the European People's Party (Christian Democrats)",
        "PPE",
    ),
    "S&D": (
        "Groupe de l'Alliance Progressiste des Socialistes et Démocrates au Parlement européen",
        "Group of the Progressive Alliance of Socialists and Democrats in the European Parliament",
    ),
    "PfE": ("Groupe Les patriotes pour l'Europe", "Patriots for Europe Group"),
    "ECR": (
        "Groupe des Conservateurs et Réformistes européens",
        "European Conservatives and Reformists Group",
    ),
    "Renew": ("Groupe Renew Europe", "Renew Europe Group"),
    "Greens/EFA": (
        "Groupe des Verts/Alliance libre européenne",
        "Group of the Greens/European Free Alliance",
        "Verts/ALE",
    ),
    "The Left": (
        "Le groupe de la gauche au Parlement européen - GUE/NGL",
        "Groupe de la gauche au Parlement européen - GUE/NGL",
        "The Left group in the European Parliament - GUE/NGL",
    ),
    "ESN": (
        "Groupe L'Europe des nations souveraines",
        "Europe of Sovereign Nations Group",
    ),
    "NI": ("Non-inscrits", "Non-attached Members"),
    "ID": ("Groupe Identité et démocratie", "Identity and Democracy Group"),
    "ALDE": (
        "Groupe Alliance des démocrates et des libéraux pour l'Europe",
        "Group of the Alliance of Liberals and Democrats for Europe",
        "ADLE",
    ),
    "GUE/NGL": (
        "Groupe confédéral de la Gauche unitaire européenne/Gauche verte nordique",
        "Confederal Group of the European United Left - Nordic Green Left",
    ),
    "EFDD": (
        "Groupe Europe de la liberté et de la démocratie directe",
        "Europe of Freedom and Direct Democracy Group",
    ),
    "ENF": ("Groupe Europe des Nations et des Libertés", "Europe of Nations and Freedom Group"),
}
CODES = {plain(name): code for code, names in GROUPS.items() for name in (code, *names)}


def get_members(addresses: Mapping[str, Address], downloads: Downloads) -> Original:
    """The answer of the API; FetchFailed if it lacks many members: whom it lacks would be taken for gone.

    The full list says how many members there are; where it cannot be had, the number of seats does.
    """
    answer = downloads.get(addresses["members"], read_members)
    listed = names_by_id(read_members(answer))
    try:
        full_list = downloads.get(addresses["full_list"], read_members)
    except FetchFailed as error:
        remark = f"the full list cannot be had, and members are not compared: {error}"
        seats = seats_on(CHAMBER, downloads.day)
        if len(listed) < seats - FEW_LEFT:
            raise FetchFailed(f"{len(listed)} members for {seats} seats; {remark}") from error
        downloads.remarks.append(remark)
        return answer
    others = names_by_id(read_members(full_list))
    absent = [name for id, name in others.items() if id not in listed]
    if len(absent) > FEW_LEFT:
        raise FetchFailed(f"{len(absent)} members are in the full list alone: {list_some(absent)}")
    return answer


def is_members(original: Original) -> bool:
    """Whether an original is a list of members, in JSON or XML, and not a page."""
    head = original.body[:2_000].lstrip(_BLANK).lower()
    return _is_json(original) or (b"<html" not in head and head.startswith((b"<?xml", b"<meps")))


def _is_json(original: Original) -> bool:
    return original.body[:2_000].lstrip(_BLANK)[:1] in (b"{", b"[")


def names_by_id(listed: ChamberMembers) -> dict[str, str]:
    """The members as reports name them, `Given Family (number)`, by number."""
    return {member.id: f"{member.given} {member.family} ({member.id})" for member in listed.members}


def read_members(original: Original) -> ChamberMembers:
    """The French members in the answer of the API, or in the full list; raises OriginalRefused."""
    of_api = _is_json(original)
    members: dict[str, MemberRecord] = {}
    for place, fields in _of_api(original) if of_api else _of_xml(original):
        try:
            member = _member(*map(one_line, fields))
        except ValueError as error:
            raise original.refusal(f"{place}: {error}") from None
        if member.id in members:
            raise original.refusal(f"member {member.id} stands in it twice")
        members[member.id] = member
    if not FEWEST <= len(members) <= MOST:
        figure = f"{len(members)} French members, where {FEWEST} to {MOST} are expected"
        raise original.refusal(figure)
    codes = sorted({member.group for member in members.values()} - {""})
    remarks = [
        f"group {shown(code)} is not known, and kept as it stands"
        for code in codes
        if code not in GROUPS
    ]
    listed = ChamberMembers(
        list(members.values()),
        dated=False,
        origin="europarl-api" if of_api else "europarl-xml",
        group_names={code: GROUPS.get(code, (code,))[0] for code in codes},
        remarks=remarks,
    )
    if without := [name for id, name in names_by_id(listed).items() if not members[id].group]:
        remarks.append(f"no group is told of {', '.join(without)}")
    return listed


def _of_api(original: Original) -> Iterator[_Mep]:
    try:
        data = parse(original.body).child("data").value
    except ValueError as error:
        raise original.refusal(str(error)) from error
    if not isinstance(data, list) or not all(isinstance(record, dict) for record in data):
        raise original.refusal("not what the API answers: no list of records in `data`")
    for number, record in enumerate(data, 1):
        # A number is a text, and what is neither says nothing.
        country, uri, id, *others = (
            str(value) if type(value) in (int, str) else "" for value in map(record.get, _OF_API)
        )
        # The API filters by country; the country in a record is checked, too.
        if country.strip() in ("", _COUNTRY_CODE):
            yield f"record {number}", (id or uri.rpartition("/")[2], *others)


def _of_xml(original: Original) -> Iterator[_Mep]:
    try:
        # What entities unpack to, expat bounds itself.
        root = ElementTree.fromstring(original.body)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise original.refusal(f"not the full list in XML: {error}") from error
    if root.tag != "meps":
        raise original.refusal(f"its root is {shown(root.tag)}, not meps")
    for number, mep in enumerate(root.iterfind("mep"), 1):
        country, id, full, group = (mep.findtext(tag, "") for tag in _OF_XML)
        if country.strip() == _COUNTRY:
            yield f"mep {number}", (id, "", "", full, group)


def _member(id: str, family: str, given: str, full: str, group: str) -> MemberRecord:
    """A member as a listing has one, by two names or by the full one; raises ValueError for one who cannot be."""
    family, given = map(visible, (family, given) if family else split_name(full))
    no_name = is_no_name(family) or (given and is_no_name(given))
    for wrong, why in (
        (not _ID.fullmatch(id), f"{shown(id)} is no member's number"),
        (not plain(family), "no name"),
        (no_name, f"{shown(f'{given} {family}')} is no name"),
    ):
        if wrong:
            raise ValueError(why)
    return MemberRecord(id, family, given, group=CODES.get(plain(group), group))


def split_name(full: str) -> tuple[str, str]:
    """`Michèle ALLIOT-MARIE` -> (`Alliot-Marie`, `Michèle`), as the API writes a member's name."""
    if not plain(full):
        return "", ""
    family, given = family_and_given(visible(full), "", "")
    return family.title(), given
