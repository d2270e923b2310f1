"""What an operator can measure, through the OpenTelemetry API that Datasette itself speaks.

Without a provider (an exporter plugin, an agent) every instrument does nothing, at next to no
cost. No attribute ever holds a key, an account, a name or a query.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from opentelemetry import metrics, trace

from ..refusal import KINDS

if TYPE_CHECKING:
    from .service import Service

NAME = "datasette-mouvements"
try:
    _version = version(NAME)
except PackageNotFoundError:  # loaded with --plugins-dir
    _version = ""
_meter = metrics.get_meter(NAME, _version)
tracer = trace.get_tracer(NAME, _version)

requests = _meter.create_counter(
    "mouvements.requests", unit="{request}", description="Requests under /v1, by `status`"
)
charges = _meter.create_counter(
    "mouvements.charges", unit="{request}", description="Requests charged to a key"
)
refusals = _meter.create_counter(
    "mouvements.refusals", unit="{request}", description="Requests refused, by `kind`"
)
pages = _meter.create_counter(
    "mouvements.pages", unit="{page}", description="Pages answered, by `from`: memory or search"
)
search_time = _meter.create_histogram(
    "mouvements.search.duration",
    unit="s",
    description="Time to find a page that is not in memory",
    # OpenTelemetry's own begin at five seconds: all would be in the first.
    explicit_bucket_boundaries_advisory=(
        *(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025),
        *(0.05, 0.1, 0.25, 0.5, 1.0, 2.5),
    ),
)
FROM_MEMORY = {"from": "memory"}
FROM_SEARCH = {"from": "search"}
BY_STATUS = {
    status: {"status": status} for status in (200, 204, 304, *(k.status for k in KINDS.values()))
}
BY_KIND = {name: {"kind": kind.anchor} for name, kind in KINDS.items()}


def observe(service: Service) -> None:
    """Report how old the service's data and lists are, for as long as it lives."""
    seen = weakref.ref(service)

    def gauge(
        name: str, unit: str, meaning: str, read: Callable[[Service], Iterable[metrics.Observation]]
    ) -> None:
        def values(_: metrics.CallbackOptions) -> Iterable[metrics.Observation]:
            living = seen()
            return read(living) if living and living.live.snapshot else []

        _meter.create_observable_gauge(name, [values], unit, meaning)

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
