"""What publish.sh asks of settings before it publishes."""

from __future__ import annotations

import pytest

from tests.contract.environment import command, done
from tests.tracking import lists


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ("{}", []),
        ("{public_url: 'https://e.org'}", ["public_url"]),
        ("{contact: {$env: OF_TEST}, store: {$file: nowhere}}", ["contact"]),
        ("{contact: ' ', public_url: {$env: OF_NOBODY}}", []),
    ],
)
def test_which_of_address_and_contact_are_given_is_told_without_values(
    monkeypatch, tmp_path, settings, told
):
    monkeypatch.setenv("OF_TEST", "contact@example.org")
    monkeypatch.delenv("OF_NOBODY", raising=False)
    (metadata := tmp_path / "metadata.yml").write_text(
        f"plugins: {{datasette-mouvements: {settings}}}"
    )
    assert done("contact", "--metadata", metadata).output.split() == told


@pytest.mark.parametrize(("allowed", "status"), [("true", 0), ("false", 1)])
def test_invented_people_are_published_where_that_is_asked_for_alone(tmp_path, allowed, status):
    database, metadata = tmp_path / "x.db", tmp_path / "metadata.yml"
    lists.write(tmp_path / "lists", "senat", "2026-09-01", lists.STAFF)
    done("build", database, "--lists", tmp_path / "lists", "--invented")
    settings = f"{{public_url: 'https://e.org', allow_invented: {allowed}}}"
    metadata.write_text(f"plugins: {{datasette-mouvements: {settings}}}")
    assert command("contact", "--metadata", metadata, "--db", database).exit_code == status
