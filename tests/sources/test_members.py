"""Members kept: dated spans replace what they overlap, others grow by watching; a half-read source ends nobody."""

from __future__ import annotations

from pathlib import Path

import pytest

from parlement_lists.sources.members import combine
from parlement_lists.sources.originals import (
    ChamberMembers,
    MemberRecord,
    OriginalRefused,
    Period,
)
from parlement_lists.tracking.members.known_members import Members, MembersError

from .members_seen import (
    D1,
    D2,
    D3,
    D9,
    FILES,
    archive,
    content,
    dated,
    day,
    member,
    merge,
    rows,
    seen,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "lists" / "elus"


def test_who_is_seen_on_the_first_day_sits_since_nobody_knows_when(folder: Path) -> None:
    assert merge(folder, "senat", seen(A="GRA", B=""), D1)
    assert content(folder) == {
        "mandats.csv": (
            "chambre,elu_id,nom_complet,nom,prenom,civilite,debut,fin,motif_fin,origine\n"
            "senat,10000A,Élue NomA,NomA,Élue,Mme,,,,page\n"
            "senat,10000B,Élue NomB,NomB,Élue,Mme,,,,page\n"
        ).encode(),
        "groupes.csv": (b"chambre,elu_id,groupe,depuis,jusqua,origine\nsenat,10000A,GRA,,,page\n"),
        "noms_groupes.csv": (
            "chambre,groupe,nom,couleur\nsenat,GRA,Groupe Alpha,\nsenat,GRB,Groupe Bêta,\n".encode()
        ),
    }
    members = Members.read(folder)
    assert members.group_names.get(("senat", "GRB")) == "Groupe Bêta"
    assert members.group_names.get(("europarl", "GRB")) is None
    assert members.names("senat")["10000A"].family == "NomA"


def test_spans_begin_and_end_as_members_are_seen(folder: Path) -> None:
    merge(folder, "senat", seen(A="GRA", B="GRA", C="GRA"), D1)
    merge(folder, "senat", seen(A="GRA", B="GRB", D="GRB"), D3)
    merge(folder, "senat", seen(A="", B="GRB", D="GRB"), D9)
    assert rows(folder, "mandats.csv") == [
        "A - - page",
        "B - - page",
        "C - 2026-09-01 page",
        "D 2026-09-03 - page",
    ]
    assert rows(folder, "groupes.csv") == [
        "A - 2026-09-03 GRA page",
        "B - 2026-09-01 GRA page",
        "B 2026-09-03 - GRB page",
        "C - 2026-09-01 GRA page",
        "D 2026-09-03 - GRB page",
    ]


@pytest.mark.parametrize("read", [seen(A="GRB", D="", B=""), dated(member("A", ["2020-01-01 -"]))])
def test_a_day_before_the_last_one_is_refused(folder: Path, read: ChamberMembers) -> None:
    merge(folder, "senat", seen(A="GRA", B="GRB", C=""), day("2034-01-01"))
    before = content(folder)
    with pytest.raises(OriginalRefused, match="were read until 2034-01-01, after 2026-09-02"):
        merge(folder, "senat", read, D2)
    assert content(folder) == before


@pytest.mark.parametrize(("back", "ended"), [("2026-10-02", False), ("2026-10-03", True)])
def test_whoever_is_back_after_31_days_never_left(folder: Path, back: str, ended: bool) -> None:
    merge(folder, "senat", seen(A="GRA", B="GRA"), D1)
    merge(folder, "senat", seen(A="GRA"), D2)
    merge(folder, "senat", seen(A="GRA", B="GRA"), day(back))
    found = [row for row in rows(folder, "mandats.csv") if row.startswith("B")]
    assert found == (["B - 2026-09-01 page", f"B {back} - page"] if ended else ["B - - page"])


def test_what_an_archive_says_has_just_ended_did(folder: Path) -> None:
    archive(folder, ["A 2020-10-01 2026-08-25"], ["A 2020-10-01 2026-08-25 GRA"])
    merge(folder, "senat", seen(A="GRA"), D1)
    assert rows(folder, "mandats.csv") == ["A 2020-10-01 2026-08-25 rc", "A 2026-09-01 - page"]
    assert rows(folder, "groupes.csv")[1] == "A 2026-09-01 - GRA page"


def test_a_name_of_the_same_words_keeps_the_spelling_known(folder: Path) -> None:
    def named(family: str, given: str, origin: str) -> ChamberMembers:
        return ChamberMembers([MemberRecord("10000A", family, given)], False, origin)

    merge(folder, "senat", named("de La Tour", "Anne", "api"), D1)
    before = content(folder)
    assert not merge(folder, "senat", named("De La Tour", "ANNE", "xml"), D2)
    assert content(folder)["mandats.csv"] == before["mandats.csv"]
    assert merge(folder, "senat", named("de La Tour-Modèle", "Anne", "xml"), D3)
    assert ",de La Tour-Modèle,Anne," in (folder / "mandats.csv").read_text()


def test_an_archive_is_gone_on_with(folder: Path) -> None:
    archive(
        folder,
        ["A 2020-10-01 -", "B 2020-10-01 -", "C 2014-10-01 2020-09-30"],
        ["A 2020-10-05 - GRA", "B 2020-10-05 2021-11-02 GRB", "B 2021-11-03 - GRA"],
    )
    merge(folder, "senat", seen(A="GRB", C="GRB", D="GRB"), D1)
    # B went on on the newest day of the archive; nobody knows since when C sits again, but not since 2014.
    assert rows(folder, "mandats.csv") == [
        "A 2020-10-01 - rc",
        "B 2020-10-01 2021-11-03 rc",
        "C 2014-10-01 2020-09-30 rc",
        "C 2026-09-01 - page",
        "D - - page",
    ]
    assert rows(folder, "groupes.csv") == [
        "A 2020-10-05 2021-11-03 GRA rc",
        "A 2026-09-01 - GRB page",
        "B 2020-10-05 2021-11-02 GRB rc",
        "B 2021-11-03 2021-11-03 GRA rc",
        "C - - GRB page",
        "D - - GRB page",
    ]
    kept = (folder / "mandats.csv").read_text()
    assert "Élue NomA,NomA,Élue,Mme,2020-10-01,,En Cours,rc" in kept  # the name of today
    assert "Élue Nom,Nom,Élue,M.,2020-10-01,2021-11-03,,rc" in kept  # why it ended nobody told
    assert "Élue Nom,Nom,Élue,M.,2014-10-01,2020-09-30,En Cours,rc" in kept  # that of its time


def test_a_civility_that_a_source_does_not_tell_stays(folder: Path) -> None:
    archive(folder, ["A 2020-10-01 -"], [])
    read = seen(A="GRA")
    merge(folder, "senat", read._replace(members=[read.members[0]._replace(civility="")]), D1)
    assert "NomA,Élue,M.,2020-10-01" in (folder / "mandats.csv").read_text()


def test_other_chambers_stay_as_they_are(folder: Path) -> None:
    archive(folder, ["A 2020-10-01 -"], ["A 2020-10-05 - GRA"])
    for file in FILES[:2]:
        path = folder / file
        path.write_text(path.read_text().replace("senat,10000A", "assemblee,PA12"))
    before = [(folder / file).read_text().splitlines()[1] for file in FILES[:2]]
    merge(folder, "senat", seen(Z="GRA"), D1)
    assert [(folder / file).read_text().splitlines()[1] for file in FILES[:2]] == before


def test_a_chamber_that_told_no_group_says_nothing_of_groups(folder: Path) -> None:
    merge(folder, "senat", seen(A="GRA", B="GRB", C="GRA"), D1)
    merge(folder, "senat", seen(A="", B=""), D2)
    assert rows(folder, "groupes.csv") == [
        "A - - GRA page",
        "B - - GRB page",
        "C - 2026-09-01 GRA page",
    ]


def test_nobody_at_all_is_refused_on_the_first_day_too(folder: Path) -> None:
    for read in (seen(), dated(member("A", ["2020-01-01 2020-02-01"]))):
        with pytest.raises(OriginalRefused, match="0 members of senat"):
            merge(folder, "senat", read, D1)


@pytest.mark.parametrize("read", [seen(A="GRA"), seen(), dated(member("A", ["2020-01-01 -"]))])
def test_a_source_that_lost_most_members_ends_nobody(folder: Path, read: ChamberMembers) -> None:
    merge(folder, "senat", seen(A="GRA", B="GRA", C="GRA"), D1)
    before = content(folder)
    with pytest.raises(
        OriginalRefused, match=r"[01] members of senat sit on 2026-09-02.* 3 of 2026"
    ):
        merge(folder, "senat", read, D2)
    assert content(folder) == before
    merge(folder, "senat", seen(A="GRA", B=""), D2)  # half and more


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"id": "PA1"}, "member .PA1.: not an identifier of senat"),
        ({"id": "10000b"}, "not an identifier"),
        ({"family": " "}, "no family name"),
        ({"given": "É\nlue"}, "control character"),
        ({"group": "G\x00"}, "control character"),
        ({"family": "Exem\u202eple"}, "mark of direction"),
        ({"groups": [Period(D1, None, "\ud800")]}, "control character"),
        ({"mandates": [Period(D1, None, "", "a\tb")]}, "control character"),
        ({"id": "10000A"}, "twice"),
    ],
)
def test_members_who_cannot_be_are_refused(folder: Path, change: dict[str, str], said: str) -> None:
    read = seen(A="GRA", B="GRB")
    wrong = read._replace(members=[read.members[0], read.members[1]._replace(**change)])
    with pytest.raises(OriginalRefused, match=said):
        merge(folder, "senat", wrong, D1)
    assert not folder.exists()
    with pytest.raises(OriginalRefused, match="control character"):
        merge(folder, "senat", read._replace(group_names={"GRA": "a\nb"}), D1)


def test_a_damaged_file_is_told_and_left(folder: Path) -> None:
    merge(folder, "senat", seen(A="GRA"), D1)
    path = folder / "groupes.csv"
    path.write_text(path.read_text().replace("GRA,,", "GRA,hier,"))
    before = content(folder)
    with pytest.raises(MembersError, match=r"groupes.csv: line 2: depuis: 'hier'"):
        merge(folder, "senat", seen(A="GRA"), D2)
    assert content(folder) == before


def test_a_colour_is_kept_until_the_source_tells_another(folder: Path) -> None:
    merge(folder, "senat", seen(A="GRA")._replace(group_colours={"GRA": "#00aaff"}), D1)
    merge(folder, "senat", seen(A="GRA"), D2)
    assert Members.read(folder).group_colours.get(("senat", "GRA")) == "#00aaff"
    merge(folder, "senat", seen(A="GRA")._replace(group_colours={"GRA": "#112233"}), D3)
    assert Members.read(folder).group_colours.get(("senat", "GRA")) == "#112233"
    found = combine([folder], "senat", seen(A="GRA"), D9)
    assert found.group_colours.get(("senat", "GRA")) == "#112233"


PAGE = "https://www.hatvp.fr/pages_nominatives/exemple-1"


def with_page(read: ChamberMembers, page: str) -> ChamberMembers:
    return read._replace(members=[one._replace(hatvp=page) for one in read.members])


def test_a_page_at_the_hatvp_is_kept_until_the_source_tells_another(folder: Path) -> None:
    merge(folder, "senat", seen(A="GRA"), D1)
    assert not (folder / "fiches.csv").exists()
    merge(folder, "senat", with_page(seen(A="GRA"), PAGE), D2)
    merge(folder, "senat", seen(A="GRA"), D3)
    assert content(folder)["fiches.csv"] == f"chambre,elu_id,hatvp\nsenat,10000A,{PAGE}\n".encode()
    assert Members.read(folder).pages.get(("senat", "10000A")) == PAGE
    assert Members.read(folder).pages.get(("senat", "10000B")) is None
    found = combine([folder], "senat", with_page(seen(A="GRA"), f"{PAGE}2"), D9)
    assert found.pages.get(("senat", "10000A")) == f"{PAGE}2"


def test_a_page_that_its_source_withdrew_goes(folder: Path) -> None:
    first = with_page(seen(A="GRA", B="GRA"), PAGE)
    merge(folder, "senat", first, D1)
    later = first._replace(members=[first.members[0], first.members[1]._replace(hatvp="")])
    assert merge(folder, "senat", later, D2)
    assert content(folder)["fiches.csv"] == f"chambre,elu_id,hatvp\nsenat,10000A,{PAGE}\n".encode()
    # Who is no longer among those read keeps it.
    merge(folder, "senat", with_page(seen(B="GRA"), f"{PAGE}2"), D3)
    members = Members.read(folder)
    assert [members.pages.get(("senat", f"10000{x}")) for x in "AB"] == [PAGE, f"{PAGE}2"]


def test_a_page_elsewhere_is_refused(folder: Path) -> None:
    with pytest.raises(OriginalRefused, match=r"10000A.: .* is no address at the HATVP"):
        merge(folder, "senat", with_page(seen(A="GRA"), "https://ailleurs.exemple/"), D1)
    merge(folder, "senat", seen(A="GRA"), D1)
    (folder / "fiches.csv").write_text("chambre,elu_id,hatvp\nsenat,10000A,javascript:0\n")
    with pytest.raises(MembersError, match=r"fiches\.csv: line 2: hatvp: 'javascript:0'"):
        Members.read(folder)


def test_in_memory_a_day_is_laid_over_and_nothing_is_written(folder: Path) -> None:
    archive(folder, ["A 2020-10-01 -", "B 2020-10-01 -"], ["A 2020-10-05 - GRA", "B - - GRA"])
    before = content(folder)
    members = combine([folder], "senat", seen(A="GRB", D="GRB"), day("2022-03-01"))
    of = {x: members.group("senat", f"10000{x}", day("2022-03-01")) for x in "ABD"}
    assert of == {"A": "GRB", "B": "GRA", "D": "GRB"}
    assert members.group("senat", "10000A", day("2022-02-01")) == "GRA"
    assert members.names("senat").keys() == {"10000A", "10000B", "10000D"}
    assert members.group_names.get(("senat", "GRB")) == "Groupe Bêta"
    assert content(folder) == before
    assert combine([folder], "senat", None, D1).names("senat").keys() == {"10000A", "10000B"}
