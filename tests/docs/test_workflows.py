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
MAKEFILE = (ROOT / "Makefile").read_text()
TARGETS = set(re.findall(r"^([a-z]+):", MAKEFILE, re.M))
WHOLE = (ROOT / ".ci" / "run").read_text()
MADE = set(" ".join(re.findall(r"^begin ([a-z ]+)", WHOLE, re.M)).split())
LEFT_OUT = set(re.findall(r"make ([a-z]+)", WHOLE.partition("Left out")[2]))


def workflow(name):
    return yaml.safe_load((WORKFLOWS / f"{name}.yml").read_text())


def commands(name):
    jobs = workflow(name)["jobs"].values()
    return [step["run"] for job in jobs for step in job["steps"] if "run" in step]


def test_they_are_what_github_takes():
    assert_valid("github-workflows", *FILES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_workflow_may_only_read_and_ends_by_itself(path):
    parsed = workflow(path.stem)
    assert parsed["permissions"] == {"contents": "read"}
    minutes = [str(job["timeout-minutes"]) for job in parsed["jobs"].values()]
    assert all(int(number) <= 90 for given in minutes for number in re.findall(r"\d+", given))
    assert all(re.search(r"\d", given) for given in minutes)


def test_every_action_is_pinned_to_one_commit_with_its_version_beside_it():
    pins = {}
    for path in (*FILES, ROOT / "docs" / "examples" / "daily.yml"):
        for used in re.findall(r"\buses: (.+)", path.read_text(encoding="utf-8")):
            # A tag can be moved to other code, which would run with the workflow's secrets.
            pinned = re.fullmatch(r"([\w./-]+)@([0-9a-f]{40} # v?\d+(?:\.\d+)+)", used)
            assert pinned, f"{path.name}: {used}"
            pins.setdefault(pinned[1], set()).add(pinned[2])
    assert {action for action, used in pins.items() if len(used) > 1} == set()
    assert "actions/checkout" in pins


def test_a_change_is_tried_on_every_python_that_is_supported():
    job = workflow("test")["jobs"]["test"]
    classifiers = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert job["strategy"]["matrix"]["python"] == classifiers
    assert {"make lint", "make test", "make processes", ".ci/run"} <= set(commands("test"))


def test_the_whole_makes_every_check_or_says_that_it_does_not():
    assert {"lint", "test", "processes", "browser"} <= MADE
    assert TARGETS - {"init", "morning", "serve", "docs", "clean", "constraints"} == MADE | LEFT_OUT
    assert not MADE & LEFT_OUT


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


@pytest.mark.parametrize("name", ["long", "newest"])
def test_what_runs_every_week_blocks_no_change(name):
    parsed = workflow(name)
    # YAML 1.1 reads the key `on` as true.
    assert set(parsed[True]) == {"schedule", "workflow_dispatch"}
    (entry,) = parsed[True]["schedule"]
    assert re.fullmatch(r"\d+ \d+ \* \* \d", entry["cron"])


def test_what_the_tests_of_a_change_leave_out_is_run_every_week():
    made = []
    for name in (path.stem for path in FILES if "schedule" in workflow(path.stem)[True]):
        made += re.findall(r"\bmake ([a-z]+)", "\n".join(commands(name)))
        for job in workflow(name)["jobs"].values():
            made += job.get("strategy", {}).get("matrix", {}).get("target", [])
    assert "make ${{ matrix.target }}" in commands("long")
    assert "make newest" in commands("newest")[0]
    assert sorted(made) == sorted(LEFT_OUT - {"bench"})


def test_the_readme_installs_the_alpha_that_is_deployed():
    (pin,) = PROJECT["optional-dependencies"]["deploy"]
    assert set(re.findall(r"datasette==[\w.]+", (ROOT / "README.md").read_text())) == {pin}
