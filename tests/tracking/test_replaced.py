"""A list of weeks ago that is served again is refused; one of days ago undoes itself."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from datasette_mouvements.cli import mouvements
from datasette_mouvements.updating.published import Published
from tests.tracking import lists
from tests.tracking.lists import STAFF

# Six of sixty members get somebody else: six changes out, six in.
LATER = {n: [f"Une{n} NOUVELLE{n}", *s[1:]] if n % 10 == 0 else s for n, s in STAFF.items()}


def run(*arguments: object) -> Result:
    return CliRunner().invoke(mouvements, [str(argument) for argument in arguments])


def test_an_old_list_served_again_is_refused(tmp_path: Path) -> None:
    database, folder = tmp_path / "x.db", tmp_path / "lists"
    days = [("01", STAFF), ("05", LATER), ("15", LATER), ("20", STAFF), ("21", LATER)]
    for day, content in days:
        lists.write(folder, "senat", f"2026-09-{day}", content)
        done = run("track", database, "--lists", folder)
        assert done.exit_code == (day == "20")  # the newest one is refused
        told = "senat/2026-09-20: the very list that was replaced on 2026-09-05: 12 changes undone"
        assert (told in done.output) == (day >= "20")  # until a newer one is accepted
    assert len(Published(database).identifiers()) == 12
    at_once = run("build", tmp_path / "once.db", "--lists", folder)
    assert told in at_once.output
    assert len(Published(tmp_path / "once.db").identifiers()) == 12
    assert Published(database).lists["senat/2026-09-20"][4:6] == (
        "liste ancienne",
        "12 changements",
    )


def test_a_list_of_some_days_ago_undoes_itself(tmp_path: Path) -> None:
    for day, content in (("01", STAFF), ("05", LATER), ("12", STAFF)):
        lists.write(tmp_path / "lists", "senat", f"2026-09-{day}", content)
    done = run("build", tmp_path / "x.db", "--lists", tmp_path / "lists")
    assert "3 accepted, 0 refused" in done.output


def test_few_may_come_back_together(tmp_path: Path) -> None:
    gone = {n: [] if n in (7, 8) else s for n, s in STAFF.items()}
    for day, content in (("01", STAFF), ("05", gone), ("25", STAFF)):
        lists.write(tmp_path / "lists", "senat", f"2026-09-{day}", content)
    done = run("build", tmp_path / "x.db", "--lists", tmp_path / "lists")
    assert "3 accepted, 0 refused" in done.output
