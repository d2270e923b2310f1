"""Where the contract runs: paths, the commands, and an environment without the package."""

from __future__ import annotations

import json
import sys
import venv
from collections.abc import Sequence
from copy import deepcopy
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result
from datasette.app import Datasette
from datasette.utils import parse_metadata
from packaging.requirements import Requirement

from datasette_mouvements.cli import mouvements

ROOT = Path(__file__).resolve().parents[2]
PLUGINS = ROOT / "plugins"
METADATA = ROOT / "metadata.yml"
SAMPLE = ROOT / "tests" / "sample" / "mouvements.csv"
PACKAGE = "datasette_mouvements"
LISTS = "parlement_lists"
PLUGIN = "datasette-mouvements"
SECRET = "a secret of the tests alone"


def command(*arguments: object) -> Result:
    """`datasette mouvements ARGUMENTS`, in this process."""
    return CliRunner().invoke(mouvements, [str(argument) for argument in arguments])


def done(*arguments: object) -> Result:
    """The same, which must succeed."""
    result = command(*arguments)
    assert result.exit_code == 0, result.output
    return result


def issue(account: str, internal: Path, *options: object) -> str:
    """A first key for the account."""
    result = done("keys", "create", account, "--internal", internal, "--json", *options)
    key: str = json.loads(result.stdout)["key"]
    return key


_parsed = cache(parse_metadata)  # two thirds of the time that making a Datasette takes


def datasette(
    database: Path,
    internal: Path,
    settings: dict[str, Any] | None = None,
    beside: Sequence[Path] = (),
    **core: Any,
) -> Datasette:
    """A Datasette as `metadata.yml` describes it, with these settings of the plugin on top."""
    metadata = deepcopy(_parsed(METADATA.read_text(encoding="utf-8")))
    block = metadata.setdefault("plugins", {}).setdefault(PLUGIN, {})
    block.update(settings or {})
    return Datasette(
        [str(database), *map(str, beside)],
        metadata=metadata,
        plugins_dir=str(PLUGINS),
        internal=str(internal),
        secret=SECRET,
        settings=core,
    )


def without_package(directory: Path) -> Path:
    """The Python of a new environment: Datasette and its own dependencies of this one, by links.

    It is what `pip install datasette` gives: nothing of the package can be found there, neither its
    code nor its entry point nor what only it depends on.
    """
    venv.create(directory, symlinks=True, with_pip=False)
    target = next(directory.glob("lib/python*/site-packages"))
    for name in _brought_by("datasette"):
        found = distribution(name)
        for entry in {file.parts[0] for file in found.files or []} - {"..", "__pycache__"}:
            if not (target / entry).exists():  # two distributions may share a folder
                (target / entry).symlink_to(str(found.locate_file(entry)))
    return directory / "bin" / "python"


def _brought_by(name: str, known: frozenset[str] = frozenset()) -> frozenset[str]:
    """A distribution and what it depends on, here and without extras."""
    known |= {name}
    for line in distribution(name).requires or []:
        needed = Requirement(line)
        if needed.name not in known and (
            not needed.marker or needed.marker.evaluate({"extra": ""})
        ):
            known = _brought_by(needed.name, known)
    return known


def serve_command(database: Path, internal: Path, *options: str) -> list[str]:
    """`datasette mouvements serve`, which needs the package installed."""
    arguments = ["-m", "datasette", "mouvements", "serve", "--db", str(database), *options]
    return [sys.executable, *arguments, "--internal", str(internal), "--port"]


def plain_command(python: Path, database: Path, internal: Path, *options: str) -> list[str]:
    """Plain `datasette serve` with the plugins folder, in isolated mode: no PYTHONPATH either."""
    arguments = ["-I", "-m", "datasette", "serve", str(database), "-m", str(METADATA)]
    arguments += ["--plugins-dir", str(PLUGINS), "--internal", str(internal), *options]
    return [str(python), *arguments, "--port"]
