"""A full name told apart into family and given name, as far as it can be."""

from __future__ import annotations

import pytest

from datasette_mouvements.dataset.ready_made import split_name


@pytest.mark.parametrize(
    ("name", "key", "parts"),
    [
        ("Jeanne de La Tour", "de la tour jeanne", ("de La Tour", "Jeanne")),
        ("Anne Marie Exemple", "exemple anne marie", ("Exemple", "Anne Marie")),
        ("Jeanne Exemple-Modèle", "", ("Exemple-Modèle", "Jeanne")),
        ("Anne Marie DE EXEMPLE", "", ("DE EXEMPLE", "Anne Marie")),
        ("Jeanne Exemple", "autre clé", ("Jeanne Exemple", "")),
        ("Jeanne", "", ("Jeanne", "")),
    ],
)
def test_the_join_key_tells_a_name_apart_else_capitals_or_the_first_word(
    name: str, key: str, parts: tuple[str, str]
) -> None:
    assert split_name(name, key) == parts
