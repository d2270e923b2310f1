"""Each list is kept as received, one commit per change, and one bad source keeps no other back."""

from __future__ import annotations

import json
import subprocess

import pytest
from click.testing import CliRunner

from datasette_mouvements.sources.commands import fetch
from datasette_mouvements.sources.hooks import SourceError
from datasette_mouvements.sources.registry import choose
from datasette_mouvements.tracking import git

from .misbehaving import cuts_off, says

ONE = b"\xef\xbb\xbfa,b\n1,\xc3\xa9\n"
TWO = b"a,b\r\n2,\xe9\r\n"


def commits(fetcher):
    log = ["git", "-C", str(fetcher.repository.directory), "log", "--format=%s", "--reverse"]
    return subprocess.run(log, capture_output=True, text=True).stdout.splitlines()


def files(fetcher):
    return sorted(path.name for path in (fetcher.repository.directory / "senat").iterdir())


def test_a_list_is_kept_byte_for_byte_under_the_day_in_paris(server, fetcher, source, clock):
    clock.passes(hours=19)  # 23:00 UTC: already tomorrow in Paris
    server.answer_with(says(ONE))
    (result,) = fetcher.fetch([source])
    path = fetcher.repository.directory / "senat" / "2026-09-15.csv"
    assert result == ("essai", "new", str(path), "")
    assert path.read_bytes() == ONE
    assert commits(fetcher) == ["senat 2026-09-15: 2 lines"]


def test_the_same_list_again_is_no_commit(server, fetcher, source, clock):
    server.answer_with(says(ONE))
    fetcher.fetch([source])
    clock.passes(days=1)
    assert fetcher.fetch([source])[0].status == "unchanged"
    assert len(commits(fetcher)) == 1


def test_a_list_that_the_server_did_not_send_again_is_no_commit(server, fetcher, source, clock):
    server.answer_with(says(ONE, etag='"1"'), says(b"", status=304))
    fetcher.fetch([source])
    clock.passes(days=1)
    assert fetcher.fetch([source])[0].status == "unchanged"
    assert server.requests[1]["if-none-match"] == '"1"'
    assert len(commits(fetcher)) == 1


def test_the_newest_list_is_not_a_file_that_is_no_list(server, fetcher, source, clock):
    folder = fetcher.repository.directory / "europarl"
    folder.mkdir()
    (folder / "intervalles.csv").write_bytes(b"mep_id\n")
    parliament = source._replace(chamber="europarl")
    server.answer_with(says(ONE, etag='"1"'), says(b"", status=304))
    assert fetcher.fetch([parliament])[0].status == "new"
    for seen in ("2026-09-15.csv", "2026-09-16.csv"):
        clock.passes(days=1)
        assert fetcher.fetch([parliament])[0].path == str(folder / seen)
        assert (folder / seen).read_bytes() == ONE
    assert len(commits(fetcher)) == 1


def test_an_odd_mark_of_a_server_is_not_sent_back(server, fetcher, source):
    server.answer_with(says(ONE, etag='"\xe9"'))
    fetcher.fetch([source])
    assert fetcher.fetch([source])[0].status == "unchanged"
    assert "if-none-match" not in server.requests[1]


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


def test_a_list_that_was_removed_is_asked_for_again(server, fetcher, source, clock):
    server.answer_with(says(ONE), says(TWO, etag='"2"'))
    for _ in range(2):
        fetcher.fetch([source])
        clock.passes(days=1)
    fetcher.repository.latest("senat").unlink()
    assert fetcher.fetch([source])[0].status == "new"
    assert "if-none-match" not in server.requests[2]
    assert fetcher.repository.latest("senat").read_bytes() == TWO


def test_what_a_server_said_of_one_list_is_not_said_of_another_sources(
    server, fetcher, source, clock
):
    other = source._replace(name="autre")
    server.answer_with(says(ONE, etag='"1"'), says(TWO, etag='"2"'), says(ONE, etag='"1"'))
    for asked in (source, other, source):
        assert fetcher.fetch([asked])[0].status == "new"
        clock.passes(days=1)
    assert not any("if-none-match" in request for request in server.requests)
    assert fetcher.repository.latest("senat").read_bytes() == ONE


def test_what_was_said_at_another_address_is_not_sent_to_this_one(server, fetcher, source):
    server.answer_with(says(ONE, etag='"1"', last_modified="Mon, 14 Sep 2026 04:00:00 GMT"))
    fetcher.fetch([source])
    fetcher.fetch([source._replace(url=source.url + "?2")])
    assert not {"if-none-match", "if-modified-since"} & server.requests[1].keys()


def test_days_without_a_change_leave_one_copy_under_the_last_of_them(
    server, fetcher, source, clock
):
    server.answer_with(says(ONE, etag='"1"'), says(b"", status=304), says(ONE), says(TWO))
    fetcher.fetch([source])
    for days, seen in ((2, "2026-09-16.csv"), (7, "2026-09-23.csv")):
        clock.passes(days=days)
        assert fetcher.fetch([source])[0].status == "unchanged"
        assert files(fetcher) == ["2026-09-14.csv", seen]
        assert (fetcher.repository.directory / "senat" / seen).read_bytes() == ONE
    clock.passes(days=1)
    assert fetcher.fetch([source])[0].status == "new"
    assert files(fetcher) == ["2026-09-14.csv", "2026-09-23.csv", "2026-09-24.csv"]
    assert commits(fetcher) == ["senat 2026-09-14: 2 lines", "senat 2026-09-24: 2 lines"]
    status = ["git", "-C", str(fetcher.repository.directory), "status", "--porcelain"]
    assert subprocess.run(status, capture_output=True, text=True).stdout == ""


def test_a_second_list_of_a_day_carries_its_hour(server, fetcher, source, clock):
    server.answer_with(says(ONE), says(TWO))
    fetcher.fetch([source])
    clock.passes(hours=3)
    fetcher.fetch([source])
    assert files(fetcher) == ["2026-09-14.csv", "2026-09-14T0900.csv"]
    assert fetcher.repository.latest("senat").read_bytes() == TWO


def test_two_changes_within_a_minute_are_two_files(server, fetcher, source):
    server.answer_with(says(ONE), says(TWO), says(ONE + b"c\n"))
    for _ in range(3):
        fetcher.fetch([source])
    assert files(fetcher) == ["2026-09-14.csv", "2026-09-14T0600.csv", "2026-09-14T0601.csv"]
    assert (fetcher.repository.directory / "senat" / "2026-09-14T0600.csv").read_bytes() == TWO
    assert fetcher.repository.latest("senat").read_bytes() == ONE + b"c\n"


def test_a_page_that_is_called_csv_is_not_kept(server, fetcher, source):
    server.answer_with(says(b"\xef\xbb\xbf\n<!DOCTYPE html>", content_type="text/csv"))
    (result,) = fetcher.fetch([source])
    assert (result.status, result.detail) == ("failed", "a page instead of a list")
    assert commits(fetcher) == []


def test_half_a_list_of_a_failed_attempt_is_not_left_before_the_whole_one(server, fetcher, source):
    server.answer_with(cuts_off, says(ONE))
    assert fetcher.fetch([source])[0].status == "new"
    assert fetcher.repository.latest("senat").read_bytes() == ONE


def test_a_server_that_asks_for_an_hour_fails_its_own_source_and_at_once(
    server, fetcher, source, slept
):
    server.answer_with(says(b"", status=503, retry_after="3600"), says(ONE))
    first, second = fetcher.fetch([source, source])
    assert (first.status, second.status, slept) == ("failed", "new", [])
    assert "asks to wait 3600 s" in first.detail


def test_what_one_source_waited_for_is_no_more_left_to_the_next(
    server, fetcher, source, clock, slept, monkeypatch
):
    monkeypatch.setattr(fetcher, "sleep", lambda seconds: clock.passes(seconds=int(seconds)))
    busy = says(b"", status=503, retry_after="200")
    server.answer_with(busy, says(ONE), busy, says(TWO))
    first, second, third = fetcher.fetch([source, source, source])
    assert [first.status, second.status, third.status] == ["new", "failed", "new"]
    assert "asks to wait 200 s, longer than the 100 s that are left" in second.detail


def test_a_failed_source_keeps_no_other_back(server, fetcher, source):
    server.answer_with(says(b"", status=404), says(ONE))
    statuses = [result.status for result in fetcher.fetch([source, source])]
    assert statuses == ["failed", "new"]


def test_a_list_left_over_by_an_interrupted_run_is_committed_by_the_next(server, fetcher, source):
    path = fetcher.repository.directory / "senat" / "2026-09-14.csv"
    path.parent.mkdir()
    path.write_bytes(ONE)
    server.answer_with(says(ONE))
    assert fetcher.fetch([source])[0].status == "unchanged"
    assert commits(fetcher) == ["senat: left over from an interrupted run"]


def test_what_was_remembered_is_not_part_of_the_history(server, fetcher, source):
    server.answer_with(says(ONE, etag='"1"'))
    fetcher.fetch([source])
    status = ["git", "-C", str(fetcher.repository.directory), "status", "--porcelain"]
    assert subprocess.run(status, capture_output=True, text=True).stdout == ""
    assert fetcher.repository.last_seen()["essai"]["etag"] == '"1"'


@pytest.mark.parametrize("spoiled", [b"{", b"[]", b'{"essai": 1}', b'{"essai": {}}', b"\xff"])
def test_a_spoiled_memory_costs_a_download_only(server, fetcher, source, spoiled):
    server.answer_with(says(ONE))
    fetcher.fetch([source])
    (fetcher.repository.directory / ".fetch.json").write_bytes(spoiled)
    assert fetcher.fetch([source])[0].status == "unchanged"


def test_the_command_reports_each_source_and_fails_if_one_did(server, tmp_path):
    server.answer_with(says(ONE), says(b"", status=404))
    sources = tmp_path / "sources.yml"
    sources.write_text(
        f"bon: {{chambre: senat, url: '{server.url}'}}\n"
        f"mauvais: {{chambre: assemblee, url: '{server.url}'}}\n"
    )
    directory = tmp_path / "listes"
    ran = CliRunner().invoke(fetch, [str(directory), "--sources", str(sources), "--json"])
    assert ran.exit_code == 1
    assert [(o["source"], o["status"]) for o in json.loads(ran.stdout)] == [
        ("bon", "new"),
        ("mauvais", "failed"),
    ]


def test_started_by_a_git_hook_of_another_repository_it_commits_in_its_own(
    server, tmp_path, monkeypatch
):
    other = tmp_path / "other"
    other.mkdir()
    (other / "file.csv").write_text("one")
    for step in (("init", "-q"), ("add", "."), ("commit", "-qm", "one")):
        git.run(other, *step)
    before = git.run(other, "log", "--format=%H"), git.run(other, "status", "--porcelain")
    index = (other / ".git" / "index").read_bytes()
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
    server.answer_with(says(ONE))
    sources = tmp_path / "sources.yml"
    sources.write_text(f"bon: {{chambre: senat, url: '{server.url}'}}\n")
    own = tmp_path / "listes"
    ran = CliRunner().invoke(fetch, [str(own), "--sources", str(sources)])
    assert ran.exit_code == 0, ran.output
    assert git.run(own, "log", "--format=%s").endswith(": 2 lines\n")
    assert (git.run(other, "log", "--format=%H"), git.run(other, "status", "--porcelain")) == before
    assert (other / ".git" / "index").read_bytes() == index


def test_without_a_name_the_daily_lists_are_fetched():
    assert [source.name for source in choose(())] == ["assemblee"]


@pytest.mark.parametrize(
    ("described", "reason"),
    [
        ("", "expected a mapping"),
        ("[]", "expected a mapping"),
        ("a: {", "while parsing"),
        ("A B: {chambre: senat, url: x}", "lower-case"),
        ("a: {chambre: senat}", "needs url and chambre"),
        ("a: {chambre: senat, url: x, colour: red}", "needs url and chambre"),
        ("a: {chambre: lune, url: x}", "a list is of one chamber"),
        ("a: {chambre: senat, url: x, most_bytes: yes}", "most_bytes"),
    ],
)
def test_a_wrong_description_of_a_source_is_named(tmp_path, described, reason):
    file = tmp_path / "sources.yml"
    file.write_text(described)
    with pytest.raises(SourceError, match=reason):
        choose((), file)


def test_two_lists_of_one_chamber_would_undo_each_other_every_day(tmp_path):
    file = tmp_path / "sources.yml"
    file.write_text("own: {chambre: assemblee, url: 'https://lists.example.org/an.csv'}")
    with pytest.raises(SourceError, match="more than one list of assemblee"):
        choose(("assemblee", "own"), file)
    assert [source.name for source in choose((), file)] == ["own"]


def test_an_unknown_source_is_named_with_those_that_are_known():
    with pytest.raises(SourceError, match="unknown source moon; known: assemblee"):
        choose(("moon",))
