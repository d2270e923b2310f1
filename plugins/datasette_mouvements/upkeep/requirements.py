"""What an image must install for this package: its own dependencies, each at one version."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from packaging.requirements import Requirement


class NotInstalled(Exception):
    """A dependency is not installed here, so there is no version to pin it to."""


def pinned(project: Path, extras: Sequence[str] = ()) -> list[str]:
    """`name==version` for every dependency of the package and of the `extras`, as installed here.

    `project` is the pyproject.toml that is published, not the metadata of what is installed: that
    one is as old as the last `pip install -e`. A version pinned in any extra (Datasette's alpha) is
    kept, whatever is installed. `datasette publish` writes these unquoted into a shell line, where
    the `>` of a range would be a redirection: hence only `==`.
    """
    with project.open("rb") as file:
        table = tomllib.load(file)["project"]
    optional = table["optional-dependencies"]
    wanted = [*table["dependencies"], *(line for extra in extras for line in optional[extra])]
    everything = [Requirement(line) for lines in optional.values() for line in lines]
    kept = {requirement.name: exact for requirement in everything if (exact := _exact(requirement))}
    return [
        f"{name}{_in_brackets(requirement.extras)}=={kept.get(name) or _installed(name)}"
        for name, requirement in {r.name: r for r in map(Requirement, wanted)}.items()
        if _on_linux(requirement)
    ]


def _on_linux(requirement: Requirement) -> bool:
    # Images are Linux, whatever the maintainer's machine is.
    linux = {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"}
    return requirement.marker is None or requirement.marker.evaluate(linux)


def _exact(requirement: Requirement) -> str | None:
    specifiers = list(requirement.specifier)
    if len(specifiers) == 1 and specifiers[0].operator == "==":
        return specifiers[0].version
    return None


def _in_brackets(extras: Iterable[str]) -> str:
    named = ",".join(sorted(extras))
    return f"[{named}]" if named else ""


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        raise NotInstalled(f"{name} is not installed here: pip install {name}") from None
