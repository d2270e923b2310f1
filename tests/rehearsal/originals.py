"""What the invented chambers publish on a day, in the forms of the real ones."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from parlement_lists.sources.hooks import MemberRecord, Period, StaffRow
from tests.sources import amo10, europarl_pages, senate_files, senate_pdf

from .world import Member, World

Rows = Sequence[StaffRow]
_SEATED, _GROUPED = datetime.date(2024, 7, 8), datetime.date(2024, 7, 18)
_HEADING = "Accredited assistants"


class Spoiled(NamedTuple):
    """How a chamber's own originals are wrong: what becomes of its rows, and of its members."""

    rows: Callable[[Rows], Rows] = lambda rows: rows
    members: Callable[[Sequence[Member]], Sequence[Member]] = lambda members: members


def originals(world: World, spoiled: Mapping[str, Spoiled]) -> dict[str, bytes]:
    """What the chambers publish on the world's day, by path."""
    edition = world.day - datetime.timedelta(1)
    ways = {chamber: spoiled.get(chamber, Spoiled()) for chamber in world.members}
    rows = {chamber: ways[chamber].rows(world.rows(chamber)) for chamber in world.members}
    deputies, senators, meps = (
        [
            read(member, world.elections)
            for member in ways[chamber].members(world.seated_in(chamber))
        ]
        for chamber in ("assemblee", "senat", "europarl")
    )
    seats = senate_files.filled(senators)
    pages = {
        f"/europarl/page/{member.id}": europarl_pages.make(
            member.id,
            f"{member.given} {member.family.upper()}",
            [r._replace(fonction=_HEADING) for r in rows["europarl"] if r.elu_id == member.id],
        )
        for member in meps
    }
    return {
        "/assemblee/zip": amo10.make(rows["assemblee"], members=deputies, made=edition),
        "/senat/par_senateur": senate_pdf.make(_sorted(rows["senat"]), edition),
        "/senat/alphabetique": senate_pdf.make(rows["senat"], edition, alphabetical=True),
        "/senat/senateurs": senate_files.senateurs_json(senators),
        "/senat/general": senate_files.general(senators),
        "/senat/elus": senate_files.odsen(
            senate_files.MANDATES, [senate_files.mandate(m, "2023-10-02", "", "") for m in seats]
        ),
        "/senat/groupes": senate_files.odsen(
            senate_files.GROUPS, [senate_files.group(m, m.group, "2023-10-04") for m in seats]
        ),
        "/europarl/members": europarl_pages.api_answer(meps),
        "/europarl/full_list": europarl_pages.full_list(meps),
        **pages,
    }


def read(member: Member, elections: Sequence[datetime.date]) -> MemberRecord:
    """The member; a deputy has a mandate for each legislature that began since the first one."""
    own = MemberRecord(member.id, member.family, member.given, member.civility, member.group)
    if member.chamber != "assemblee":
        return own
    first = member.since if member.since in elections else _SEATED
    begins = [first, *(day for day in elections if day > member.since)]
    ends = [*(day - datetime.timedelta(1) for day in begins[1:]), None]
    return own._replace(
        mandates=[Period(since, until) for since, until in zip(begins, ends, strict=True)],
        groups=[Period(max(first, _GROUPED), group=member.group)],
    )


def ended(deputies: Sequence[MemberRecord], day: datetime.date) -> list[MemberRecord]:
    seats = [one.mandates or [Period(_SEATED)] for one in deputies]
    return [
        one._replace(mandates=[*seat[:-1], seat[-1]._replace(until=day)])
        for one, seat in zip(deputies, seats, strict=True)
    ]


def _sorted(rows: Rows) -> list[StaffRow]:
    """In the order of the senators' names, as the PDF has them."""
    return sorted(rows, key=lambda row: (row.elu_nom.lower(), row.elu_prenom, row.collab_nom))
