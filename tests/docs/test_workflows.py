"""The workflows run the Makefile's commands, on the Pythons and the Datasette that are declared."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib

import pytest
import yaml

from tests.contract.environment import ROOT
from tests.publish.test_container import assert_valid

WORKFLOWS = ROOT / ".github" / "workflows"
FILES = sorted(WORKFLOWS.glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
TARGETS = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M))
WHOLE = (ROOT / ".ci" / "run").read_text()
MADE = set(" ".join(re.findall(r"^begin ([a-z ]+)", WHOLE, re.M)).split())
LEFT_OUT = set(re.findall(r"make ([a-z]+)", WHOLE.partition("Left out")[2]))


def workflow(name):
    return yaml.safe_load((WORKFLOWS / f"{name}.yml").read_text())


def test_they_are_what_github_takes_and_may_only_read():
    assert_valid("github-workflows", *FILES)
    for path in FILES:
        assert workflow(path.stem)["permissions"] == {"contents": "read"}


def test_every_action_is_pinned_to_one_commit_with_its_version_beside_it():
    for path in (*FILES, ROOT / "docs" / "examples" / "daily.yml"):
        for used in re.findall(r"\buses: (.+)", path.read_text(encoding="utf-8")):
            # A tag can be moved to other code, which would run with the workflow's secrets.
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v?\d+(?:\.\d+)+", used), used


def test_a_change_is_tried_on_every_python_that_is_supported():
    job = workflow("test")["jobs"]["test"]
    classifiers = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert job["strategy"]["matrix"]["python"] == classifiers
    run = {step.get("run") for one in workflow("test")["jobs"].values() for step in one["steps"]}
    assert {"make lint", "make test", "make processes", ".ci/run"} <= run


def test_every_check_is_made_of_a_change_or_every_week():
    assert {"lint", "test", "processes", "browser"} <= MADE
    assert TARGETS - {"init", "morning", "serve", "docs", "clean", "constraints"} == MADE | LEFT_OUT
    weekly = workflow("long")["jobs"]["long"]["strategy"]["matrix"]["target"]
    assert {*weekly, "newest"} == LEFT_OUT - {"bench"}
    assert "make newest" in (WORKFLOWS / "newest.yml").read_text()


@pytest.mark.parametrize("failing", ["", "lint", "processes"])
def test_the_whole_fails_with_any_part_and_ends_with_what_each_said(tmp_path, failing):
    make = '#!/bin/sh\necho "== 7 passed in 1.50s =="\n[ "$1" != "$FAILING" ]\n'
    for program, text in (("make", make), ("apt-get", "#!/bin/sh\n")):
        (tmp_path / program).write_text(text)
        (tmp_path / program).chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    ran = subprocess.run(
        [ROOT / ".ci" / "run"],
        env={"PATH": path, "FAILING": failing},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.returncode == (1 if failing else 0), ran.stderr
    told = dict(re.findall(r"^make (\w+): exit (\d).* passed in", ran.stdout, re.M))
    assert told == {part: str(int(part == failing)) for part in MADE}


def test_the_readme_installs_the_alpha_that_is_deployed():
    (pin,) = PROJECT["optional-dependencies"]["deploy"]
    assert set(re.findall(r"datasette==[\w.]+", (ROOT / "README.md").read_text())) == {pin}
