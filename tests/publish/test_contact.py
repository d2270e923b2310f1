"""What publish.sh asks of settings before it publishes."""

from __future__ import annotations

import pytest

from tests.contract.environment import done


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
