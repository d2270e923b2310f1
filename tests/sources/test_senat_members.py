"""The senators of a day: who sits, in which group of which name, and since when where the files agree."""

from __future__ import annotations

import datetime
import json

import pytest

from parlement_lists.sources.members import combine
from parlement_lists.sources.originals import MemberRecord, Original, OriginalRefused
from parlement_lists.sources.senat import SOURCE

from .senate_files import GROUPS, MANDATES, SEATS, filled, group, mandate, odsen, senateurs_json

DAY = datetime.date(2026, 11, 21)
JEANNE = MemberRecord("08061X", "Exemple", "Jeanne", "Mme", "UMP")
PAUL = MemberRecord("000346", "Modèle", "Paul", "M.", "SOC")
LEFT = MemberRecord("11072N", "Parti", "Éric", "M.", "")
RENEWED = "2023-10-02 00:00:00.0"


def day(text):
    return datetime.date.fromisoformat(text)


def read(**bodies):
    files = [Original(name, body) for name, body in bodies.items()]
    return SOURCE.members(files, DAY)


def one(found, member):
    return next(each for each in found.members if each.id == member.id)


def elus(*rows):
    return odsen(
        MANDATES,
        [*rows, *(mandate(m, RENEWED, "", "En Cours") for m in filled([JEANNE, PAUL])[2:])],
    )


def groupes(*rows):
    return odsen(GROUPS, [*rows, *(group(m, m.group, RENEWED) for m in filled([JEANNE, PAUL])[2:])])


def roster():
    return senateurs_json([JEANNE, PAUL])


def test_who_sits_has_the_group_of_the_day_under_the_name_it_has_now():
    found = read(a=roster())
    assert (len(found.members), found.dated, found.origin) == (SEATS, True, "senat")
    assert one(found, JEANNE) == JEANNE._replace(group="LR")
    assert one(found, PAUL) == PAUL._replace(group="SER")
    assert found.group_names == {
        "LR": "Les Républicains",
        "SER": "Socialiste, Écologiste et Républicain",
    }
    body = senateurs_json([JEANNE, PAUL._replace(group="Aucun")])
    found = SOURCE.members([Original("a", body)], day("2015-06-01"))
    assert [one(found, each).group for each in (JEANNE, PAUL)] == ["UMP", ""]


def test_without_who_sits_nothing_is_said():
    assert read(a=elus(), b=groupes()) is None
    assert read() is None


def dated(**changes):
    """Dates that agree with the roster: Jeanne re-elected without a new mandate, Paul new, one gone.

    `changes` are other rows of groups, None for one that is left out.
    """
    mandates = [
        mandate(JEANNE, "2017-10-02 00:00:00.0", "2023-10-01 00:00:00.0", "Fin de mandat"),
        mandate(LEFT, RENEWED, "", "En Cours"),
        mandate(LEFT._replace(id="57316A"), "1959-04-26", "1962-07-03", "Fin de mandat"),
    ]
    groups = {
        "jeanne": group(JEANNE, "UMP", "2011/10/01 00:00:00"),
        "twice": group(JEANNE, "UMP", "2011/10/01 00:00:00"),
        "paul_none": group(PAUL, "AUCUN", "2024-02-01", "2024-02-05"),
        "paul": group(PAUL, "SOC", "2024-02-06"),
        "left": group(LEFT, "LREM", "2020-09-01", "2025-03-31"),
    }
    kept = filter(None, (groups | changes).values())
    return read(a=roster(), b=elus(*mandates), c=groupes(*kept))


def spans(periods):
    return "; ".join(f"{p.since} {p.until or '-'} {p.value}".strip() for p in periods)


def test_dates_are_taken_and_groups_complete_the_mandates_that_are_missing():
    found = dated()
    assert (found.dated, found.remarks) == (True, [])
    jeanne, paul, left = (one(found, member) for member in (JEANNE, PAUL, LEFT))
    assert spans(jeanne.mandates) == "2017-10-02 2023-10-01 Fin de mandat; 2023-10-02 -"
    assert spans(jeanne.groups) == "2011-10-01 2015-06-01 UMP; 2015-06-02 - LR"
    assert (spans(paul.mandates), spans(paul.groups)) == ("2024-02-01 -", "2024-02-06 - SER")
    assert spans(left.mandates) == "2023-10-02 2025-03-31"
    assert [period.value for period in left.groups] == ["LREM", "RDPI"]
    assert "57316A" not in {member.id for member in found.members}


@pytest.mark.parametrize(
    ("changes", "who"),
    [
        ({"left": group(LEFT, "LREM", "2020-09-01")}, "Éric Parti"),
        ({"paul": None, "paul_none": None}, "Paul Modèle"),
        ({"paul": group(PAUL, "UC", "2024-02-06")}, "Paul Modèle"),
        ({"paul": None, "paul_none": group(PAUL, "AUCUN", "2024-02-01")}, "Paul Modèle"),
    ],
)
def test_dates_that_disagree_with_who_sits_are_not_taken(changes, who):
    """What was known of those senators before goes on; of the others the dates are taken."""
    found = dated(**changes)
    assert found.remarks == [f"dates are not taken, they disagree on 1: {who}"]
    sitting = {member.id: member for member in found.members if member.id != LEFT.id}
    assert sitting.keys() == {m.id for m in filled([JEANNE, PAUL])}
    undated = {id for id, member in sitting.items() if not (member.mandates or member.groups)}
    assert undated == ({PAUL.id} if "Paul" in who else set())
    assert LEFT.id not in {m.id for m in found.members} or "Paul" in who
    # A list of a day before that of the originals needs the name.
    assert combine(None, "senat", found, DAY).name("senat", LEFT.id)


def test_one_of_the_two_dated_files_is_not_enough():
    for found in (read(a=roster(), b=elus()), read(a=roster(), b=groupes())):
        assert not any(member.mandates for member in found.members)
        assert found.remarks == ["no dates of mandates and groups"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<html>", "begins b'<html>': no PDF, no file of senators"),
        (b"[", "not JSON"),
        (b"[1]", "item 1 is a number or a truth value, not an object"),
        (senateurs_json([JEANNE], fill=False), "1 senators, not 300 to 360"),
        (senateurs_json([JEANNE, JEANNE]), "348 senators, 347 matricules"),
        (b"% A\r\nA,B\r\n", "no file of senators"),
    ],
)
def test_a_file_that_cannot_be_one_of_senators_is_refused(body, message):
    with pytest.raises(OriginalRefused, match=f"a: .*({message})|a: {message}"):
        read(a=body)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"matricule": "1"}, ': "1" is no matricule'),
        ({"nom": ""}, ": .* is no name"),
        ({"nom": "Mod\u000ble"}, ".nom holds a control"),
        ({"nom": "Mod&egrave;le"}, ": .* is no name"),
        ({"nom": 7}, ".nom is a number"),
        ({"civilite": "Dr"}, ': "Dr" is no civility'),
    ],
)
def test_a_senator_who_cannot_be_one_refuses_the_file(fields, message):
    items = json.loads(roster())
    items[3] |= fields
    with pytest.raises(OriginalRefused, match=f"^a: item 4{message}"):
        read(a=json.dumps(items).encode())


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (mandate(JEANNE, "02/10/2023", "", "En Cours"), 'line 4: "02/10/2023" is not a day'),
        (
            mandate(JEANNE, RENEWED, "2020-01-01", "Décédé"),
            "line 4: ends on 2020-01-01, before 2023",
        ),
        (mandate(JEANNE, RENEWED, "", "Décédé"), "line 4: ended .* without a day"),
    ],
)
def test_dates_that_cannot_be_are_refused(row, message):
    with pytest.raises(OriginalRefused, match=f"b: {message}"):
        read(a=roster(), b=elus(row), c=groupes())


ROW = mandate(JEANNE, "2017-10-02 00:00:00.0", "", "En Cours")


@pytest.mark.rule("record-half-read")
@pytest.mark.parametrize(
    ("body", "message"),
    [
        (elus() + b"08061X,Mme\r\n", "line 350: 2 values under 11 columns"),
        (
            elus() + ",".join(("A", *ROW[1:])).encode("latin-1") + b"\r\n",
            '350: "A" is no matricule',
        ),
        (elus().replace(b"346 ligne", b"347 ligne"), "346 rows, 347 are announced"),
        (elus()[:9000], "the file is cut off"),
        (elus()[:-9], "line 349: the last line does not end: the file is cut off"),
        (elus((*ROW[:2], "Exem\x0bple", *ROW[3:])), "line 4: Nom usuel: .* holds a control"),
        # A byte that no letter has.
        (elus((*ROW[:2], "Exem\x81ple", *ROW[3:])), "line 4: .* is no name"),
    ],
)
def test_a_file_with_dates_that_is_not_whole_is_refused(body, message):
    with pytest.raises(OriginalRefused, match=f"b: .*({message})"):
        read(a=roster(), b=body, c=groupes())


def test_columns_are_found_whatever_their_order_case_and_accents():
    table = elus(ROW).decode("latin-1").replace("Matricule,Qualité", "MATRICULE,QUALITE")
    found = read(
        a=roster(), b=table.encode("latin-1"), c=groupes(group(JEANNE, "UMP", "2017-10-02"))
    )
    assert one(found, JEANNE).mandates[0].since == day("2017-10-02")
