from __future__ import annotations

import datetime
import io
import re
import struct
import warnings
import zipfile

import pytest

from parlement_lists.sources.assemblee.zip_entries import read_entries
from parlement_lists.sources.originals import Original, OriginalRefused


def entries(body: bytes, wanted: str = r"\.json$") -> list[tuple[str, bytes, datetime.date | None]]:
    return list(read_entries(Original("a.zip", body), re.compile(wanted).search))


def refusal(body: bytes) -> str:
    with pytest.raises(OriginalRefused) as refused:
        entries(body)
    return str(refused.value)


def packed(
    *contents: bytes, compression: int = zipfile.ZIP_DEFLATED, name: str = "{}.json"
) -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", compression) as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, content in enumerate(contents):
            file.writestr(
                zipfile.ZipInfo(name.format(number), (2026, 9, 14, 1, 2, 4)), content, compression
            )
    return body.getvalue()


def test_wanted_entries_are_read_with_their_day() -> None:
    found = entries(packed(b"{}", b"[]", b"3"), "^[02]")
    day = datetime.date(2026, 9, 14)
    assert found == [("0.json", b"{}", day), ("2.json", b"3", day)]


def test_a_day_that_is_none_is_none() -> None:
    body = packed(b"{}")
    stamp = zip_stamp(2026, 9, 14)
    assert body.count(stamp) == 2
    assert entries(body.replace(stamp, zip_stamp(2026, 0, 0)))[0][2] is None


def zip_stamp(year: int, month: int, day: int) -> bytes:
    return struct.pack("<H", (year - 1980) << 9 | month << 5 | day)


def test_many_entries_that_are_small_alone_are_refused_together() -> None:
    original = Original("a.zip", packed(*[bytes(1_000)] * 5))
    assert len(list(read_entries(original, lambda path: True, most_bytes=5_000))) == 5
    with pytest.raises(
        OriginalRefused, match=r"4\.json: more than 4999 bytes with those before it"
    ):
        list(read_entries(original, lambda path: True, most_bytes=4_999))


def test_an_entry_that_declares_less_than_it_holds_is_refused() -> None:
    body = packed(bytes(3_000_000))
    lying = body.replace(struct.pack("<I", 3_000_000), struct.pack("<I", 10))
    assert lying != body
    assert "0.json: damaged" in refusal(lying)


def test_an_entry_twice_is_refused() -> None:
    assert refusal(packed(b"1", b"2", name="x.json")) == "a.zip: x.json: 2 entries of this name"


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_another_compression_is_refused(method: int) -> None:
    assert (
        refusal(packed(b"{}", compression=method))
        == f"a.zip: 0.json: compressed by method {method}"
    )


def test_an_encrypted_entry_is_refused() -> None:
    body = bytearray(packed(b"{}"))
    body[body.index(b"PK\x01\x02") + 8] |= 1
    assert refusal(bytes(body)) == "a.zip: 0.json: encrypted"


@pytest.mark.parametrize("name", ["x" * 201, "a\x07.json"])
def test_a_name_that_is_no_path_is_refused(name: str) -> None:
    told = refusal(packed(b"{}", name=name))
    assert told.startswith("a.zip: entry 1: its name is no path")
    assert "xx" not in told


def test_an_entry_that_the_directory_calls_otherwise_is_refused() -> None:
    body = packed(b"{}", b"[]")
    at = body.rindex(b"1.json")
    renamed = body[:at] + b"1.jsoo" + body[at + 6 :]
    why = "a.zip: 1.jsoo: damaged: it does not begin as the directory says"
    assert refusal(renamed) == why


def test_an_entry_that_the_directory_leaves_out_is_refused() -> None:
    body = packed(b"{}", b"[]", b"3")
    # The first record swallows the second as its comment.
    at, length = body.index(b"PK\x01\x02"), 46 + len("0.json")
    swallowing = body[: at + 32] + struct.pack("<H", length) + body[at + 34 :]
    assert refusal(swallowing) == "a.zip: damaged zip: 2 entries of 3"
