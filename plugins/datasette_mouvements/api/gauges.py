"""Gauges of how old the data and the lists of a service are; counters are in `telemetry`."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from datetime import date

from opentelemetry.metrics import CallbackOptions, Observation

from ..dataset.served.snapshot import Snapshot
from .service import Freshness, Service
from .telemetry import meter

Read = Callable[[Service, Snapshot], Iterable[Observation]]


def observe(service: Service) -> None:
    """Report how old the service's data and lists are, for as long as it lives."""
    reference = weakref.ref(service)

    def gauge(name: str, unit: str, meaning: str, read: Read) -> None:
        def observations(_: CallbackOptions) -> Iterable[Observation]:
            living = reference()
            snapshot = living.live.snapshot if living else None
            return read(living, snapshot) if living and snapshot else []

        meter.create_observable_gauge(name, [observations], unit, meaning)

    gauge("mouvements.data.age", "d", "Days since the latest movement served", _age)
    gauge("mouvements.data.rows", "{movement}", "Movements served", _rows)
    gauge("mouvements.run.age", "d", "Days since the last run that changed the file", _run_age)
    gauge(
        "mouvements.list.age",
        "d",
        "Days since the last accepted list, by `chamber`",
        _by_chamber(lambda service, chamber: chamber.age),
    )
    gauge(
        "mouvements.list.late",
        "1",
        "1 if that list is older than late_days, else 0, by `chamber`",
        _by_chamber(_late),
    )
    gauge(
        "mouvements.list.refused",
        "d",
        "Days since the first refused list, 0 if the newest list was accepted, by `chamber`",
        _by_chamber(_refused),
    )


def _age(service: Service, snapshot: Snapshot) -> Iterable[Observation]:
    return [Observation(_days_since(service, snapshot.latest))] if snapshot.latest else []


def _rows(service: Service, snapshot: Snapshot) -> Iterable[Observation]:
    return [Observation(snapshot.rows)] if snapshot.latest else []


def _run_age(service: Service, snapshot: Snapshot) -> Iterable[Observation]:
    return [Observation(_days_since(service, snapshot.built_at[:10]))]


def _by_chamber(read: Callable[[Service, Freshness], int | None]) -> Read:
    """A gauge with a value for each chamber; none where `read` gives None."""

    def observations(service: Service, snapshot: Snapshot) -> Iterable[Observation]:
        for chamber, freshness in service.freshness().items():
            if (value := read(service, freshness)) is not None:
                yield Observation(value, {"chamber": chamber})

    return observations


def _late(service: Service, chamber: Freshness) -> int | None:
    return None if chamber.age is None else int(chamber.late)


def _refused(service: Service, chamber: Freshness) -> int | None:
    if since := chamber.lists.refused_since:
        return max(1, _days_since(service, since))
    return None if chamber.age is None else 0


def _days_since(service: Service, day: str) -> int:
    return (service.today - date.fromisoformat(day)).days
