"""One file of a person in the Assemblée's open data: a deputy's seats, groups and staff."""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import date
from typing import NamedTuple

from ...movement import plain
from ...tracking.members.members_files import is_hatvp
from ...tracking.members.spans import Span
from ...tracking.reading.names import is_no_name, read_civility
from ..json_elements import JsonElement
from ..originals import MemberRecord, StaffRow

_DEPUTY = re.compile(r"PA[0-9]{1,9}")
NO_CIVILITY = "a civility that is neither M. nor Mme, left out"
CLOSED_STAFF = "staff under a mandate that ended, left out"
NO_FIELD = "no field for staff, which others have even empty: read as nobody"
REVERSED = "a mandate that ends before it begins, left out"


class Deputy(NamedTuple):
    """A person who has or had a mandate at the Assemblée; `sits` while one is open.

    The groups of `member` have the reference of the group's organ for their code. `staff` are those of
    open mandates, again where somebody stands under two. `odd` are values left out: what they are, and their places.
    """

    member: MemberRecord
    sits: bool
    staff: list[StaffRow]
    odd: list[tuple[str, str]]

    @property
    def name(self) -> str:
        """The deputy as reports name one."""
        return f"{self.member.given} {self.member.family} ({self.member.id})".strip()


def read_acteur(document: JsonElement) -> Deputy | None:
    """The deputy in a person's file, None if the person never was one.

    ValueError names the place of a value of another form, whoever's it is: half a team is no list.
    """
    acteur = document.child("acteur")
    uid = acteur.child("uid").text()
    if not _DEPUTY.fullmatch(uid):
        raise ValueError("acteur.uid is not PA and a number")
    # The mandates by the type of their organ, of some thirty types.
    mandates: dict[str, list[JsonElement]] = defaultdict(list)
    every = acteur.child("mandats").child("mandat").elements()
    for mandate in every:
        organ_type = mandate.child("typeOrgane").text()
        if not organ_type:
            raise ValueError(f"{mandate.place}.typeOrgane is absent")
        mandates[organ_type].append(mandate)
    if not every:
        raise ValueError("acteur.mandats has no mandat")
    assembly = mandates["ASSEMBLEE"]
    if not assembly:
        return None
    odd: list[tuple[str, str]] = []
    seats, groups = [], []
    # Beside the seats, under the same type, stand the offices of the Bureau.
    for mandate in [each for each in assembly if _is_seat(each)] or assembly:
        mandature = mandate.child("mandature")
        begun, reason = mandature.child("datePriseFonction").day(), mandature.child("causeFin")
        seats += _read_period(mandate, odd, begun, value=reason.text())
    for mandate in mandates["GP"]:
        organs = mandate.child("organes").child("organeRef").elements()
        for organ in dict.fromkeys(reference.text() for reference in organs):
            groups += _read_period(mandate, odd, value=organ)
    ident = acteur.child("etatCivil").child("ident")
    family, given, civility = (ident.child(name).text() for name in ("nom", "prenom", "civ"))
    if is_no_name(family) or (given and is_no_name(given)):
        raise ValueError(f"{ident.place} has no name")
    page = acteur.child("uri_hatvp").value
    member = MemberRecord(
        uid,
        family,
        given,
        read_civility(civility),
        mandates=sorted(seats, key=lambda seat: seat.since),
        groups=groups,
        # A wrong address refuses no list; who has no page has an object there.
        hatvp=page if isinstance(page, str) and is_hatvp(page) else "",
    )
    sits = any(mandate.child("dateFin").day() is None for mandate in assembly)
    return Deputy(member, sits, _read_staff(member, assembly, odd), odd)


def _is_seat(mandate: JsonElement) -> bool:
    return plain(mandate.child("infosQualite").child("codeQualite").text()) == "membre"


def _read_period(
    mandate: JsonElement,
    odd: list[tuple[str, str]],
    begun: date | None = None,
    value: str = "",
) -> list[Span]:
    """The period of a mandate; none, which is noted in `odd`, if it ends before it begins."""
    begins, until = mandate.child("dateDebut"), mandate.child("dateFin").day()
    since = begun or begins.day()
    if since is None:
        raise ValueError(f"{begins.place} is absent")
    if until and until < since:
        odd.append((REVERSED, mandate.place))
        return []
    return [Span(since, until, value)]


def _read_staff(
    member: MemberRecord, assembly: list[JsonElement], odd: list[tuple[str, str]]
) -> list[StaffRow]:
    """The staff of the open mandates, of each of them."""
    staff: list[StaffRow] = []
    for mandate in assembly:
        holder, ended = mandate.child("collaborateurs"), mandate.child("dateFin").day()
        if holder.value is None:
            if ended is None and "collaborateurs" not in mandate.value:
                odd.append((NO_FIELD, mandate.place))
            continue
        if not isinstance(holder.value, dict) or "collaborateur" not in holder.value:
            raise holder.odd("not staff")
        entries = holder.child("collaborateur").elements()
        if entries and ended is not None:
            odd.append((CLOSED_STAFF, mandate.place))
            continue
        staff += [_read_assistant(member, entry, odd) for entry in entries]
    return staff


def _read_assistant(
    member: MemberRecord, entry: JsonElement, odd: list[tuple[str, str]]
) -> StaffRow:
    civility, family, given = (entry.child(n).text() for n in ("qualite", "nom", "prenom"))
    # Identities are made of both names: one name alone would be another person's.
    for name, text in (("nom", family), ("prenom", given)):
        if is_no_name(text):
            raise ValueError(f"{entry.place}.{name} is no name")
    if not read_civility(civility):
        odd.append((NO_CIVILITY, entry.place))
    return StaffRow(*member[:3], "", read_civility(civility), family, given)
