"""The README says what there is: commands, rooms, documents, an answer; and stays short."""

import json
import re
import shlex
import subprocess
from contextlib import closing
from pathlib import Path

from click.testing import CliRunner

from datasette_mouvements.api.resources import SEARCH, page
from datasette_mouvements.cli import mouvements
from datasette_mouvements.config import Config
from datasette_mouvements.dataset.coverage import marked
from datasette_mouvements.dataset.served import DataVersion
from datasette_mouvements.serving.commands import datasette_options
from datasette_mouvements.serving.server import instance
from datasette_mouvements.serving.startup import check_settings
from tests.published import sample
from tests.tracking import lists
from tests.tracking.repository import Repository

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_is_read_in_a_few_minutes():
    assert len(README.split()) <= 450


def test_every_command_named_exists():
    named = set(re.findall(r"datasette mouvements ([a-z]+)", README))
    assert named
    assert named <= set(mouvements.commands)


def test_it_says_what_it_is_then_how_to_run_test_and_fill_it():
    headings = re.findall(r"^## (.+)", README, re.M)
    assert headings[:4] == ["Run it", "Test it", "Real data", "Documentation"]


def links(page):
    """The files of the repository that a page leads to."""
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
    return [(page.parent / target).resolve() for target in targets]


def test_its_five_links_lead_to_every_document():
    first = links(ROOT / "README.md")
    assert len(first) == 5
    assert {*first, *links(ROOT / "docs" / "README.md")} >= set((ROOT / "docs").rglob("*.md"))


def test_the_first_answer_is_the_sample_s(tmp_path):
    shown = re.search(r"^(\{.*?\})\n```", README, re.M | re.S)
    answer = json.loads(shown[1].replace("\n", ""))
    sample(tmp_path / "movements.db")
    with closing(DataVersion(tmp_path / "movements.db")) as snapshot:
        lines, total = page(snapshot, SEARCH, {"chambre": "senat", "limit": 1})
    assert answer["mouvements"] == json.loads(b"[%b]" % lines)
    assert (answer["total"], answer["limit"], answer["offset"]) == (total, 1, 0)
    assert Config().licence.startswith(answer["licence"].removesuffix("…"))
    assert marked(Config().attribution).startswith(answer["attribution"].removesuffix("…"))


def test_the_recipe_for_real_data_ends_well_where_lists_are_refused(tmp_path, monkeypatch):
    archive = Repository(tmp_path / "theirs")
    for day in range(1, 7):
        names = {**lists.STAFF, 60: [f"Bo N{day}"]}
        files = {
            f"data/liste_{who}_collaborateurs.csv": lists.data(chamber, names)
            for who, chamber in (("deputes", "assemblee"), ("senateurs", "senat"))
        }
        if day in (3, 4, 5):
            files["data/liste_senateurs_collaborateurs.csv"] = b""
        archive.commit(f"2026-09-{day:02}T03:15:00+02:00", files)
    monkeypatch.chdir(tmp_path)
    (recipe,) = re.findall(r"^```console\n(\$ git clone.*?)^```", README, re.M | re.S)
    clone, *commands = [shlex.split(line.removeprefix("$ ")) for line in recipe.splitlines()]
    subprocess.run([*clone[:2], str(archive.path), *clone[3:]], check=True, capture_output=True)
    *made, served = [words for datasette, group, *words in commands]
    assert {tuple(command[:2]) for command in commands} == {(".venv/bin/datasette", "mouvements")}
    statuses = [CliRunner().invoke(mouvements, words).exit_code for words in made]
    assert statuses == [0, 0]
    serve, option, database = served
    assert (serve, option) == ("serve", "--db")
    options = datasette_options(Path(database), tmp_path / "internal.sqlite3", [])
    assert check_settings(instance(options)) == Config()
