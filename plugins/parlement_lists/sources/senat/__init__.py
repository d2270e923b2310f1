"""The Sénat: two PDFs of staff every night, and the files of its senators."""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from ...movement import words
from ...tenure import UNPAID
from ...tracking.members.known_members import Members
from ...tracking.reading.names import civility_and_name, family_and_given
from ..download import Downloads, Source
from ..originals import (
    Address,
    ChamberMembers,
    FetchFailed,
    Original,
    OriginalRefused,
    StaffList,
    StaffRow,
)
from . import senators
from .pdf import ALPHABETICAL, BY_SENATOR, StaffPdf, is_pdf, read_pdf

ORIGIN = "senat-pdf"
# Share of the senators in the list who may be unknown; with more, the members are at fault.
MOST_UNMATCHED = 0.01
MOST_SHOWN = 10
# In 422 lists of 2015 to 2023 from 184 (on the day of a renewal) to 348 senators have staff.
FEWEST = 150

# A name in the PDF, and the same senator's in the members' files. Each was reviewed: the Sénat has one
# senator of that family name, and in lists made of the PDF by others that name has the matricule and
# the staff of the one here (Deromedi: the members' files themselves have both given names).
_SAME = (
    ("DEROMEDI Jacqueline", "Jacky Deromedi"),
    ("LAUFOAULU Lopeleto", "Robert Laufoaulu"),
    ("BELRHITI Catherina", "Catherine Belrhiti"),
    ("BOURRAT Antoinette", "Toine Bourrat"),
    ("FERNIQUE Jacques Bernard", "Jacques Fernique"),
    ("PARIGI Paul", "Paul Toussaint Parigi"),
    ("EVRARD Marie Agnès", "Marie Evrard"),
    ("YONNET-SALVATOR Evelyne", "Evelyne Yonnet"),
)
_ALIASES = {words(listed): words(known) for listed, known in _SAME}

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
}


@dataclass(frozen=True)
class Senat(Source):
    """The Sénat's list, dated the day after its edition, which is made at 22:00."""

    def download(self, downloads: Downloads) -> list[Original]:
        """The PDF by senator and senateurs.json, and those of the others that can be had; raises FetchFailed."""
        by_senator = partial(_examine_pdf, form=BY_SENATOR)
        sitting = partial(senators.read_sitting, day=downloads.day)
        originals = [
            downloads.get(self.addresses["par_senateur"], by_senator),
            downloads.get(self.addresses["senateurs"], sitting),
        ]
        alphabetical = partial(_examine_pdf, form=ALPHABETICAL)
        for word, examine, instead in (
            ("alphabetique", alphabetical, "pairs are not compared"),
            ("elus", senators.read_mandates, "mandates are those known before"),
            ("groupes", senators.read_groups, "groups are those known before"),
        ):
            try:
                originals.append(downloads.get(self.addresses[word], examine))
            except FetchFailed as error:
                downloads.remarks.append(f"{error}; {instead}")
        return originals

    def members(self, originals: Sequence[Original], day: datetime.date) -> ChamberMembers | None:
        """The senators of a day (see `senators.members_of`)."""
        return senators.members_of(originals, day)

    def read(
        self, originals: Sequence[Original], members: Members, day: datetime.date | None
    ) -> StaffList:
        """The pairs of the PDF by senator, whatever day it was received."""
        pdfs = [(each, read_pdf(each)) for each in originals if is_pdf(each)]
        lists = [each for each in pdfs if each[1].form == BY_SENATOR]
        if len(lists) != 1:
            names = ", ".join(original.name for original in originals)
            raise OriginalRefused(f"{len(lists)} PDFs by senator among {names}: one is needed")
        ((original, pdf),) = lists
        others = [each for each in pdfs if each[1].form == ALPHABETICAL]
        remarks = [sentence for other in others for sentence in _compare(original, pdf, *other)]
        if not others:
            remarks.append("no alphabetical PDF: pairs are not compared")
        listed = pdf.edition + datetime.timedelta(1)
        matricules = _matched(original, pdf, members)
        unknown = [name for name, id in matricules.items() if id is None]
        if unknown:
            remarks.append(f"no senator is known as {_shown(unknown, pdf)}: left out")
        rows = []
        for employment in pdf.employments:
            id = matricules[civility_and_name(employment.senator)[1]]
            member = members.name(self.chamber, id) if id else None
            if id and member:
                civility, name = civility_and_name(employment.staff)
                family, given = split_family_first(name)
                row = StaffRow(
                    elu_id=id,
                    elu_nom=member.family,
                    elu_prenom=member.given,
                    groupe=members.group(self.chamber, id, listed),
                    collab_civilite=civility,
                    collab_nom=family,
                    collab_prenom=given,
                    conge=UNPAID if employment.on_leave else "",
                )
                rows.append(row)
        if ungrouped := sum(not row.groupe for row in rows):
            remarks.append(f"{ungrouped} of {len(rows)} rows have no group")
        return StaffList(rows, ORIGIN, listed, remarks, unknown)


SOURCE = Senat("senat", _ADDRESSES, needs="pypdfium2")


def _examine_pdf(original: Original, form: str) -> None:
    if not is_pdf(original):
        raise original.refusal(f"begins {original.body[:20]!r}, not as a PDF")
    if read_pdf(original).form != form:
        raise original.refusal(f"the other list, not {form!r}")


def _compare(
    original: Original, pdf: StaffPdf, other: Original, alphabetical: StaffPdf
) -> list[str]:
    """The report's sentences on the two lists; OriginalRefused if only the other one has a pair."""
    if alphabetical.edition != pdf.edition:
        editions = f"edition of {alphabetical.edition}, {original.name} is of {pdf.edition}"
        return [f"{other.name}: {editions}: pairs are not compared"]
    pairs = {each[:2] for each in pdf.employments}
    missing = [each for each in alphabetical.employments if each[:2] not in pairs]
    if missing:
        number = len({each[:2] for each in missing})
        raise original.refusal(
            f"{number} pairs of {other.name} are missing, first that of {missing[0].place}"
        )
    less = len(pairs) - len({each[:2] for each in alphabetical.employments})
    return [f"{other.name}: {less} pairs fewer than {original.name}"] if less else []


def _matched(original: Original, pdf: StaffPdf, members: Members) -> dict[str, str | None]:
    """Each senator's matricule by name, None if nobody or more than one has it.

    Of several who have it, it is the one's who sits on the day of the list. Raises OriginalRefused if there are
    too few senators, or too many unknown ones.
    """
    names = dict.fromkeys(civility_and_name(each.senator)[1] for each in pdf.employments)
    if len(names) < FEWEST:
        raise original.refusal(f"{len(names)} senators with staff, under {FEWEST}")
    by_words: dict[str, set[str]] = defaultdict(set)
    for id, name in members.names(senators.CHAMBER).items():
        by_words[words(name.full)].add(id)
        by_words[words(name.family, name.given)].add(id)
    day = pdf.edition + datetime.timedelta(1)
    matched = {}
    for listed in names:
        key = words(listed)
        ids = by_words.get(key) or by_words.get(_ALIASES.get(key, key), set())
        if len(ids) > 1:
            ids = {id for id in ids if members.sits_since(senators.CHAMBER, id, day)}
        matched[listed] = min(ids) if len(ids) == 1 else None
    # If two names lead to one senator, nobody can say whose staff is whose.
    times = Counter(matched.values())
    matched = {listed: id if times[id] == 1 else None for listed, id in matched.items()}
    unknown = [listed for listed, id in matched.items() if id is None]
    if len(unknown) > MOST_UNMATCHED * len(names):
        raise original.refusal(
            f"{len(unknown)} of {len(names)} senators are not known,"
            f" over {MOST_UNMATCHED:.0%}: {_shown(unknown, pdf)}"
        )
    return matched


def _shown(unknown: Sequence[str], pdf: StaffPdf) -> str:
    """Some names of unknown senators; a name that staff bears is not shown, as it may be no senator's."""
    staff = {civility_and_name(each.staff)[1] for each in pdf.employments}
    names = [name for name in unknown if name not in staff][:MOST_SHOWN]
    more = len(unknown) - len(names)
    return " and ".join([*filter(None, [", ".join(names)]), *([f"{more} more"] if more else [])])


def split_family_first(name: str) -> tuple[str, str]:
    """`de LA EXEMPLE Jeanne` -> (`DE LA EXEMPLE`, `Jeanne`), as the PDF writes a staff member's name.

    The family name goes on to the last word in capitals of more than one letter, whatever is before
    it: a particle, a dash, an initial. A name all in capitals, or without any, is as
    `family_and_given` splits it.
    """
    parts = name.split()
    family = [part.isupper() and sum(map(str.isalpha, part)) > 1 for part in parts]
    last = max((index for index, is_family in enumerate(family, 1) if is_family), default=0)
    if last in (0, len(parts)):
        return family_and_given(name, "", "")
    return " ".join(parts[:last]).upper(), " ".join(parts[last:])
