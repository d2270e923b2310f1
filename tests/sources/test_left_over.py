"""What a run that was killed, or a power cut, left behind stops no later one."""

from __future__ import annotations

import os
import stat

import pytest

from parlement_lists.regular_file import write_whole
from parlement_lists.sources.hooks import ChamberMembers, MemberRecord
from parlement_lists.tracking.reading import git

from .misbehaving import says

ONE = b"14263U,AUBE\n08061X,BRUN\n"
TWO = b"14263U,AUBE\n08061X,CLAIR\n"


def test_a_git_that_takes_too_long_is_asked_to_end_before_it_is_killed(tmp_path, monkeypatch):
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text(f"#!/bin/sh\ntrap 'touch {tmp_path}/ended; exit 1' TERM\nsleep 3 & wait\n")
    slow.chmod(slow.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{slow.parent}:{os.environ['PATH']}")
    with pytest.raises(git.GitFailed, match=r"git gc: not complete after 0\.3 s"):
        git.run(tmp_path, "gc", seconds=0.3)
    assert (tmp_path / "ended").exists()


def test_a_git_that_does_not_end_is_killed(tmp_path, monkeypatch):
    slow = tmp_path / "git"
    slow.write_text("#!/bin/sh\ntrap '' TERM\nexec sleep 3 > /dev/null 2>&1\n")
    slow.chmod(slow.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(git.GitFailed, match="not complete"):
        git.run(tmp_path, "gc", seconds=0.2, grace=0.2)


def with_members(source):
    """The same source, which knows two members."""
    known = MemberRecord("14263U", "Exemple", "Jeanne"), MemberRecord("08061X", "Modèle", "Paul")

    class WithMembers(type(source)):
        def members(self, originals, day):
            return ChamberMembers(known, False, "essai")

    return WithMembers(source.name, source.chamber, source.addresses)


def test_members_that_cannot_be_committed_do_not_keep_the_list_back(server, fetcher, source):
    source = with_members(source)
    server.answer_with(says(ONE))
    with fetcher.repository.locked():
        hook = fetcher.repository.directory / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n! git diff --cached --name-only | grep elus || exit 1\n")
    hook.chmod(0o755)
    (result,) = fetcher.fetch([source])
    assert (result.status, result.alarm) == ("new", "")
    assert "git commit: " in fetcher.repository.history.fault
    hook.unlink()
    (result,) = fetcher.fetch([source])
    assert (result.status, fetcher.repository.history.fault) == ("unchanged", "")
    assert git.run(fetcher.repository.directory, "status", "--porcelain") == ""


@pytest.mark.parametrize(
    "left", ["senat/.2026-09-15.csv.part", ".journal.csv.part", "elus/.groupes.csv.part"]
)
def test_half_a_file_that_was_left_is_removed_and_never_committed(
    server, fetcher, source, clock, left
):
    source = with_members(source)
    server.answer_with(says(ONE), says(TWO))
    fetcher.fetch([source])
    directory = fetcher.repository.directory
    part = directory / left
    part.write_bytes(b"half")
    # One that comes while the run is at work is not committed, either.
    assert git.run(directory, "status", "--porcelain") == ""
    clock.passes(days=1)
    assert fetcher.fetch([source])[0].status == "new"
    assert not part.exists()


def test_a_half_that_was_committed_once_goes(server, fetcher, source):
    server.answer_with(says(ONE), says(TWO))
    fetcher.fetch([source])
    directory = fetcher.repository.directory
    (directory / "senat" / ".x.csv.part").write_bytes(b"half")
    git.run(directory, "add", "-f", "senat/.x.csv.part")
    git.run(directory, "commit", "-qm", "x")
    fetcher.fetch([source])
    assert ".part" not in git.run(directory, "ls-files")


def test_what_is_written_is_on_the_disk_before_it_has_its_name(tmp_path):
    path, done = tmp_path / "a" / "liste.csv", []

    def noted(handle):
        done.append((os.readlink(f"/proc/self/fd/{handle}"), path.exists()))

    write_whole(path, b"x", sync=noted)
    assert done == [(str(path.with_name(".liste.csv.part")), False), (str(path.parent), True)]
