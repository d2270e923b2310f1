"""Where lists come from: the sources known by name, and those of a maintainer's own file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import yaml

from ..movement import CHAMBERS

# list: one chamber's list, kept day by day. git: a repository of lists, cloned and updated.
# file: a large file that is kept beside them, only in its newest version.
KINDS = ("list", "git", "file")
LARGEST_REPOSITORY = 2_000_000_000  # it comes with its past
_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")


class SourceError(Exception):
    """A source is unknown or badly described; the message names it."""


class Source(NamedTuple):
    """One source. `chambre` says whose list it is, for the kind `list`."""

    name: str
    kind: str
    url: str
    chambre: str = ""
    most_bytes: int = 10_000_000
    seconds: float = 120.0


KNOWN = (
    Source(
        "assemblee",
        "list",
        "https://data.assemblee-nationale.fr/static/openData/repository/17/amo/"
        "collaborateurs_csv_opendata/liste_collaborateurs_libre_office.csv",
        "assemblee",
    ),
    Source(
        "regards-citoyens",
        "git",
        "https://github.com/regardscitoyens/Collaborateurs-Parlement.git",
        most_bytes=LARGEST_REPOSITORY,
        seconds=1800.0,
    ),
    Source(
        "europarl",
        "file",
        "https://parltrack.org/dumps/ep_meps.json.lz",
        most_bytes=1_000_000_000,
        seconds=3600.0,
    ),
)


def choose(names: tuple[str, ...], file: Path | None = None) -> list[Source]:
    """The sources of these names; without a name, those of `file`, else every known daily list."""
    own = _read(file) if file else []
    known = {source.name: source for source in (*KNOWN, *own)}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SourceError(f"unknown source {', '.join(unknown)}; known: {', '.join(known)}")
    daily = own or [source for source in KNOWN if source.kind == "list"]
    chosen = [known[name] for name in names] or daily
    chambers = [source.chambre for source in chosen if source.kind == "list"]
    for chamber in {chamber for chamber in chambers if chambers.count(chamber) > 1}:
        # One would undo the other, every day.
        raise SourceError(f"more than one list of {chamber}: fetch one of them")
    return chosen


def _read(file: Path) -> list[Source]:
    """Sources described in YAML, a mapping of names to the fields of `Source`."""
    try:
        described = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise SourceError(f"{file}: {error}") from error
    if not isinstance(described, dict) or not described:
        raise SourceError(f"{file}: expected a mapping of names to sources")
    return [_source(f"{file}: {name}", str(name), given) for name, given in described.items()]


def _source(where: str, name: str, given: object) -> Source:
    if not _NAME.fullmatch(name):
        raise SourceError(f"{where}: a name is lower-case letters, digits and hyphens")
    kinds = {"kind": str, "url": str, "chambre": str, "most_bytes": int, "seconds": int}
    if not isinstance(given, dict) or not {"kind", "url"} <= given.keys() <= kinds.keys():
        raise SourceError(f"{where}: needs kind and url, may have chambre, most_bytes, seconds")
    for field, value in given.items():
        if not isinstance(value, kinds[field]) or isinstance(value, bool):
            raise SourceError(f"{where}: {field} cannot be {value!r}")
    source = Source(name, **given)
    if source.kind == "git" and "most_bytes" not in given:
        source = source._replace(most_bytes=LARGEST_REPOSITORY)
    if source.kind not in KINDS:
        raise SourceError(f"{where}: kind is one of {', '.join(KINDS)}, not {source.kind!r}")
    if source.kind == "list" and source.chambre not in CHAMBERS:
        raise SourceError(f"{where}: chambre is one of {', '.join(CHAMBERS)}")
    return source
