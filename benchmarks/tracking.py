"""`python -m benchmarks.tracking`: lists a second and memory, beside decompressing and csv.reader alone.

The lists are the 293 of 2020 in MOUVEMENTS_DATA (by default ../shared/data), else as many invented ones.
"""

from __future__ import annotations

import csv
import datetime
import io
import json
import os
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

DATA = Path(os.environ.get("MOUVEMENTS_DATA") or Path(__file__).parents[2] / "shared" / "data")
ARCHIVE = DATA / "archives" / "an-quotidien-2020.tar.xz"
ROUNDS = 3
LISTS, MEMBERS = 293, 577


def floor(archive: Path, folder: Path) -> int:
    """What reading costs at the least: decompress every list, split it into fields."""
    lists = 0
    with tarfile.open(archive) as tar:
        for member in tar:
            file = tar.extractfile(member) if member.isfile() else None
            if file is not None:
                lists += 1
                for _ in csv.reader(io.StringIO(file.read().decode())):
                    pass
    return lists


def movements(archive: Path, folder: Path) -> int:
    """Lists to movements: decompress, read, examine, compare, settle."""
    from parlement_lists.tracking.corrections import Corrections
    from parlement_lists.tracking.members.known_members import Members
    from parlement_lists.tracking.reading.walk import walk
    from parlement_lists.tracking.run import Run
    from parlement_lists.tracking.state import TrackingState

    run = Run(TrackingState(), Members(), Corrections(), "archives")
    run.feed(walk([archive]).files)
    run.settle()
    return len(run.result.report.records)


def build(archive: Path, folder: Path) -> int:
    """The command: lists to a movements database with its tracking state."""
    from datasette_mouvements.updating import update
    from parlement_lists.tracking.reading.walk import walk

    sources = update.Inputs(lists=walk([archive]).files)
    done = update.build(folder / "x.db", sources, datetime.datetime.now(datetime.UTC))
    return len(done.report.records)


MEASURED: dict[str, Callable[[Path, Path], int]] = {
    "floor": floor,
    "movements": movements,
    "build": build,
}


def measure(name: str, archive: Path) -> None:
    """Run one measurement in this process; print lists, processor seconds and peak memory in MB."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.process_time()
        lists = MEASURED[name](archive, Path(folder))
        seconds = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([lists, seconds, peak]))


def main() -> None:
    """Print each measurement, the best of ROUNDS processes, and how it compares with the floor."""
    with tempfile.TemporaryDirectory() as folder:
        archive = ARCHIVE if ARCHIVE.exists() else invented(Path(folder))
        print(f"{archive}, processor time, best of {ROUNDS}")
        print(f"{'':12}{'lists':>8}{'seconds':>10}{'lists/s':>10}{'peak MB':>10}{'floor x':>10}")
        least = 0.0
        for name in MEASURED:
            runs = [_in_a_process(name, archive) for _ in range(ROUNDS)]
            lists, seconds, peak = min(runs, key=lambda run: run[1])
            least = least or seconds
            print(
                f"{name:12}{lists:8.0f}{seconds:10.2f}{lists / seconds:10.0f}{peak:10.0f}"
                f"{seconds / least:10.2f}"
            )


def _in_a_process(name: str, archive: Path) -> list[float]:
    command = [sys.executable, "-m", "benchmarks.tracking", name, str(archive)]
    done = subprocess.run(command, check=True, capture_output=True)
    found: list[float] = json.loads(done.stdout)
    return found


def invented(folder: Path) -> Path:
    """An archive of as many invented lists of the same form and size, a few pairs changing a day."""
    header = (
        "parlementaire,nom_parlementaire,prénom_parlementaire,sexe_parlementaire,collaborateur,"
        "nom_collaborateur,prénom_collaborateur,sexe_collaborateur,url_api_RC,url_institution,"
        "information complémentaire"
    )
    archive = folder / "invented.tar.xz"
    with tarfile.open(archive, "w:xz", preset=1) as tar:
        for number in range(LISTS):
            rows = [",".join(f'"{name}"' for name in header.split(","))]
            for elu in range(MEMBERS):
                for place in range(3 + elu % 2):
                    # One pair in about 600 has another person every day.
                    person = elu * 10 + place + (number + elu) // 600 * 10_000
                    rows.append(_row(elu, person))
            data = "\n".join([*rows, ""]).encode()
            day = datetime.date(2026, 1, 1) + datetime.timedelta(number)
            info = tarfile.TarInfo(f"assemblee/{day}.csv")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return archive


def _row(elu: int, person: int) -> str:
    family = "".join("bcdfglmnpr"[int(digit)] + "aeiou"[int(digit) % 5] for digit in f"{person:07}")
    member = f'"Élue Inventée{elu:03}","Inventée{elu:03}","Élue","F"'
    staff = f'"Mme Zélie {family.capitalize()}","{family.capitalize()}","Zélie","F"'
    site = f"https://www.nosdeputes.fr/elue-inventee{elu:03}/xml"
    sheet = f"http://www2.assemblee-nationale.fr/deputes/fiche/OMC_PA999{elu:03}"
    return f'{member},{staff},"{site}","{sheet}",""'


if __name__ == "__main__":
    if len(sys.argv) == 3:
        measure(sys.argv[1], Path(sys.argv[2]))
    else:
        main()
