"""`python -m benchmarks.originals`: what reading each chamber's originals takes, beside its library alone.

The originals are the real ones in MOUVEMENTS_DATA (by default ../shared/data): nothing is measured
where they are not. Every chamber is measured in a process of its own.
"""

from __future__ import annotations

import datetime
import io
import json
import os
import re
import resource
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

DATA = Path(os.environ.get("MOUVEMENTS_DATA") or Path(__file__).parents[2] / "shared" / "data")
ORIGINALS = DATA / "sources"
ROUNDS = 3
# The originals of one reading, and what is done with them.
Readings = Iterator[tuple[list[bytes], Callable[[], object], Callable[[], object]]]


def senat() -> Readings:
    """A night's two PDFs; beside it their text, as pypdfium2 gives it."""
    import pypdfium2

    from parlement_lists.sources.senat import SOURCE
    from parlement_lists.sources.source import Original
    from parlement_lists.tracking.members.known_members import Members

    members = Members.read(DATA / "elus")
    for path in sorted((ORIGINALS / "senat" / "pdf").glob("202[0-2]*-par-senateur.pdf")):
        bodies = [
            path.read_bytes(),
            path.with_name(path.name.replace("par-senateur", "alphabetique")).read_bytes(),
        ]

        def read(bodies: list[bytes] = bodies) -> object:
            return SOURCE.read([Original("a.pdf", body) for body in bodies], members, None)

        def floor(bodies: list[bytes] = bodies) -> object:
            return [
                page.get_textpage().get_text_range()
                for body in bodies
                for page in pypdfium2.PdfDocument(body)
            ]

        yield bodies, read, floor


def assemblee() -> Readings:
    """A day's zip, as its files are at hand; beside it every file unpacked and parsed."""
    from parlement_lists.sources.assemblee import SOURCE
    from parlement_lists.sources.source import Original
    from parlement_lists.tracking.members.known_members import Members

    packed = io.BytesIO()
    with (
        tarfile.open(ORIGINALS / "assemblee" / "acteurs-2022-01-30.tar.xz") as tar,
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as made,
    ):
        for member in tar:
            file = tar.extractfile(member)
            if file is not None:
                made.writestr(f"json/acteur/{Path(member.name).name}", file.read())
    body = packed.getvalue()

    def read() -> object:
        day = datetime.date(2022, 1, 30)
        return SOURCE.read([Original("AMO10.zip", body)], Members(), day)

    def floor() -> object:
        with zipfile.ZipFile(io.BytesIO(body)) as file:
            return sum(len(json.loads(file.read(name))) for name in file.namelist())

    yield [body], read, floor


def europarl() -> Readings:
    """Eighty-one pages; beside them the parser alone."""
    from selectolax.lexbor import LexborHTMLParser

    from parlement_lists.sources.europarl.page import read_page
    from parlement_lists.sources.source import Original, OriginalRefused

    pages: list[Original] = []
    with tarfile.open(ORIGINALS / "europarl" / "pages.tar.xz") as tar:
        for member in tar:
            file = tar.extractfile(member)
            if file is not None and re.search(r"-[0-9]+\.html$", member.name):
                pages.append(Original(Path(member.name).name, file.read()))
    good = []
    for page in pages:
        try:
            read_page(page)
        except OriginalRefused:
            continue
        good.append(page)

    def read() -> object:
        return [read_page(page) for page in good[-81:]]

    def floor() -> object:
        return [len(LexborHTMLParser(page.body.decode()).css("*")) for page in good[-81:]]

    yield [page.body for page in good[-81:]], read, floor


CHAMBERS: dict[str, Callable[[], Readings]] = {
    "senat": senat,
    "assemblee": assemblee,
    "europarl": europarl,
}


def measure(name: str) -> None:
    """Print readings, kB, the mean and the longest of them, and of the library alone, and the peak in MB."""
    ours, floors, size = [], [], 0
    for bodies, read, floor in CHAMBERS[name]():
        size += sum(map(len, bodies))
        ours.append(min(_seconds(read) for _ in range(ROUNDS)))
        floors.append(min(_seconds(floor) for _ in range(ROUNDS)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    count = len(ours)
    told = [count, size / count / 1000, sum(ours) / count, max(ours), sum(floors) / count, peak]
    print(json.dumps(told))


def _seconds(of: Callable[[], object]) -> float:
    began = time.process_time()
    of()
    return time.process_time() - began


def main() -> None:
    """Print a line a chamber."""
    if not ORIGINALS.exists():
        print(f"no originals in {ORIGINALS}; MOUVEMENTS_DATA says where they are")
        return
    print(f"processor time, best of {ROUNDS}; the library alone beside it")
    columns = ("readings", "kB", "mean s", "most s", "library s", "times", "peak MB")
    print(f"{'':12}" + "".join(f"{column:>11}" for column in columns))
    for name in CHAMBERS:
        command = [sys.executable, "-m", "benchmarks.originals", name]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        count, size, mean, most, library, peak = json.loads(done.stdout)
        print(
            f"{name:12}{count:11.0f}{size:11.0f}{mean:11.3f}{most:11.3f}{library:11.3f}"
            f"{mean / library:11.2f}{peak:11.0f}"
        )


if __name__ == "__main__":
    if len(sys.argv) == 2:
        measure(sys.argv[1])
    else:
        main()
