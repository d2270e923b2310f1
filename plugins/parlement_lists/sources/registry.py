"""The known sources: those of installed packages, and those of a maintainer's own file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

import pluggy
import yaml

from .. import DISTRIBUTION
from ..movement import CHAMBERS
from ..regular_file import read_text
from ..tracebacks import place_of
from . import chambers, hooks
from .hooks import PackagesMissing, Source, SourceError
from .list_source import ListSource

_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")


def choose(
    names: tuple[str, ...], file: Path | None = None, broken: list[str] | None = None
) -> list[Source]:
    """The sources of these names; without a name, one for each chamber that has any.

    A list of `file` then takes the place of other sources of its chamber, and one of an installed
    package that of this package's own. Raises SourceError if a name is unknown, a source is badly
    described, or two lists are of one chamber; PackagesMissing if this installation cannot read a
    chosen one. The fault of a package is added to `broken` if that is given, and its sources are
    left out.
    """
    faults: list[str] = []
    sources = _installed(faults)
    if broken is not None:
        broken += faults
    elif faults:
        raise SourceError(faults[0])
    described = _read_file(file, sources) if file else {}
    lists = [source for source in described.values() if isinstance(source, ListSource)]
    sources |= described
    unknown = [name for name in names if name not in sources]
    if unknown:
        raise SourceError(f"unknown source {', '.join(unknown)}; known: {', '.join(sources)}")
    chosen = [sources[name] for name in names] or _first_of_chambers(sources, lists)
    whose = [source.chamber for source in chosen]
    for chamber in {chamber for chamber in whose if whose.count(chamber) > 1}:
        # Each would undo the other's changes, every day.
        raise SourceError(f"more than one list of {chamber}: fetch one of them")
    missing = [
        f"{source.name} needs {module}"
        for source in chosen
        for module in source.needs
        if find_spec(module) is None
    ]
    if missing:
        raise PackagesMissing(f"{', '.join(missing)}: pip install '{DISTRIBUTION}[lists]'")
    return chosen


def _first_of_chambers(sources: Mapping[str, Source], lists: Sequence[Source]) -> list[Source]:
    """Of the lists of a file, of other packages' sources and of our own, the first of each chamber."""
    own = [source.name for source in chambers.OWN_SOURCES]
    others = [source for source in sources.values() if source not in lists]
    ranks = (
        lists,
        [source for source in others if source.name not in own],
        [source for source in others if source.name in own],
    )
    chosen: list[Source] = []
    for rank in ranks:
        taken = {source.chamber for source in chosen}
        chosen += [source for source in rank if source.chamber not in taken]
    return sorted(chosen, key=lambda source: CHAMBERS.index(source.chamber))


def _installed(faults: list[str]) -> dict[str, Source]:
    """The sources of this package and of the installed ones that answer its hook, by name.

    `faults` gets a sentence for a package that cannot be loaded, or brings a source that another one has.
    """
    manager = pluggy.PluginManager(hooks.PROJECT)
    manager.add_hookspecs(hooks)
    manager.register(chambers, DISTRIBUTION)
    # load_setuptools_entrypoints would silently drop the second of two entry points of one name.
    for entry in entry_points(group=hooks.PROJECT):
        package = entry.dist.name if entry.dist else entry.value
        with _noted(package, faults):
            module = entry.load()
            if manager.is_registered(module):
                raise SourceError(f"{entry.value} is an entry point twice")
            manager.register(module, f"{package}:{entry.name}")
    sources: dict[str, Source] = {}
    package_of: dict[str, str] = {}
    for implementation in manager.hook.mouvements_sources.get_hookimpls():
        package = implementation.plugin_name.partition(":")[0]
        with _noted(package, faults):
            brought = implementation.function()
            for source in brought if isinstance(brought, Iterable) else (brought,):
                if not isinstance(source, Source):
                    raise SourceError(f"{source!r} is not a Source")
                if source.name in sources:
                    raise SourceError(f"{source.name} is a source of {package_of[source.name]}")
                sources[source.name] = _validated(source.name, source)
                package_of[source.name] = package
    return sources


@contextmanager
def _noted(package: str, faults: list[str]) -> Iterator[None]:
    """Adds a sentence to `faults` for whatever a package raises."""
    foreseen = (SourceError, ImportError, AttributeError, pluggy.PluginValidationError)
    try:
        yield
    except foreseen as error:
        faults.append(f"package {package}: {error}")
    except Exception as error:
        # Its message may hold a name of a list.
        faults.append(f"package {package}: {place_of(error)}")


def _read_file(file: Path, known: Mapping[str, Source]) -> dict[str, Source]:
    """Sources described in YAML, as a mapping of names to lists, or to other addresses of those known."""
    try:
        described = yaml.safe_load(read_text(file))
    except (OSError, yaml.YAMLError, UnicodeDecodeError) as error:
        raise SourceError(f"{file}: {error}") from error
    if not isinstance(described, dict) or not described:
        raise SourceError(f"{file}: expected a mapping of names to sources")
    return {
        str(name): _moved(f"{file}: {name}", known.get(str(name)), given["adresses"])
        if isinstance(given, dict) and given.keys() == {"adresses"}
        else _from_yaml(f"{file}: {name}", str(name), given)
        for name, given in described.items()
    }


def _moved(where: str, source: Source | None, urls: object) -> Source:
    """A known source with other addresses for some of its originals."""
    if source is None:
        raise SourceError(f"{where}: adresses are of a known source; another needs url and chambre")
    if not isinstance(urls, dict) or not urls or not urls.keys() <= source.addresses.keys():
        words = ", ".join(source.addresses)
        raise SourceError(f"{where}: adresses needs an address for one or more of {words}")
    if not all(isinstance(url, str) for url in urls.values()):
        raise SourceError(f"{where}: an address is a text")
    return source.at(urls)


def _from_yaml(where: str, name: str, given: object) -> Source:
    types = {"url": str, "chambre": str, "most_bytes": int, "seconds": int}
    if not isinstance(given, dict) or not {"url", "chambre"} <= given.keys() <= types.keys():
        raise SourceError(
            f"{where}: needs url and chambre, may have most_bytes, seconds; or adresses alone"
        )
    for field, value in given.items():
        if not isinstance(value, types[field]) or isinstance(value, bool):
            raise SourceError(f"{where}: {field} cannot be {value!r}")
    fields = {"chamber" if field == "chambre" else field: given[field] for field in given}
    return _validated(where, ListSource(name, **fields))


def _validated(where: str, source: Source) -> Source:
    if not _NAME.fullmatch(source.name):
        raise SourceError(f"{where}: a name is lower-case letters, digits and hyphens")
    if source.chamber not in CHAMBERS:
        raise SourceError(f"{where}: a list is of one chamber: {', '.join(CHAMBERS)}")
    return source
