"""The maintainers of invented lists, the server and the fetcher that other rooms have."""

from tests.sources.conftest import clock, fetcher, server, slept, source
from tests.updating.conftest import (
    copied,
    database,
    folder,
    hired,
    maintainer,
    nine_mornings,
    original,
)

__all__ = [
    "clock",
    "copied",
    "database",
    "fetcher",
    "folder",
    "hired",
    "maintainer",
    "nine_mornings",
    "original",
    "server",
    "slept",
    "source",
]
