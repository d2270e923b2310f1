"""The mark of invented data, which a build makes and everything after it keeps."""

from __future__ import annotations

from pathlib import Path

from tests.contract.environment import command, done
from tests.published import Published


def is_invented(database: Path) -> bool:
    return Published(database).publication.get("invente") == "1"


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
