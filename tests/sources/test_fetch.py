"""A run keeps a list of each source, notes and commits it; what fails at one source keeps no other back."""

from __future__ import annotations

import datetime
import hashlib
import json
import re

import pytest
from click.testing import CliRunner

from parlement_lists.regular_file import FilesError
from parlement_lists.sources import journal, repository
from parlement_lists.sources.commands import fetch_command
from parlement_lists.sources.originals import (
    ChamberMembers,
    MemberRecord,
    OriginalRefused,
    StaffList,
    StaffRow,
)

from . import amo10
from .conftest import ONE, TWO, LinesSource
from .misbehaving import says


def staff(fetcher, name):
    """Who stands in a list."""
    lines = (fetcher.directory / "senat" / name).read_text().splitlines()
    return [line.split(",")[6] for line in lines[1:]]


def test_a_list_is_kept_under_the_day_in_paris_with_its_original(server, fetcher, source, clock):
    clock.passes(hours=19)  # 23:00 UTC: already tomorrow in Paris
    server.answer_with(says(ONE))
    (result,) = fetcher.fetch(source)
    path = fetcher.directory / "senat" / "2026-09-15.csv"
    assert result.sentence == f"senat: new {path}, from essai-lignes"
    assert (result.alarm, staff(fetcher, path.name)) == ("", ["BRUN", "AUBE"])
    (line,) = journal.read(fetcher.directory)
    assert line == journal.Line(
        jour="2026-09-15",
        source="senat",
        resultat="nouvelle",
        liste="senat/2026-09-15",
        sha256=hashlib.sha256(ONE).hexdigest(),
        original="liste.csv",
    )


def test_the_journal_says_why_there_is_no_list(server, fetcher, source):
    server.answer_with(says(b"<html>"), says(b"", status=404), says(b"no comma\n"))
    for outcome, reason, original in (
        ("refusee", "original inutilisable", "liste.csv"),
        ("echouee", "original non obtenu", ""),
        ("echouee", "défaut du programme", "liste.csv"),
    ):
        (result,) = fetcher.fetch(source)
        (line,) = journal.read(fetcher.directory)
        assert (line.resultat, line.raison, line.original) == (outcome, reason, original)
        assert (line.liste, result.alarm) == ("senat", result.sentence)
    # Without the message of the error, which may hold a name.
    assert re.fullmatch(r"ValueError in [\w.]+, line [0-9]+", result.detail)
    assert fetcher.files() == []


def test_a_source_that_fails_keeps_no_other_back(server, fetcher, source):
    server.answer_with(says(b"", status=404), says(ONE))
    other = LinesSource("assemblee", source.addresses)
    results = fetcher.fetch(other, source)
    assert [result.line.resultat for result in results] == ["echouee", "nouvelle"]


class Dated(LinesSource):
    """The source of a list that says its day: in two days, then tomorrow."""

    def read(self, originals, members, day):
        row = StaffRow("14263U", "Exemple", "Jeanne", "", "", "AUBE", "Paul")
        later = 2 if originals[0].body == ONE else 1
        return StaffList([row], "essai", day + datetime.timedelta(later))


def test_a_list_of_a_day_to_come_is_refused_and_blocks_nothing(server, fetcher, source, clock):
    server.answer_with(says(ONE), says(TWO))
    dated = Dated("senat", source.addresses)
    (result,) = fetcher.fetch(dated)
    assert "a list of 2026-09-16, which is after the day it was received" in result.detail
    assert fetcher.status(dated) == "nouvelle"
    assert fetcher.files() == ["2026-09-15.csv"]
    clock.passes(days=1)
    assert fetcher.status(source) == "nouvelle"


class LeavesOut(LinesSource):
    """A member of the original is not known."""

    def read(self, originals, members, day):
        return super().read(originals, members, day)._replace(unknown=["NEUF Ève"])


@pytest.mark.rule("record-half-read")
def test_half_a_list_is_no_list(server, fetcher, source):
    server.answer_with(says(ONE), says(b"14263U,AUBE\n"), says(TWO))
    fetcher.fetch(source)
    half = LeavesOut("senat", source.addresses)
    # A link among lists is none, whatever it leads to.
    (first,) = (fetcher.directory / "senat").iterdir()
    other, link = fetcher.directory / "liste.csv", first.with_name("2026-09-14T1200.csv")
    rows = first.read_bytes().splitlines(keepends=True)
    other.write_bytes(b"".join(row for row in rows if b"08061X" not in row))
    link.symlink_to(other)
    (result,) = fetcher.fetch(half)
    link.unlink()
    assert "NEUF Ève: not known, and may be one of those who are missing: 08061X" in result.detail
    assert (result.line.resultat, fetcher.files()) == ("refusee", ["2026-09-14.csv"])
    # Where nobody is missing, who is not known is new.
    assert fetcher.status(half) == "nouvelle"


class WithMembers(LinesSource):
    """The source, which knows four members without dates, or refuses them."""

    refused = False

    def members(self, originals, day):
        if self.refused:
            raise OriginalRefused("senateurs.json: 3 senators")
        ids = ("14263U", "08061X", "11111A", "22222B")
        members = [MemberRecord(id, "Exemple", "Jeanne", group="EX") for id in ids]
        return ChamberMembers(members, False, "essai")


def test_members_that_are_refused_are_an_alarm_and_stay_as_they_were(server, fetcher, source):
    class Refusing(WithMembers):
        refused = True

    server.answer_with(says(ONE), says(b"<html>"), says(TWO))
    fetcher.fetch(WithMembers("senat", source.addresses))
    before = {path.name: path.read_bytes() for path in (fetcher.directory / "elus").iterdir()}
    (both,) = fetcher.fetch(Refusing("senat", source.addresses))
    assert both.alarm == both.sentence
    (result,) = fetcher.fetch(Refusing("senat", source.addresses))
    assert result.alarm == "senat: members: senateurs.json: 3 senators"
    assert (result.line.resultat, result.line.raison) == ("nouvelle", journal.NO_MEMBERS)
    after = {path.name: path.read_bytes() for path in (fetcher.directory / "elus").iterdir()}
    assert (after, len(after)) == (before, 3)


def test_members_are_not_read_before_a_day_that_the_journal_has(server, fetcher, source, clock):
    known = WithMembers("senat", source.addresses)
    server.answer_with(says(ONE))
    clock.passes(days=365)
    fetcher.fetch(known)
    for path in (fetcher.directory / "senat").iterdir():
        path.unlink()
    clock.passes(days=-365)
    (result,) = fetcher.fetch(known)
    assert "a clock was wrong: members of senat were read until" in result.alarm


def test_a_file_of_members_that_is_cut_is_told(server, fetcher, source):
    server.answer_with(says(ONE))
    fetcher.fetch(WithMembers("senat", source.addresses))
    path = fetcher.directory / "elus" / "mandats.csv"
    path.write_bytes(path.read_bytes()[:-30])
    (result,) = fetcher.fetch(WithMembers("senat", source.addresses))
    assert f"{path}: line 5: the last line does not end: the file is cut off" in result.detail
    assert result.line.raison == "enregistrement impossible"


def test_a_day_on_which_members_were_not_read_is_no_day_of_theirs():
    lines = [
        journal.Line(f"2026-09-{day}", "senat", outcome, reason, liste=f"senat/2026-09-{day}")
        for day, outcome, reason in (
            ("13", "nouvelle", ""),
            ("14", "identique", ""),
            ("15", "nouvelle", journal.NO_MEMBERS),
            ("16", "refusee", ""),
        )
    ]
    assert journal.read_on(lines) == {"senat": datetime.date(2026, 9, 14)}


def test_two_runs_at_once_are_one(fetcher, source):
    busy = pytest.raises(FilesError)
    with repository.locked(fetcher.directory), busy:
        fetcher.fetch(source)


@pytest.fixture
def command(server, tmp_path):
    """Runs `fetch` for the Assemblée, whose zip comes from here."""
    sources = tmp_path / "sources.yml"
    sources.write_text(f"assemblee: {{adresses: {{zip: '{server.url}'}}}}\n")

    def run(*arguments):
        given = [str(tmp_path / "listes"), "--sources", str(sources), "--source", "assemblee"]
        return CliRunner().invoke(fetch_command, [*given, *arguments])

    return run


def test_the_command_reports_each_source_and_fails_if_one_did(command, server, tmp_path):
    server.answer_with(says(amo10.make(amo10.many(3))), says(b"", status=404))
    done = command("--json")
    (report,) = json.loads(done.stdout)
    assert (done.exit_code, report["resultat"]) == (0, "nouvelle")
    assert (tmp_path / "listes" / f"{report['liste']}.csv").exists()
    done = command()
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == "assemblee: failed AMO10.json.zip: status 404\n"
    # A list that is kept and in no commit is no good run.
    (tmp_path / "listes" / ".git" / "index.lock").touch()
    server.answer_with(says(amo10.make(amo10.many(4))))
    done = command()
    assert (done.exit_code, "index.lock" in done.stderr) == (1, True)
    assert "failed" not in done.stderr


def test_a_journal_that_cannot_be_read_is_told_and_stays(command, server, tmp_path):
    server.answer_with(says(amo10.make(amo10.many(3))))
    (tmp_path / "listes").mkdir()
    for written, fault in (
        ("jour\n", "journal.csv: line 1: no column source"),
        (f"{','.join(journal.Line._fields)}\nhier,,,,,,,\n", "journal.csv: line 2: jour: 'hier'"),
    ):
        (tmp_path / "listes" / "journal.csv").write_text(written)
        done = command()
        assert (done.exit_code, fault in done.stderr) == (1, True)
        assert (tmp_path / "listes" / "journal.csv").read_text() == written


def test_a_contact_that_no_header_can_hold_is_wrong_usage(command, tmp_path):
    done = command("--contact", "a@example.org\r\nx: y")
    assert (done.exit_code, "is not in ASCII" in done.stderr) == (2, True)
    assert not (tmp_path / "listes").exists()


def test_a_folder_that_cannot_be_made_is_told_in_a_line(tmp_path):
    (tmp_path / "file").touch()
    done = CliRunner().invoke(fetch_command, [str(tmp_path / "file" / "listes")])
    assert done.exit_code == 1
    assert done.stderr == f"Error: [Errno 20] Not a directory: '{tmp_path}/file/listes'\n"


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("lundi,s,nouvelle,,,senat,,", "line 2: jour: 'lundi' is no day"),
        ("2026-09-14,s,nouvelle,,,lune/2026-09-14,,", "line 2: liste: 'lune/2026-09-14' names no"),
        ("2026-09-14,s\n", "line 2: 2 values under 8 columns"),
        ("\udcff", "can't decode byte 0xff"),
    ],
)
def test_a_journal_that_cannot_be_used_is_named_with_line_and_field(tmp_path, line, fault):
    body = ",".join(journal.Line._fields) + "\n" + line
    (tmp_path / journal.FILE).write_bytes(body.encode(errors="surrogateescape"))
    with pytest.raises(FilesError) as refused:
        journal.read(tmp_path)
    assert str(tmp_path / journal.FILE) in str(refused.value)
    assert fault in str(refused.value)
