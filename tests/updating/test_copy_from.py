"""A copy of another service: begun with its whole file, followed with its feed, equal to it afterwards."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from datasette_mouvements.dataset.changes import parse_cursor
from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.dataset.input_files import InputRefused
from datasette_mouvements.dataset.served.snapshot import Snapshot
from datasette_mouvements.dataset.writer import write
from datasette_mouvements.updating.state_file import StateFile
from parlement_lists.tracking.state import StateError
from tests.contract import environment

from .follower import changes_of
from .original_service import (
    OriginalService,
    answer,
    copy,
    movement,
    rows,
    said,
)


def feed(database: Path) -> list[tuple[str, bool]]:
    """What a file's own feed says, from its start: identifiers, and whether each is there."""
    with closing(Snapshot(database)) as snapshot:
        found, last = changes_of(snapshot)
        assert last == snapshot.feed.end.seq
    return [(change["id"], "mouvement" in change) for change in found]


def names_left(folder: Path, name: str) -> list[str]:
    """The files of a folder that hold a name."""
    return [path.name for path in folder.iterdir() if name.encode() in path.read_bytes()]


def test_a_new_copy_is_the_original_in_content_and_order(
    original: OriginalService, copied: Path
) -> None:
    done = copy(original, copied)
    assert rows(copied) == rows(original.database)
    assert (done.begun, done.compared, done.stopped) == ("a new copy", "version", "")
    assert done.version == said(original.database)["version"]
    assert original.targets[0] == "/fichiers/tout"
    assert len(original.targets) == 2
    assert inspect(copied) == []
    assert [path.name for path in copied.parent.iterdir()] == [copied.name]
    own, theirs = said(copied), said(original.database)
    assert own["lignee"] != theirs["lignee"]
    assert own["copie_de"] == original.url
    assert parse_cursor(own["copie_curseur"])


def test_what_is_added_replaced_and_withdrawn_reaches_the_copy(
    original: OriginalService, copied: Path
) -> None:
    copy(original, copied)
    original.change(
        movement(3, collab_nom="AUTRE"),
        movement(9),
        movement(8, date_event="2026-03-05"),
        gone=(2, 5),
    )
    done = copy(original, copied)
    assert rows(copied) == rows(original.database)
    assert (done.published, done.withdrawn, done.compared) == (3, 2, "version")
    asked = [f"/v1/changements?curseur={done_cursor(original)}&limit=500"]
    assert original.targets[2:] == [*asked, "/v1/collaborations?limit=1"]
    withdrawn = {id for id, there in feed(copied) if not there}
    assert withdrawn == {movement(2).id, movement(5).id}
    assert not names_left(copied.parent, "NOM3")
    assert inspect(copied) == []


def done_cursor(original: OriginalService) -> str:
    """The cursor that was sent last."""
    return (
        [target for target in original.targets if "curseur=" in target][-1]
        .partition("curseur=")[2]
        .partition("&")[0]
    )


def test_nothing_new_leaves_the_file_untouched(original: OriginalService, copied: Path) -> None:
    copy(original, copied)
    before = copied.stat()
    done = copy(original, copied)
    assert copied.stat() == before
    assert not done.changed
    assert (done.movements, done.compared) == (7, "version")
    assert len(original.targets) == 4


def test_an_original_that_lost_everything_leaves_an_empty_copy(
    original: OriginalService, copied: Path
) -> None:
    copy(original, copied)
    original.publish(anew=True)
    done = copy(original, copied)
    assert (done.movements, rows(copied), done.compared) == (0, [], "version")


def test_what_comes_back_comes_last_in_its_day(original: OriginalService, copied: Path) -> None:
    day = {"date_event": "2026-03-05"}
    original.publish(*(movement(number, **day) for number in range(1, 6)))
    copy(original, copied)
    original.change(gone=(2,))
    original.change(movement(6))
    asked = iter(["the withdrawal", "what follows"])

    def publish_between(target: str) -> None:
        if next(asked, "") == "what follows":
            original.change(movement(2, **day))

    original.behave = publish_between
    done = copy(original, copied, page=1)
    assert (done.published, done.withdrawn, done.compared) == (2, 1, "version")
    assert rows(copied) == rows(original.database)


def test_another_order_is_told_and_counted(original: OriginalService, copied: Path) -> None:
    one, other = (movement(number, date_event="2026-04-01") for number in (11, 12))
    original.change(one, other)
    copy(original, copied)
    original.publish(
        *(m for m in original.table.values() if m.id != one.id), one._replace(fonction="F")
    )
    done = copy(original, copied)
    assert done.compared == "count"
    assert rows(copied, "id") == rows(original.database, "id")
    assert original.targets[-1] == "/v1/mouvements?limit=1"
    assert any("in another order" in line for line in done.lines())


def test_a_copy_that_lost_a_movement_begins_anew(original: OriginalService, copied: Path) -> None:
    copy(original, copied)
    own = said(copied)
    kept = list(original.table.values())[:-1]
    publication = [(name, own[name]) for name in own if name.startswith("copie_")]
    write(copied, [("test", enumerate(kept, 1))], {"_publication": publication})
    done = copy(original, copied)
    assert done.begun == "the copy was not as long as the original"
    assert done.compared == "version"
    assert rows(copied) == rows(original.database)


@pytest.mark.parametrize("cause", ["another lineage", "a rollback", "a cursor of another form"])
def test_a_cursor_that_is_gone_begins_the_copy_anew_in_the_same_file(
    original: OriginalService, copied: Path, cause: str
) -> None:
    old = original.database.read_bytes()
    original.change(movement(20, collab_nom="RAPPELÉ"))
    copy(original, copied)
    lineage = said(copied)["lignee"]
    if cause == "a rollback":
        original.database.write_bytes(old)
        original.adopt()
        original.table.pop(movement(20).id)
    else:
        original.publish(*(movement(number) for number in range(2, 9)), anew=True)
    if cause == "a cursor of another form":
        refused = iter([answer(400)])
        original.behave = lambda target: next(refused, None) if "changements" in target else None
    slept: list[float] = []
    done = copy(original, copied, slept)
    assert done.begun == "the original's feed began anew, or was restored"
    assert slept == []
    assert (done.compared, done.stopped) == ("version", "")
    assert rows(copied) == rows(original.database)
    assert said(copied)["lignee"] == lineage
    assert (movement(20).id, False) in feed(copied)
    assert not names_left(copied.parent, "RAPPELÉ")


def test_a_worker_that_lags_is_asked_again(original: OriginalService, copied: Path) -> None:
    copy(original, copied)
    lagging = iter([answer(503, Retry_After="5")])
    original.behave = lambda target: next(lagging, None)
    original.change(movement(20))
    slept: list[float] = []
    done = copy(original, copied, slept)
    assert (done.begun, done.published, slept) == ("", 1, [5])


def test_a_feed_that_refuses_every_cursor_ends_the_run(
    original: OriginalService, copied: Path
) -> None:
    copy(original, copied)
    before = rows(copied)
    original.behave = lambda target: answer(410) if "changements" in target else None
    done = copy(original, copied)
    assert done.stopped.endswith(", twice in one run: run it again later")
    assert rows(copied) == before
    assert original.targets.count("/fichiers/tout") == 2
    original.behave = lambda target: None
    assert copy(original, copied).stopped == ""
    assert rows(copied) == rows(original.database)


def test_pages_are_written_so_that_little_is_lost(original: OriginalService, copied: Path) -> None:
    copy(original, copied)
    original.change(*(movement(number) for number in range(10, 15)))
    written: list[int] = []

    def watch(target: str) -> None:
        if "/v1/changements" in target:
            written.append(len(rows(copied)))

    original.behave = watch
    done = copy(original, copied, page=1, pages_a_write=2)
    assert written == [7, 7, 9, 9, 11]
    assert (done.published, done.compared, len(rows(copied))) == (5, "version", 12)


def test_a_used_up_quota_keeps_what_was_read(original: OriginalService, copied: Path) -> None:
    copy(original, copied)
    original.change(*(movement(number) for number in range(10, 15)))
    granted = iter([None, None])
    used_up = answer(429, b"", Retry_After="64800")
    original.behave = lambda target: next(granted, used_up)
    done = copy(original, copied, page=2)
    assert done.stopped == "the key's quota is used up: it goes on from 2026-09-15 00:00 (Paris)"
    assert len(rows(copied)) == 11
    original.behave = lambda target: None
    done = copy(original, copied)
    assert (done.published, done.stopped, done.compared) == (1, "", "version")
    assert rows(copied) == rows(original.database)


def test_a_quota_used_up_by_the_whole_file_keeps_the_whole_file(
    original: OriginalService, copied: Path
) -> None:
    original.behave = lambda target: answer(429) if "changements" in target else None
    done = copy(original, copied)
    assert done.stopped == "the key's quota is used up: run it again tomorrow"
    assert rows(copied) == rows(original.database)
    original.behave = lambda target: None
    assert copy(original, copied).begun == ""


def test_what_may_pass_is_waited_for(original: OriginalService, copied: Path) -> None:
    failing = iter([answer(503, b"", Retry_After="7"), answer(502), None, answer(503)])
    original.behave = lambda target: next(failing, None)
    slept: list[float] = []
    done = copy(original, copied, slept)
    assert slept == [7, 10, 2]
    assert (done.stopped, done.compared) == ("", "version")


def test_what_does_not_pass_is_one_sentence(original: OriginalService, copied: Path) -> None:
    original.behave = lambda target: answer(503)
    slept: list[float] = []
    done = copy(original, copied, slept)
    assert done.stopped == "status 503 (4 attempts)"
    assert slept == [2, 10, 60]
    assert not copied.exists()
    original.behave = lambda target: answer(503, b"", Retry_After="3600")
    assert "asks to wait 3600 s, longer than" in copy(original, copied).stopped


def test_a_file_that_is_no_copy_or_of_another_service_is_refused(
    original: OriginalService, copied: Path
) -> None:
    copied.parent.mkdir()
    write(copied, [("test", [(1, movement(1))])])
    before = copied.read_bytes()
    with pytest.raises(InputRefused, match=f"no copy of {original.url}"):
        copy(original, copied)
    assert copied.read_bytes() == before
    copied.unlink()
    copy(original, copied)
    before = copied.read_bytes()
    other = original.url.replace("127.0.0.1", "localhost")
    with pytest.raises(InputRefused, match=f"a copy of {original.url}, not of {other}"):
        copy(original, copied, url=other)
    assert copied.read_bytes() == before


def test_two_runs_at_once_are_refused(original: OriginalService, copied: Path) -> None:
    copy(original, copied)
    before = copied.read_bytes()
    with StateFile(copied).locked(), pytest.raises(StateError, match="another run is at work"):
        copy(original, copied)
    assert copied.read_bytes() == before


def test_the_command_tells_in_one_report(original: OriginalService, copied: Path) -> None:
    arguments = ("copy-from", original.url + "/", copied, "--key-file", original.key_file)
    result = environment.done(*arguments, "--json")
    report = json.loads(result.stdout)
    assert report["database"] == str(copied)
    assert report["url"] == original.url
    assert (report["begun"], report["movements"], report["changed"]) == ("a new copy", 7, True)
    original.change(gone=(1,))
    result = environment.done(*arguments)
    assert "0 published, 1 withdrawn since" in result.stdout
    assert "the same as the original's, in the same order" in result.stdout
    assert set(original.keys) == {f"Bearer {original.key}"}
    original.behave = lambda target: answer(429, b"", Retry_After="100")
    result = environment.command(*arguments)
    assert result.exit_code == 1
    assert "the key's quota is used up: it goes on from" in result.stderr
    assert result.stdout.splitlines() == [
        f"{copied}: 6 movements, version {said(copied)['version']}: not compared with the original's"
    ]
