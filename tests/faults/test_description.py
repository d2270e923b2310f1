"""Requests generated from the description, against a running service, with every check there is."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract import environment
from tests.contract.service import OverHttp
from tests.pages import years

pytestmark = pytest.mark.process
# The key goes where the contract looks first: a generated X-API-Key beside it is then rightly ignored.
RUN = "from schemathesis.cli import schemathesis; schemathesis()"


@pytest.mark.rule("decisions-documented", "interface-3", "interface-5-5")
def test_whatever_the_description_allows_or_forbids_is_answered_as_described(
    tmp_path: Path,
) -> None:
    database, internal = tmp_path / "movements.db", tmp_path / "internal.sqlite3"
    members = years.write(tmp_path)  # for stays, members and holes
    lists = ("--lists", tmp_path / "lists", "--members", members)
    environment.done("build", database, "--movements", environment.SAMPLE, *lists)
    command = environment.serve_command(database, internal)
    with contextlib.closing(OverHttp("serve", command, internal, environment.ROOT)) as service:
        key = environment.issue("proprietes", internal, "--quota", 1_000_000)
        options = ["--checks=all", "--mode=all", "--seed=1", "--max-examples=20", "--workers=1"]
        options += [
            "--phases=examples,coverage,fuzzing,stateful",
            f"--header=Authorization: Bearer {key}",
        ]
        ran = subprocess.run(
            [
                *(sys.executable, "-c", RUN, "run", *options),
                f"http://127.0.0.1:{service.port}/v1/openapi.json",
            ],
            cwd=tmp_path,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                "SCHEMATHESIS_HOOKS": "tests.faults.undescribed",
            },
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert re.search(r"Selected: (\d+)/\1\s+Tested: \1\n", ran.stdout)  # every operation
    generated = re.search(r"(\d+) generated", ran.stdout)
    assert generated
    assert int(generated[1]) > 300
