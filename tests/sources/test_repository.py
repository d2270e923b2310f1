"""The lists are kept in git: under which name, in which commit; what git cannot do is told, and lists go on."""

from __future__ import annotations

import datetime
import errno
import os
import re
import shutil
import stat

import pytest

from parlement_lists.regular_file import write_whole
from parlement_lists.sources import download
from parlement_lists.tracking.reading import git

from .conftest import ONE, THREE, TWO
from .misbehaving import says


def commits(fetcher):
    return git.run(fetcher.directory, "log", "--format=%s", "--reverse").splitlines()


def test_a_run_is_one_commit_of_lists_and_journal(server, fetcher, source, clock):
    server.answer_with(says(ONE), says(TWO), says(b"", status=404))
    for _ in range(3):
        fetcher.fetch(source)
        clock.passes(days=1)
    assert commits(fetcher) == [
        "2026-09-14: senat/2026-09-14 nouvelle",
        "2026-09-15: senat/2026-09-15 nouvelle",
        "2026-09-16: senat echouee",
    ]
    assert git.run(fetcher.directory, "status", "--porcelain") == ""
    listed = git.run(fetcher.directory, "ls-files").split()
    assert listed == ["journal.csv", "senat/2026-09-14.csv", "senat/2026-09-15.csv"]
    before = commits(fetcher)
    fetcher.fetch(source)
    fetcher.fetch(source)
    assert len(commits(fetcher)) == len(before) + 1


def test_days_without_a_change_leave_one_copy_under_their_last(server, fetcher, source, clock):
    server.answer_with(says(ONE), says(ONE), says(ONE), says(TWO), says(TWO))
    outcomes, last = [], []
    for days in (0, 2, 7, 1, 0):
        clock.passes(days=days)
        outcomes.append(fetcher.status(source))
        last = [*last, fetcher.files()]
    assert outcomes == ["nouvelle", "identique", "identique", "nouvelle", "identique"]
    assert last == [
        ["2026-09-14.csv"],
        ["2026-09-14.csv", "2026-09-16.csv"],
        ["2026-09-14.csv", "2026-09-23.csv"],
        ["2026-09-14.csv", "2026-09-23.csv", "2026-09-24.csv"],
        ["2026-09-14.csv", "2026-09-23.csv", "2026-09-24.csv"],
    ]


def test_in_the_hour_that_comes_twice_the_newer_list_is_named_last(server, fetcher, source, clock):
    clock.now = datetime.datetime(2026, 10, 25, 0, 50, tzinfo=datetime.UTC)
    server.answer_with(*(says(b"14263U,%s\n" % name) for name in (b"A", b"B", b"C", b"D", b"E")))
    for minutes in (20, 20, 20, -40, 0):
        assert fetcher.status(source) == "nouvelle"
        clock.passes(minutes=minutes)
    assert fetcher.files() == [
        "2026-10-25.csv",
        *(f"2026-10-25T{time}.csv" for time in ("0210", "0230", "0250", "0251")),
    ]


def test_the_name_of_another_list_of_that_day_may_have_seconds(server, fetcher, source, clock):
    clock.now = datetime.datetime(2026, 9, 14, 8, 0, tzinfo=datetime.UTC)
    (fetcher.directory / "senat").mkdir(parents=True)
    (fetcher.directory / "senat" / "2026-09-14T10050.csv").write_bytes(ONE)
    server.answer_with(says(TWO))
    assert fetcher.status(source) == "nouvelle"
    assert fetcher.files() == ["2026-09-14T10050.csv", "2026-09-14T1006.csv"]


def test_no_list_follows_that_of_the_last_minute_of_its_day(server, fetcher, source, clock):
    clock.now = datetime.datetime(2026, 9, 14, 21, 59, tzinfo=datetime.UTC)
    server.answer_with(says(ONE), says(TWO), says(THREE))
    assert [fetcher.status(source) for _ in range(2)] == ["nouvelle", "nouvelle"]
    (result,) = fetcher.fetch(source)
    assert "of 2026-09-14, of which a list of its last minute is kept" in result.detail
    assert fetcher.files() == ["2026-09-14.csv", "2026-09-14T2359.csv"]


def test_a_list_older_than_the_last_one_is_refused(server, fetcher, source, clock):
    server.answer_with(says(ONE), says(TWO))
    fetcher.fetch(source)
    clock.passes(days=-1)
    (result,) = fetcher.fetch(source)
    assert "of 2026-09-13, older than the last list kept, of 2026-09-14" in result.detail
    assert fetcher.files() == ["2026-09-14.csv"]


def test_git_uses_no_repository_above_or_of_a_hook(server, fetcher, source, tmp_path, monkeypatch):
    git.run(tmp_path, "init", "--quiet")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / ".git" / "index"))
    server.answer_with(says(ONE), says(TWO), says(THREE))
    fetcher.fetch(source)
    own = fetcher.directory / ".git"
    assert (fetcher.faults, len(commits(fetcher))) == ([], 1)
    (own / "HEAD").write_bytes(b"\0" * 20)
    assert fetcher.status(source) == "nouvelle"
    (fault,) = fetcher.faults
    assert fault.startswith(f"{own}: git rev-parse: fatal: not a git repository")
    shutil.rmtree(own)
    assert fetcher.status(source) == "nouvelle"
    anew = "was gone, though the journal tells of runs before: the history of lists begins anew"
    assert (fetcher.faults, len(commits(fetcher))) == ([f"{own} {anew}"], 1)
    assert git.run(tmp_path, "for-each-ref") == ""


def test_each_run_is_pushed_to_the_remote_and_a_lost_one_is_told(server, fetcher, source, tmp_path):
    server.answer_with(says(ONE), says(TWO), says(THREE))
    fetcher.fetch(source)
    remote = tmp_path / "remote.git"
    git.run(tmp_path, "init", "--quiet", "--bare", str(remote))
    git.run(fetcher.directory, "remote", "add", "elsewhere", str(remote))
    fetcher.fetch(source)
    head = git.run(fetcher.directory, "rev-parse", "HEAD")
    assert (fetcher.faults, git.run(remote, "rev-parse", "--all")) == ([], head)
    shutil.rmtree(remote)
    assert fetcher.status(source) == "nouvelle"
    assert ": git push: fatal: " in fetcher.faults[0]
    assert len(commits(fetcher)) == 3


def test_what_was_not_committed_is_told_and_committed_by_the_next_run(server, fetcher, source):
    server.answer_with(says(ONE), says(TWO), says(TWO))
    fetcher.fetch(source)
    lock = fetcher.directory / ".git" / "index.lock"
    lock.touch()
    assert fetcher.status(source) == "nouvelle"
    assert "index.lock': File exists" in fetcher.faults[0]
    lock.unlink()
    assert fetcher.status(source) == "identique"
    assert fetcher.faults == []
    assert git.run(fetcher.directory, "status", "--porcelain") == ""


def test_where_git_is_not_installed_lists_go_on(server, fetcher, source, tmp_path, monkeypatch):
    server.answer_with(says(ONE))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert fetcher.status(source) == "nouvelle"
    own = fetcher.directory / ".git"
    assert fetcher.faults == [
        f"{own}: git is not installed: lists are kept, and not all is committed or pushed"
    ]


@pytest.mark.parametrize(
    ("trap", "reason"), [("touch $0.ended; exit 1", True), ("", False)], ids=["ends", "is killed"]
)
def test_a_git_that_takes_too_long_is_asked_to_end_then_killed(tmp_path, monkeypatch, trap, reason):
    slow = tmp_path / "git"
    slow.write_text(f"#!/bin/sh\ntrap '{trap}' TERM\nsleep 3 > /dev/null 2>&1 & wait; wait\n")
    slow.chmod(slow.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(git.GitFailed, match=r"git gc: not complete after 0\.3 s"):
        git.run(tmp_path, "gc", seconds=0.3, grace=0.3)
    assert (tmp_path / "git.ended").exists() is reason


@pytest.mark.parametrize("left", ["senat/.a.csv.part", ".a.csv.part", "originaux/senat/.a.part"])
def test_half_a_file_that_was_left_is_removed_and_never_committed(server, fetcher, source, left):
    server.answer_with(says(ONE), says(TWO))
    fetcher.fetch(source)
    (fetcher.directory / left).write_bytes(b"half")
    # One that comes while the run is at work is not committed, either.
    assert git.run(fetcher.directory, "status", "--porcelain") == ""
    git.run(fetcher.directory, "add", "-f", left)
    git.run(fetcher.directory, "commit", "-qm", "x")
    fetcher.fetch(source)
    assert not (fetcher.directory / left).exists()


def test_what_is_written_is_on_the_disk_before_it_has_its_name(tmp_path):
    path, done = tmp_path / "a" / "liste.csv", []

    def noted(handle):
        done.append((os.readlink(f"/proc/self/fd/{handle}"), path.exists()))

    write_whole(path, b"x", sync=noted)
    assert done == [(str(path.with_name(".liste.csv.part")), False), (str(path.parent), True)]


def test_a_full_disk_is_told_with_the_file_that_was_written(server, fetcher, source, monkeypatch):
    """The kernel says it of a write or a sync, without a name."""

    def full(path, body):
        def sync(handle):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        write_whole(path, body, sync=sync)

    server.answer_with(says(ONE))
    monkeypatch.setattr(download, "write_whole", full)
    (result,) = fetcher.fetch(source)
    assert re.search("No space left on device: '.*/originaux/senat/liste.csv.gz'", result.detail)
    assert result.line.raison == "enregistrement impossible"
