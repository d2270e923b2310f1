"""Members kept: dated spans replace what they overlap, others grow by watching; a half-read source ends nobody."""

from __future__ import annotations

from pathlib import Path

import pytest

from parlement_lists.sources.members import combine
from parlement_lists.sources.originals import ChamberMembers, MemberRecord, OriginalRefused
from parlement_lists.tracking.members.known_members import Members

from .members_seen import D1, D2, D3, D9, archive, content, dated, day, member, merge, rows, seen
from .members_seen import folder as folder

# A sentence; the rows of an archive before, if there was one; what was read on some days; the rows kept after them.
# Of who is seen the group is told; a dated member has mandates, `FIRST LAST`, and groups, `FIRST LAST CODE`.
HISTORIES = """
spans begin and end as members are seen
2026-09-01 seen: A GRA; B GRA; C GRA
2026-09-03 seen: A GRA; B GRB; D GRB
2026-09-09 seen: A; B GRB; D GRB
mandates: A - - page; B - - page; C - 2026-09-01 page; D 2026-09-03 - page
groups: A - 2026-09-03 GRA page; B - 2026-09-01 GRA page; \
B 2026-09-03 - GRB page; C - 2026-09-01 GRA page; D 2026-09-03 - GRB page

whoever is missing for 31 days or less sat on
2026-09-01 seen: A GRA; B GRA; C GRA; D GRB
2026-09-03 seen: A GRA; D GRB
2026-10-02 seen: A GRA; B GRA; D GRB
2026-10-03 seen: A GRA; B GRA; C GRA; D GRB
mandates: A - - page; B - - page; C - 2026-09-01 page; C 2026-10-03 - page; D - - page
groups: A - - GRA page; B - - GRA page; C - 2026-09-01 GRA page; C 2026-10-03 - GRA page; D - - GRB page

what an archive says has just ended did
before: A 2020-10-01 2026-08-25
before, groups: A 2020-10-01 2026-08-25 GRA
2026-09-01 seen: A GRA
mandates: A 2020-10-01 2026-08-25 rc; A 2026-09-01 - page
groups: A 2020-10-01 2026-08-25 GRA rc; A 2026-09-01 - GRA page

a chamber that told no group says nothing of groups
2026-09-01 seen: A GRA; B GRB; C GRA
2026-09-02 seen: A; B
mandates: A - - page; B - - page; C - 2026-09-01 page
groups: A - - GRA page; B - - GRB page; C - 2026-09-01 GRA page

an archive is gone on with: B to its newest day; nobody knows since when C sits again, but not since 2014
before: A 2020-10-01 -; B 2020-10-01 -; C 2014-10-01 2020-09-30
before, groups: A 2020-10-05 - GRA; B 2020-10-05 2021-11-02 GRB; B 2021-11-03 - GRA
2026-09-01 seen: A GRB; C GRB; D GRB
mandates: A 2020-10-01 - rc; B 2020-10-01 2021-11-03 rc; C 2014-10-01 2020-09-30 rc; C 2026-09-01 - page; D - - page
groups: A 2020-10-05 2021-11-03 GRA rc; A 2026-09-01 - GRB page; B 2020-10-05 2021-11-02 GRB rc; \
B 2021-11-03 2021-11-03 GRA rc; C - - GRB page; D - - GRB page

dated spans replace what they overlap: nine days are another date of the same beginning
before: A 2012-06-20 2017-06-20; A 2017-06-21 -; B 2017-06-21 -; C 2017-06-30 -
before, groups: A 2017-07-03 2020-05-01 GRA; A 2020-05-02 - GRB; C - - GRA
2026-09-01 dated: A 2017-06-21 2022-06-21, 2022-06-22 -, 2020-06-01 - GRC; \
B 2022-06-22 -; C 2017-06-21 -, 2017-06-28 - GRB
mandates: A 2012-06-20 2017-06-20 rc; A 2017-06-21 2022-06-21 fichier; A 2022-06-22 - fichier; \
B 2017-06-21 2022-06-21 rc; B 2022-06-22 - fichier; C 2017-06-21 - fichier
groups: A 2017-07-03 2020-05-01 GRA rc; A 2020-05-02 2020-05-31 GRB rc; \
A 2020-06-01 - GRC fichier; C 2017-06-28 - GRB fichier

a source that dates what goes on only ends what it has no longer
2026-09-01 dated: A 2022-06-22 -, 2022-06-28 - GRA; B 2022-06-22 -, 2022-06-28 - GRA
2026-09-03 dated: A 2022-06-22 -, 2026-09-02 - GRB
mandates: A 2022-06-22 - fichier; B 2022-06-22 2026-09-01 fichier
groups: A 2022-06-28 2026-09-01 GRA fichier; A 2026-09-02 - GRB fichier; B 2022-06-28 2026-09-01 GRA fichier

listed again, the day without was an error of the source's
2026-09-01 dated: A 2022-06-22 -, 2022-06-28 - GRA; B 2022-06-22 -, 2022-06-28 - GRA
2026-09-03 dated: A 2022-06-22 -
2026-09-09 dated: A 2022-06-22 -, 2022-06-28 - GRA; B 2022-06-22 -, 2022-06-28 - GRA
mandates: A 2022-06-22 - fichier; B 2022-06-22 - fichier
groups: A 2022-06-28 - GRA fichier; B 2022-06-28 - GRA fichier

a beginning dated otherwise is the same span, up to 31 days later
2026-09-01 dated: A 2022-06-22 -, 2022-06-22 - GRA
2026-09-02 dated: A 2022-07-23 -, 2022-07-01 - GRA
2026-09-03 dated by autre: A 2022-08-24 -, 2022-07-02 - GRB
mandates: A 2022-07-23 2022-08-23 fichier; A 2022-08-24 - autre
groups: A 2022-07-01 2022-07-01 GRA fichier; A 2022-07-02 - GRB autre

what is to begin is kept
2026-09-01 dated: A 2022-06-22 -; B 2026-09-09 -
mandates: A 2022-06-22 - fichier; B 2026-09-09 - fichier

what was to begin and did not goes
2026-09-01 dated: A 2022-06-22 -; B 2026-09-09 -
2026-09-02 dated: A 2022-06-22 -
mandates: A 2022-06-22 - fichier

a span that its source took back goes; what lies before the first one that it still shows was true when it was shown
before: A 2022-01-01 2022-02-01
2026-09-01 dated: A 2017-10-02 2020-09-30, 2021-03-01 2021-04-01, 2023-10-02 -
2026-09-02 dated: A 2017-10-02 2020-09-30, 2023-10-02 -
2026-09-03 dated: A 2023-10-02 -
mandates: A 2017-10-02 2020-09-30 fichier; A 2022-01-01 2022-02-01 rc; A 2023-10-02 - fichier

a group whose code is not known leaves what was
2026-09-01 dated: A 2022-06-22 -, 2022-06-28 - GRA; B 2022-06-22 -, 2022-06-28 - GRA
2026-09-02 dated: A 2022-06-22 -, 2022-06-28 - ?; B 2022-06-22 -, 2022-06-28 2026-09-01 GRA
mandates: A 2022-06-22 - fichier; B 2022-06-22 - fichier
groups: A 2022-06-28 - GRA fichier; B 2022-06-28 2026-09-01 GRA fichier
"""


def members_of(how: str, told: str) -> ChamberMembers:
    """What a source tells on a day of a history."""
    if how == "seen":
        return seen(
            **{letter: group for letter, _, group in (m.partition(" ") for m in told.split("; "))}
        )
    members = []
    for letter, _, spans in (one.partition(" ") for one in told.split("; ")):
        of_words = {
            words: [s for s in spans.split(", ") if s.count(" ") == words] for words in (1, 2)
        }
        members.append(member(letter, of_words[1], of_words[2]))
    return dated(*members, origin=how.partition(" by ")[2] or "fichier")


HISTORIES_BY_NAME = {
    name: dict(line.split(": ") for line in lines)
    for name, *lines in (block.splitlines() for block in HISTORIES.strip().split("\n\n"))
}


@pytest.mark.parametrize("name", HISTORIES_BY_NAME)
def test_the_rows_kept_are_those_of_the_history(folder: Path, name: str) -> None:
    history = HISTORIES_BY_NAME[name]
    if "before" in history:
        archive(folder, history["before"], history.get("before, groups", ""))
    for line, told in history.items():
        if line[0].isdecimal():
            when, _, how = line.partition(" ")
            read = members_of(how, told)
            merge(folder, read, day(when))
    assert rows(folder, "mandats.csv") == history["mandates"]
    assert rows(folder, "groupes.csv") == history.get("groups", "")
    # The same again, on the same day or another, changes nothing.
    before = content(folder)
    for again in (day(when), D9):
        merge(folder, read, max(again, day(when)))
    assert content(folder) == before


def test_who_is_missing_in_a_second_run_of_a_day_sat_until_the_day_before(folder: Path) -> None:
    for when, read in ((D1, seen(A="", B="")), (D2, seen(A="", B="")), (D2, seen(A=""))):
        merge(folder, read, when)
    assert rows(folder, "mandats.csv") == "A - - page; B - 2026-09-01 page"


def test_the_files_are_as_documented(folder: Path) -> None:
    merge(folder, seen(A="GRA", B=""), D1)
    assert {name: body.decode() for name, body in content(folder).items()} == {
        "mandats.csv": (
            "chambre,elu_id,nom_complet,nom,prenom,civilite,debut,fin,motif_fin,origine\n"
            "senat,10000A,Élue NomA,NomA,Élue,Mme,,,,page\n"
            "senat,10000B,Élue NomB,NomB,Élue,Mme,,,,page\n"
        ),
        "groupes.csv": "chambre,elu_id,groupe,depuis,jusqua,origine\nsenat,10000A,GRA,,,page\n",
        "noms_groupes.csv": (
            "chambre,groupe,nom,couleur\nsenat,GRA,Groupe Alpha,\nsenat,GRB,Groupe Bêta,\n"
        ),
    }
    members = Members.read(folder)
    assert members.group_names.get(("senat", "GRB")) == "Groupe Bêta"
    assert members.group_names.get(("europarl", "GRB")) is None
    assert members.names("senat")["10000A"].family == "NomA"


def test_a_name_of_the_same_words_keeps_the_spelling_known(folder: Path) -> None:
    for family, given, when, kept in (
        ("de La Tour", "Anne", D1, "de La Tour"),
        ("De La Tour", "ANNE", D2, "de La Tour"),
        ("de La Tour-Modèle", "Anne", D3, "de La Tour-Modèle"),
    ):
        merge(folder, ChamberMembers([MemberRecord("10000A", family, given)], False, "api"), when)
        assert f",{kept},Anne," in (folder / "mandats.csv").read_text()


def test_a_mandate_that_goes_on_has_the_name_of_today_and_the_civility_known(folder: Path) -> None:
    archive(folder, "A 2020-10-01 -; B 2020-10-01 -; C 2014-10-01 2020-09-30", "")
    read = seen(A="GRB", C="GRB")
    merge(folder, read._replace(members=[m._replace(civility="") for m in read.members]), D1)
    kept = (folder / "mandats.csv").read_text()
    assert "Élue NomA,NomA,Élue,M.,2020-10-01,,En Cours,rc" in kept
    assert "Élue Nom,Nom,Élue,M.,2020-10-01,2020-10-01,,rc" in kept  # why it ended nobody told
    assert "Élue Nom,Nom,Élue,M.,2014-10-01,2020-09-30,En Cours,rc" in kept  # that of its time


def test_other_chambers_stay_as_they_are(folder: Path) -> None:
    archive(folder, "A 2020-10-01 -", "A 2020-10-05 - GRA")
    paths = sorted(folder.iterdir())
    for path in paths:
        path.write_text(path.read_text().replace("senat,10000A", "assemblee,PA12"))
    before = [path.read_text().splitlines()[1] for path in paths]
    merge(folder, seen(Z="GRA"), D1)
    assert [path.read_text().splitlines()[1] for path in paths] == before


THREE = seen(A="GRA", B="GRA", C="GRA")


@pytest.mark.parametrize(
    ("before", "read", "message"),
    [
        ({}, seen(), "0 members of senat"),
        ({}, dated(member("A", ["2020-01-01 2020-02-01"])), "0 members of senat"),
        *(
            ({D1: THREE}, read, r"[01] members of senat sit on 2026-09-02.* 3 of 2026-09-01")
            for read in (seen(A="GRA"), seen(), dated(member("A", ["2020-01-01 -"])))
        ),
        *(
            ({day("2034-01-01"): THREE}, read, "were read until 2034-01-01, after 2026-09-02")
            for read in (seen(A="GRB", D="", B=""), dated(member("A", ["2020-01-01 -"])))
        ),
    ],
)
def test_a_source_that_lost_most_members_or_a_day_that_is_past_changes_nothing(
    folder: Path, before: dict, read: ChamberMembers, message: str
) -> None:
    folder.mkdir(parents=True)
    for when, first in before.items():
        merge(folder, first, when)
    kept = content(folder)
    with pytest.raises(OriginalRefused, match=message):
        merge(folder, read, D2)
    assert content(folder) == kept


PAGE = "https://www.hatvp.fr/pages_nominatives/exemple-1"


def with_page(page: str, **groups: str) -> ChamberMembers:
    read = seen(**groups)
    return read._replace(members=[one._replace(hatvp=page) for one in read.members])


def test_colours_and_pages_are_kept_until_the_source_tells_others(folder: Path) -> None:
    for read, when, colour, page in (
        (seen(A="GRA")._replace(group_colours={"GRA": "#00aaff"}), D1, "#00aaff", ""),
        (with_page(PAGE, A="GRA"), D2, "#00aaff", PAGE),
        (seen(A="GRA")._replace(group_colours={"GRA": "#112233"}), D3, "#112233", PAGE),
        (seen(A="GRA")._replace(group_names={"GRA": "Groupe Aube"}), D3, "#112233", PAGE),
    ):
        merge(folder, read, when)
        assert (folder / "fiches.csv").exists() is bool(page)
        members = Members.read(folder)
        assert members.group_colours.get(("senat", "GRA")) == colour
        assert [members.pages.get(("senat", f"10000{x}"), "") for x in "AB"] == [page, ""]
    assert content(folder)["fiches.csv"] == f"chambre,elu_id,hatvp\nsenat,10000A,{PAGE}\n".encode()
    assert members.group_names["senat", "GRA"] == "Groupe Aube"
    combined = combine(folder, "senat", with_page(f"{PAGE}2", A="GRA"), D9)
    assert combined.pages.get(("senat", "10000A")) == f"{PAGE}2"
    assert combined.group_colours.get(("senat", "GRA")) == "#112233"


def test_a_page_that_its_source_withdrew_goes(folder: Path) -> None:
    first = with_page(PAGE, A="GRA", B="GRA")
    merge(folder, first, D1)
    later = first._replace(members=[first.members[0], first.members[1]._replace(hatvp="")])
    merge(folder, later, D2)
    assert content(folder)["fiches.csv"] == f"chambre,elu_id,hatvp\nsenat,10000A,{PAGE}\n".encode()
    # Who is no longer among those read keeps it.
    merge(folder, with_page(f"{PAGE}2", B="GRA"), D3)
    members = Members.read(folder)
    assert [members.pages.get(("senat", f"10000{x}")) for x in "AB"] == [PAGE, f"{PAGE}2"]
