"""The store of a service that was given no place for keys that lasts: it keeps none, and refuses whatever needs one."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import NoReturn

from ..charging import Charge, Demand
from ..key_records import Execute
from .store import Store, StoreUnavailable


class NoStore(Store):
    """Every call but `prepare` and `close` raises StoreUnavailable."""

    lasts = False

    def prepare(self) -> None:
        """Nothing: a service without a place for keys starts, and shows its pages."""

    def charge(
        self, demands: Sequence[Demand], now: datetime.datetime, quota: int
    ) -> list[Charge | None]:
        _refuse()

    def close(self) -> None:
        """Nothing is open."""

    def _reading(self) -> AbstractContextManager[Execute]:
        _refuse()

    def _writing(self, account: str = "") -> AbstractContextManager[Execute]:
        _refuse()


def _refuse() -> NoReturn:
    raise StoreUnavailable("there is no place for keys that lasts")
