"""What may go wrong where the runs are: the process, the disk, the files."""

from __future__ import annotations

import random
import shutil
import subprocess
from contextlib import closing
from pathlib import Path

from datasette.utils.sqlite import sqlite3

from datasette_mouvements.updating.published import STATE_TOKEN

from .faults import ALWAYS, MACHINE, MENDS, MOVES_AWAY, RESTORES, Fault
from .house import House


def _killed(house: House, chance: random.Random) -> None:
    # One draw, however many moments a run has: what follows is the same on every machine.
    house.kill = 1 + int(chance.random() * house.usual_moments)


def _no_run(house: House, chance: random.Random) -> None:
    house.off = True


def _full(house: House, chance: random.Random) -> None:
    house.room = chance.randrange(1_000, 400_000)


def _busy(house: House, chance: random.Random) -> None:
    house.busy = True


def _head_emptied(house: House, chance: random.Random) -> None:
    (house.lists / ".git" / "HEAD").write_text("")


def _repository_gone(house: House, chance: random.Random) -> None:
    _history_moved_away(house)


def _object_spoiled(house: House, chance: random.Random) -> None:
    """The tree of the last commit, which each commit compares with."""
    command = ["git", "-C", str(house.lists), "rev-parse", "HEAD^{tree}"]
    tree = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    path = house.lists / ".git" / "objects" / tree[:2] / tree[2:]
    if path.exists():
        path.chmod(0o644)
        path.write_bytes(b"spoiled")


def _history_moved_away(house: House) -> None:
    shutil.rmtree(house.lists / ".git")


def _lock_left(house: House, chance: random.Random) -> None:
    (house.lists / ".git" / "index.lock").write_text("")


def _lock_removed(house: House) -> None:
    (house.lists / ".git" / "index.lock").unlink()


def _notes_cut(house: House, chance: random.Random) -> None:
    _cut(house.lists / ".fetch.json")


def _originals_gone(house: House, chance: random.Random) -> None:
    shutil.rmtree(house.lists / "originaux", ignore_errors=True)


def _members_cut(house: House, chance: random.Random) -> None:
    _cut(chance.choice(sorted((house.lists / "elus").glob("*.csv"))))


def _list_cut(house: House, chance: random.Random) -> None:
    _cut(
        sorted((house.lists / chance.choice(("assemblee", "senat", "europarl"))).glob("*.csv"))[-1]
    )


def _served_gone(house: House, chance: random.Random) -> None:
    house.served.unlink()


def _served_cut(house: House, chance: random.Random) -> None:
    _cut(house.served)


def _database_cut(house: House, chance: random.Random) -> None:
    _cut(house.database)


def _older_database(house: House, chance: random.Random) -> bool:
    is_older = _has_older_backup(house)
    shutil.copy(house.backup / "var" / "movements.db", house.database)
    return is_older


def _older_state(house: House, chance: random.Random) -> bool:
    shutil.copy(house.backup / "var" / house.state.name, house.state)
    return _has_older_backup(house)


def _has_older_backup(house: House) -> bool:
    """Whether a run changed the database since the backup: until then the two files of each belong together."""
    tokens = set()
    for path in (house.backup / "var" / "movements.db", house.database):
        with closing(sqlite3.connect(path)) as db:
            query = "select valeur from _publication where cle = ?"
            tokens.update(db.execute(query, [STATE_TOKEN]).fetchall())
    return len(tokens) > 1


def _state_gone(house: House, chance: random.Random) -> None:
    house.state.unlink()


def _corrections_spoiled(house: House, chance: random.Random) -> None:
    with house.corrections.open("a") as file:
        file.write("- nonsense\n")


def _corrections_mended(house: House) -> None:
    house.corrections.write_text(house.corrections.read_text().replace("- nonsense\n", ""))


def _invented(house: House, chance: random.Random) -> None:
    shutil.copy(house.sample(), house.served)


def _begun_over_invented(house: House, chance: random.Random) -> None:
    """As where a service was tried with the sample first: neither database nor state is there."""
    shutil.rmtree(house.database.parent)
    house.database.parent.mkdir()
    _invented(house, chance)


def _cut(path: Path) -> None:
    body = path.read_bytes()
    path.write_bytes(body[: len(body) // 2])


OF_THE_MACHINE = (
    # The moment may come after the run's last one: nothing is to be told then.
    *[
        Fault(
            "SIGKILL at any moment", MACHINE, (1, 2), befalls=_killed, each_night=True, quiet=ALWAYS
        )
    ]
    * 4,
    Fault("no run comes", MACHINE, (1, 9), befalls=_no_run, each_night=True),
    Fault("no file can grow", MACHINE, (1, 3), befalls=_full, each_night=True),
    Fault("another run is at work", MACHINE, (1, 1), befalls=_busy, each_night=True),
    Fault(
        "git's HEAD is empty",
        MACHINE,
        (1, 1),
        befalls=_head_emptied,
        by_hand=MOVES_AWAY,
        mend=_history_moved_away,
    ),
    Fault("the repository is gone", MACHINE, (1, 1), befalls=_repository_gone, quiet=ALWAYS),
    Fault(
        "an object of git is spoiled",
        MACHINE,
        (1, 1),
        befalls=_object_spoiled,
        by_hand=MOVES_AWAY,
        mend=_history_moved_away,
    ),
    Fault(
        "a lock of git is left",
        MACHINE,
        (1, 1),
        befalls=_lock_left,
        by_hand=MOVES_AWAY,
        mend=_lock_removed,
    ),
    Fault("the notes of the last run are cut", MACHINE, (1, 1), befalls=_notes_cut, quiet=ALWAYS),
    Fault("the originals are gone", MACHINE, (1, 1), befalls=_originals_gone, quiet=ALWAYS),
    Fault("a file of members is cut", MACHINE, (1, 1), befalls=_members_cut),
    Fault("the last list is cut", MACHINE, (1, 1), befalls=_list_cut, quiet=ALWAYS),
    Fault("the served file is gone", MACHINE, (1, 1), befalls=_served_gone, quiet=ALWAYS),
    Fault("the served file is cut", MACHINE, (1, 1), befalls=_served_cut, quiet=ALWAYS),
    Fault("the database is cut", MACHINE, (1, 1), befalls=_database_cut, by_hand=RESTORES),
    Fault(
        "an older database beside the state",
        MACHINE,
        (1, 1),
        befalls=_older_database,
        by_hand=RESTORES,
    ),
    Fault(
        "an older state beside the database",
        MACHINE,
        (1, 1),
        befalls=_older_state,
        by_hand=RESTORES,
    ),
    Fault(
        "the tracking state is gone",
        MACHINE,
        (1, 1),
        befalls=_state_gone,
        by_hand=RESTORES,
    ),
    Fault("invented data are served", MACHINE, (1, 1), befalls=_invented, quiet=ALWAYS),
    Fault(
        "a first run over invented data",
        MACHINE,
        (1, 1),
        befalls=_begun_over_invented,
        quiet=ALWAYS,
    ),
    Fault(
        "corrections cannot be read",
        MACHINE,
        (1, 4),
        befalls=_corrections_spoiled,
        each_night=True,
        by_hand=MENDS,
        mend=_corrections_mended,
    ),
)
