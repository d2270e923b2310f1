"""Lists of several sources through the commands: told, refused, accepted by name, and kept by a build."""

from __future__ import annotations

from pathlib import Path

import pytest

from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.updating.published import Published
from parlement_lists.tracking.reading.origins import FILE, note
from tests.contract.environment import command as run
from tests.tracking import lists
from tests.tracking.lists import AFTER, STAFF, member
from tests.updating.corrections_file import corrections

# Many people are others than the day before, at members who stay.
OTHER = {**AFTER, **{n: [f"Une{n} AUTRE{n}", *AFTER[n][1:]] for n in range(11, 26)}}
OF_ANOTHER = ("autre source que la liste précédente", "senat-pdf → senat-api")


def add(
    folder: Path, day: str, staff: lists.Staff, source: str, carried: tuple[str, ...] = ()
) -> None:
    lists.write(folder, "senat", day, staff)
    note(folder, f"senat/{day}", source, carried)


def told(database: Path) -> dict[str, tuple[str, str, str]]:
    return {row[2]: row[3:6] for row in Published(database).lists.values()}


@pytest.fixture
def followed(tmp_path: Path) -> Path:
    """A folder of lists of which the last is refused: it changes too much."""
    folder = tmp_path / "lists"
    add(folder, "2026-09-01", STAFF, "senat-pdf")
    add(folder, "2026-09-02", STAFF, "senat-api", (member("senat", 3),))
    add(folder, "2026-09-03", AFTER, "senat-api")
    add(folder, "2026-09-04", OTHER, "senat-pdf")
    return folder


def test_what_is_left_is_for_a_maintainer_to_accept_by_name(followed: Path, tmp_path: Path) -> None:
    database = tmp_path / "x.db"
    done = run("track", database, "--lists", followed)
    assert done.exit_code == 1
    refused = "12.6% pairs replaced within days"
    assert f"refused   senat/2026-09-04: {refused}" in done.output
    assert "source    senat/2026-09-02: senat-pdf -> senat-api: 0 gained, 0 lost" in done.output
    assert "carried   senat/2026-09-02: 1 member as on the list before: 99003Z" in done.output
    assert f"{FILE}" not in done.output
    motif, measure = OF_ANOTHER
    expected = {
        "2026-09-01": ("acceptee", "", ""),
        "2026-09-02": (
            "acceptee",
            f"{motif} ; élus repris de la liste précédente",
            f"{measure} ; 1 élu",
        ),
        "2026-09-03": ("retenue", "", ""),
        "2026-09-04": ("refusee", "trop de changements", "12,6 %"),
    }
    assert told(database) == expected
    accepted = corrections(tmp_path, "accepter: senat/2026-09-04")
    lists.write(followed, "senat", "2026-09-05", OTHER)
    note(followed, "senat/2026-09-05", "senat-pdf")
    done = run("track", database, "--lists", followed, "--corrections", accepted)
    assert done.exit_code == 0, done.output
    back = ("retenue", motif, "senat-api → senat-pdf")
    assert told(database) == {
        **expected,
        "2026-09-04": back,
        "2026-09-05": ("acceptee", "", ""),
    }
    once = tmp_path / "once.db"
    run("build", once, "--lists", followed, "--source", "suivi", "--corrections", accepted)
    settled = ("acceptee", *back[1:])
    assert told(once)["2026-09-04"] == settled
    run("track", database, "--lists", followed, "--corrections", accepted, "--settle")
    assert told(database) == told(once)
    movements, at_once = (sorted(Published(one).movements()) for one in (database, once))
    assert movements == at_once
    assert {m.date_event: m.confiance for m in at_once} == {
        "2026-09-03": "bot",
        "2026-09-04": "moyen",
    }
    assert inspect(database) == inspect(once) == []


@pytest.mark.parametrize("command", ["build", "track"])
def test_a_fault_in_the_origins_stops_a_run_before_anything_is_written(
    command: str, followed: Path, tmp_path: Path
) -> None:
    with (followed / FILE).open("a") as file:
        file.write("senat/2026-09-31,senat-pdf,\n")
    done = run(command, tmp_path / "x.db", "--lists", followed)
    assert done.exit_code == 1
    assert (
        f"{followed / FILE}: line 6: liste: 'senat/2026-09-31' is not CHAMBRE/DATE" in done.output
    )
    assert not (tmp_path / "x.db").exists()
