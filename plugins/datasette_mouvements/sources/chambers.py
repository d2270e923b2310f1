"""The sources that come with this package, as another package would bring its own."""

from __future__ import annotations

from .hooks import Source, hookimpl
from .list_source import ListSource

OWN_SOURCES: tuple[Source, ...] = (
    ListSource(
        "assemblee",
        "assemblee",
        "https://data.assemblee-nationale.fr/static/openData/repository/17/amo/"
        "collaborateurs_csv_opendata/liste_collaborateurs_libre_office.csv",
    ),
)


@hookimpl
def mouvements_sources() -> tuple[Source, ...]:
    return OWN_SOURCES
