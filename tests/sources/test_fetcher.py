"""Each list is kept as one file a day, one commit a change, and one bad source keeps no other back."""

from __future__ import annotations

import datetime
import gzip
import hashlib
import json
import re

import pytest
from click.testing import CliRunner

from parlement_lists.sources import journal
from parlement_lists.sources.commands import fetch
from parlement_lists.sources.repository import Repository, RepositoryBusy
from parlement_lists.sources.source import OriginalRefused, Source, StaffList, StaffRow
from parlement_lists.tracking.reading import git

from .conftest import LinesSource
from .misbehaving import says

ONE = b"14263U,AUBE\n08061X,BRUN\n"
TWO = b"14263U,AUBE\n08061X,CLAIR\n"
MANY = b"".join(b"14263U,AUBE%d\n" % number for number in range(9))


def commits(fetcher):
    directory = fetcher.repository.directory
    if not git.run(directory, "for-each-ref"):
        return []
    messages = git.run(directory, "log", "--format=%s", "--reverse").splitlines()
    return [message for message in messages if not message.startswith("journal ")]


def status(fetcher):
    return git.run(fetcher.repository.directory, "status", "--porcelain")


def files(fetcher):
    return sorted(path.name for path in (fetcher.repository.directory / "senat").iterdir())


def staff(fetcher, name):
    """Who stands in a list."""
    lines = (fetcher.repository.directory / "senat" / name).read_text().splitlines()
    return [line.split(",")[6] for line in lines[1:]]


def originals(fetcher):
    folder = fetcher.repository.directory / "originaux"
    return {
        str(path.relative_to(folder)): gzip.decompress(path.read_bytes())
        for path in sorted(folder.rglob("*.gz"))
    }


def test_a_list_is_kept_under_the_day_in_paris_with_its_original(server, fetcher, source, clock):
    clock.passes(hours=19)  # 23:00 UTC: already tomorrow in Paris
    server.answer_with(says(ONE))
    (result,) = fetcher.fetch([source])
    path = fetcher.repository.directory / "senat" / "2026-09-15.csv"
    assert (result.status, result.path, result.day) == ("new", str(path), "2026-09-15")
    assert (result.origin, result.age, result.late) == ("essai-lignes", 0, False)
    assert staff(fetcher, path.name) == ["BRUN", "AUBE"]
    assert commits(fetcher) == ["senat 2026-09-15: 3 lines, essai-lignes"]
    assert originals(fetcher) == {"essai/2026-09-15T0100/liste.csv.gz": ONE}
    assert status(fetcher) == ""
    (entry,) = journal.read(fetcher.repository.directory)
    assert entry == journal.Line(
        *("2026-09-15", "essai", "nouvelle", "", "", "senat/2026-09-15"),
        *(hashlib.sha256(ONE).hexdigest(), "liste.csv"),
    )


def test_the_result_says_what_the_list_was_made_of_and_why_there_is_none(server, fetcher, source):
    made = "Mon, 14 Sep 2026 04:00:00 GMT"
    server.answer_with(says(ONE, last_modified=made), says(b"<html>"), says(b"", status=404))
    first, refused, failed = (fetcher.fetch([source])[0] for _ in range(3))
    original = "liste.csv", hashlib.sha256(ONE).hexdigest(), "2026-09-14"
    assert (first.original, first.original_sha256, first.original_day) == original
    assert (first.cause, refused.cause, failed.cause) == ("", "unusable", "unreachable")
    assert (refused.original, failed.original) == ("liste.csv", "")


def test_run_twice_it_changes_nothing(server, fetcher, source):
    server.answer_with(says(ONE), says(TWO), says(TWO))
    fetcher.fetch([source])
    fetcher.fetch([source])
    before = files(fetcher), commits(fetcher), originals(fetcher)
    assert fetcher.fetch([source])[0].status == "unchanged"
    assert (files(fetcher), commits(fetcher), originals(fetcher)) == before


def test_an_original_that_is_gone_or_spoiled_is_asked_for_again(server, fetcher, source):
    server.answer_with(says(ONE, etag='"1"'))
    fetcher.fetch([source])
    (kept,) = (fetcher.repository.directory / "originaux").rglob("*.gz")
    for spoil in (kept.unlink, lambda: kept.write_bytes(gzip.compress(b"something else"))):
        spoil()
        assert fetcher.fetch([source])[0].status == "unchanged"
        assert "if-none-match" not in server.requests[-1]


def test_what_was_said_at_another_address_is_not_sent_to_this_one(server, fetcher, source):
    server.answer_with(says(ONE, etag='"1"', last_modified="Mon, 14 Sep 2026 04:00:00 GMT"))
    fetcher.fetch([source])
    fetcher.fetch([source.at({"liste": server.url + "?2"})])
    assert not {"if-none-match", "if-modified-since"} & server.requests[1].keys()


def test_an_address_that_moved_is_told(server, fetcher, source):
    server.answer_with(says(b"", status=301, location="/elsewhere.csv"), says(ONE))
    (result,) = fetcher.fetch([source])
    elsewhere = server.url.replace("liste", "elsewhere")
    assert result.told == [f"liste.csv: {server.url} leads to {elsewhere} now"]


def test_a_version_from_before_the_last_one_is_no_list(server, fetcher, source, clock, slept):
    today = says(ONE, last_modified="Mon, 14 Sep 2026 04:00:00 GMT")
    older = says(TWO, last_modified="Sun, 13 Sep 2026 04:00:00 GMT")
    server.answer_with(today, older)
    fetcher.fetch([source])
    clock.passes(days=1)
    (result,) = fetcher.fetch([source])
    assert result.status == "failed"
    assert "older than the one received before" in result.detail
    assert files(fetcher) == ["2026-09-14.csv"]
    server.answer_with(older, says(TWO, last_modified="Tue, 15 Sep 2026 04:00:00 GMT"))
    assert fetcher.fetch([source])[0].status == "new"


def test_days_without_a_change_leave_one_copy_under_the_last_of_them(
    server, fetcher, source, clock
):
    server.answer_with(says(ONE, etag='"1"'), says(b"", status=304), says(ONE), says(TWO))
    fetcher.fetch([source])
    for days, seen in ((2, "2026-09-16.csv"), (7, "2026-09-23.csv")):
        clock.passes(days=days)
        (result,) = fetcher.fetch([source])
        assert (result.status, result.day) == ("unchanged", seen[:10])
        assert files(fetcher) == ["2026-09-14.csv", seen]
        assert staff(fetcher, seen) == ["BRUN", "AUBE"]
    assert server.requests[1]["if-none-match"] == '"1"'
    clock.passes(days=1)
    assert fetcher.fetch([source])[0].status == "new"
    assert files(fetcher) == ["2026-09-14.csv", "2026-09-23.csv", "2026-09-24.csv"]
    assert [one.partition(":")[0] for one in commits(fetcher) if "senat" in one] == [
        "senat 2026-09-14",
        "senat 2026-09-24",
    ]
    assert status(fetcher) == ""


def test_two_changes_within_a_minute_are_two_files(server, fetcher, source):
    server.answer_with(says(ONE), says(TWO), says(MANY))
    for _ in range(3):
        fetcher.fetch([source])
    assert files(fetcher) == ["2026-09-14.csv", "2026-09-14T0600.csv", "2026-09-14T0601.csv"]
    assert staff(fetcher, "2026-09-14T0600.csv") == ["CLAIR", "AUBE"]


def test_a_list_older_than_the_last_one_is_refused(server, fetcher, source, clock):
    server.answer_with(says(ONE), says(TWO))
    fetcher.fetch([source])
    clock.passes(days=-1)
    (result,) = fetcher.fetch([source])
    assert result.status == "refused"
    assert "of 2026-09-13, older than the last list kept, of 2026-09-14" in result.detail
    assert files(fetcher) == ["2026-09-14.csv"]


def test_a_list_of_a_day_to_come_is_refused_and_blocks_nothing(server, fetcher, source, clock):
    server.answer_with(says(ONE))
    for day in (datetime.date(2026, 9, 16), datetime.date.max):
        (result,) = fetcher.fetch([Dated(day, source)])
        assert (result.status, result.late) == ("refused", True)
        assert f"essai: a list of {day}, which is after the day it was received" in result.detail
    (result,) = fetcher.fetch([Dated(datetime.date(2026, 9, 15), source)])
    assert (result.status, result.day, result.age) == ("new", "2026-09-15", -1)
    clock.passes(days=1)
    assert fetcher.fetch([source])[0].status == "new"


class Dated(Source):
    """The source of a list that says its day."""

    def __init__(self, day, source):
        super().__init__(source.name, source.chamber, source.addresses)
        object.__setattr__(self, "day", day)

    def read(self, originals, members, day):
        return StaffList(
            [StaffRow("14263U", "Exemple", "Jeanne", "", "", "AUBE", "Paul")], "essai", self.day
        )


def test_a_list_of_under_half_the_pairs_is_refused(server, fetcher, source):
    half, less = MANY.splitlines(keepends=True)[:5], MANY.splitlines(keepends=True)[:4]
    server.answer_with(says(MANY), says(b"".join(less)), says(b"".join(half)))
    fetcher.fetch([source])
    (result,) = fetcher.fetch([source])
    assert result.status == "refused"
    assert "4 pairs, fewer than half of the 9 of the last list" in result.detail
    assert fetcher.fetch([source])[0].status == "new"


class LeavesOut(LinesSource):
    """A member of the original is not known."""

    def read(self, originals, members, day):
        return super().read(originals, members, day)._replace(unknown=["NEUF Ève"])


@pytest.mark.rule("record-half-read")
def test_half_a_list_is_no_list(server, fetcher, source):
    server.answer_with(says(ONE), says(b"14263U,AUBE\n"))
    fetcher.fetch([source])
    (result,) = fetcher.fetch([LeavesOut(source.name, source.chamber, source.addresses)])
    told = "NEUF Ève: not known, and may be one of those who are missing"
    assert (result.status, told in result.detail) == ("refused", True)
    assert files(fetcher) == ["2026-09-14.csv"]


def test_who_is_not_known_is_new_where_nobody_is_missing(server, fetcher, source):
    server.answer_with(says(ONE), says(TWO))
    fetcher.fetch([source])
    (result,) = fetcher.fetch([LeavesOut(source.name, source.chamber, source.addresses)])
    assert result.status == "new"


def test_a_source_knows_the_members_whom_the_last_list_names(server, fetcher, source):
    class OfNamedOnly(type(source)):
        def read(self, originals, members, day):
            read = super().read(originals, members, day)
            names = {row.elu_id: members.name("senat", row.elu_id) for row in read.rows}
            return read._replace(
                rows=[row for row in read.rows if names[row.elu_id]],
                told=[f"{id} is {name and name.full}" for id, name in names.items()],
            )

    server.answer_with(says(ONE), says(b"14263U,CLAIR\n99999Z,NEUF\n08061X,BRUN\n"))
    fetcher.fetch([source])
    (result,) = fetcher.fetch([OfNamedOnly(source.name, source.chamber, source.addresses)])
    assert result.told == [
        *("14263U is Jeanne Exemple", "99999Z is None", "08061X is Jeanne Exemple"),
    ]
    assert staff(fetcher, files(fetcher)[-1]) == ["BRUN", "CLAIR"]


def test_a_page_that_is_called_csv_is_not_kept(server, fetcher, source):
    server.answer_with(says(b"<!DOCTYPE html>", content_type="text/csv"))
    (result,) = fetcher.fetch([source])
    assert (result.status, result.detail) == ("refused", "a page instead of a list")
    assert (result.day, result.age, result.late) == ("", None, True)
    assert commits(fetcher) == []


def test_each_source_has_its_own_patience(server, fetcher, source, clock):
    fetcher.sleep = lambda seconds: clock.passes(seconds=int(seconds))
    busy = says(b"", status=503, retry_after="200")
    server.answer_with(busy, says(ONE), busy, says(TWO), busy, busy, says(ONE))
    first, second, third = fetcher.fetch([source, source, source])
    assert [first.status, second.status, third.status] == ["new", "new", "failed"]
    assert "asks to wait 200 s, longer than the 100 s that are left" in third.detail


def test_a_failed_source_keeps_no_other_back(server, fetcher, source):
    server.answer_with(says(b"", status=404), says(ONE))
    statuses = [result.status for result in fetcher.fetch([source, source])]
    assert statuses == ["failed", "new"]


def test_a_source_with_a_fault_of_its_own_keeps_no_other_back(server, fetcher, source):
    server.answer_with(says(b"no comma\n"), says(ONE))
    faulty, good = fetcher.fetch([source, source])
    assert (faulty.status, good.status) == ("failed", "new")
    # Without the message, which may hold a name.
    assert re.fullmatch(r"ValueError in tests\.sources\.conftest, line [0-9]+", faulty.detail)


def test_a_chamber_whose_list_is_old_is_late(server, fetcher, source, clock):
    server.answer_with(says(ONE), says(b"", status=404))
    fetcher.fetch([source])
    clock.passes(days=10)
    assert not fetcher.fetch([source])[0].late
    clock.passes(days=1)
    (result,) = fetcher.fetch([source])
    assert (result.late, result.age) == (True, 11)
    assert result.line().endswith("(LATE: the last list is of 2026-09-14)")


def test_a_list_left_over_by_an_interrupted_run_is_committed_by_the_next(server, fetcher, source):
    server.answer_with(says(ONE))
    fetcher.fetch([source])
    git.run(fetcher.repository.directory, "update-ref", "-d", "HEAD")
    # The first run of all has none.
    (fetcher.repository.directory / ".git" / "logs" / "HEAD").unlink()
    git.run(fetcher.repository.directory, "rm", "-r", "--cached", "--quiet", ".")
    assert fetcher.fetch([source])[0].status == "unchanged"
    assert commits(fetcher) == ["senat: left over from an interrupted run"]
    assert status(fetcher) == ""


def test_originals_are_kept_for_some_days_and_the_last_ones_for_good(
    server, fetcher, source, clock
):
    server.answer_with(says(ONE), says(TWO))
    fetcher.fetch([source])
    clock.passes(days=90)
    fetcher.fetch([source])
    assert list(originals(fetcher).values()) == [ONE, TWO]
    clock.passes(days=1)
    fetcher.fetch([source])
    assert list(originals(fetcher).values()) == [TWO]
    clock.passes(days=100)
    fetcher.fetch([source])
    assert list(originals(fetcher).values()) == [TWO]


def test_what_is_remembered_and_originals_are_not_part_of_the_history(server, fetcher, source):
    server.answer_with(says(ONE, etag='"1"'))
    fetcher.fetch([source])
    listed = git.run(fetcher.repository.directory, "ls-files").split()
    assert listed == ["journal.csv", "senat/2026-09-14.csv"]
    assert fetcher.repository.last_seen()["essai"]["originals"]["liste.csv"]["etag"] == '"1"'


@pytest.mark.parametrize("spoiled", [b"{", b"[]", b"\xff"])
def test_a_spoiled_memory_costs_a_download_only(server, fetcher, source, spoiled):
    server.answer_with(says(ONE))
    fetcher.fetch([source])
    (fetcher.repository.directory / ".fetch.json").write_bytes(spoiled)
    assert fetcher.fetch([source])[0].status == "unchanged"


def test_two_runs_at_once_are_one(fetcher, source):
    with Repository(fetcher.repository.directory).locked(), pytest.raises(RepositoryBusy):
        fetcher.fetch([source])


@pytest.mark.parametrize("contact", ["zoé@example.org", "a@example.org\r\nx: y"])
def test_a_contact_that_no_header_can_hold_is_wrong_usage(tmp_path, monkeypatch, contact):
    monkeypatch.setenv("MOUVEMENTS_CONTACT", contact)
    ran = CliRunner().invoke(fetch, [str(tmp_path / "listes")])
    assert (ran.exit_code, "is not in ASCII" in ran.stderr) == (2, True)
    assert not (tmp_path / "listes").exists()


def test_a_folder_that_cannot_be_made_is_told_in_a_line(tmp_path):
    (tmp_path / "file").touch()
    ran = CliRunner().invoke(fetch, [str(tmp_path / "file" / "listes")])
    assert ran.exit_code == 1
    assert ran.stderr == f"Error: [Errno 20] Not a directory: '{tmp_path}/file/listes'\n"


KEPT = (
    "chambre,elu_id,elu_nom,elu_prenom,groupe,collab_civilite,collab_nom,collab_prenom,fonction\n"
    "{chambre},{elu},Exemple,Jeanne,,Mme,AUBE,Maëlle,\n"
)
LIST = KEPT.format(chambre="senat", elu="14263U").encode()


def only(*names):
    return [word for name in names for word in ("--source", name)]


def test_the_command_reports_each_source_and_fails_if_one_did(server, tmp_path):
    server.answer_with(says(LIST), says(b"", status=404))
    sources = tmp_path / "sources.yml"
    sources.write_text(
        f"bon: {{chambre: senat, url: '{server.url}'}}\n"
        f"mauvais: {{chambre: assemblee, url: '{server.url}'}}\n"
    )
    directory = tmp_path / "listes"
    ran = CliRunner().invoke(
        fetch, [str(directory), "--sources", str(sources), "--json", *only("bon", "mauvais")]
    )
    assert ran.exit_code == 1
    assert [(o["source"], o["status"]) for o in json.loads(ran.stdout)] == [
        ("bon", "new"),
        ("mauvais", "failed"),
    ]
    assert (directory / "senat").glob("*.csv").__next__().read_bytes() == LIST


def test_a_journal_that_cannot_be_read_is_told_and_keeps_no_list_out(server, tmp_path):
    server.answer_with(says(LIST))
    sources = tmp_path / "sources.yml"
    sources.write_text(f"bon: {{chambre: senat, url: '{server.url}'}}\n")
    directory = tmp_path / "listes"
    directory.mkdir()
    (directory / "journal.csv").write_text("jour\n")
    ran = CliRunner().invoke(fetch, [str(directory), "--sources", str(sources), *only("bon")])
    assert (ran.exit_code, "journal.csv: line 1: header 'jour'" in ran.stderr) == (1, True)
    assert len(list((directory / "senat").glob("*.csv"))) == 1
    assert (directory / "journal.csv").read_text() == "jour\n"


def test_started_by_a_git_hook_of_another_repository_it_commits_in_its_own(
    server, fetcher, source, tmp_path, monkeypatch
):
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "other" / ".git" / "index"))
    server.answer_with(says(ONE))
    assert fetcher.fetch([source])[0].status == "new"
    assert len(commits(fetcher)) == 1
    assert not (tmp_path / "other").exists()


def test_members_that_are_refused_are_an_alarm_even_where_the_list_is_too(server, fetcher, source):
    class Refuses(type(source)):
        def members(self, originals, day):
            raise OriginalRefused("senateurs.json: 3 senators")

    refusing = Refuses(source.name, source.chamber, source.addresses)
    server.answer_with(says(b"<html>"), says(ONE))
    both, one = fetcher.fetch([refusing, refusing])
    for result in (both, one):
        assert result.told == ["members: senateurs.json: 3 senators"]
    assert (both.status, both.alarm) == ("refused", both.line())
    assert (one.status, one.alarm) == ("new", "essai: members: senateurs.json: 3 senators")


def test_a_list_is_not_kept_out_by_one_with_twice_as_many_before_it(server, fetcher, source, clock):
    """Tracking refuses that one, and waits for the next."""
    right, right_too = (_pairs(range(since, since + 30)) for since in (0, 1))
    wrong, cut = _pairs(range(70)), _pairs(range(10))
    server.answer_with(*map(says, (right, right_too, wrong, cut, right)))
    status = []
    for _ in range(5):
        (result,) = fetcher.fetch([source])
        status.append(result.status)
        clock.passes(days=1)
    assert status == ["new", "new", "new", "refused", "new"]


def test_the_list_after_one_kept_by_hand_is_compared_with_it(server, fetcher, source, clock):
    server.answer_with(*map(says, (_pairs(range(30)), _pairs(range(8)))))
    fetcher.fetch([source])
    clock.passes(days=1)
    (refused,) = fetcher.fetch([source])
    by_hand = fetcher.repository.directory / "senat" / f"{clock.now.date()}.csv"
    [whole] = by_hand.parent.iterdir()
    by_hand.write_bytes(b"".join(whole.read_bytes().splitlines(keepends=True)[:9]))
    clock.passes(days=1)
    (result,) = fetcher.fetch([source])
    assert (refused.status, result.status) == ("refused", "unchanged")


def _pairs(numbers):
    return b"".join(b"%05dA,AUBE%d\n" % (number, number) for number in numbers)
