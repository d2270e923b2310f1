"""What an image must install for this package: its own dependencies, each at one version."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, requires, version

from packaging.requirements import Requirement

from ..config import PLUGIN


class NotInstalled(Exception):
    """A dependency is not installed here, so there is no version to pin it to."""


def pinned(extras: Sequence[str] = ()) -> list[str]:
    """`name==version` for every dependency of the package and of the `extras`, as installed here.

    A version that the package itself pins in any of its extras (Datasette's alpha) is kept, whatever
    is installed. `datasette publish` writes these unquoted into a shell line, where the `>` of a
    range would be a redirection: hence only `==`.
    """
    declared = [Requirement(line) for line in requires(PLUGIN) or ()]
    kept = {requirement.name: exact for requirement in declared if (exact := _exact(requirement))}
    wanted = {
        requirement.name: requirement for requirement in declared if _applies(requirement, extras)
    }
    return [
        f"{name}{_in_brackets(requirement.extras)}=={kept.get(name) or _installed(name)}"
        for name, requirement in wanted.items()
    ]


def _applies(requirement: Requirement, extras: Sequence[str]) -> bool:
    marker = requirement.marker
    # Images are Linux, whatever the maintainer's machine is.
    linux = {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"}
    return marker is None or any(
        marker.evaluate({**linux, "extra": extra}) for extra in ("", *extras)
    )


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
