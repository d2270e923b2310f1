"""The maintainers of invented lists, the server and the fetcher that other rooms have."""

from tests.sources.conftest import clock, fetcher, server, slept, source
from tests.updating.conftest import (
    database,
    folder,
    hired,
    maintainer,
    nine_mornings,
)

__all__ = [
    "clock",
    "database",
    "fetcher",
    "folder",
    "hired",
    "maintainer",
    "nine_mornings",
    "server",
    "slept",
    "source",
]
