"""Groups of their time: the Sénat's under the names they had then, the European ones where they are known."""

from __future__ import annotations

import datetime
from collections import Counter
from pathlib import Path

import pytest

from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.reading.lists import Reader
from tests.tracking import lists
from tests.tracking.lists import tracked
from tests.tracking.windows import DATA, MISSING, known_members, lists_of

real = pytest.mark.skipif(not DATA.exists(), reason=MISSING)


def known(folder: Path, *groups: str, mandates: str = "", names: str = "") -> Members:
    """The members of a folder with these rows of groups."""
    (folder / "mandats.csv").write_text(
        "chambre,elu_id,nom_complet,nom,prenom,civilite,debut,fin,motif_fin,origine\n" + mandates
    )
    rows = "".join(f"{row}\n" for row in groups)
    (folder / "groupes.csv").write_text(f"chambre,elu_id,groupe,depuis,jusqua,origine\n{rows}")
    if names:
        (folder / "noms_groupes.csv").write_text(f"chambre,groupe,nom,couleur\n{names}")
    return Members.read(folder)


def on(members: Members, chamber: str, member: str, day: str) -> str:
    return members.group(chamber, member, datetime.date.fromisoformat(day))


@pytest.mark.parametrize(
    ("code", "day", "name"),
    [
        ("UMP", "2015-06-01", "UMP"),
        ("UMP", "2015-06-02", "LR"),
        ("UMP", "2023-10-31", "LR"),
        ("SOC", "2017-10-01", "SOC"),
        ("SOC", "2020-09-30", "SOCR"),
        ("SOC", "2020-10-01", "SER"),
        ("UC", "2016-01-01", "UDI-UC"),
        ("UC", "2017-10-02", "UC"),
        ("AUCUN", "2018-01-01", "AUCUN"),
        ("LR", "2018-01-01", "LR"),
    ],
)
def test_a_senators_group_has_the_name_of_its_time(
    tmp_path: Path, code: str, day: str, name: str
) -> None:
    members = known(
        tmp_path,
        f"senat,99001Z,{code},2011-10-01,,x",
        f"assemblee,PA1,{code},2011-10-01,,x",
        *(f"{chamber},2,NI,2023-10-31,,x" for chamber in ("senat", "assemblee")),
    )
    assert on(members, "senat", "99001Z", day) == name
    assert on(members, "assemblee", "PA1", day) == code


def test_memberships_end_and_begin_where_the_name_changes(tmp_path: Path) -> None:
    members = known(tmp_path, "senat,99001Z,SOC,2011-10-01,2021-01-01,x")
    spans = members.memberships("senat", "99001Z")
    assert [(s.value, str(s.since), str(s.until)) for s in spans] == [
        ("SOC", "2011-10-01", "2017-10-01"),
        ("SOCR", "2017-10-02", "2020-09-30"),
        ("SER", "2020-10-01", "2021-01-01"),
    ]


def test_full_names_are_shipped_and_a_file_of_names_says_otherwise(tmp_path: Path) -> None:
    assert known(tmp_path).group_names.get(("senat", "LR")) == "Les Républicains"
    assert known(tmp_path).group_names.get(("assemblee", "LR")) is None
    members = known(tmp_path, names="senat,LR,Autre nom,\n")
    assert members.group_names.get(("senat", "LR")) == "Autre nom"
    assert members.group_names.get(("senat", "SER")) == "Socialiste, Écologiste et Républicain"


def test_the_last_group_known_of_a_european_member_says_nothing_of_earlier_years(
    tmp_path: Path,
) -> None:
    members = known(
        tmp_path,
        "europarl,999001,Renew,2019-07-02,,parltrack",
        "europarl,999002,ID,2019-07-02,2022-07-28,parltrack",
        "europarl,999003,EPP,,2023-01-01,x",
        "europarl,999004,EPP,2019-07-02,,x",
    )
    days = ("2019-09-01", "2022-06-26", "2022-06-27", "2022-08-28", "2022-08-29", "2023-01-01")
    found = {n: [on(members, "europarl", f"99900{n}", day) for day in days] for n in (1, 2, 3, 4)}
    assert found == {
        1: ["", "", "", "", "", "Renew"],
        2: ["", "", "ID", "ID", "", ""],
        3: ["", "", "", "", "", "EPP"],
        4: ["EPP"] * 6,
    }
    # Known on the last day that the file saw, or that of the mandate.
    since = [members.memberships("europarl", f"99900{n}")[0].since for n in (1, 2, 3, 4)]
    assert [day.isoformat() for day in since] == [
        *("2023-01-01", "2022-07-28", "2023-01-01", "2019-07-02")
    ]


@pytest.mark.parametrize(("header", "group"), [(lists.EUROPARL, ""), (lists.KEPT, "GRA")])
def test_the_archives_european_lists_have_no_group_and_kept_ones_have_their_own(
    header: str, group: str
) -> None:
    data = lists.data("europarl", lists.STAFF, header)
    day = datetime.date(2022, 1, 1)
    found = Reader().read(data, "europarl", day).pairs.values()
    assert {pair.group for pair in found} == {group}


@real
def test_no_movement_of_the_senat_has_a_name_of_another_time() -> None:
    found = tracked(lists_of(DATA / "archives" / "se-mensuel.tar.xz"), known_members()).movements
    late = Counter(m.elu_groupe for m in found if m.date_event >= "2015-07-03")
    assert late["LR"] > 1000
    assert late["UMP"] == late["RTLI"] == 0


@real
def test_a_european_movement_has_a_group_at_the_end_of_a_mandate_only() -> None:
    found = tracked(lists_of(DATA / "archives" / "ep-mensuel.tar.xz"), known_members()).movements
    assert len(found) > 1000
    grouped = [m for m in found if m.elu_groupe]
    assert {m.date_event[:4] for m in grouped} == {"2022"}
    assert 0 < len(grouped) < 50
