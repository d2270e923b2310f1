"""The mark of invented data, which a build makes and everything after it keeps."""

from __future__ import annotations

from pathlib import Path

from datasette_mouvements.updating.published import Published
from tests.contract.environment import command, done
from tests.tracking import lists
from tests.tracking.lists import AFTER


def is_invented(database: Path) -> bool:
    return Published(database).publication.get("invente") == "1"


def masks(tmp_path: Path) -> Path:
    file = tmp_path / "corrections.yml"
    file.write_text(f"- masquer: {{nom: {lists.NAME}}}\n  date: 2026-09-13\n  raison: Demande\n")
    return file


def test_no_file_has_the_mark_unless_asked(database: Path, folder: Path) -> None:
    done("build", database, "--lists", folder, "--invented")
    assert is_invented(database)
    done("build", database, "--lists", folder)
    assert not is_invented(database)


def test_invented_people_do_not_take_the_place_of_real_ones(database: Path, folder: Path) -> None:
    done("build", database, "--lists", folder)
    before = database.read_bytes()
    refused = command("build", database, "--lists", folder, "--invented")
    assert refused.exit_code == 1
    assert "holds real people: give invented ones a file of their own" in refused.output
    assert database.read_bytes() == before
    done("build", database.with_name("other.db"), "--lists", folder, "--invented")


def test_the_mark_changes_the_edition_and_not_the_version(database: Path, folder: Path) -> None:
    done("build", database, "--lists", folder, "--invented")
    before = Published(database).publication
    done("build", database, "--lists", folder)
    after = Published(database).publication
    assert after["version"] == before["version"]
    assert after["edition"] != before["edition"]
    done("check", database)


def test_daily_runs_and_masks_keep_it(database: Path, folder: Path, tmp_path: Path) -> None:
    done("build", database, "--lists", folder, "--invented")
    lists.write(folder, "senat", "2026-09-13", {**AFTER, 9: AFTER[9][1:]})
    done("track", database, "--lists", folder)
    assert is_invented(database)
    done("mask", database, "--corrections", masks(tmp_path))
    assert is_invented(database)
