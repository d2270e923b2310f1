"""Gauges of how old the data and the lists of a service are; counters are in `telemetry`."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from datetime import date

from opentelemetry import metrics

from .service import Service
from .telemetry import meter


def observe(service: Service) -> None:
    """Report how old the service's data and lists are, for as long as it lives."""
    seen = weakref.ref(service)

    def gauge(
        name: str, unit: str, meaning: str, read: Callable[[Service], Iterable[metrics.Observation]]
    ) -> None:
        def values(_: metrics.CallbackOptions) -> Iterable[metrics.Observation]:
            living = seen()
            return read(living) if living and living.live.snapshot else []

        meter.create_observable_gauge(name, [values], unit, meaning)

    gauge("mouvements.data.age", "d", "Days since the latest movement served", _age)
    gauge("mouvements.data.rows", "{movement}", "Movements served", _rows)
    gauge("mouvements.run.age", "d", "Days since the last run that changed the file", _run_age)
    gauge("mouvements.list.age", "d", "Days since the last accepted list, by `chamber`", _list_age)
    gauge(
        "mouvements.list.late",
        "1",
        "1 if that list is older than late_days, else 0, by `chamber`",
        _late,
    )
    gauge(
        "mouvements.list.refused",
        "d",
        "Days since the first refused list, 0 if the newest list was accepted, by `chamber`",
        _refused,
    )


def _age(service: Service) -> Iterable[metrics.Observation]:
    snapshot = service.live.snapshot
    if snapshot and snapshot.latest:
        yield metrics.Observation(_days_since(service, snapshot.latest))


def _rows(service: Service) -> Iterable[metrics.Observation]:
    if service.live.snapshot and service.live.snapshot.latest:
        yield metrics.Observation(service.live.snapshot.rows)


def _run_age(service: Service) -> Iterable[metrics.Observation]:
    if service.live.snapshot:
        yield metrics.Observation(_days_since(service, service.live.snapshot.built_at[:10]))


def _list_age(service: Service) -> Iterable[metrics.Observation]:
    for chamber, one in service.freshness().items():
        if one.age is not None:
            yield metrics.Observation(one.age, {"chamber": chamber})


def _late(service: Service) -> Iterable[metrics.Observation]:
    for chamber, one in service.freshness().items():
        if one.age is not None:
            yield metrics.Observation(int(one.late), {"chamber": chamber})


def _refused(service: Service) -> Iterable[metrics.Observation]:
    for chamber, one in service.freshness().items():
        since = one.lists.refused_since
        if one.age is not None or since:
            days = max(1, _days_since(service, since)) if since else 0
            yield metrics.Observation(days, {"chamber": chamber})


def _days_since(service: Service, day: str) -> int:
    return (service.today - date.fromisoformat(day)).days
