"""Of an address the log of the server has the part that names nobody."""

from __future__ import annotations

import logging

import pytest

from datasette_mouvements.logs import keep_private


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("/v1/mouvements?elu=zorglub", "/v1/mouvements"),
        ("/v1/zorglub", "/v1/…"),
        ("/movements/zorglub", "/movements/…"),
        ("/v1zorglub", "/…"),
    ],
)
def test_an_address_is_logged_up_to_what_may_name_somebody(address: str, kept: str) -> None:
    keep_private("movements", "/ici")
    for prefix in ("", "/ici"):
        record = logging.LogRecord("uvicorn.access", 20, "", 0, "%s", (f"{prefix}{address}",), None)
        assert logging.getLogger("uvicorn.access").filter(record)
        assert record.getMessage() in (f"{prefix}{kept}", kept)
