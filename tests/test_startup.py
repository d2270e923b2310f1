"""Starting where several processes find no internal database yet, as Datasette alone cannot."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "data" / "exemple" / "mouvements.csv"


@pytest.mark.parametrize("attempt", range(5))
def test_plain_datasettes_start_together_on_a_fresh_file(tmp_path: Path, attempt: int) -> None:
    datasette = [sys.executable, "-m", "datasette"]
    database = tmp_path / "movements.db"
    subprocess.run([*datasette, "mouvements", "build", database, "--movements", SAMPLE], check=True)
    command = [*datasette, database, "--internal", tmp_path / "var.sqlite3"]
    started = [
        subprocess.Popen(
            [*command, "--get", "/-/versions.json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(4)
    ]
    said = [process.communicate(timeout=60)[1].decode() for process in started]
    assert [process.returncode for process in started] == [0, 0, 0, 0], said
