"""What publish.sh asks of settings before it publishes."""

from __future__ import annotations

import pytest

from tests.contract.environment import command, done


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


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: [", "Metadata is not valid JSON or YAML"),
        ("plugins: {datasette-mouvements: [x]}", "must be a mapping of settings"),
        ("plugins: {datasette-mouvements: {contact: {$file: nowhere}}}", "No such file"),
        ("plugins: {datasette-mouvements: {contact: 7}}", "contact must be a text"),
    ],
)
def test_metadata_that_cannot_be_read_is_refused_in_a_line(tmp_path, text, told):
    (metadata := tmp_path / "metadata.yml").write_text(text)
    refused = command("contact", "--metadata", metadata)
    assert (refused.exit_code, len(refused.stderr.splitlines())) == (1, 1)
    assert told in refused.stderr
