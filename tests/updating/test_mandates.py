"""The table `_mandats`: the mandates of members for whom somebody worked, as runs learn them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from datasette.utils.sqlite import sqlite3

from tests.contract.environment import done
from tests.tracking import lists
from tests.tracking.lists import AFTER, member

# Sits again since 2023, known twice; has a mandate of an unknown beginning; is in no list.
SEVEN, EIGHT, STRANGER = (member("senat", number) for number in (7, 8, 999))
MANDATES = [
    f"senat,{SEVEN},Élue Numéro7,Numéro7,Élue,Mme,2017-10-02,2023-10-01",
    f"senat,{SEVEN},Élue Numéro7,Numéro7,Élue,Mme,2023-10-02,",
    f"senat,{SEVEN},Élue Numéro7,Numéro7,Élue,Mme,2023-10-02,",
    f"senat,{EIGHT},Élue Numéro8,Numéro8,Élue,Mme,,2026-09-30",
    f"senat,{STRANGER},Élue Numéro9,Numéro9,Élue,Mme,2017-10-02,",
]
KNOWN = [
    ("senat", SEVEN, "2017-10-02", "2023-10-01"),
    ("senat", SEVEN, "2023-10-02", ""),
    ("senat", EIGHT, "", "2026-09-30"),
]


def members(folder: Path, *mandates: str) -> Path:
    folder.mkdir(exist_ok=True)
    header = "chambre,elu_id,nom_complet,nom,prenom,civilite,debut,fin"
    (folder / "mandats.csv").write_text("\n".join([header, *mandates]) + "\n", encoding="utf-8")
    (folder / "groupes.csv").write_text("chambre,elu_id,groupe,depuis,jusqua\n", encoding="utf-8")
    return folder


def known(database: Path) -> list[tuple[str, ...]]:
    with closing(sqlite3.connect(database)) as db:
        return db.execute("select * from _mandats order by rowid").fetchall()


def test_a_build_writes_the_mandates_of_those_for_whom_somebody_worked(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    done("build", database, "--lists", folder, "--members", members(tmp_path / "elus", *MANDATES))
    assert known(database) == KNOWN
    done("check", database)
    done("build", database, "--lists", folder)
    assert known(database) == []


def test_a_daily_run_keeps_mandates_and_learns_of_new_ones(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    done("build", database, "--lists", folder, "--members", members(tmp_path / "elus", *MANDATES))
    lists.write(folder, "senat", "2026-09-13", {**AFTER, 9: AFTER[9][1:]})
    done("track", database, "--lists", folder)
    assert known(database) == KNOWN
    # No list is new, but a mandate has ended.
    ended = [MANDATES[1] + "2026-09-14", MANDATES[0]]
    done("track", database, "--lists", folder, "--members", members(tmp_path / "elus", *ended))
    assert known(database) == [KNOWN[0], (*KNOWN[1][:3], "2026-09-14"), KNOWN[2]]
    before = database.read_bytes()
    done("track", database, "--lists", folder, "--members", tmp_path / "elus")
    assert database.read_bytes() == before
    done("check", database)


def test_a_build_under_a_daily_run_keeps_its_mandates(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    done("track", database, "--lists", folder, "--members", members(tmp_path / "elus", *MANDATES))
    earlier = tmp_path / "earlier"
    for day in ("2026-08-31", "2026-09-01"):
        lists.write(earlier, "senat", day, lists.STAFF)
    done("build", database, "--lists", earlier)
    assert known(database) == KNOWN


def test_a_mask_leaves_mandates(database: Path, folder: Path, tmp_path: Path) -> None:
    done("build", database, "--lists", folder, "--members", members(tmp_path / "elus", *MANDATES))
    file = tmp_path / "corrections.yml"
    file.write_text(f"- masquer: {{nom: {lists.NAME}}}\n  date: 2026-09-13\n  raison: Demande\n")
    done("mask", database, "--corrections", file)
    assert known(database) == KNOWN
