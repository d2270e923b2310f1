"""No run withdraws what nobody asked to be withdrawn, or ends a chamber's lists earlier."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.building.corrections_file import corrections
from tests.contract.environment import command, done
from tests.published import Published
from tests.tracking import lists


def write(folder: Path, *chambers: str, changed: int) -> None:
    """Two lists of each chamber, of 400 members; the second has other staff of so many of them."""
    before = {number: [f"Anne Avant{number}"] for number in range(400)}
    after = before | {number: [f"Boris Apres{number}"] for number in range(changed)}
    for chamber in chambers:
        lists.write(folder, chamber, "2026-09-01", before)
        lists.write(folder, chamber, "2026-09-11", after)


@pytest.mark.rule("record-withdraw")
def test_a_build_of_other_lists_changes_nothing_and_says_how_many_would_go(tmp_path: Path) -> None:
    real, other, database = tmp_path / "real", tmp_path / "other", tmp_path / "movements.db"
    write(real, "senat", "assemblee", changed=13)
    done("build", database, "--lists", real)
    had = database.read_bytes()
    assert len(Published(database).identifiers()) == 52
    write(other, "senat", "assemblee", changed=0)
    refused = command("build", database, "--lists", other)
    assert refused.exit_code == 1
    assert (
        f"{database}: 52 of its 52 movements would be withdrawn, and this run may withdraw 50: look at what"
        " was given. If it is meant: the same command with --withdraw 52"
    ) in refused.output
    assert command("build", database, "--lists", other, "--withdraw", "51").exit_code == 1
    assert database.read_bytes() == had
    done("build", database, "--lists", other, "--withdraw", "52")
    assert Published(database).identifiers() == set()
    # Fifty may go unasked.
    write(real, "assemblee", changed=12)
    done("build", database, "--lists", real)
    assert len(Published(database).identifiers()) == 50
    assert command("build", database, "--lists", other, "--withdraw", "0").exit_code == 1
    done("build", database, "--lists", other)
    assert Published(database).identifiers() == set()


@pytest.mark.rule("record-shorter")
def test_a_build_without_a_chamber_s_last_lists_says_where_they_would_end(tmp_path: Path) -> None:
    folder, database = tmp_path / "lists", tmp_path / "movements.db"
    write(folder, "senat", "assemblee", changed=1)
    done("build", database, "--lists", folder)
    had = database.read_bytes()
    # A last list that the maintainer refuses is no loss.
    refused_by_hand = corrections(tmp_path, "refuser: assemblee/2026-09-11")
    copied = Path(shutil.copy(database, tmp_path / "copied.db"))
    done("build", copied, "--lists", folder, "--corrections", refused_by_hand)
    (folder / "assemblee" / "2026-09-11.csv").unlink()
    for path in (folder / "senat").iterdir():
        path.unlink()
    refused = command("build", database, "--lists", folder)
    assert refused.exit_code == 1
    assert "assemblee: its lists reach to 2026-09-11, and would end on 2026-09-01" in refused.output
    assert "senat: its lists reach to 2026-09-11, and would end altogether" in refused.output
    assert database.read_bytes() == had
    done("build", database, "--lists", folder, "--withdraw", "4")


def test_a_build_without_the_mandates_of_before_changes_nothing(tmp_path: Path) -> None:
    folder, database = tmp_path / "lists", tmp_path / "movements.db"
    write(folder, "senat", changed=1)
    mandate = f"senat,{lists.member('senat', 1)},,,,,2023-10-02,"
    elus = lists.write_members(tmp_path / "elus", [mandate])
    done("build", database, "--lists", folder, "--members", elus)
    had = database.read_bytes()
    refused = command("build", database, "--lists", folder)
    assert (refused.exit_code, "no mandate of senat is given" in refused.output) == (1, True)
    assert database.read_bytes() == had


def test_what_a_mask_or_a_correction_withdraws_is_no_loss(tmp_path: Path) -> None:
    folder, database = tmp_path / "lists", tmp_path / "movements.db"
    write(folder, "senat", "assemblee", changed=13)
    done("build", database, "--lists", folder)
    ids = sorted(Published(database).identifiers())
    masks = [f"masquer: {{nom: Anne Avant{number}}}" for number in range(13)]
    asked = corrections(tmp_path, *(f"retirer: {id}" for id in ids[:26]), *masks)
    done("build", database, "--lists", folder, "--corrections", asked)
    assert len(Published(database).identifiers()) == 26
