"""The pages about sources name every original, column and bound of the code, and what they show works."""

from __future__ import annotations

import datetime
import subprocess

import pytest

from parlement_lists.movement import CHAMBERS
from parlement_lists.sources import assemblee
from parlement_lists.sources.chambers import choose
from parlement_lists.sources.download import PATIENCE, PAUSES, SILENCE
from parlement_lists.sources.europarl import MOST_FAILED, meps
from parlement_lists.sources.originals import StaffRow
from parlement_lists.sources.senat import MOST_UNMATCHED, senators
from tests.sources import senate_pdf

from .commands import Reader, blocks
from .tables import DOCS, words

WRITTEN = words("explanation/originals.md")
ADDING = DOCS / "how-to" / "add-a-source.md"
FEW = {3: "three", 7: "seven"}


def test_the_bounds_of_downloads_are_those_of_the_code():
    assert f"{SILENCE:g} s without a byte" in WRITTEN
    first, second = PAUSES
    assert f"tried again after {first:g} and {second:g} s" in WRITTEN
    assert datetime.timedelta(minutes=5) == PATIENCE
    assert "Nothing is repeated more than five minutes after" in WRITTEN


@pytest.mark.parametrize(
    "sentence",
    [
        f"more than {FEW[assemblee.LATE_DAYS]} days old is told as late",
        f"`senateurs.json` ({senators.FEWEST} to {senators.MOST} senators)",
        f"more than {MOST_UNMATCHED * 100:g} % of them refuse the list",
        f"{meps.FEWEST} to {meps.MOST} of them",
        f"over {FEW[MOST_FAILED]} members' pages fail",
        f"more than {('one', 'two')[meps.FEW_LEFT - 1]} members whom the API lacks",
    ],
)
def test_a_bound_of_originals_is_that_of_the_code(sentence):
    assert sentence in WRITTEN


def test_the_sources_file_shown_is_one(tmp_path):
    (shown,) = blocks(ADDING, "yaml")
    (tmp_path / "sources.yml").write_text(shown)
    chosen = {source.chamber: source for source in choose((), tmp_path / "sources.yml")}
    assert list(chosen) == list(CHAMBERS)
    assert chosen["europarl"].addresses["page"].url.startswith("https://mirror.example.org/")


def git(folder, *arguments):
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run(["git", "-C", folder, *identity, *arguments], check=True, capture_output=True)


@pytest.mark.process
def test_the_loop_over_years_of_pdfs_makes_a_list_of_each_edition(tmp_path):
    """An archive of three nights: two editions, one of them cut off, and one again."""
    reader = Reader(tmp_path)
    clone = reader.machine.clone
    archive = clone / "archive"
    (archive / "pdfs").mkdir(parents=True)
    git(archive, "init", "--quiet")
    members = ["chambre,elu_id,nom_complet,nom,prenom,civilite,debut,fin"]
    staff = []
    for n in range(160):
        letters = chr(65 + n // 26) + chr(65 + n % 26)
        members.append(
            f"senat,1{n:04}A,Camille EXEMPLE{letters},EXEMPLE{letters},Camille,M.,2014-10-01,"
        )
        given = StaffRow(
            f"1{n:04}A", f"Exemple{letters}", "Camille", "", "M.", f"MODÈLE{letters}", "Paul"
        )
        staff.append(given)
    (clone / "lists" / "elus").mkdir(parents=True)
    (clone / "lists" / "elus" / "mandats.csv").write_text("\n".join([*members, ""]))
    groups = "chambre,elu_id,groupe,depuis,jusqua\nsenat,10000A,EX,2014-10-01,\n"
    (clone / "lists" / "elus" / "groupes.csv").write_text(groups)
    for night, (day, cut) in enumerate([(1, False), (2, True), (3, False)]):
        for name, alphabetical in (
            ("liste_senateurs_collaborateurs", False),
            ("liste_collaborateurs_senateurs2", True),
        ):
            edition = datetime.date(2016, 10, day)
            body = senate_pdf.make(staff[night:], edition, alphabetical=alphabetical)
            (archive / "pdfs" / f"{name}.pdf").write_bytes(body[: len(body) // 2] if cut else body)
        git(archive, "add", "--all")
        git(archive, "commit", "--quiet", "-m", f"night {night}")
    (script,) = [one for one in blocks(ADDING, "sh") if "for commit" in one]
    cloned, script = script.split("\n", 1)
    assert cloned.startswith("git clone https://github.com/regardscitoyens/")
    assert cloned.endswith(" archive")
    ran = reader.follow(script)
    assert ran.returncode == 0, ran.stderr
    lists = sorted(path.name for path in (clone / "past" / "senat").iterdir())
    assert lists == ["2016-10-02.csv", "2016-10-04.csv"]
    assert len((clone / "refused.txt").read_text().split()) == 1
    assert "2 accepted, 0 refused" in ran.stdout
