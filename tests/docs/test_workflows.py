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


def test_mutants_have_90_minutes():
    given = workflow("long")["jobs"]["long"]["timeout-minutes"]
    assert given == "${{ matrix.target == 'mutants' && 90 || 60 }}"


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


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_make_target_exists(path):
    asked = re.findall(r"\bmake ([a-z]+)", "\n".join(commands(path.stem)))
    assert set(asked) <= TARGETS


def test_a_change_is_tried_on_every_python_that_is_supported():
    job = workflow("test")["jobs"]["test"]
    classifiers = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert job["strategy"]["matrix"]["python"] == classifiers
    assert {"make lint", "make test", "make processes"} <= set(commands("test"))


def test_a_change_is_tried_as_a_whole():
    assert ".ci/run" in commands("test")
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


def test_the_whole_makes_every_check_or_says_that_it_does_not():
    assert {"lint", "test", "processes", "browser"} <= MADE
    assert TARGETS - {"init", "morning", "serve", "docs", "clean", "constraints"} == MADE | LEFT_OUT
    assert not MADE & LEFT_OUT


@pytest.mark.parametrize("failing", ["", "lint", "browser", "processes"])
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


def test_what_is_left_out_of_a_change_s_tests_is_named():
    recipe = re.search(r"^test:.*\n((?:\t.*\n)+)", MAKEFILE, re.M)[1]
    expression = re.search(r"-m '([^']+)'", recipe)[1]
    markers = set(re.findall(r"not (\w+)", expression))
    assert {f"make {marker.replace('process', 'processes')}" for marker in markers} == set(
        re.findall(r"make \w+", recipe.splitlines()[-1])
    )


@pytest.mark.parametrize("name", ["long", "newest"])
def test_what_runs_every_week_blocks_no_change(name):
    parsed = workflow(name)
    # YAML 1.1 reads the key `on` as true.
    assert set(parsed[True]) == {"schedule", "workflow_dispatch"}
    (entry,) = parsed[True]["schedule"]
    assert re.fullmatch(r"\d+ \d+ \* \* \d", entry["cron"])


def test_the_newest_alpha_is_tried():
    assert "make newest" in commands("newest")[0]


def test_what_the_tests_of_a_change_leave_out_is_run_every_week():
    made = []
    for name in (path.stem for path in FILES if "schedule" in workflow(path.stem)[True]):
        made += re.findall(r"\bmake ([a-z]+)", "\n".join(commands(name)))
        for job in workflow(name)["jobs"].values():
            made += job.get("strategy", {}).get("matrix", {}).get("target", [])
    assert "make ${{ matrix.target }}" in commands("long")
    assert sorted(made) == sorted(LEFT_OUT - {"bench"})


def test_every_check_and_every_workflow_stands_in_the_documentation_for_maintainers():
    page = (ROOT / "docs" / "development.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `(\w+)` \|", page, re.M))
    assert (MADE | LEFT_OUT | {path.stem for path in FILES}) - named == set()


def test_its_summary_says_which_version_and_what_failed(tmp_path):
    (tmp_path / "newest.txt").write_text(
        "python3 -m venv .venv-newest\n"
        "Newest Datasette: datasette, version 1.0a99; deployed: datasette==1.0a41\n"
        "..F.E\n"
        "  broken: error.body: what a refusal looks like\n"
        "FAILED tests/contract/test_errors.py::test_one - AssertionError\n"
        "ERROR tests/serving/test_health.py::test_two\n"
        "1 failed, 3 passed, 1 error in 2.0s\n"
    )
    summary = tmp_path / "summary"
    subprocess.run(
        ["bash", "-e", "-c", commands("newest")[1]],
        cwd=tmp_path,
        env={"GITHUB_STEP_SUMMARY": str(summary), "PATH": "/usr/bin:/bin"},
        check=True,
    )
    told = summary.read_text().splitlines()
    assert [line.split()[0] for line in told] == ["Newest", "broken:", "FAILED", "ERROR", "1"]


def test_the_readme_installs_the_alpha_that_is_deployed():
    (pin,) = PROJECT["optional-dependencies"]["deploy"]
    assert set(re.findall(r"datasette==[\w.]+", (ROOT / "README.md").read_text())) == {pin}
