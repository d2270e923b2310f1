"""docs/sources.md names every original, column and bound of the code, and what it shows works."""

from __future__ import annotations

import datetime
import json
import re
import subprocess

import pytest

from parlement_lists.movement import CHAMBERS
from parlement_lists.sources import fetcher
from parlement_lists.sources.assemblee import amo10, csv_lists, zip_entries
from parlement_lists.sources.chambers import OWN_SOURCES
from parlement_lists.sources.downloading.download import SILENCE
from parlement_lists.sources.downloading.retry_policy import PATIENCE, PAUSES
from parlement_lists.sources.europarl import MOST_CARRIED, failing, meps, page
from parlement_lists.sources.hooks import Original, OriginalRefused, StaffRow
from parlement_lists.sources.registry import choose
from parlement_lists.sources.senat import MOST_UNMATCHED, pdf_lines, senators
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.members.members_files import COLUMNS
from parlement_lists.tracking.reading import origins
from parlement_lists.tracking.reading.formats import KEPT_COLUMNS
from tests.contract.environment import LISTS, PLUGINS
from tests.sources import senate_pdf

from .commands import Reader
from .tables import names, rows, section, text

PAGE = "sources.md"
WRITTEN = " ".join(text(PAGE).split())


def blocks(kind):
    return re.findall(rf"^```{kind}\n(.*?)^```", text(PAGE), re.M | re.S)


def test_every_original_stands_in_the_table_with_its_size():
    tabled, source = {}, ""
    for named, word, _, size, _ in rows(section(PAGE, "What is fetched"), "source"):
        source = names(named)[0] if named else source
        tabled[source, names(word)[0]] = float(size.removesuffix(" MB")) * 1_000_000
    assert tabled == {
        (source.name, word): address.most_bytes
        for source in OWN_SOURCES
        for word, address in source.addresses.items()
    }


def test_the_bounds_of_downloads_are_those_of_the_code():
    seconds = {a.seconds for source in OWN_SOURCES for a in source.addresses.values()}
    assert seconds == {120, 300, 30}
    assert "120 s an attempt (300 for the zip, 30 for a page)" in WRITTEN
    assert f"{SILENCE:g} s without a byte" in WRITTEN
    first, second, third = PAUSES
    assert f"tried again after {first:g}, {second:g} and {third:g} s" in WRITTEN
    assert PATIENCE == 5 * 60
    assert "nothing is repeated more than five minutes after" in WRITTEN
    assert f"for {fetcher.KEPT_DAYS} days (`--originals-days`" in WRITTEN


def test_the_bounds_of_originals_are_those_of_the_code():
    few = {3: "three"}
    assert f"more than {zip_entries.MOST_BYTES_EACH // 10**6} MB as read" in WRITTEN
    assert (
        f"more than {zip_entries.MOST_BYTES // 10**6} MB or {zip_entries.MOST_ENTRIES:,} entries"
        in WRITTEN
    )
    assert f"more than {csv_lists.MOST_UNKNOWN:.0%}".replace("%", " %") in WRITTEN
    assert f"at {few[amo10.MOST_CARRIED]} deputies at most" in WRITTEN
    assert f"more than {few[amo10.LATE_DAYS]} days old is told as late" in WRITTEN
    assert f"must have {senators.FEWEST} to {senators.MOST} senators" in WRITTEN
    assert f"More than {MOST_UNMATCHED:.0%} of the senators".replace("%", " %") in WRITTEN
    letters = f"{pdf_lines.MOST_CHARACTERS:,} letters a page"
    assert (
        f"over {pdf_lines.MOST_PAGES} pages, {pdf_lines.MOST_OBJECTS:,} objects or {letters}"
        in WRITTEN
    )
    assert f"{meps.FEWEST} to {meps.MOST} of them" in WRITTEN
    assert f"at most {page.MOST_BYTES:,} bytes and {page.MOST_TAGS:,} tags" in WRITTEN
    assert f"members whose pages, {few[MOST_CARRIED]} at most" in WRITTEN
    assert (failing.FAILING_DAYS, "have failed for seven days" in WRITTEN) == (7, True)


def test_every_column_of_what_is_kept_stands_in_the_tables():
    lists = rows(section(PAGE, "What is kept"), "column")
    assert tuple(name for row in lists for name in names(row[0])) == KEPT_COLUMNS
    members = {names(row[0])[0]: names(row[1])[0] for row in rows(text(PAGE), "file")}
    assert members == {f"elus/{name}": ",".join(columns) for name, columns in COLUMNS.items()}
    assert f"`{','.join(origins.COLUMNS)}`" in WRITTEN


def test_every_module_that_is_named_exists():
    for path in re.findall(r"`(sources/[\w/]+)`", text(PAGE)):
        module = PLUGINS / LISTS / path
        assert module.with_suffix(".py").exists() or module.is_dir(), path


def test_the_sources_file_shown_is_one(tmp_path):
    (shown,) = blocks("yaml")
    (tmp_path / "sources.yml").write_text(shown)
    chosen = {source.chamber: source for source in choose((), tmp_path / "sources.yml")}
    assert list(chosen) == list(CHAMBERS)
    assert chosen["senat"].name == "mine"
    (own,) = chosen["senat"].addresses.values()
    assert (own.most_bytes, own.seconds) == (5_000_000, 60)
    assert chosen["europarl"].addresses["page"].url.startswith("https://mirror.example.org/")


def test_the_source_of_another_package_reads_its_list():
    (shown,) = blocks("python")
    module = {}
    exec(shown, module)
    (source,) = module["mouvements_sources"]()
    people = [{"matricule": "10001A", "nom": "MODÈLE", "prenom": "Paul"}]
    original = Original("annuaire.json", json.dumps(people).encode())
    read = source.read([original], Members(), datetime.date(2026, 11, 22))
    assert read.rows == [StaffRow("10001A", "", "", "", "", "MODÈLE", "Paul")]
    for body in (b"<html>", b"[1]", b"[{}]", b"7"):
        with pytest.raises(OriginalRefused, match=r"annuaire\.json"):
            source.read([Original("annuaire.json", body)], Members(), None)


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
    (script,) = [one for one in blocks("sh") if "for commit" in one]
    cloned, script = script.split("\n", 1)
    assert cloned.startswith("git clone https://github.com/regardscitoyens/")
    assert cloned.endswith(" archive")
    ran = reader.follow(script)
    assert ran.returncode == 0, ran.stderr
    lists = sorted(path.name for path in (clone / "past" / "senat").iterdir())
    assert lists == ["2016-10-02.csv", "2016-10-04.csv"]
    assert len((clone / "refused.txt").read_text().split()) == 1
    assert "2 accepted, 0 refused" in ran.stdout
