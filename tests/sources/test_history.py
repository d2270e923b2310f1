"""Git is used in the folder of lists and in none above it; where it cannot be, lists go on and it is told."""

from __future__ import annotations

import datetime
import itertools
import shutil

import pytest

from parlement_lists.sources import journal
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
    return int(git.run(fetcher.repository.directory, "rev-list", "--count", "HEAD", "--", "senat"))


def fault(fetcher):
    return fetcher.repository.history.fault


def test_where_git_takes_the_repository_above_lists_go_on_without_a_history(
    server, fetcher, source, above
):
    server.answer_with(says(ONE), says(TWO), says(THREE))
    fetcher.fetch([source])
    own = fetcher.repository.directory / ".git"
    (own / "HEAD").write_bytes(b"\0" * 20)
    (result,) = fetcher.fetch([source])
    assert (result.status, result.alarm) == ("new", "")
    assert f"{own}: git would use the repository of {above.resolve()}: lists are kept" in fault(
        fetcher
    )
    shutil.rmtree(own)
    assert fetcher.fetch([source])[0].status == "new"
    assert (fault(fetcher), commits(fetcher)) == ("", 1)


def test_each_run_is_pushed_to_the_remote_and_one_that_is_gone_is_told(
    server, fetcher, source, tmp_path
):
    server.answer_with(says(ONE), says(TWO), says(THREE))
    assert fetcher.fetch([source])[0].status == "new"
    directory, remote = fetcher.repository.directory, tmp_path / "remote.git"
    git.run(tmp_path, "init", "--quiet", "--bare", str(remote))
    git.run(directory, "remote", "add", "elsewhere", str(remote))
    fetcher.fetch([source])
    head = git.run(directory, "rev-parse", "HEAD")
    assert (fault(fetcher), git.run(remote, "rev-parse", "--all")) == ("", head)
    shutil.rmtree(remote)
    assert fetcher.fetch([source])[0].status == "new"
    assert fault(fetcher).endswith("lists are committed here, and not at elsewhere")
    assert commits(fetcher) == 3


def test_what_git_says_of_a_lock_that_was_left_is_told(server, fetcher, source):
    server.answer_with(says(ONE), says(TWO), says(TWO))
    fetcher.fetch([source])
    lock = fetcher.repository.directory / ".git" / "index.lock"
    lock.touch()
    assert fetcher.fetch([source])[0].status == "new"
    assert "index.lock': File exists" in fault(fetcher)
    lock.unlink()
    assert fetcher.fetch([source])[0].status == "unchanged"
    assert (fault(fetcher), commits(fetcher)) == ("", 2)


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
        assert fault(fetcher).startswith(f"{directory / '.git'}: git ")
    # The day of the change is nowhere else.
    kept = sorted(path.stem for path in (directory / "senat").iterdir())
    assert kept == ["2026-09-14", "2026-09-15", "2026-09-16"]
    # A copy in its place.
    shutil.rmtree(directory / ".git")
    whole.rename(directory / ".git")
    clock.passes(days=1)
    assert fetcher.fetch([source])[0].status == "new"
    assert fault(fetcher) == ""
    assert git.run(directory, "status", "--porcelain") == ""


def test_where_git_is_not_installed_lists_go_on(server, fetcher, source, tmp_path, monkeypatch):
    server.answer_with(says(ONE), says(TWO))
    with monkeypatch.context() as path:
        path.setenv("PATH", str(tmp_path))
        assert fetcher.fetch([source])[0].status == "new"
        assert f"{fetcher.repository.directory / '.git'}: git is not installed: " in fault(fetcher)
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


OF_MEMBERS = ["mandats.csv", "groupes.csv"]
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


def test_members_are_not_read_before_a_day_that_the_journal_has(server, fetcher, known, clock):
    server.answer_with(says(ONE))
    clock.passes(days=365)
    (result,) = fetcher.fetch([known])
    journal.add(fetcher.repository.directory, [result.entry(f"{clock.now:%Y-%m-%d}")])
    clock.passes(days=-365)
    assert (
        "a clock was wrong: members of senat were read until" in fetcher.fetch([known])[0].members
    )


def test_a_day_on_which_members_were_not_read_is_no_day_of_theirs():
    lines = [
        journal.Line(f"2026-09-{day}", "essai", "nouvelle", why, liste=f"senat/2026-09-{day}")
        for day, why in (("14", ""), ("15", journal.NO_MEMBERS))
    ]
    assert journal.read_on(lines) == {"senat": datetime.date(2026, 9, 14)}


def test_a_file_of_mandates_without_lines_begins_no_renewal(server, fetcher, known, clock):
    server.answer_with(says(ONE))
    (result,) = fetcher.fetch([known])
    journal.add(fetcher.repository.directory, [result.entry("2026-09-14")])
    shutil.rmtree(fetcher.repository.directory / ".git")
    path = fetcher.repository.members / "mandats.csv"
    whole = path.read_text()
    path.write_text(whole.splitlines(keepends=True)[0])
    clock.passes(days=1)
    said = fetcher.fetch([known])[0].members
    assert "nobody of senat sits in mandats.csv on 2026-09-14" in said
    path.write_text(whole)
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
    assert f"{path}: line 5: the last line does not end: the file is cut off" in result.detail
    assert path.read_bytes() == whole[:-30]
    path.write_bytes(whole)
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
