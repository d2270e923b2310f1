"""The Sénat's originals damaged in every way: a refusal or a right list. MOUVEMENTS_FUZZ says how many."""

from __future__ import annotations

import datetime
import os
import random

import pytest

from parlement_lists.sources.senat import SOURCE
from parlement_lists.sources.source import MemberRecord, Original, OriginalRefused

from .senate_files import GROUPS, MANDATES, filled, general, group, mandate, odsen, senateurs_json
from .senate_lists import EDITION, ROWS, changed, pairs_of, retext, runs
from .senate_lists import known as known
from .senate_pdf import make

COUNT = int(os.environ.get("MOUVEMENTS_FUZZ", "60"))
DAY = datetime.date(2026, 11, 21)
SENATORS = list(dict.fromkeys((row.elu_id, row.elu_nom, row.elu_prenom) for row in ROWS))
BY_SENATOR = Original("a.pdf", make(ROWS, EDITION))
ALPHABETICAL = Original("b.pdf", make(ROWS, EDITION, alphabetical=True))
STAFF = {row.collab_nom for row in ROWS}
SITTING = [MemberRecord(*senator, "M.", "UMP") for senator in SENATORS]
FILES = {
    "senateurs": senateurs_json(SITTING),
    "general": general(SITTING),
    "elus": odsen(MANDATES, (mandate(m, "2023-10-02", "", "En Cours") for m in filled(SITTING))),
    "groupes": odsen(GROUPS, (group(m, "UMP", "2023-10-02") for m in filled(SITTING))),
}


def damaged(body: bytes, chance: random.Random) -> bytes:
    """Bytes flipped, cut out, doubled, or the end cut off."""
    found = bytearray(body)
    for _ in range(chance.choice((1, 1, 1, 3, 20))):
        at = chance.randrange(len(found))
        until = min(len(found), at + chance.choice((1, 8, 400)))
        kind = chance.randrange(5)
        if kind < 2:
            found[at] ^= 1 << chance.randrange(8)
        elif kind == 2:
            del found[at:until]
        elif kind == 3:
            found[at:at] = found[at:until]
        elif chance.random() < 0.2:
            del found[at:]
        found = found or bytearray(b"%")
    return bytes(found)


def with_other_texts(original: Original, chance: random.Random) -> tuple[Original, set[str]]:
    """The PDF with a few of its texts moved, changed or taken away, and the texts that were or are there."""
    touched: set[str] = set()

    def change(document):
        page = document[chance.randrange(len(document))]
        found = runs(page)
        for item, text in chance.sample(found, chance.choice((1, 1, 2, 5))):
            other = chance.choice(found)[1]
            kind = chance.randrange(4)
            touched.add(text)
            if kind == 0:
                x, y = chance.choice(
                    ((40, 0), (138.3, 0), (-138.3, 0), (0, 14.9), (0, -14.9), (0.3, 0))
                )
                matrix = item.get_matrix()
                item.set_matrix(matrix.translate(x, y))
            elif kind == 1:
                retext(item, other)
                touched.add(other)
            elif kind == 2:
                retext(item, text[: len(text) // 2] or "M.")
                touched.add(text[: len(text) // 2])
            else:
                retext(item, " ")
        page.gen_content()

    return changed(original, change), touched


def read(originals, members):
    """The pairs of the list, None when it is refused; staff is named in no refusal."""
    found = None
    try:
        found = SOURCE.read(originals, members, None)
        told = " ".join(found.remarks)
    except OriginalRefused as error:
        told = str(error)
    assert [name for name in STAFF if name in told] == []
    return pairs_of(found.rows) if found else None


@pytest.mark.parametrize("which", [0, 1], ids=["by senator", "alphabetical"])
def test_a_pdf_of_damaged_bytes_is_refused_or_read_right(which, known):
    chance, members = random.Random(which), known()
    right = pairs_of(ROWS)
    refused = 0
    for _ in range(COUNT):
        originals = [BY_SENATOR, ALPHABETICAL]
        body = damaged(originals[which].body, chance)
        originals[which] = originals[which]._replace(body=body)
        found = read(originals, members)
        assert found in (None, right)
        refused += found is None
    assert 0 < refused < COUNT


def test_texts_that_were_changed_are_refused_or_make_no_other_pair_wrong(known):
    chance, members = random.Random(3), known()
    right = pairs_of(ROWS)
    refused = 0
    for _ in range(COUNT):
        original, _ = with_other_texts(BY_SENATOR, chance)
        found = read([original, ALPHABETICAL], members)
        assert found in (None, right)
        refused += found is None
    assert refused > COUNT // 2


def test_without_the_other_pdf_no_pair_is_wrong_beyond_those_whose_texts_were_changed(known):
    chance, members = random.Random(4), known()
    right = {(row.elu_id, row.collab_nom, row.collab_prenom): row for row in ROWS}
    for _ in range(COUNT):
        original, touched = with_other_texts(BY_SENATOR, chance)
        found = read([original], members)
        for id, _, family, given in found or ():
            if (id, family, given) in right:
                continue
            row = next((row for row in ROWS if row.elu_id == id), None)
            names = {" ".join(text.split()[1:]) for text in touched}
            senators = {f"{each.elu_nom} {each.elu_prenom}" for each in ROWS}
            # The staff's own text was touched, or one of a senator: the rows below are the next one's.
            assert f"{family} {given}".strip() in names or names & senators or row is None


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_of_senators_is_refused_or_read(name):
    chance = random.Random(5)
    roster = {"senateurs", "general"} - {name}
    given = {"senateurs": FILES["senateurs"]} if name in ("elus", "groupes") else {}
    given |= {"elus": FILES["elus"], "groupes": FILES["groupes"]} if roster else {}
    known = {member.id for member in filled(SITTING)}
    for _ in range(COUNT):
        bodies = given | {name: damaged(FILES[name], chance)}
        try:
            found = SOURCE.members([Original(*each) for each in bodies.items()], DAY)
        except OriginalRefused:
            continue
        if found is not None:
            # A flipped digit is another matricule: of a few, never of many.
            assert len({member.id for member in found.members} - known) <= 60
            assert len(found.members) >= 300
