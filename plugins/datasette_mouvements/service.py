"""What one Datasette instance serves with: its settings, its data, its counter of charges."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import blake2s

from .access.quota import Counter
from .access.store import Store
from .access.tally import Tally
from .config import Config
from .dataset.live import Live

_HOST = re.compile(rb"[0-9A-Za-z.:\[\]-]{1,255}")
ODBL = "https://opendatacommons.org/licenses/odbl/1-0/"
ROUTE = "/v1/mouvements"
Clock = Callable[[], datetime]


def now() -> datetime:
    return datetime.now(UTC)


class Service:
    """Everything a request needs, gathered once at startup; `prefix` is Datasette's base_url without its final slash."""

    def __init__(
        self, config: Config, live: Live, store: Store, prefix: str = "", clock: Clock = now
    ) -> None:
        self.config = config
        self.live = live
        self.clock = clock
        self.prefix = prefix
        self.counter = Counter(store, config.quota, clock)
        self.refused = Tally(self.counter, clock)
        self.links = ", ".join(
            (
                f'<{ODBL}>; rel="license"',
                f'<{self.url("/v1/openapi.json")}>; rel="service-desc"; type="application/json"',
                f'<{self.url("/documentation")}>; rel="service-doc"; type="text/html"',
            )
        )
        # How every envelope ends.
        self.credits = json.dumps(
            {"licence": config.licence, "attribution": config.attribution},
            ensure_ascii=False,
            separators=(",", ":"),
        )[1:].encode()
        # Part of every ETag: the settings that are written into answers.
        self.salt = blake2s(self.credits, digest_size=4).hexdigest()

    def url(self, path: str) -> str:
        """Where `path` of this service is: absolute if the public address is known, else a path."""
        return (self.config.public_url or self.prefix) + path

    def address(self, scope: dict[str, object]) -> str:
        """The route's address for an example to copy, as this request reached it."""
        if not self.config.public_url:
            host = dict(scope["headers"]).get(b"host", b"")  # type: ignore[call-overload]
            if _HOST.fullmatch(host):
                return f"{scope['scheme']}://{host.decode()}{self.prefix}{ROUTE}"
        return self.url(ROUTE)

    def close(self) -> None:
        self.counter.close()
        self.live.close()
