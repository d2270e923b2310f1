"""`--git`: every list that a repository's history holds, on whichever side, once, in the authors' order."""

from __future__ import annotations

import datetime
import os
import subprocess
from pathlib import Path

import pytest

from parlement_lists.movement import PARIS
from parlement_lists.tracking.reading.git_history import Version, _files
from parlement_lists.tracking.reading.list_file import ListFilesError
from parlement_lists.tracking.reading.walk import walk
from tests.tracking import lists
from tests.tracking.lists import STAFF
from tests.tracking.repository import Repository

AN, SE = "data/liste_deputes_collaborateurs.csv", "data/liste_senateurs_collaborateurs.csv"


def senat(word: str) -> bytes:
    """A list unlike that of every other word."""
    return lists.data("senat", {1: ["Ada MOREAU", f"Bo {word}"], 2: ["Cleo VASSOR"]})


def at(day: int, time: str = "03:15:00") -> str:
    return f"2026-09-{day:02}T{time}+02:00"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A list of the Senate, and a place for more."""
    made = Repository(tmp_path / "repository")
    made.commit(at(1), {SE: senat("ONE")})
    return made


def found(repository: Repository) -> list[tuple[str, str]]:
    """The days of the lists, and the word in each, in order."""
    read = [(file.name, file.read()) for file in walk([], [repository.path]).files]
    return [(name, next(p for _, p in list_.pairs if "bo" in p)[3:]) for name, list_ in read]


def words(repository: Repository) -> list[str]:
    return [word for _, word in found(repository)]


def ignored(repository: Repository) -> list[str]:
    return [
        line.removeprefix(f"{repository.path}: ") for line in walk([], [repository.path]).ignored
    ]


def side_branch(repository: Repository, *days: tuple[int, str]) -> None:
    """Lists that only the branch `side` has; the repository is on `master` again."""
    repository.git("checkout", "-q", "-b", "side")
    for day, word in days:
        repository.commit(at(day), {SE: senat(word)})
    repository.git("checkout", "-q", "master")


def merge(repository: Repository, day: int, *options: str) -> None:
    repository.git("merge", "-q", "--no-ff", "side", "-m", "x", *options, date=at(day))


def test_each_chamber_s_list_is_read_at_each_of_its_moments_in_paris(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    first = lists.data("senat", {1: ["Bo FIRST"]}, lists.SENAT_FIRST)
    repository.commit("2026-09-01T03:15:33+02:00", {SE: first, "data/totaux.csv": b"a,b\n1,2\n"})
    # Some take the character in its name for the end of a line.
    repository.commit(at(1), {"data/é\u2028x.csv": b""})
    repository.commit("2026-09-01T23:30:00+00:00", {SE: senat("TWO"), "bin/x.csv": b""})
    an = lists.data("assemblee", STAFF)
    repository.commit(
        at(3), {AN: an, "data/liste_deputes_collaborateurs_2017-2022.csv": an, SE: b""}
    )
    repository.commit(at(4), {SE: None, AN: lists.data("assemblee", {1: ["Zoé B"]})})
    told = walk([], [repository.path])
    assert [file.name for file in told.files] == [
        "assemblee/2026-09-03T031500",
        "assemblee/2026-09-04T031500",
        "senat/2026-09-01T031533",
        "senat/2026-09-02T013000",
        "senat/2026-09-03T031500",
    ]
    assert ignored(repository) == [
        "data/liste_deputes_collaborateurs_2017-2022.csv: not named as a list",
        "data/totaux.csv: not named as a list",
        "data/é\u2028x.csv: not named as a list",
    ]


# Of the side that the merge did not take git tells nothing unless it is asked.
@pytest.mark.rule("record-list-versions")
@pytest.mark.parametrize("taken", ["ours", "theirs"])
def test_lists_that_only_a_side_branch_has_are_read_in_their_place(
    repository: Repository, taken: str
) -> None:
    side_branch(repository, (2, "SIDE2"), (4, "SIDE4"))
    repository.commit(at(3), {SE: senat("MASTER3")})
    merge(repository, 5, "-X", taken)
    repository.commit(at(6), {SE: senat("SIX")})
    assert words(repository) == ["one", "side2", "master3", "side4", "six"]


def test_what_a_conflict_was_resolved_to_is_told_and_is_no_list(repository: Repository) -> None:
    side_branch(repository, (2, "SIDE"))
    repository.commit(at(3), {SE: senat("MASTER")})
    with pytest.raises(subprocess.CalledProcessError):
        merge(repository, 4)
    resolved = repository.commit(at(4), {SE: senat("BOTH")})
    assert words(repository) == ["one", "side", "master"]
    assert ignored(repository) == [f"{resolved[:12]}:{SE}: made in a merge, not received as a list"]


@pytest.mark.rule("record-list-versions")
def test_lists_are_in_the_order_of_their_authors_whenever_they_were_committed(
    repository: Repository,
) -> None:
    repository.commit(at(5), {SE: senat("FIVE")}, committed=at(20))
    repository.commit(at(3), {SE: senat("THREE")}, committed=at(21))
    repository.commit(at(4), {SE: senat("FOUR")}, committed=at(2))
    assert words(repository) == ["one", "three", "four", "five"]


def test_of_one_author_s_second_the_last_committed_is_the_list_and_the_other_is_told(
    repository: Repository,
) -> None:
    repository.git("checkout", "-q", "-b", "side")
    right = repository.commit(at(2), {SE: senat("RIGHT")}, committed=at(7))
    repository.git("checkout", "-q", "master")
    wrong = repository.commit(at(2), {SE: senat("WRONG")}, committed=at(6))
    merge(repository, 8, "-s", "ours")
    assert found(repository)[1:] == [("senat/2026-09-02T031500", "right")]
    assert ignored(repository) == [f"{wrong[:12]}:{SE}: committed anew as {right[:12]}:{SE}"]


def test_a_child_comes_after_its_parent_whatever_its_clock_said(repository: Repository) -> None:
    repository.commit(at(2), {SE: senat("PARENT")}, committed=at(9))
    repository.git("checkout", "-q", "-b", "side")
    repository.commit(at(2), {SE: senat("CHILD")}, committed=at(3))
    repository.git("checkout", "-q", "master")
    repository.commit(at(8), {"notes": b"x"})
    merge(repository, 10)
    assert words(repository) == ["one", "child"]


def test_a_list_of_another_history_is_none_restored(repository: Repository) -> None:
    repository.commit(at(5), {SE: senat("FIVE")})
    for branch, day, word in (("other", 3, "FIVE"), ("same", 1, "ONE")):
        repository.git("checkout", "-q", "--orphan", branch)
        repository.commit(at(day), {SE: senat(word)}, committed=at(20))
    repository.git("checkout", "-q", "master")
    repository.git(
        *("merge", "-q", "-s", "ours", "--allow-unrelated-histories", "other", "same", "-m", "x"),
        date=at(21),
    )
    assert words(repository) == ["one", "five", "five"]
    assert ignored(repository) == []


def test_a_list_that_was_picked_onto_another_branch_is_one_list(repository: Repository) -> None:
    side_branch(repository, (2, "TWO"), (3, "THREE"))
    for commit in ("side~1", "side"):
        repository.git("cherry-pick", commit)
    repository.git("commit", "--amend", "-q", "-m", "y")
    merge(repository, 9)
    assert words(repository) == ["one", "two", "three"]
    assert ignored(repository) == []


def test_a_list_that_came_back_is_one_of_both_days_but_not_where_a_side_branch_restored_it(
    repository: Repository,
) -> None:
    repository.commit(at(1, "04:15:00"), {SE: senat("OTHER")})
    repository.commit(at(1, "05:15:00"), {SE: senat("ONE")})
    assert words(repository) == ["one", "other", "one"]
    repository.git("checkout", "-q", "-b", "side")
    repository.commit(at(2), {SE: None})
    restored = repository.commit(at(5), {SE: senat("ONE")})
    repository.commit(at(6), {SE: None})
    repository.commit(at(7), {SE: senat("SEVEN")})
    repository.git("checkout", "-q", "master")
    repository.commit(at(3), {SE: senat("THREE")})
    merge(repository, 8, "-X", "theirs")
    assert words(repository)[2:] == ["one", "three", "seven"]
    assert ignored(repository) == [f"{restored[:12]}:{SE}: restored as it was on an earlier day"]


def test_a_list_is_one_under_its_own_name_only(repository: Repository) -> None:
    other = "data/2026/liste.csv"
    repository.commit(at(2), {SE: None, other: senat("ONE")})
    repository.commit(at(3), {other: senat("THREE")})
    back = repository.commit(at(4), {other: None, SE: senat("FOUR")})
    assert found(repository)[1:] == [("senat/2026-09-04T031500", "four")]
    assert ignored(repository) == [f"{other}: not named as a list"]
    assert [f.origin for f in walk([], [repository.path]).files][-1] == f"{back[:12]}:{SE}"


@pytest.mark.parametrize("bare", [False, True])
@pytest.mark.parametrize(
    "names", [["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"], ["GIT_OBJECT_DIRECTORY"]]
)
def test_a_history_is_that_of_the_repository_told(
    repository: Repository,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    names: list[str],
    bare: bool,
) -> None:
    """Which need not be checked out."""
    side_branch(repository, (2, "TWO"))
    merge(repository, 3)
    other = Repository(tmp_path / "other")
    other.commit(at(5), {SE: senat("OTHER")})
    path = tmp_path / "bare.git" if bare else repository.path
    if bare:
        repository.git("clone", "-q", "--bare", str(repository.path), str(path))
    values = {
        "GIT_DIR": other.path / ".git",
        "GIT_INDEX_FILE": other.path / ".git/index",
        "GIT_WORK_TREE": other.path,
        "GIT_OBJECT_DIRECTORY": other.path / ".git/objects",
    }
    for name in names:
        monkeypatch.setenv(name, str(values[name]))
    read = [(file.name, len(file.read().pairs)) for file in walk([], [path]).files]
    assert read == [(f"senat/2026-09-0{n}T031500", 3) for n in (1, 2)]


def test_what_a_user_set_for_git_changes_nothing(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    side_branch(repository, (2, "TWO"))
    merge(repository, 3)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".gitconfig").write_text(
        "[log]\nshowRoot = false\nfollow = true\n"
        "[diff]\nrenames = copies\n[color]\nui = always\n[core]\nabbrev = 7\n[format]\npretty = short\n"
    )
    assert words(repository) == ["one", "two"]


def lose(repository: Repository, what: str) -> str:
    """Delete an object, as a partial clone has none of it; its name."""
    name = repository.git("rev-parse", what)
    (repository.path / ".git" / "objects" / name[:2] / name[2:]).unlink()
    return name


def test_a_missing_content_stops_nothing_unless_it_is_that_of_a_list(
    repository: Repository,
) -> None:
    repository.commit(at(2), {"data/totaux.csv": b"a,b\n1,2\n"})
    lose(repository, "HEAD:data/totaux.csv")
    assert words(repository) == ["one"]
    assert ignored(repository) == ["data/totaux.csv: not named as a list"]
    commit = repository.commit(at(3), {SE: senat("TWO")})
    blob = lose(repository, f"HEAD:{SE}")
    with pytest.raises(ListFilesError) as told:
        words(repository)
    assert str(told.value) == (
        f"{repository.path}: {commit[:12]}:{SE}: its content, object {blob}, is missing"
        " (a partial clone?)"
    )


def test_a_link_or_a_repository_in_a_list_s_place_is_no_list_and_told(
    repository: Repository,
) -> None:
    blob, head = (repository.git("rev-parse", what) for what in (f"HEAD:{SE}", "HEAD"))
    for day, (mode, name) in enumerate(
        [("120000", blob), ("160000", head), ("100755", blob)], start=2
    ):
        repository.git("update-index", "--cacheinfo", f"{mode},{name},{SE}")
        repository.git("commit", "-q", "-m", "x", date=at(day))
    assert [name for name, _ in found(repository)] == [f"senat/2026-09-0{n}T031500" for n in (1, 4)]
    assert [line.partition(": ")[2] for line in ignored(repository)] == [
        "a link, not a regular file",
        "a repository within this one, not a regular file",
    ]


def test_a_commit_without_a_date_is_told(repository: Repository) -> None:
    tree = repository.git("rev-parse", "HEAD^{tree}")
    repository.commit(at(2), {SE: senat("TWO")})
    spoiled = repository.path / "commit"
    spoiled.write_text(
        f"tree {tree}\nparent {repository.git('rev-parse', 'HEAD')}\n"
        "author x <x@example.org> never\ncommitter x <x@example.org> 1788000000 +0000\n\nx\n"
    )
    commit = repository.git("hash-object", "-t", "commit", "-w", "--literally", str(spoiled))
    repository.git("reset", "-q", "--hard", commit)
    assert words(repository) == ["one", "two"]
    assert ignored(repository) == [f"{commit[:12]}:{SE}: its commit has no date"]


@pytest.mark.parametrize("answer", ["", "$blob blob 9\\nshort"])
def test_a_git_that_ends_before_it_has_given_a_list_is_no_fault_of_the_list(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    (programs := tmp_path / "bin").mkdir()
    (programs / "git").write_text(f'#!/bin/sh\nread -r blob\nprintf "{answer}"\n')
    (programs / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    version = Version(datetime.datetime.now(PARIS), "0" * 40, SE, "0a1b", True)
    with pytest.raises(ListFilesError, match=f"git ended before it had given {'0' * 12}:{SE}"):
        list(_files(repository.path, [version], "archives"))


@pytest.mark.parametrize("git", [True, False])
def test_no_repository_and_one_without_lists_are_refused(tmp_path: Path, git: bool) -> None:
    if git:
        Repository(tmp_path / "x").commit(at(1), {"data/a.csv": senat("ONE")})
    with pytest.raises(
        ListFilesError, match=f"no list in its history; .*{SE}" if git else "not a git repository"
    ):
        walk([], [tmp_path / ("x" if git else "")])
