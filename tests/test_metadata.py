"""metadata.yml says what the code says, and only what Datasette reads from it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from datasette.app import Datasette

from datasette_mouvements import config
from datasette_mouvements.dataset import schema
from datasette_mouvements.fields import MOVEMENT_FIELDS, STAY_FIELDS
from datasette_mouvements.pages.core import tables
from parlement_lists.movement import FIELD_NAMES
from parlement_lists.tenure import Tenure
from tests.contract import environment

METADATA = Path(__file__).parent.parent / "metadata.yml"
DESCRIPTIVE = {"title", "description", "license", "license_url", "source", "source_url"}


@pytest.fixture
def metadata() -> dict[str, Any]:
    return yaml.safe_load(METADATA.read_text(encoding="utf-8"))


def table(metadata: dict[str, Any], name: str = schema.TABLE) -> dict[str, Any]:
    return metadata["databases"][config.Config().database]["tables"][name]


@pytest.mark.parametrize(
    ("name", "fields"), [(schema.TABLE, MOVEMENT_FIELDS), (schema.TENURES, STAY_FIELDS)]
)
def test_every_column_carries_the_label_and_description_of_its_field(metadata, name, fields):
    assert table(metadata, name)["columns"] == {
        field.name: f"{field.label} – {field.description}" for field in fields
    }


def test_only_keys_that_datasette_reads_from_metadata_are_there(metadata):
    assert set(metadata) <= DESCRIPTIVE | {"about", "about_url", "databases", "plugins"}
    for database in metadata["databases"].values():
        assert set(database) <= DESCRIPTIVE | {"tables"}
        for options in database["tables"].values():
            assert set(options) <= DESCRIPTIVE | {"columns"}


@pytest.mark.parametrize(
    ("name", "columns"), [(schema.TABLE, FIELD_NAMES), (schema.TENURES, Tenure._fields)]
)
def test_facets_and_order_name_columns_that_exist(name, columns):
    options = tables.OPTIONS[name]
    assert {*options["facets"], options["sort_desc"]} <= set(columns)
    assert set(tables.OPTIONS) == {schema.TABLE, *tables.TABLES}


def test_every_plugin_setting_is_accepted_as_written(metadata):
    assert set(metadata["plugins"]) == {config.PLUGIN}
    given = metadata["plugins"][config.PLUGIN]
    resolved = {k: None if isinstance(v, dict) else v for k, v in given.items()}
    assert config.read(resolved) == config.Config()


def test_values_left_to_the_environment_are_settings_that_differ_between_hosts(metadata):
    given = metadata["plugins"][config.PLUGIN]
    assert {name: value["$env"] for name, value in given.items() if isinstance(value, dict)} == {
        "contact": "MOUVEMENTS_CONTACT",
        "public_url": "MOUVEMENTS_PUBLIC_URL",
        "store": "MOUVEMENTS_STORE",
    }


def test_the_licence_people_read_is_the_one_in_every_answer(metadata):
    licence = metadata["plugins"][config.PLUGIN]["licence"]
    for place in (metadata, metadata["databases"]["movements"], table(metadata)):
        assert licence == f"{place['license']} – {place['license_url']}"


async def test_pages_show_the_descriptions_and_offer_the_search(metadata, tmp_path):
    path = tmp_path / "movements.db"
    environment.done("build", path, "--movements", environment.SAMPLE)
    datasette = environment.datasette(path, tmp_path / "internal.sqlite3")
    page = (await datasette.client.get("/movements/mouvements")).text
    assert '<input type="search"' in page
    assert metadata["license"] in page
    assert metadata["source"] in page
    documentation = (await datasette.client.get("/documentation")).text
    assert "Nom de famille du collaborateur, en capitales." in documentation


async def test_without_it_tables_have_the_same_order_size_words_and_form(tmp_path):
    path = tmp_path / "movements.db"
    environment.done("build", path, "--lists", environment.SAMPLE.parent / "listes")
    internal = str(tmp_path / "internal.sqlite3")
    plain = Datasette([str(path)], plugins_dir=str(environment.PLUGINS), internal=internal)
    plain.config = {"databases": {"movements": {"tables": {schema.TENURES: {"size": 7}}}}}
    try:
        page = (await plain.client.get("/movements/mouvements")).text
        days = re.findall(r'<time datetime="(\d{4}-\d\d-\d\d)"', page)
        assert days == sorted(days, reverse=True)
        assert "Affiner par chambre, groupe, précision de la date…" in page
        stays = (await plain.client.get("/movements/collaborations")).text
        assert tables.TABLES[schema.TENURES][1][:40] in stays
        assert stays.count('<tr role="row">') == 1 + 7  # what a maintainer wrote stands
        assert "Affiner par chambre, groupe…" in stays
    finally:
        plain.close()
