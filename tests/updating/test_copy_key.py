"""The key of a copy goes nowhere but to its original, is never told, and is refused in the original's words."""

from __future__ import annotations

import datetime
import traceback
from pathlib import Path

import pytest

from datasette_mouvements.copying.copy_run import CopyFailed, follow
from datasette_mouvements.copying.service_client import MOST_DETAIL, Key, ServiceClient
from tests.contract import environment
from tests.contract.service import Answer

from .original_service import NOW, OriginalService, answer, copy, whole_file


def test_a_refused_key_is_told_with_the_service_s_own_words(
    original: OriginalService, copied: Path
) -> None:
    right = original.key_file.read_text().strip()
    original.key_file.write_text(f"{right[:-1]}{'0' if right[-1] != '0' else '1'}")
    arguments = ("copy-from", original.url, copied, "--key-file", original.key_file)
    result = environment.command(*arguments)
    assert (result.exit_code, result.stdout) == (1, "")
    detail = original.service.ask(
        "/v1/mouvements", {"authorization": f"Bearer {original.key_file.read_text()}"}
    ).json()["detail"]
    # What follows is an example, at the address that was asked.
    plain = " ".join(detail.partition(" : ")[0].split())
    told = f"{original.url}: status 401: the key is not accepted: {plain}"
    assert len(plain) > 40
    assert result.stderr.startswith(told)
    assert len(original.targets) == 1


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"[]", b'{"detail": 3}', b'{"detail": "' + b"x" * 20_000 + b'"}', b"[" * 9000],
    ids=lambda body: repr(body[:14]),
)
def test_a_refused_key_without_words_is_told_without(
    original: OriginalService, copied: Path, body: bytes
) -> None:
    original.behave = lambda target: answer(401, body)
    assert copy(original, copied).stopped == "status 401: the key is not accepted"


def test_the_words_of_a_refusal_are_bounded_and_printable_and_without_the_key(
    original: OriginalService, copied: Path
) -> None:
    detail = f"\x1b[2J\n{original.key} " + "x" * 2000
    original.behave = lambda target: answer(401, {"detail": detail})
    stopped = copy(original, copied).stopped
    assert stopped.isprintable()
    assert "accepted: [2J ... xxx" in stopped
    assert len(stopped) < MOST_DETAIL + 60
    assert original.key[:8] not in stopped


def test_an_error_that_nobody_foresaw_is_one_sentence_and_its_frames_do_not_show_the_key(
    original: OriginalService, copied: Path
) -> None:
    def fails() -> datetime.datetime:
        raise ZeroDivisionError(original.key)

    key = Key(original.key)
    with (
        ServiceClient(original.url, key, "test", lambda: NOW, print) as service,
        pytest.raises(CopyFailed) as refused,
    ):
        follow(copied, service, fails)
    (line,) = refused.value.lines
    assert line.startswith("an error that was not foreseen: ZeroDivisionError in ")
    cause = refused.value.__cause__
    assert cause is not None
    shown = [
        repr(vars(value) if isinstance(value, ServiceClient) else value)
        for frame, _ in traceback.walk_tb(cause.__traceback__)
        for value in frame.f_locals.values()
        if not isinstance(value, OriginalService)
    ]
    assert len(shown) > 5
    assert not [value for value in shown if original.key in value]
    assert not list(copied.parent.iterdir())


def test_the_key_goes_to_no_other_address(
    original: OriginalService, copied: Path, tmp_path: Path
) -> None:
    other = OriginalService(tmp_path / "other")
    try:
        for place in (other.url, other.url.replace("127.0.0.1", "localhost"), "ftp://127.0.0.1"):
            moved = answer(302, b"", Location=f"{place}/fichiers/tout")
            original.behave = lambda target, moved=moved: moved
            assert copy(original, copied).stopped
        assert other.targets == []
    finally:
        other.close()
    # Elsewhere on the same site it may be.
    there = answer(200, whole_file(original.database))
    moved = answer(302, b"", Location="/ailleurs")
    moves = {"/fichiers/tout": moved, "/ailleurs": there}
    original.behave = moves.get
    assert copy(original, copied).stopped == ""


def test_a_key_in_an_answer_that_cannot_be_read_is_not_told(
    original: OriginalService, copied: Path
) -> None:
    spelled_wrong = Answer(200, [(f"x {original.key}", "1")], b"")
    original.behave = lambda target: spelled_wrong
    stopped = copy(original, copied).stopped
    assert "RemoteProtocolError" in stopped
    assert original.key not in stopped


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"two words", b"mvt_\xc3\xa9", b"x" * 300, b"a\nb", b"\x00\x01"]
)
def test_what_is_no_key_is_not_sent_and_not_told(
    original: OriginalService, copied: Path, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "file").write_bytes(content)
    result = environment.command("copy-from", original.url, copied, "--key-file", tmp_path / "file")
    assert result.exit_code == 1
    assert "holds" in result.stderr
    assert not original.targets
    assert content.strip() == b"" or content.decode("latin-1") not in result.output


def test_no_part_of_the_key_is_told_where_the_words_are_cut(
    original: OriginalService, copied: Path
) -> None:
    detail = "x" * (MOST_DETAIL - 10) + original.key
    original.behave = lambda target: answer(401, {"detail": detail})
    assert original.key[:8] not in copy(original, copied).stopped
