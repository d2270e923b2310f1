"""Counters and the histogram of /v1, through the OpenTelemetry API that Datasette uses too.

Without a provider (an exporter plugin, an agent) an instrument does nothing, and costs next to
nothing. No attribute holds a key, an account, a name or a query.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from opentelemetry import metrics, trace

from ..refusal import KINDS

NAME = "datasette-mouvements"
try:
    _version = version(NAME)
except PackageNotFoundError:  # loaded with --plugins-dir
    _version = ""
meter = metrics.get_meter(NAME, _version)
tracer = trace.get_tracer(NAME, _version)

requests = meter.create_counter(
    "mouvements.requests", unit="{request}", description="Requests under /v1, by `status`"
)
charges = meter.create_counter(
    "mouvements.charges", unit="{request}", description="Requests charged to a key"
)
refusals = meter.create_counter(
    "mouvements.refusals", unit="{request}", description="Requests refused, by `kind`"
)
pages = meter.create_counter(
    "mouvements.pages", unit="{page}", description="Pages answered, by `from`: memory or search"
)
search_time = meter.create_histogram(
    "mouvements.search.duration",
    unit="s",
    description="Time to find a page that is not in memory",
    # OpenTelemetry's default buckets begin at five seconds: every search would be in the first.
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


def traced() -> bool:
    """Whether somebody records spans, also Datasette's of each request."""
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)
