"""The README says what there is: commands, rooms, documents, an answer; and stays short."""

import asyncio
import json
import re
from contextlib import closing
from pathlib import Path

from datasette_mouvements.api.parameters import Search
from datasette_mouvements.api.search import find_page
from datasette_mouvements.cli import mouvements
from datasette_mouvements.config import Config
from datasette_mouvements.dataset.input_files import read
from datasette_mouvements.dataset.snapshot import Snapshot
from datasette_mouvements.dataset.writer import write
from datasette_mouvements.serving.commands import SAMPLE

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_is_read_in_a_few_minutes():
    assert len(README.split()) < 800


def test_every_command_named_exists():
    named = set(re.findall(r"datasette mouvements ([a-z]+)", README))
    assert named
    assert named <= set(mouvements.commands)


def test_every_room_of_the_layout_exists_and_is_in_the_layout():
    package = ROOT / "plugins" / "datasette_mouvements"
    layout = README[README.index("## How it is laid out") :]
    rooms = {entry.name for entry in package.iterdir() if entry.is_dir() and entry.name[0] != "_"}
    assert {room for room in rooms if f"{room}/" not in layout} == set()
    named = set(re.findall(r"\b(\w+)/ ", layout)) - {"datasette_mouvements"}
    assert {n for n in named if not (package / n).exists() and not (ROOT / n).exists()} == set()


def test_it_leads_to_every_document_and_to_none_that_is_missing():
    linked = set(re.findall(r"\]\((docs/[^)#]+)\)", README))
    assert linked == {f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")}


def test_the_first_answer_is_the_sample_s(tmp_path):
    shown = re.search(r"^(\{.*?\})\n```", README, re.M | re.S)
    answer = json.loads(shown[1].replace("\n", ""))
    write(tmp_path / "movements.db", [(str(SAMPLE), read(ROOT / SAMPLE))])
    with closing(Snapshot(tmp_path / "movements.db")) as snapshot:
        found = asyncio.run(find_page(snapshot, Search(chambre="senat", limit=1)))
    assert answer["mouvements"] == [json.loads(found.lines)]
    assert (answer["total"], answer["limit"], answer["offset"]) == (found.total, 1, 0)
    assert Config().licence.startswith(answer["licence"].removesuffix("…"))
    assert Config().attribution.startswith(answer["attribution"].removesuffix("…"))
