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

STAMP = struct.pack("<H", (2026 - 1980) << 9 | 9 << 5 | 14)


def entries(body: bytes, wanted: str = r"\.json$") -> list[tuple[str, bytes, datetime.date | None]]:
    return list(read_entries(Original("a.zip", body), re.compile(wanted).search))


def packed(
    *contents: bytes, compression: int = zipfile.ZIP_DEFLATED, name: str = "{}.json"
) -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", compression) as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, content in enumerate(contents):
            info = zipfile.ZipInfo(name.format(number), (2026, 9, 14, 1, 2, 4))
            file.writestr(info, content, compression)
    return body.getvalue()


def changed(body: bytes, at: int, new: bytes) -> bytes:
    return body[:at] + new + body[at + len(new) :]


def test_wanted_entries_are_read_with_their_day_if_it_exists() -> None:
    day = datetime.date(2026, 9, 14)
    found = entries(packed(b"{}", b"[]", b"3"), "^[02]")
    assert found == [("0.json", b"{}", day), ("2.json", b"3", day)]
    body = packed(b"{}")
    assert body.count(STAMP) == 2
    none = struct.pack("<H", (2026 - 1980) << 9)
    assert entries(body.replace(STAMP, none)) == [("0.json", b"{}", None)]


ONE, TWO, THREE = packed(b"{}"), packed(b"{}", b"[]"), packed(b"{}", b"[]", b"3")
LONG = packed(bytes(3_000_000))
# The first record of the directory swallows the second as its comment.
SWALLOWED = changed(THREE, THREE.index(b"PK\x01\x02") + 32, struct.pack("<H", 46 + len("0.json")))


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (LONG.replace(struct.pack("<I", 3_000_000), struct.pack("<I", 10)), "0.json: damaged"),
        (packed(b"{}", compression=zipfile.ZIP_BZIP2), "0.json: compressed by method 12"),
        (
            changed(ONE, ONE.index(b"PK\x01\x02") + 8, b"\x01"),
            "0.json: damaged: it is encrypted, or",
        ),
        (packed(b"{}", name="y" * 201), "its directory: 201 letters"),
        (packed(b"{}", name="a\x07.json"), "entry 1: its name is no path"),
        (
            changed(TWO, TWO.rindex(b"1.json"), b"1.jsoo"),
            "1.jsoo: damaged: it is encrypted, or does not begin as the directory says",
        ),
        (SWALLOWED, "damaged: 2 entries of 3"),
    ],
)
def test_a_zip_that_is_not_whole_and_plain_is_refused(body: bytes, why: str) -> None:
    with pytest.raises(OriginalRefused) as refused:
        entries(body)
    assert str(refused.value).startswith(f"a.zip: {why}")
    assert "yy" not in str(refused.value)
