"""A movements database built from the invented sample, made once and copied for whoever changes it."""

from pathlib import Path

import pytest

from datasette_mouvements.dataset.input_files import read
from parlement_lists.movement import Movement, identifier
from tests.published import write

SAMPLE = Path(__file__).parents[1] / "sample" / "mouvements.csv"


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    database = tmp_path_factory.mktemp("built") / "movements.db"
    write(database, [(str(SAMPLE), read(SAMPLE))])
    return database


@pytest.fixture
def database(built: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "movements.db"
    copy.write_bytes(built.read_bytes())
    return copy


def movement(**given: str) -> Movement:
    made = Movement("", "2026-03-01", "senat", "arrivee", "ESSAI", "Ali", elu_id="1Z")
    made = made._replace(**given)
    return made if made.id else made._replace(id=identifier(made))
