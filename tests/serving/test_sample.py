"""What a first start serves: every odd thing that pages must tell of is in the invented lists."""

from __future__ import annotations

import csv
import filecmp
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from datasette_mouvements.cli import mouvements
from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.serving import sample
from tests.contract.environment import ROOT

NOW = datetime(2026, 11, 21, 5, tzinfo=UTC)
SCRIPT = ROOT / sample.SCRIPT

# What it is called -> a question whose one answer is not 0 where the sample has it.
EDGES = {
    "a mandate that ended, whose staff are on the last list": """
        select count(*) from collaborations c join _mandats m using (chambre, elu_id)
        where c.fin is null group by chambre, elu_id having max(coalesce(nullif(m.fin, ''), '9')) < '2026-11-20'""",
    "a renewal of the Assemblée": """
        select sum(contexte = 'elu_sortant') > 50 from mouvements
        where chambre = 'assemblee' and date_event between '2024-06-09' and '2024-07-31'""",
    "a renewal of half the Sénat": """
        select count(*) > 10 from mouvements where chambre = 'senat' and contexte = 'elu_sortant'
        and date_event between '2026-10-01' and '2026-10-15'""",
    "a renewal of the European Parliament": """
        select count(*) > 5 from mouvements where chambre = 'europarl' and contexte = 'elu_sortant'
        and date_event between '2024-07-16' and '2024-08-01'""",
    "a contract of eighteen members that began": """
        select count(*) = 18 from mouvements where collab_nom = 'ROMPRÉ-DESAULNES' and type = 'arrivee'""",
    "a contract of eighteen members that ended": """
        select count(*) = 18 from mouvements where collab_nom = 'GALANTINE-ROCHEFEUILLE' and type = 'depart'
        and date_event = '2026-10-01'""",
    "functions in English": """
        select count(distinct fonction) >= 4 from collaborations where chambre = 'europarl'
        and fonction in ('Accredited assistants', 'Accredited assistants (grouping)', 'Local assistants',
        'Service providers', 'Trainees')""",
    "two people of one name at two members": """
        select count(distinct elu_id) = 2 and count(distinct collab_civilite) = 2 from collaborations
        where collab_nom = 'PETIT-FAUCONNET' and collab_prenom = 'Camille' and fin is null""",
    "a name in two chambers that is two people's": """
        select count(distinct collab_civilite) = 2 from collaborations where collab_nom = 'SAULNERAC'""",
    "two members of one name": """
        select count(distinct elu_id) = 2 and count(distinct elu_cle) = 1 from collaborations
        where elu_nom = 'Camille Rochebelette'""",
    "a marriage": """
        select count(*) = 1 from collaborations where collab_nom = 'LLANO-GARDEMOULIN'
        and debut < '2025-10-06' and fin is null and mouvement_fin is null""",
    "a former name that the file knows by a movement": """
        select count(*) = 1 from mouvements m join collaborations c on c.mouvement_debut = m.id
        where m.collab_nom = 'BOISJOLIN' and c.collab_nom = 'LLANO-GARDEMOULIN'""",
    "a name that a mask withholds": """
        select count(*) >= 2 from collaborations where collab_nom is null or collab_nom = ''""",
    "somebody who returned": """
        select count(*) = 2 from collaborations where collab_nom = 'HAUTECLOQUE-BIÈVREMONT'
        and chambre = 'assemblee'""",
    "two stays at the same time, in two chambers": """
        select count(distinct chambre) = 2 from collaborations
        where collab_nom = 'HAUTECLOQUE-BIÈVREMONT' and fin is null""",
    "two stays at the same time, in one chamber": """
        select count(*) = 2 from collaborations where collab_nom = 'HIRONDEAULT' and fin is null""",
    "somebody of the Sénat, then of the Assemblée": """
        select max(case chambre when 'senat' then fin end) < max(case chambre when 'assemblee' then debut end)
        from collaborations where collab_nom = 'CHANTEPIERROT'""",
    "somebody away for some days": """
        select count(*) = 1 from collaborations where collab_nom = 'CHAMPFLEURON' and fin is null""",
    "transfers within a group": """
        select count(*) > 5 from mouvements where type = 'transfert' and elu_groupe = elu_origine_groupe""",
    "transfers between groups": """
        select count(*) > 5 from mouvements where type = 'transfert' and elu_groupe <> elu_origine_groupe""",
    "a movement that a person told": "select count(*) = 1 from mouvements where confiance = 'manuel'",
    "members who changed group": """
        select count(*) >= 4 from _appartenances a join _appartenances b using (chambre, elu_id)
        where b.groupe <> a.groupe and b.debut = date(a.fin, '+1 day')""",
    "a group without a colour, and seven with one": """
        select count(distinct code) = 7 and (select max(couleur) = '' from _groupes where code = 'NI')
        from _groupes where couleur <> ''""",
    "one refused list, with what it has and what it lacks": """
        select count(*) = 1 and max(nom) = 'assemblee/2026-11-17' and max(paires) > 200
        and max(mesure) = '43,0 %' from listes where statut = 'refusee'""",
    "movements that a daily run would have found": """
        select count(*) = 0 from mouvements where source <> 'suivi' and confiance <> 'manuel'""",
    "a chamber two weeks late": """
        select count(*) = 1 from (select chambre, max(date) as last from listes group by 1)
        where last = '2026-11-06'""",
    "an office of nobody": """
        select count(*) and not sum(fin is null) from collaborations
        where elu_nom = 'Anatole Sansonneterre-Quillebœuf-Damiens'""",
}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("written")
    subprocess.run([sys.executable, SCRIPT, folder], check=True)
    return folder


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    database = tmp_path_factory.mktemp("built") / "movements.db"
    assert sample.build_sample(database, NOW, SCRIPT) > 2000
    return database


def rows(database: Path, question: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(database)) as db:
        return [tuple(row) for row in db.execute(question)]


def files(folder: Path) -> Iterator[Path]:
    return (path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file())


@pytest.mark.parametrize("edge", EDGES)
def test_the_sample_has(built: Path, edge: str) -> None:
    found = rows(built, EDGES[edge])
    assert found
    assert found[0][0]


def test_the_file_is_sound_and_says_that_it_is_invented(built: Path) -> None:
    assert inspect(built) == []
    assert rows(built, "select valeur from _publication where cle = 'invente'") == [("1",)]


@pytest.mark.parametrize("chamber", ["assemblee", "senat", "europarl"])
def test_every_chamber_has_a_hole_and_three_years(built: Path, chamber: str) -> None:
    gaps = rows(
        built,
        "select julianday(date) - julianday(lag(date) over (order by date)), date from listes"
        f" where chambre = '{chamber}' and statut = 'acceptee'",
    )
    assert sum(gap is not None and float(str(gap)) > 10 for gap, _ in gaps) in (1, 2)
    assert min(day for _, day in gaps) == "2023-11-06"


def test_the_same_bytes_are_written_every_time(written: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-I", SCRIPT, tmp_path], check=True)
    names = [str(name) for name in files(written)]
    assert names == [str(name) for name in files(tmp_path)]
    assert filecmp.cmpfiles(written, tmp_path, names, shallow=False) == (names, [], [])


def test_a_withheld_name_is_in_the_lists_and_nowhere_in_the_file(
    written: Path, built: Path
) -> None:
    named = 0
    for path in (written / "listes" / "assemblee").iterdir():
        with path.open(encoding="utf-8", newline="") as file:
            named += any(row["collab_nom"] == "QUENOUILLARD-MERLET" for row in csv.DictReader(file))
    assert named > 50
    assert b"QUENOUILLARD-MERLET" not in built.read_bytes()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import sys; sys.exit(3)", "listes.py failed: movements.db was not built"),
        ("", "listes: not a folder"),
    ],
)
def test_a_script_that_writes_nothing_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    sample.SCRIPT.parent.mkdir(parents=True)
    sample.SCRIPT.write_text(text, encoding="utf-8")
    ran = CliRunner().invoke(mouvements, ["serve", "--db", "movements.db", "--port", "0"])
    assert ran.exit_code == 1
    assert said in ran.output
    assert not Path("movements.db").exists()
