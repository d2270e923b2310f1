"""The sources that come with this package, as another package would bring its own."""

from __future__ import annotations

from .hooks import LARGEST_REPOSITORY, Source, hookimpl

SOURCES = (
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


@hookimpl
def mouvements_sources() -> tuple[Source, ...]:
    return SOURCES
