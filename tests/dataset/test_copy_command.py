"""`copy`: the file of a real service over real HTTP is taken whole, or what stands is left as it was."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.dataset.commands import copy_file
from datasette_mouvements.dataset.connections import publication
from datasette_mouvements.dataset.input_files import InputRefused
from parlement_lists.bounds import FILE_BYTES
from tests.building.original_service import OriginalService, movement
from tests.contract.environment import command
from tests.contract.service import Answer
from tests.sources.conftest import server
from tests.sources.misbehaving import Behaviour, Server, cuts_off, drips, is_silent

__all__ = ["server"]

QUOTA = "/v1/quota"
FILE = "/movements.db"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OriginalService]:
    made = OriginalService(tmp_path_factory.mktemp("original"))
    yield made
    made.close()


@pytest.fixture
def original(service: OriginalService) -> OriginalService:
    """The service with its first movements, asked nothing yet."""
    service.behave = lambda target: None
    service.targets.clear()
    service.keys.clear()
    service.key_file.write_text(f"{service.key}\n")
    first = [movement(number) for number in range(1, 8)]
    if [*service.table.values()] != first:
        service.publish(*first)
    return service


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """Where a copy is made."""
    return tmp_path / "copie" / "movements.db"


def copy(original: OriginalService, copied: Path) -> Result:
    """The command; the key is in nothing that it prints, and nothing stays beside the copy."""
    done = command("copy", original.url, copied, "--key-file", original.key_file)
    assert original.key not in done.output
    assert {path.name for path in copied.parent.glob("*")} <= {copied.name}
    return done


def refused(original: OriginalService, copied: Path, why: str) -> None:
    """The command ends with 1 and this sentence; what stands is what stood."""
    before = copied.read_bytes(), copied.stat().st_ino
    done = copy(original, copied)
    assert (done.exit_code, done.stderr) == (1, f"Error: {copied} is as it was: {why}\n")
    assert (copied.read_bytes(), copied.stat().st_ino) == before


def test_a_copy_is_the_file_and_follows_it(original: OriginalService, copied: Path) -> None:
    done = copy(original, copied)
    version = publication(original.database)["version"]
    assert done.stdout == f"{copied}: taken, 7 movements, version {version}\n"
    assert copied.read_bytes() == original.database.read_bytes()
    assert copied.stat().st_mode & 0o777 == original.database.stat().st_mode & 0o777
    assert original.keys == [f"Bearer {original.key}"]
    original.change(movement(20), gone=(5,))
    assert copy(original, copied).exit_code == 0
    assert copied.read_bytes() == original.database.read_bytes()
    assert movement(5).collab_nom.encode() not in copied.read_bytes()


def test_the_same_is_not_sent_and_costs_nothing(original: OriginalService, copied: Path) -> None:
    def used() -> int:
        answer = original.service.ask(QUOTA, {"x-api-key": original.key})
        return int(answer.json()["utilise"])

    copy(original, copied)
    inode, before = copied.stat().st_ino, used()
    again = copy(original, copied)
    assert (again.exit_code, ": unchanged, 7 movements" in again.stdout) == (0, True)
    # What stands between may take the tag away: the file comes, and is the same.
    original.behave = lambda target: Answer(200, [], original.database.read_bytes())
    assert ": unchanged, " in copy(original, copied).stdout
    assert (copied.stat().st_ino, used()) == (inode, before)


@pytest.mark.parametrize(
    ("status", "header", "why"),
    [
        (301, "http://127.0.0.2/movements.db", "status 301: the key goes to no other address"),
        (304, "", "status 304"),
        (503, "", "status 503: the service has no movements at the moment"),
    ],
)
def test_what_is_refused_changes_nothing_and_is_asked_once(
    original: OriginalService, copied: Path, status: int, header: str, why: str
) -> None:
    copied.parent.mkdir()
    shutil.copy(original.database, copied)
    if status == 304:  # to who has nothing it says nothing
        copied.write_bytes(copied.read_bytes().replace(b"NOM3", b"NOM4"))
    headers = [("location", header)] if header else []
    body = f"{original.key} is yours".encode()
    original.behave = lambda target: Answer(status, headers, body)
    refused(original, copied, why)
    assert original.targets == [FILE]


def test_a_damaged_copy_is_taken_anew_and_one_that_was_emptied_is_not(
    original: OriginalService, copied: Path
) -> None:
    copy(original, copied)
    body = copied.read_bytes()
    copied.write_bytes(body.replace(b"NOM3", b"NOM4"))
    assert inspect(copied) != []
    assert ": taken, " in copy(original, copied).stdout
    assert copied.read_bytes() == body
    # An original that lost everything empties no copy.
    original.publish()
    why = "what was sent has no movement: move this file away to have it all the same"
    refused(original, copied, why)
    copied.unlink()
    assert ": taken, 0 movements" in copy(original, copied).stdout


def test_a_key_unknown_to_the_service_is_refused(original: OriginalService, copied: Path) -> None:
    copy(original, copied)
    original.key_file.write_text("mvt_faux\n")
    refused(original, copied, "status 401: the key is missing or not accepted")
    original.key_file.write_text("two words\n")
    refused(original, copied, f"{original.key_file} holds no key, or more than one")
    assert len(original.targets) == 2


def test_no_unsound_file_is_taken(original: OriginalService, copied: Path, tmp_path: Path) -> None:
    copy(original, copied)
    body = original.database.read_bytes()
    told = tmp_path / "told.db"
    told.write_bytes(body)
    with closing(sqlite3.connect(told)) as db, db:
        db.execute("update _publication set valeur = ? where cle = 'schema'", [original.key])
    for sent in (b"junk", body.replace(b"NOM3", b"NOM4"), b"", told.read_bytes()):
        original.behave = lambda target, sent=sent: Answer(200, [], sent)  # type: ignore[misc]
        before = copied.read_bytes()
        done = copy(original, copied)
        assert done.exit_code == 1
        assert "what was sent does not pass the check: " in done.stderr
        assert copied.read_bytes() == before
    assert "schema version ..., this version reads" in done.stderr


def test_what_is_no_copy_of_the_service_is_left_as_it_is(
    original: OriginalService, copied: Path, tmp_path: Path
) -> None:
    copied.parent.mkdir()
    copied.write_text("precious")
    refused(original, copied, "no movements file that can be read stands there: name another file")
    assert original.targets == []
    other = OriginalService(tmp_path / "other")
    shutil.copy(other.database, copied)
    other.close()
    why = "what was sent is of another lineage: name another file, or move this one away"
    original.change(movement(30))
    refused(original, copied, why)
    copied.unlink()
    assert ": taken, " in copy(original, copied).stdout


def tells_of_too_much(request: Any) -> None:
    request.send_response(200)
    request.send_header("content-length", str(FILE_BYTES + 1))
    request.end_headers()


@pytest.mark.parametrize(
    ("behaviour", "why"),
    [
        (cuts_off, "connection failed (RemoteProtocolError)"),
        (is_silent, "connection failed (ReadTimeout)"),
        (drips, "not complete after 0.5 s"),
        (tells_of_too_much, f"more than {FILE_BYTES:,}"),
    ],
)
def test_what_is_cut_or_hangs_or_drips_or_is_too_long_changes_nothing(
    original: OriginalService, copied: Path, server: Server, behaviour: Behaviour, why: str
) -> None:
    copied.parent.mkdir()
    shutil.copy(original.database, copied)
    before = copied.read_bytes()
    server.answer_with(behaviour)
    with pytest.raises(InputRefused, match=re.escape(why)):
        copy_file(server.url, copied, "k", silence=0.3, longest=0.5 if behaviour is drips else 30)
    assert copied.read_bytes() == before
    assert list(copied.parent.iterdir()) == [copied]


@pytest.mark.parametrize(
    "url",
    ["ftp://h", "https://u:p@h", "https://h?x=1", "http://mouvements.example"],
)
def test_an_address_that_is_none_is_wrong_usage(url: str, copied: Path, tmp_path: Path) -> None:
    """A key goes to another machine by https alone."""
    (key := tmp_path / "key").write_text("mvt_x")
    assert command("copy", url, copied, "--key-file", key).exit_code == 2
    assert command("copy", "http://localhost:1", copied, "--key-file", key).exit_code == 1
    assert not copied.exists()
