"""What is written by hand says what the definitions say; docstrings cite headings that exist."""

from __future__ import annotations

import json
import re

import pytest

from datasette_mouvements.api.description import VERSION
from datasette_mouvements.building.standing import OLDEST_SCHEMA
from datasette_mouvements.config import Config
from datasette_mouvements.dataset.coverage import HOLE_DAYS
from datasette_mouvements.dataset.figures import FEWEST
from datasette_mouvements.dataset.schema import SCHEMA_VERSION
from parlement_lists.tracking.report import REASONS
from tests.contract.environment import PLUGINS

from .tables import DOCS, headings, rows, section, text, words

DESCRIBED = json.loads((PLUGINS / "datasette_mouvements/api/openapi.json").read_text("utf-8"))
ENVELOPE = DESCRIBED["components"]["schemas"]["Recherche"]["required"]
PAGE = "specification.md"
SAID = "explanation/what-may-be-said.md"
MODULES = sorted(PLUGINS.rglob("*.py"))
CITED = re.compile(r'(specification|docs/[\w/-]+\.md), "([^"]+)"')


def cited(source: str) -> list[tuple[str, str]]:
    """(page, heading) that a module's comments and docstrings cite, a line break or not in between."""
    found = CITED.findall(re.sub(r"\n\s*(# )?", " ", source))
    return [(page.removeprefix("docs/").removesuffix(".md") + ".md", head) for page, head in found]


def test_docstrings_cite_headings_that_exist():
    found = {one for path in MODULES for one in cited(path.read_text("utf-8"))}
    assert len(found) >= 5
    assert [one for one in found if one[1] not in headings(DOCS / one[0])] == []


def test_every_document_that_the_code_names_exists():
    code = "\n".join(path.read_text("utf-8") for path in MODULES)
    named = set(re.findall(r"docs/([\w/-]+\.md)", code))
    assert named
    assert [page for page in named if not (DOCS / page).exists()] == []


@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        (PAGE, f"JSON object: {', '.join(f'`{name}`' for name in ENVELOPE)}."),
        (PAGE, f"It is {Config().quota} requests a day (setting `quota`"),
        (PAGE, f"The description says the version of the interface, {VERSION}."),
        (SAID, f"A **hole** is more than {HOLE_DAYS} days from one accepted list to the next"),
        (SAID, f"Of fewer than {FEWEST} people nothing is given"),
        ("how-to/upgrade.md", f"| {SCHEMA_VERSION} | nothing |"),
        ("how-to/upgrade.md", f"| {OLDEST_SCHEMA} to {SCHEMA_VERSION - 1} | 503"),
    ],
)
def test_a_figure_is_that_of_the_code(page, sentence):
    assert sentence in words(page)


def test_every_reason_to_refuse_a_list_stands_in_the_table():
    tabled = rows(text("explanation/movements.md"), "reason")
    assert {name for row in tabled for name in row[0].split(", ")} == set(REASONS)


def test_every_kept_column_stands_in_the_reference():
    from parlement_lists.tracking.reading.formats import KEPT_COLUMNS

    lists = section("reference/lists.md", "What is kept").partition("### Members")[0]
    told = re.findall(r"^- (`.*?`):", lists.partition("### Lists")[2], re.M)
    assert tuple(re.findall(r"`(\w+)`", " ".join(told))) == KEPT_COLUMNS
