"""Git is used in the folder of lists and in none above it; where it cannot be, lists go on and it is told."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess

import pytest

from parlement_lists.sources.hooks import ChamberMembers, MemberRecord, Period
from parlement_lists.tracking.members.members_files import read_rows
from parlement_lists.tracking.reading import git

from .misbehaving import says

ONE = b"14263U,AUBE\n08061X,BRUN\n"
TWO = b"14263U,AUBE\n08061X,CLAIR\n"
THREE = b"14263U,AUBE\n08061X,DOUX\n"


@pytest.fixture
def above(fetcher):
    """A repository above that of the lists, with one commit of its own."""
    folder = fetcher.repository.directory.parent
    git.run(folder, "init", "--quiet")
    (folder / "page.txt").write_text("x")
    git.run(folder, "add", "page.txt")
    git.run(folder, "commit", "-qm", "x")
    yield folder
    assert git.run(folder, "rev-list", "--count", "HEAD").strip() == "1"
    assert git.run(folder, "ls-files").split() == ["page.txt"]


def commits(fetcher):
    return int(git.run(fetcher.repository.directory, "rev-list", "--count", "HEAD"))


def fault(fetcher):
    return fetcher.repository.history.fault


@pytest.mark.parametrize("packed", [False, True])
def test_an_emptied_head_is_mended_and_the_history_goes_on(server, fetcher, source, above, packed):
    server.answer_with(says(ONE), says(TWO))
    fetcher.fetch([source])
    git.run(fetcher.repository.directory, "branch", "--move", "lists")
    if packed:
        git.run(fetcher.repository.directory, "pack-refs", "--all")
    head = fetcher.repository.directory / ".git" / "HEAD"
    before = head.read_text()
    head.write_text("")
    assert fetcher.fetch([source])[0].status == "new"
    assert (fault(fetcher), head.read_text(), commits(fetcher)) == ("", before, 2)


def test_a_head_of_zeros_is_told_and_the_lists_go_on(server, fetcher, source, above):
    server.answer_with(says(ONE), says(TWO), says(THREE))
    fetcher.fetch([source])
    own = fetcher.repository.directory / ".git"
    (own / "HEAD").write_bytes(b"\0" * 20)
    (result,) = fetcher.fetch([source])
    assert (result.status, result.alarm) == ("new", "")
    assert f"{own} cannot be used (git would use the repository of {above.resolve()})" in fault(
        fetcher
    )
    # What the sentence says to do.
    own.rename(own.with_name("away"))
    assert fetcher.fetch([source])[0].status == "new"
    assert f"{own} was gone" in fault(fetcher)
    assert fetcher.fetch([source])[0].status == "unchanged"
    assert fault(fetcher) == ""
    assert commits(fetcher) == 1


def test_a_damaged_object_is_told_and_the_lists_go_on(server, fetcher, source, clock):
    server.answer_with(says(ONE), says(TWO), says(TWO), says(THREE))
    fetcher.fetch([source])
    directory = fetcher.repository.directory
    whole = directory.with_name("copy")
    shutil.copytree(directory / ".git", whole)
    tree = git.run(directory, "rev-parse", "HEAD^{tree}").strip()
    object_ = directory / ".git" / "objects" / tree[:2] / tree[2:]
    object_.chmod(0o644)
    object_.write_bytes(b"")
    for status in ("new", "unchanged"):
        clock.passes(days=1)
        (result,) = fetcher.fetch([source])
        assert (result.status, result.detail) == (status, "")
        assert f"{directory / '.git'} cannot be used (git " in fault(fetcher)
    # The day of the change is nowhere else.
    kept = sorted(path.stem for path in (directory / "senat").iterdir())
    assert kept == ["2026-09-14", "2026-09-15", "2026-09-16"]
    # A copy in its place, as the sentence says.
    shutil.rmtree(directory / ".git")
    whole.rename(directory / ".git")
    clock.passes(days=1)
    assert fetcher.fetch([source])[0].status == "new"
    assert fault(fetcher) == ""
    assert git.run(directory, "status", "--porcelain") == ""


@pytest.mark.parametrize("part", range(8))
def test_an_index_that_was_cut_is_made_again(server, fetcher, source, part):
    """Git takes some cut ones for whole ones, with files that nobody wrote."""
    server.answer_with(says(ONE), says(TWO))
    fetcher.fetch([source])
    index = fetcher.repository.directory / ".git" / "index"
    files = git.run(fetcher.repository.directory, "ls-files").splitlines()
    index.write_bytes(index.read_bytes()[: index.stat().st_size * part // 8])
    if not part:
        index.unlink()
    assert fetcher.fetch([source])[0].status == "new"
    assert (fault(fetcher), commits(fetcher)) == ("", 2)
    assert git.run(fetcher.repository.directory, "status", "--porcelain") == ""
    assert {*files} < {*git.run(fetcher.repository.directory, "ls-files").splitlines()}


def test_a_history_that_is_gone_is_told_once(server, fetcher, source, above):
    server.answer_with(says(ONE))
    fetcher.fetch([source])
    assert fault(fetcher) == ""
    shutil.rmtree(fetcher.repository.directory / ".git")
    fetcher.fetch([source])
    assert "was gone, and a new history of the lists begins" in fault(fetcher)
    fetcher.fetch([source])
    assert fault(fetcher) == ""


def test_lists_that_no_run_was_at_yet_had_no_history(server, fetcher, source):
    lists = fetcher.repository.directory / "senat"
    lists.mkdir()
    (lists / "2026-01-01.csv").write_text("x")
    server.answer_with(says(ONE))
    fetcher.fetch([source])
    assert (fault(fetcher), commits(fetcher)) == ("", 1)


@pytest.mark.parametrize("left", ["", None])
def test_a_lost_branch_is_told_and_no_history_begins_beside_it(server, fetcher, source, left):
    server.answer_with(says(ONE), says(TWO), says(THREE))
    fetcher.fetch([source])
    own = fetcher.repository.directory / ".git"
    branch = own / git.run(own.parent, "symbolic-ref", "HEAD").strip()
    before = branch.read_text()
    branch.unlink()
    if left is not None:
        branch.write_text(left)
    assert fetcher.fetch([source])[0].status == "new"
    assert f"{own} cannot be used (its branch is damaged: it names no commit)" in fault(fetcher)
    assert branch.exists() == (left is not None)
    # What the sentence says to do.
    branch.write_text(before)
    assert fetcher.fetch([source])[0].status == "new"
    assert (fault(fetcher), commits(fetcher)) == ("", 2)


@pytest.mark.parametrize("checked_out", [True, False])
def test_a_mended_head_leads_to_the_branch_that_it_led_to(server, fetcher, source, checked_out):
    """The one that was checked out, else that of the newest commit."""
    server.answer_with(says(ONE), says(TWO))
    fetcher.fetch([source])
    directory = fetcher.repository.directory
    git.run(directory, "branch", "a-before")
    if checked_out:
        git.run(directory, "branch", "z-now")
    later = {"GIT_COMMITTER_DATE": "2099-01-01T00:00:00Z"}
    named = ["-c", "user.name=x", "-c", "user.email=x@example.net"]
    commit = ["git", *named, "commit", "-q", "--allow-empty", "-m", "x"]
    subprocess.run(commit, cwd=directory, env={**os.environ, **later}, check=True)
    if checked_out:
        git.run(directory, "checkout", "-q", "z-now")
    head = directory / ".git" / "HEAD"
    before = head.read_text()
    head.write_text("")
    fetcher.fetch([source])
    assert (fault(fetcher), head.read_text()) == ("", before)


def test_a_history_of_another_user_is_told_with_what_helps(
    server, fetcher, source, tmp_path, monkeypatch
):
    server.answer_with(says(ONE), says(TWO))
    fetcher.fetch([source])
    said = "fatal: detected dubious ownership in repository at 'x'"
    fake = tmp_path / "bin" / "git"
    fake.parent.mkdir()
    fake.write_text(f'#!/bin/sh\necho "{said}" >&2\nexit 128\n')
    fake.chmod(0o755)
    with monkeypatch.context() as path:
        path.setenv("PATH", f"{fake.parent}:{os.environ['PATH']}")
        assert fetcher.fetch([source])[0].status == "new"
    directory = fetcher.repository.directory
    told, _, chown = fault(fetcher).partition(" Give it to this one: ")
    assert told == (
        f"{directory / '.git'} belongs to another user, and git does not use it: lists are kept without a"
        " history."
    )
    assert chown == f"chown -R {os.getuid()} {directory}"
    subprocess.run(chown.split(), check=True)
    assert fetcher.fetch([source])[0].status == "unchanged"
    assert (fault(fetcher), git.run(directory, "status", "--porcelain")) == ("", "")


def test_where_git_is_not_installed_lists_go_on(server, fetcher, source, tmp_path, monkeypatch):
    server.answer_with(says(ONE), says(TWO))
    with monkeypatch.context() as path:
        path.setenv("PATH", str(tmp_path))
        assert fetcher.fetch([source])[0].status == "new"
        assert fault(fetcher) == (
            "git is not installed: lists are kept without a history until it is"
        )
    assert fetcher.fetch([source])[0].status == "new"
    assert commits(fetcher) == 1


KNOWN = ["08061X", "11111A", "14263U", "22222B"]


@pytest.fixture
def known(source, clock):
    """The source, which knows four members without dates."""
    who = [("14263U", "Exemple"), ("08061X", "Modèle"), ("11111A", "Échantillon"), ("22222B", "Un")]

    class WithMembers(type(source)):
        def members(self, originals, day):
            members = [MemberRecord(id, name, "Jeanne", group="EX") for id, name in who]
            return ChamberMembers(members, False, "essai")

    return WithMembers(source.name, source.chamber, source.addresses)


OF_MEMBERS = ["mandats.csv", "groupes.csv", "vus.csv"]
FEW = [("mandats.csv", "few lines"), ("groupes.csv", "few lines"), ("mandats.csv", "no line")]


@pytest.mark.parametrize(
    ("name", "share"), [*itertools.product(OF_MEMBERS, [0.0, 0.5, 0.97, "gone"]), *FEW]
)
def test_a_file_of_members_that_was_cut_short_is_restored(
    server, fetcher, known, clock, name, share
):
    server.answer_with(says(ONE))
    fetcher.fetch([known])
    path = fetcher.repository.members / name
    whole = path.read_bytes()
    if share == "gone":
        path.unlink()
    elif share in ("few lines", "no line"):
        path.write_bytes(b"".join(whole.splitlines(keepends=True)[: 2 if share[0] == "f" else 1]))
    else:
        path.write_bytes(whole[: int(share * len(whole))])
    clock.passes(days=1)
    (result,) = fetcher.fetch([known])
    assert f"elus/{name} was gone or cut short, and is restored from the history" in result.told
    assert result.alarm == ""
    if name != "vus.csv":
        assert path.read_bytes() == whole


def test_a_new_file_of_members_whose_commit_was_cut_off_ends_no_history(
    server, fetcher, known, clock
):
    server.answer_with(says(ONE), says(TWO))
    fetcher.fetch([known])
    (fetcher.repository.members / "nouveau.csv").write_text("x\n")
    git.run(fetcher.repository.directory, "add", "--", "elus")
    clock.passes(days=1)
    (result,) = fetcher.fetch([known])
    assert (result.status, fault(fetcher)) == ("new", "")


@pytest.mark.parametrize("line", [1, -1])
def test_what_a_maintainer_takes_out_of_a_file_of_members_stays_out(server, fetcher, known, line):
    server.answer_with(says(ONE))
    fetcher.fetch([known])
    path = fetcher.repository.members / "groupes.csv"
    lines = path.read_bytes().splitlines(keepends=True)
    del lines[line]
    path.write_bytes(b"".join(lines))
    assert fetcher.fetch([known])[0].told == []
    assert path.read_bytes() == b"".join(lines)


def test_members_watched_on_a_day_to_come_are_read_again_as_the_sentence_says(
    server, fetcher, known, clock
):
    server.answer_with(says(ONE))
    clock.passes(days=365)
    fetcher.fetch([known])
    clock.passes(days=-365)
    said = fetcher.fetch([known])[0].members
    assert said.endswith("is right, take the line of senat out of vus.csv")
    watched = fetcher.repository.members / "vus.csv"
    watched.write_text(watched.read_text().splitlines(keepends=True)[0])
    result = fetcher.fetch([known])[0]
    assert (result.members, result.told) == ("", [])
    assert watched.read_text().splitlines()[1:] == [f"senat,{clock.now:%Y-%m-%d}"]


@pytest.mark.parametrize("way", ["a copy", "the line"])
def test_a_file_of_mandates_without_lines_begins_no_renewal(server, fetcher, known, clock, way):
    server.answer_with(says(ONE))
    fetcher.fetch([known])
    shutil.rmtree(fetcher.repository.directory / ".git")
    path = fetcher.repository.members / "mandats.csv"
    whole = path.read_text()
    path.write_text(whole.splitlines(keepends=True)[0])
    clock.passes(days=1)
    said = fetcher.fetch([known])[0].members
    assert "nobody of senat sits in mandats.csv on 2026-09-14" in said
    assert said.endswith("put a copy of it in its place, or take the line of senat out of vus.csv")
    if way == "a copy":
        path.write_text(whole)
    else:
        watched = fetcher.repository.members / "vus.csv"
        watched.write_text(watched.read_text().splitlines(keepends=True)[0])
    assert fetcher.fetch([known])[0].members == ""
    assert [row.member for row in read_rows(path.parent).mandates] == KNOWN


def test_a_file_of_members_cut_without_a_history_is_refused(server, fetcher, known, clock):
    server.answer_with(says(ONE))
    fetcher.fetch([known])
    shutil.rmtree(fetcher.repository.directory / ".git")
    path = fetcher.repository.members / "mandats.csv"
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    clock.passes(days=1)
    (result,) = fetcher.fetch([known])
    assert f"{path}: the last line does not end: the file is cut off" in result.detail
    assert path.read_bytes() == whole[:-30]
    path.write_bytes(whole)
    assert fetcher.fetch([known])[0].alarm == ""
    # A line that somebody wrote without its last columns may be whole.
    with (groups := path.with_name("groupes.csv")).open("a") as file:
        file.write("senat,08061X,AUTRE,1999-01-01")
    (result,) = fetcher.fetch([known])
    assert result.detail.endswith("or end the line if it is whole")
    with groups.open("a") as file:
        file.write("\n")
    assert fetcher.fetch([known])[0].alarm == ""


@pytest.mark.parametrize("name", OF_MEMBERS)
def test_a_whole_file_of_members_without_its_last_line_end_is_read(
    server, fetcher, known, clock, name
):
    """Some editors leave it out."""
    server.answer_with(says(ONE))
    fetcher.fetch([known])
    shutil.rmtree(fetcher.repository.directory / ".git")
    path = fetcher.repository.members / name
    before = read_rows(path.parent)
    path.write_bytes(path.read_bytes()[:-1])
    assert read_rows(path.parent) == before
    clock.passes(days=1)
    assert fetcher.fetch([known])[0].alarm == ""


def deputies(count, begun):
    return [
        MemberRecord(f"{n:05}A", f"Exemple{n}", "Jeanne", mandates=[Period(begun)])
        for n in range(1, 1 + count)
    ]


@pytest.mark.parametrize("renewed", [True, False])
def test_a_renewal_that_mandates_prove_is_no_list_cut_short(
    server, fetcher, source, clock, renewed
):
    """A new assembly has hired a few people only."""
    begun = clock.now.date()

    class Dated(type(source)):
        def members(self, originals, day):
            since = day if renewed and day > begun else begun.replace(year=2020)
            return ChamberMembers(deputies(40, since), True, "essai")

    source = Dated(source.name, source.chamber, source.addresses)
    full = b"".join(b"%05dA,AUBE%d\n" % (n, n) for n in range(1, 41))
    few = b"".join(full.splitlines(keepends=True)[:9])
    server.answer_with(says(full), says(few))
    assert fetcher.fetch([source])[0].status == "new"
    clock.passes(days=2)
    (result,) = fetcher.fetch([source])
    assert result.status == ("new" if renewed else "refused")
    assert renewed or "9 pairs, fewer than half of the 40" in result.detail
