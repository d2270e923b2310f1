"""constraints.txt holds every package of an image, each at one version that every Python here can have."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import distribution

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.contract.environment import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# The extras of the two images; publish.sh installs those of the first.
IMAGES = (("deploy", "postgres"), ("deploy", "lists"))
EXTRAS = ("deploy", "lists", "postgres")
# An image has it before anything is installed.
ITS_OWN = "pip"


def pins() -> list[str]:
    """The lines of the file, without its comment."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


def pins_of_hosts() -> list[str]:
    """Those that publish.sh has a host install: the packages of lists alone are left out."""
    lists = {Requirement(line).name for line in PROJECT["optional-dependencies"]["lists"]}
    return [pin for pin in pins() if pin.partition("==")[0] not in lists]


def needed() -> set[str]:
    """What an image must install: all that is asked for, by whatever is installed, on this system."""
    found: set[str] = set()
    extras = [line for extra in EXTRAS for line in PROJECT["optional-dependencies"][extra]]
    waiting = [Requirement(line) for line in [*PROJECT["dependencies"], *extras]]
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        found.add(name)
        for extra in ("", *requirement.extras):
            inner = map(Requirement, distribution(name).requires or [])
            waiting += [
                other
                for other in inner
                if canonicalize_name(other.name) not in found
                and (other.marker is None or other.marker.evaluate({"extra": extra}))
            ]
    return found - {ITS_OWN}


def test_each_line_is_a_name_and_a_version_without_an_address_or_anything_a_shell_reads():
    assert pins()
    assert [pin for pin in pins() if not re.fullmatch(r"[\w.-]+==\d[\w.]*", pin)] == []


def test_it_holds_all_that_an_image_installs_and_on_the_oldest_python_nothing_else():
    pinned = {canonicalize_name(pin.partition("==")[0]) for pin in pins()}
    assert needed() - pinned == set()
    oldest = PROJECT["requires-python"].removeprefix(">=")
    if oldest == f"{sys.version_info.major}.{sys.version_info.minor}":
        assert pinned - needed() == set()


def test_the_dockerfile_installs_these_extras_by_it():
    installs = re.findall(r"^RUN pip install (.*)$", (ROOT / "Dockerfile").read_text(), re.M)
    assert all("--constraint constraints.txt" in install for install in installs)
    found = {tuple(re.findall(r"\[(.*)\]", install)[0].split(",")) for install in installs}
    assert found == set(IMAGES)


@pytest.mark.slow
@pytest.mark.parametrize("python", ["3.11", "container"])
def test_every_package_has_a_wheel_for_every_python_of_an_image(tmp_path, python):
    if python == "container":
        dockerfile = (ROOT / "Dockerfile").read_text()
        (python,) = set(re.findall(r"^FROM python:(3\.\d+)-slim", dockerfile, re.M))
    ran = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet"),
            *("--python-version", python, "--only-binary=:all:"),
            *("--target", str(tmp_path), *pins()),
        ],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr
