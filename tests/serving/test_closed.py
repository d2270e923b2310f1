"""A database that is closed as a whole, and a table of it that is."""

from __future__ import annotations

import pytest

from tests.contract import environment
from tests.contract.service import Start


@pytest.mark.parametrize(
    ("closing", "page_of_stays"),
    [
        ({"allow": {"id": "compte"}}, 403),
        ({"tables": {"mouvements": {"allow": {"id": "compte"}}}}, 200),
    ],
)
def test_only_a_database_that_is_closed_as_a_whole_is_closed(
    in_process: Start, closing: dict[str, object], page_of_stays: int
) -> None:
    """As docs/reference/settings.md says."""
    service = in_process()
    service.datasette.config["databases"] = {"movements": closing}
    browser = {"Accept": "text/html"}
    for address in (
        *("/", "/semaine", "/elus", "/groupes", "/flux", "/fichiers", "/fichiers/tout"),
        *("/collaborateurs/personne/flux", "/movements/mouvements"),
    ):
        assert service.ask(address, browser).status == 403, address
    assert service.ask("/movements/collaborations", browser).status == page_of_stays
    words = " ".join(
        (environment.ROOT / "docs" / "reference" / "settings.md").read_text("utf-8").split()
    )
    assert "(`databases: movements: allow:`)" in words
    assert "Datasette's page of `collaborations` stays open" in words
