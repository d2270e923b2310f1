"""The three sources, and which of them a maintainer chooses, at which addresses."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import click
import yaml

from .. import DISTRIBUTION
from ..regular_file import read_text
from . import assemblee, europarl, senat
from .download import Source

SOURCES: tuple[Source, ...] = (assemblee.SOURCE, senat.SOURCE, europarl.SOURCE)


class SourceError(click.ClickException):
    """A source is unknown, or its addresses are badly described, which is wrong usage; the message names it."""

    exit_code = 2


class PackagesMissing(SourceError):
    """Packages that a source reads originals with are not installed; the message says how to."""

    exit_code = 1


def choose(
    names: tuple[str, ...] = (), file: Path | None = None, among: Sequence[Source] = SOURCES
) -> list[Source]:
    """The sources, `among` some, of these chambers, all without a name, at the addresses that a YAML file has for them.

    Raises SourceError if a name is unknown or the file cannot be used, PackagesMissing if this installation
    cannot read a chosen source.
    """
    sources = {source.chamber: source for source in among}
    if file:
        sources |= _moved(file, sources)
    if unknown := [name for name in names if name not in sources]:
        raise SourceError(f"unknown source {', '.join(unknown)}; known: {', '.join(sources)}")
    chosen = [source for source in sources.values() if source.chamber in (names or sources)]
    missing = [
        f"{source.chamber} needs {source.needs}"
        for source in chosen
        if source.needs and find_spec(source.needs) is None
    ]
    if missing:
        raise PackagesMissing(f"{', '.join(missing)}: pip install '{DISTRIBUTION}[lists]'")
    return chosen


def _moved(file: Path, sources: dict[str, Source]) -> dict[str, Source]:
    """The sources that a file names, with its addresses (`senat: {adresses: {senateurs: URL}}`)."""
    try:
        described = yaml.safe_load(read_text(file))
    except (OSError, yaml.YAMLError, UnicodeDecodeError) as error:
        raise SourceError(f"{file}: {error}") from error
    if not isinstance(described, dict) or not described:
        raise SourceError(f"{file}: expected a mapping of sources to their addresses")
    moved = {}
    for name, fields in described.items():
        where = f"{file}: {name}"
        if name not in sources:
            raise SourceError(f"{where}: no source has this name; known: {', '.join(sources)}")
        urls = fields.get("adresses") if isinstance(fields, dict) and len(fields) == 1 else None
        words = sources[name].addresses.keys()
        if not (isinstance(urls, dict) and urls and urls.keys() <= words) or not all(
            isinstance(url, str) for url in urls.values()
        ):
            raise SourceError(
                f"{where}: needs `adresses` alone, with texts for one or more of {', '.join(words)}"
            )
        moved[name] = sources[name].at(urls)
    return moved
