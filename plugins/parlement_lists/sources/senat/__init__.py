"""The Sénat: two PDFs of staff every night, and the files of its senators."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from ...movement import words
from ...tracking.members.known_members import Members
from ...tracking.reading.names import civility_and_name
from ..downloading.retry_policy import FetchFailed
from ..source import (
    Address,
    Credit,
    Downloads,
    ListRead,
    MembersRead,
    Original,
    OriginalRefused,
    Source,
    StaffRow,
)
from . import former, odsen, senators
from .matricules import CHAMBER, Matricules
from .pdf import ALPHABETICAL, BY_SENATOR, MAGIC, Employment, Form, StaffPdf, read_pdf
from .staff_names import family_first

ORIGIN = "senat-pdf"
# Of the senators in the list, so many may be unknown to the members; of more, it is the members' fault.
MOST_UNMATCHED = 0.01
MOST_SHOWN = 10
# In 451 lists of 2015 to 2023 from 184 (on the day of a renewal) to 348 senators have staff.
FEWEST = 150
# `de`, `la`, `le` are in many names.
_PARTICLE = 2

_PDFS = "https://www.senat.fr/pubagas"
_DATA = "https://data.senat.fr/data/senateurs"
_ADDRESSES = {
    "par_senateur": Address(
        "par-senateur.pdf", f"{_PDFS}/liste_senateurs_collaborateurs.pdf", most_bytes=2_000_000
    ),
    "alphabetique": Address(
        "alphabetique.pdf", f"{_PDFS}/liste_collaborateurs_senateurs2.pdf", most_bytes=2_000_000
    ),
    "senateurs": Address("senateurs.json", "https://www.senat.fr/api-senat/senateurs.json"),
    "elus": Address("ODSEN_ELUSEN.csv", f"{_DATA}/ODSEN_ELUSEN.csv"),
    "groupes": Address("ODSEN_HISTOGROUPES.csv", f"{_DATA}/ODSEN_HISTOGROUPES.csv"),
    "general": Address("ODSEN_GENERAL.csv", f"{_DATA}/ODSEN_GENERAL.csv"),
}


@dataclass(frozen=True)
class Senat(Source):
    """The Sénat's list, dated the day after its edition, which is made at 22:00."""

    def download(self, downloads: Downloads) -> list[Original]:
        """The PDF by senator, and of the others those that can be had; raises FetchFailed."""
        at = self.addresses
        try:
            found = [downloads.get(at["par_senateur"], lambda o: _examine_pdf(o, BY_SENATOR))]
        except FetchFailed as error:
            raise FetchFailed(f"{at['par_senateur'].name}: {error}") from error
        optional = (
            ("alphabetique", lambda o: _examine_pdf(o, ALPHABETICAL), ""),
            ("elus", senators.read_mandates, "; mandates are watched"),
            ("groupes", senators.read_groups, "; groups are watched"),
        )
        found += self._roster(downloads)
        for word, examine, instead in optional:
            try:
                found.append(downloads.get(at[word], examine))
            except FetchFailed as error:
                downloads.tell(f"{at[word].name}: {error}{instead}")
        return found

    def _roster(self, downloads: Downloads) -> list[Original]:
        """Who sits: senateurs.json, else ODSEN_GENERAL, else nothing: the members kept remain."""
        at, day = self.addresses, downloads.day
        try:
            return [downloads.get(at["senateurs"], lambda o: senators.read_sitting(o, day))]
        except FetchFailed as error:
            downloads.tell(f"{at['senateurs'].name}: {error}; {at['general'].name} in its place")
        try:
            return [downloads.get(at["general"], senators.read_general)]
        except FetchFailed as error:
            downloads.tell(f"{at['general'].name}: {error}; senators are those known before")
        return []

    def members(self, originals: Sequence[Original], day: datetime.date) -> MembersRead | None:
        """The senators of a day (see `senators.members_of`)."""
        _examine_kinds(originals)
        return senators.members_of(originals, day)

    def read(
        self, originals: Sequence[Original], members: Members, day: datetime.date | None
    ) -> ListRead:
        """The pairs of the PDF by senator, whatever day it was received."""
        _examine_kinds(originals)
        pdfs = [
            (original, read_pdf(original))
            for original in originals
            if original.body.startswith(MAGIC)
        ]
        lists = [(original, pdf) for original, pdf in pdfs if pdf.form is BY_SENATOR]
        if len(lists) != 1:
            names = ", ".join(original.name for original in originals)
            raise OriginalRefused(f"{len(lists)} PDFs by senator among {names}: one is needed")
        ((original, pdf),) = lists
        told = _compared(original, pdf, [each for each in pdfs if each[1].form is ALPHABETICAL])
        listed = pdf.edition + datetime.timedelta(1)
        named = former.names(originals, listed)
        matricules = _matched(original, pdf, Matricules(members, named, listed))
        unknown = [name for name, id in matricules.items() if id is None]
        if unknown:
            told.append(f"no senator is known as {_shown(unknown, pdf)}: left out")
        rows = list(_rows(pdf.employments, matricules, members.also_named(CHAMBER, named), listed))
        if ungrouped := sum(not row.groupe for row in rows):
            told.append(f"{ungrouped} of {len(rows)} rows have no group")
        carried = _carried(unknown, members, set(matricules.values()))
        return ListRead(rows, ORIGIN, listed, carried, told)


SOURCE = Senat(
    "senat",
    CHAMBER,
    _ADDRESSES,
    credit=Credit("Sénat", "Licence Ouverte 2.0", "https://data.senat.fr/"),
)


def _examine_pdf(original: Original, form: Form) -> None:
    if not original.body.startswith(MAGIC):
        raise OriginalRefused(f"{original.name}: begins {original.body[:20]!r}, not as a PDF")
    if read_pdf(original).form is not form:
        raise OriginalRefused(f"{original.name}: the other list, not {form.title!r}")


def _examine_kinds(originals: Sequence[Original]) -> None:
    """Raises OriginalRefused for what is neither a PDF nor a members' file: an error page, mostly."""
    for original in originals:
        if not (original.body.startswith(b"%") or senators.is_sitting(original)):
            raise OriginalRefused(
                f"{original.name}: begins {original.body[:20]!r}: no PDF, no file of senators"
            )
        kinds = (odsen.GENERAL, odsen.MANDATES, odsen.GROUPS)
        if odsen.is_odsen(original) and not any(odsen.is_of(original, k) for k in kinds):
            raise OriginalRefused(f"{original.name}: columns of no file of senators")


def _compared(
    original: Original, pdf: StaffPdf, others: Sequence[tuple[Original, StaffPdf]]
) -> list[str]:
    """What is to be told of the two lists; raises OriginalRefused for a pair that only the other one has."""
    if not others:
        return ["no alphabetical PDF: pairs are not compared"]
    return [sentence for other in others for sentence in _compare(original, pdf, *other)]


def _compare(one: Original, pdf: StaffPdf, other: Original, alphabetical: StaffPdf) -> list[str]:
    if alphabetical.edition != pdf.edition:
        editions = f"edition of {alphabetical.edition}, {one.name} is of {pdf.edition}"
        return [f"{other.name}: {editions}: pairs are not compared"]
    pairs = set(pdf.employments)
    missing = dict.fromkeys(each for each in alphabetical.employments if each not in pairs)
    if missing:
        place = alphabetical.places[alphabetical.employments.index(next(iter(missing)))]
        raise OriginalRefused(
            f"{one.name}: {len(missing)} pairs of {other.name} are missing, first that of {place}"
        )
    less = len(pairs) - len(set(alphabetical.employments))
    return [f"{other.name}: {less} pairs fewer than {one.name}"] if less else []


def _matched(original: Original, pdf: StaffPdf, known: Matricules) -> dict[str, str | None]:
    """Each senator's matricule by name, None for whom nobody knows.

    Raises OriginalRefused if the senators are too few, or those whom nobody knows too many.
    """
    names = dict.fromkeys(civility_and_name(each.senator)[1] for each in pdf.employments)
    if len(names) < FEWEST:
        raise OriginalRefused(f"{original.name}: {len(names)} senators with staff, under {FEWEST}")
    found = {name: known.of(name) for name in names}
    named = Counter(found.values())
    # Two names that lead to one senator are one name too many: nobody can say whose staff is whose.
    matched = {name: id if named[id] == 1 else None for name, id in found.items()}
    unknown = [name for name, id in matched.items() if id is None]
    if len(unknown) > MOST_UNMATCHED * len(names):
        raise OriginalRefused(
            f"{original.name}: {len(unknown)} of {len(names)} senators are not known,"
            f" over {MOST_UNMATCHED:.0%}: {_shown(unknown, pdf)}"
        )
    return matched


def _shown(unknown: Sequence[str], pdf: StaffPdf) -> str:
    """The first names of unknown senators, and how many more; one that staff bears may be no senator's."""
    staff = {civility_and_name(each.staff)[1] for each in pdf.employments}
    names = [name for name in unknown if name not in staff][:MOST_SHOWN]
    more = len(unknown) - len(names)
    return " and ".join([*filter(None, [", ".join(names)]), *([f"{more} more"] if more else [])])


def _carried(unknown: Sequence[str], members: Members, found: Set[str | None]) -> list[str]:
    """Whom a name that nobody knows may mean: staff must not leave a senator who is spelled otherwise."""
    listed = {word for name in unknown for word in words(name).split() if len(word) > _PARTICLE}
    return sorted(
        id
        for id, name in members.names(CHAMBER).items()
        if id not in found
        and listed & {word for word in words(name.family).split() if len(word) > _PARTICLE}
    )


def _rows(
    employments: Sequence[Employment],
    matricules: Mapping[str, str | None],
    members: Members,
    day: datetime.date,
) -> Iterator[StaffRow]:
    for employment in employments:
        id = matricules[civility_and_name(employment.senator)[1]]
        member = members.name(CHAMBER, id) if id else None
        if id and member:
            civility, name = civility_and_name(employment.staff)
            family, given = family_first(name)
            group = members.group(CHAMBER, id, day)
            yield StaffRow(id, member.family, member.given, group, civility, family, given)
