"""Settings: the name and address of the licence, whatever it looks like; who may be public."""

import pytest

from datasette_mouvements.config import Config, ConfigError, read


@pytest.mark.parametrize(
    ("licence", "name", "address"),
    [
        (
            Config().licence,
            "Open Database License (ODbL) 1.0",
            "https://opendatacommons.org/licenses/odbl/1-0/",
        ),
        ("Licence maison", "Licence maison", ""),
        ("Licence 2.0 (https://a.exemple/l)", "Licence 2.0", "https://a.exemple/l"),
        ("CC BY : https://a.exemple/CC_(x).", "CC BY", "https://a.exemple/CC_(x)"),
        ("À nous, https://a.exemple/l, voir là", "À nous", "https://a.exemple/l"),
        (
            "https://a.exemple/données",
            "https://a.exemple/données",
            "https://a.exemple/donn%C3%A9es",
        ),
    ],
)
def test_a_licence_has_a_name_and_an_address(licence: str, name: str, address: str) -> None:
    config = Config(licence=licence)
    assert (config.licence_name, config.licence_address) == (name, address)


@pytest.mark.parametrize("allowed", [False, True])
def test_invented_people_are_public_where_that_is_asked_for_alone(allowed: bool) -> None:
    given = {"public_url": "https://a.exemple"} | ({"allow_invented": True} if allowed else {})
    assert read(given).hides_invented is not allowed
    assert not read({}).hides_invented


def test_what_python_takes_for_a_number_is_none() -> None:
    with pytest.raises(ConfigError, match="quota must be an integer, not True"):
        read({"quota": True})
