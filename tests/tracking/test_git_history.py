"""`--git`: every list that a repository's history holds, on whichever side, once, in the authors' order."""

from __future__ import annotations

import datetime
import os
import re
import subprocess
from pathlib import Path

import pytest

from parlement_lists.regular_file import FilesError
from parlement_lists.tracking.reading.git_history import Version, _files
from parlement_lists.tracking.reading.lists import ListFile
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


def follow(repository: Repository, steps: str) -> None:
    """Make a history of steps with `; ` between them.

    `2 TWO` is the list with that word on a day, `2 TWO by 9` was committed later, `2 -` takes it away, `2 =` leaves it
    as it is; `side` begins that branch, `master` goes back, `merge 5 OPTIONS` merges on a day; the rest is git's.
    """
    for step in steps.split("; "):
        first, *rest = step.split()
        if first == "merge":
            repository.git("merge", "-q", "--no-ff", "-m", "x", *rest[1:], date=at(int(rest[0])))
        elif step in BRANCHES:
            repository.git("checkout", "-q", *BRANCHES[step])
        elif not first.isdecimal():
            repository.git(*step.split())
        elif rest[0] == "=":
            repository.git("commit", "-q", "--allow-empty", "-m", "x", date=at(int(first)))
        else:
            content = None if rest[0] == "-" else senat(rest[0])
            committed = at(int(rest[2])) if len(rest) > 1 else ""
            repository.commit(at(int(first)), {SE: content}, committed=committed)


ANEW = "COMMIT: committed anew as COMMIT"
BRANCHES = {"side": ["-B", "side"], "master": ["master"]}


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


@pytest.mark.rule("record-list-versions")
@pytest.mark.parametrize(
    ("steps", "expected", "told"),
    [
        # Of the side that the merge did not take git tells nothing unless it is asked.
        ("side; 2 S2; 4 S4; master; 3 M3; merge 5 -X ours side; 6 SIX", "one s2 m3 s4 six", ""),
        ("side; 2 S2; 4 S4; master; 3 M3; merge 5 -X theirs side; 6 SIX", "one s2 m3 s4 six", ""),
        # In the order of their authors, whenever they were committed.
        ("5 FIVE by 20; 3 THREE by 21; 4 FOUR by 2", "one three four five", ""),
        # Of one author's second the last committed is the list; a child comes after its parent whatever its clock said.
        ("side; 2 RIGHT by 7; master; 2 WRONG by 6; merge 8 -s ours side", "one right", ANEW),
        ("2 PARENT by 9; side; 2 CHILD by 3; master; 8 =; merge 10 side", "one child", ANEW),
        # One of another history is none restored; one that was picked onto another branch is one list.
        (
            "5 FIVE; checkout -q --orphan other; 3 FIVE by 20; checkout -q --orphan same; 1 ONE by 20; master"
            "; merge 21 -s ours --allow-unrelated-histories other same",
            "one five five",
            "",
        ),
        (
            "side; 2 TWO; 3 THREE; master; cherry-pick side~1; cherry-pick side"
            "; commit --amend -q -m y; merge 9 side",
            "one two three",
            "",
        ),
        # One that came back is one of both days, but not where a side branch restored it.
        ("2 TWO; 3 ONE", "one two one", ""),
        (
            "side; 2 -; 5 ONE; 6 -; 7 SEVEN; master; 3 THREE; merge 8 -X theirs side",
            "one three seven",
            "COMMIT: restored as it was on an earlier day",
        ),
    ],
)
def test_each_version_of_a_list_on_any_way_is_one_of_its_author_s_moment(
    repository: Repository, steps: str, expected: str, told: str
) -> None:
    follow(repository, steps)
    assert words(repository) == expected.split()
    lines = [re.sub(f"[0-9a-f]{{12}}:{SE}", "COMMIT", line) for line in ignored(repository)]
    assert lines == [told] * bool(told)


def test_what_a_conflict_was_resolved_to_is_told_and_is_no_list(repository: Repository) -> None:
    follow(repository, "side; 2 SIDE; master; 3 MASTER")
    with pytest.raises(subprocess.CalledProcessError):
        follow(repository, "merge 4 side")
    resolved = repository.commit(at(4), {SE: senat("BOTH")})
    assert words(repository) == ["one", "side", "master"]
    assert ignored(repository) == [f"{resolved[:12]}:{SE}: made in a merge, not received as a list"]


def test_a_list_is_one_under_its_own_name_only(repository: Repository) -> None:
    other = "data/2026/liste.csv"
    repository.commit(at(2), {SE: None, other: senat("ONE")})
    repository.commit(at(3), {other: senat("THREE")})
    back = repository.commit(at(4), {other: None, SE: senat("FOUR")})
    assert found(repository)[1:] == [("senat/2026-09-04T031500", "four")]
    assert ignored(repository) == [f"{other}: not named as a list"]
    assert [f.origin for f in walk([], [repository.path]).files][-1] == f"{back[:12]}:{SE}"


def test_a_history_is_that_of_the_repository_told(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which need not be checked out, whatever a hook or a wrapper set for another one."""
    bare = tmp_path / "bare.git"
    repository.git("clone", "-q", "--bare", str(repository.path), str(bare))
    monkeypatch.setenv("GIT_DIR", str(Repository(tmp_path / "other").path / ".git"))
    for path in (repository.path, bare):
        [file] = walk([], [path]).files
        assert (file.name, len(file.read().pairs)) == ("senat/2026-09-01T031500", 3)


def test_what_a_user_set_for_git_changes_nothing(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    follow(repository, "side; 2 TWO; master; merge 3 side")
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


def test_a_missing_content_stops_nothing_unless_it_is_a_list_s(repository: Repository) -> None:
    repository.commit(at(2), {"data/autres/totaux.csv": b"a,b\n1,2\n"})
    lose(repository, "HEAD:data/autres/totaux.csv")
    assert words(repository) == ["one"]
    assert ignored(repository) == ["data/autres/totaux.csv: not named as a list"]
    commit = repository.commit(at(3), {SE: senat("TWO")})
    blob = lose(repository, f"HEAD:{SE}")
    with pytest.raises(FilesError) as told:
        words(repository)
    assert str(told.value) == (
        f"{repository.path}: {commit[:12]}:{SE}: its content, object {blob}, is missing"
        " (a partial clone?)"
    )


def test_a_link_or_repository_in_a_list_s_place_is_no_list_and_told(repository: Repository) -> None:
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


@pytest.mark.parametrize("answer", ["", "$blob blob 9\\nshort"])
def test_a_git_that_ends_before_it_has_given_a_list_is_no_fault_of_the_list(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    (programs := tmp_path / "bin").mkdir()
    (programs / "git").write_text(f'#!/bin/sh\nread -r blob\nprintf "{answer}"\n')
    (programs / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    file = ListFile("senat", datetime.date(2026, 9, 1), "", f"0a1b:{SE}", bytes)
    version = Version(0, file, SE, "0a1b", True)
    with pytest.raises(FilesError, match=f"git ended before it had given 0a1b:{SE}"):
        list(_files(repository.path, [version], "archives"))


@pytest.mark.parametrize("git", [True, False])
def test_no_repository_and_one_without_lists_are_refused(tmp_path: Path, git: bool) -> None:
    if git:
        Repository(tmp_path / "x").commit(at(1), {"data/a.csv": senat("ONE")})
    with pytest.raises(
        FilesError, match=f"no list in its history; .*{SE}" if git else "not a git repository"
    ):
        walk([], [tmp_path / ("x" if git else "")])
