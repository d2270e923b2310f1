"""One file of a person in the Assemblée's open data: a deputy's seats, groups and staff."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ...movement import is_date, plain, words
from ...tracking.reading.names import is_forbidden
from ..source import Period
from .json_values import OddValue, child, elements, text

# The most under one mandate was 14; past this the file is not what it says.
MOST_STAFF = 200
_DEPUTY = re.compile(r"PA[0-9]{1,9}")
_CIVILITIES = ("M.", "Mme")
NO_CIVILITY = "a civility that is neither M. nor Mme, left out"
DATED_STAFF = "dates, which nobody had so far: read as present"
CLOSED_STAFF = "staff under a mandate that ended, left out"
NO_FIELD = "no field for staff, which others have even empty: read as nobody"
REVERSED = "a mandate that ends before it begins, left out"


class StaffMember(NamedTuple):
    """Who works for a deputy, named as the file has it; no civility is ""."""

    civility: str
    family: str
    given: str


class Deputy(NamedTuple):
    """A person who has or had a mandate at the Assemblée; `sits` while one is open.

    `groups` are periods with the reference of a group's organ for its code. `staff` are those of open
    mandates, each once. `unread` are the places of staff members who cannot be told from the file,
    `odd` those of values left out, by what they are.
    """

    id: str
    family: str
    given: str
    civility: str
    seats: list[Period]
    groups: list[Period]
    sits: bool
    staff: list[StaffMember]
    unread: list[str]
    odd: list[tuple[str, str]]

    @property
    def name(self) -> str:
        """The deputy as reports name one."""
        return f"{self.given} {self.family} ({self.id})".strip()


class _Mandate(NamedTuple):
    place: str
    fields: dict[str, Any]
    organ_type: str
    until: datetime.date | None


def read_acteur(document: Any) -> Deputy | None:
    """The deputy in a person's file, None where the person never was one.

    OddValue names the place of what is not as it must be; what is wrong with single staff members
    is told in the deputy instead.
    """
    acteur = child(document, "acteur", "the document")
    uid = text(child(acteur, "uid", "acteur"), "acteur.uid")
    if not _DEPUTY.fullmatch(uid):
        raise OddValue("acteur.uid is not PA and a number")
    mandates = list(_mandates(acteur))
    assembly = [mandate for mandate in mandates if mandate.organ_type == "ASSEMBLEE"]
    if not assembly:
        return None
    family, given, civility = _names(acteur)
    deputy = Deputy(uid, family, given, civility, [], [], False, [], [], [])
    for mandate in _seats(assembly):
        reason = text(_mandature(mandate, "causeFin"), f"{mandate.place}.mandature.causeFin")
        begun = text(_mandature(mandate, "datePriseFonction"), f"{mandate.place}.mandature")
        deputy.seats.extend(_period(deputy, mandate, begun, reason=reason))
    for mandate in mandates:
        if mandate.organ_type == "GP":
            for organ in _organs(mandate):
                deputy.groups.extend(_period(deputy, mandate, group=organ))
    _read_staff(deputy, assembly)
    return deputy._replace(sits=any(mandate.until is None for mandate in assembly))


def _names(acteur: Any) -> tuple[str, str, str]:
    place = "acteur.etatCivil.ident"
    ident = child(child(acteur, "etatCivil", "acteur"), "ident", "acteur.etatCivil")
    family, given, civility = (
        text(child(ident, name, place), f"{place}.{name}") for name in ("nom", "prenom", "civ")
    )
    if not family or is_forbidden(f"{given} {family}".strip()):
        raise OddValue(f"{place} has no name")
    return family, given, civility if civility in _CIVILITIES else ""


def _mandates(acteur: Any) -> Iterator[_Mandate]:
    """The mandates at the Assemblée and in its groups, of some thirty kinds."""
    found = elements(child(child(acteur, "mandats", "acteur"), "mandat", "acteur.mandats"))
    if not found:
        raise OddValue("acteur.mandats has no mandat")
    for number, fields in enumerate(found, 1):
        place = f"mandat {number}"
        organ_type = text(child(fields, "typeOrgane", place), f"{place}.typeOrgane")
        if not organ_type:
            raise OddValue(f"{place}.typeOrgane is absent")
        if organ_type in ("ASSEMBLEE", "GP"):
            until = _day(child(fields, "dateFin", place), f"{place}.dateFin")
            yield _Mandate(place, fields, organ_type, until)


def _seats(assembly: list[_Mandate]) -> list[_Mandate]:
    """The seats among a deputy's mandates: beside them, under the same type, stand those of the Bureau."""
    return [mandate for mandate in assembly if plain(_quality(mandate)) == "membre"] or assembly


def _quality(mandate: _Mandate) -> str:
    place = f"{mandate.place}.infosQualite"
    quality = child(mandate.fields, "infosQualite", mandate.place)
    return text(child(quality, "codeQualite", place), place) if quality is not None else ""


def _mandature(mandate: _Mandate, name: str) -> Any:
    mandature = child(mandate.fields, "mandature", mandate.place)
    return child(mandature, name, f"{mandate.place}.mandature") if mandature is not None else None


def _organs(mandate: _Mandate) -> list[str]:
    place = f"{mandate.place}.organes"
    references = elements(
        child(child(mandate.fields, "organes", mandate.place), "organeRef", place)
    )
    return list(dict.fromkeys(text(reference, place) for reference in references))


def _period(
    deputy: Deputy, mandate: _Mandate, begun: str = "", group: str = "", reason: str = ""
) -> list[Period]:
    """The period of a mandate; none, which is told, where it ends before it begins."""
    place = f"{mandate.place}.dateDebut"
    since = _day(begun, place) or _day(child(mandate.fields, "dateDebut", mandate.place), place)
    if since is None:
        raise OddValue(f"{place} is absent")
    if mandate.until and mandate.until < since:
        deputy.odd.append((REVERSED, mandate.place))
        return []
    return [Period(since, mandate.until, group, reason)]


def _day(value: Any, place: str) -> datetime.date | None:
    day = text(value, place)
    if day and not is_date(day):
        raise OddValue(f"{place} is not a day (YYYY-MM-DD)")
    return datetime.date.fromisoformat(day) if day else None


def _read_staff(deputy: Deputy, assembly: list[_Mandate]) -> None:
    """Add the staff of the open mandates; the same person under two of them is one."""
    known = set()
    for mandate in assembly:
        holder = child(mandate.fields, "collaborateurs", mandate.place)
        if holder is None:
            if mandate.until is None and "collaborateurs" not in mandate.fields:
                deputy.odd.append((NO_FIELD, mandate.place))
            continue
        if not isinstance(holder, dict) or "collaborateur" not in holder:
            deputy.unread.append(f"{mandate.place}.collaborateurs")
            continue
        found = elements(holder.get("collaborateur"))
        if len(found) > MOST_STAFF:
            raise OddValue(f"{mandate.place} has {len(found)} staff, more than {MOST_STAFF}")
        if found and mandate.until is not None:
            deputy.odd.append((CLOSED_STAFF, mandate.place))
            continue
        for number, fields in enumerate(found, 1):
            place = f"{mandate.place}, collaborateur {number}"
            person = _staff_member(deputy, fields, place)
            if person and (identity := words(person.family, person.given)) not in known:
                known.add(identity)
                deputy.staff.append(person)


def _staff_member(deputy: Deputy, fields: Any, place: str) -> StaffMember | None:
    try:
        civility, family, given = (
            text(child(fields, name, place), place) for name in ("qualite", "nom", "prenom")
        )
        dated = [
            name for name in ("dateDebut", "dateFin") if child(fields, name, place) is not None
        ]
    except OddValue:
        deputy.unread.append(place)
        return None
    # One name alone would be another person's: identities are made of both.
    if is_forbidden(family) or is_forbidden(given):
        deputy.unread.append(place)
        return None
    if civility not in _CIVILITIES:
        deputy.odd.append((NO_CIVILITY, place))
        civility = ""
    if dated:
        deputy.odd.append((DATED_STAFF, place))
    return StaffMember(civility, family, given)
