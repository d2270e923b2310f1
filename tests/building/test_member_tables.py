"""What is known of the members for whom somebody worked: mandates, names, groups, as runs learn them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from datasette.utils.sqlite import sqlite3

from tests.contract.environment import done
from tests.tracking import lists
from tests.tracking.lists import member

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


GROUPS = [
    f"senat,{SEVEN},GRB,2020-01-01,2023-10-01",
    f"senat,{SEVEN},GRA,,2019-12-31",
    f"senat,{SEVEN},GRA,2023-10-02,",
    f"senat,{SEVEN},AUCUN,2023-10-02,2023-10-04",  # to be in no group is no group
    f"senat,{EIGHT},GRB,2017-10-02,",
    f"senat,{STRANGER},GRB,2016-10-02,2017-01-01",
    f"senat,{STRANGER},GRC,2017-01-02,",
]
NAMES = ["senat,GRA,Groupe Alpha,#00AAff", "senat,GRC,Groupe Gamma,", "senat,NON,Personne,"]
PAGE = "https://www.hatvp.fr/pages_nominatives/exemple-7"
NAMED = [
    ("senat", SEVEN, "Numéro7", "Élue", "Mme", PAGE),
    ("senat", EIGHT, "Numéro8", "Élue", "Mme", None),
]
MEMBERSHIPS = [
    ("senat", SEVEN, "AUCUN", "2023-10-02", "2023-10-04"),
    ("senat", SEVEN, "GRA", "", "2019-12-31"),
    ("senat", SEVEN, "GRA", "2023-10-02", ""),
    ("senat", SEVEN, "GRB", "2020-01-01", "2023-10-01"),
    # Left open in the file, and ended with the mandate.
    ("senat", EIGHT, "GRB", "2017-10-02", "2026-09-30"),
]
# The days of a group are those of all its members; what nobody tells is the code, or empty.
OF_GROUPS = [
    ("senat", "GRA", "Groupe Alpha", "#00aaff", "", ""),
    ("senat", "GRB", "GRB", "", "2016-10-02", "2026-09-30"),
]


def whole(tmp_path: Path) -> Path:
    """A members folder that knows names, groups and a page too."""
    pages = [f"senat,{SEVEN},{PAGE}", f"senat,{STRANGER},{PAGE}9"]
    named = {"noms_groupes": NAMES, "fiches": pages}
    return lists.write_members(tmp_path / "elus", MANDATES, GROUPS, **named)


def known(database: Path, table: str = "_mandats") -> list[tuple[str, ...]]:
    with closing(sqlite3.connect(database)) as db:
        return db.execute(f"select * from {table} order by rowid").fetchall()


def tables(database: Path) -> list[list[tuple[str, ...]]]:
    return [known(database, table) for table in ("elus", "_appartenances", "_groupes")]


@pytest.mark.rule("record-members")
def test_a_build_tells_what_is_known_of_those_for_whom_somebody_worked(
    database: Path, folder: Path, tmp_path: Path
) -> None:
    done("build", database, "--lists", folder, "--members", whole(tmp_path))
    assert known(database) == KNOWN
    assert tables(database) == [NAMED, MEMBERSHIPS, OF_GROUPS]
    done("check", database)
    done("build", database, "--lists", folder, "--withdraw", "0")
    assert known(database) == []


def test_a_group_that_a_list_names_needs_no_memberships(database: Path, tmp_path: Path) -> None:
    for day in ("2026-09-01", "2026-09-02"):
        content = lists.data("europarl", lists.many(20), lists.KEPT)
        lists.write(tmp_path / "ep", "europarl", day, content)
    names = ["europarl,GRA,Groupe Alpha,#123456"]
    elus = lists.write_members(tmp_path / "elus", noms_groupes=names)
    done("build", database, "--lists", tmp_path / "ep", "--members", elus)
    assert tables(database) == [[], [], [("europarl", "GRA", "Groupe Alpha", "#123456", "", "")]]
