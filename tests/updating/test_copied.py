"""A day's run copies what did not change, and leaves the file that writing everything anew makes."""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset import digest, schema
from datasette_mouvements.dataset.changes import Draw
from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.dataset.served import nights
from datasette_mouvements.updating import update
from datasette_mouvements.updating.nights.night_table import publish
from datasette_mouvements.updating.published import Published
from datasette_mouvements.updating.state_file import StateFile, token_of
from parlement_lists.tracking.correction import Entry
from parlement_lists.tracking.corrections import Corrections
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.reading.walk import walk
from parlement_lists.tracking.state import to_json
from tests.tracking import lists
from tests.tracking.lists import many
from tests.tracking.windows import DATA, MISSING, lists_of

from .mornings import Maintainer
from .written_anew import content, differences, written_anew

START = datetime.datetime(2026, 9, 1, 5, tzinfo=datetime.UTC)
CHAMBERS = ("assemblee", "senat")
DAYS = 16
LETTERS = "BCDFGHJKLMNPRSTV"
# A file copied by SQLite keeps this mark; one that is written anew has none.
MARK = 26


def names(chance: random.Random, count: int) -> list[str]:
    """Names of people who do not look alike."""
    return [
        f"Prénom{chance.choice(LETTERS)} {''.join(chance.choice(LETTERS) + 'A' for _ in range(5))}"
        for _ in range(count)
    ]


def histories(seed: int) -> Iterator[list[tuple[str, datetime.date, dict[int, list[str]]]]]:
    """The lists of each day: people leave, come back, change member or chamber, and are written another way."""
    chance = random.Random(seed)
    away = names(chance, 40)
    staff = {
        chamber: {n: [*each] for n, each in many(40).items()} | {50: names(chance, 4)}
        for chamber in CHAMBERS
    }
    for day in range(DAYS):
        found = []
        for chamber in CHAMBERS:
            teams = staff[chamber]
            for _ in range(chance.randrange(4)):
                team = teams[chance.choice([*teams])]
                if len(team) > 1:
                    away.append(team.pop(chance.randrange(len(team))))
            for _ in range(chance.randrange(4)):
                name = away.pop(chance.randrange(-6, 0) % len(away))
                respelled = chance.random() < 0.2
                teams[chance.choice([*teams])].append(f"{name}E" if respelled else name)
            date = START.date() + datetime.timedelta(day)
            found.append((chamber, date, {n: sorted(set(each)) for n, each in teams.items()}))
        yield found


def change(database: Path, sql: str) -> None:
    with closing(sqlite3.connect(database)) as db:
        db.executescript(sql)


def mark(database: Path) -> None:
    """Mark a file, as if the run had written it so."""
    before = digest.of_file(database)
    change(database, f"pragma user_version = {MARK}")
    StateFile(database).note_written(before, digest.of_file(database))


def query(database: Path, sql: str, *given: str) -> tuple[object, ...]:
    with closing(sqlite3.connect(database)) as db:
        return tuple(db.execute(sql, given).fetchone())


def is_copied(database: Path) -> bool:
    with closing(sqlite3.connect(database)) as db:
        return db.execute("pragma user_version").fetchone() == (MARK,)


def lines(database: Path) -> set[bytes]:
    """What movements and stays say, line by line; none where there is no file."""
    if not database.exists():
        return set()
    sql = " union ".join(f"select json from {of.lines}" for of in schema.RESOURCES)
    with closing(sqlite3.connect(database)) as db:
        return {bytes(line) for (line,) in db.execute(sql)}


def entries(kinds: dict[str, object]) -> Corrections:
    # Of two of one kind, the second has a space after it.
    said = [
        Entry(n, "2026-09-01", f"r{n}", kind.strip(), value)
        for n, (kind, value) in enumerate(kinds.items(), 1)
    ]
    return Corrections(said)


ADDED = {
    "date_event": "2026-09-02",
    "chambre": "senat",
    "type": "arrivee",
    "collab_nom": "AJOUTÉE",
    "collab_prenom": "Ida",
    "elu_id": lists.member("senat", 3),
    "elu_nom": "Élue Numéro3",
}
NAME = next(iter(many(40)[7]))
OFFICES = [lists.member("senat", 7), lists.member("senat", 9)]
MASKED = next(iter(many(40)[8]))
MASK: dict[str, object] = {"masquer": {"nom": MASKED}}
SAID = {**MASK, "ajouter": ADDED, "homonymes": {"nom": NAME, "elus": OFFICES}}
# What a run a day and a build say alike: of movements of one day, which came first is not among it.
ALIKE = [schema.TENURES, schema.STAYS.lines, schema.SPELLINGS, schema.HOMONYMS, "_jours", "listes"]


@pytest.mark.parametrize("said", [{}, SAID], ids=["nothing said", "corrected"])
def test_day_after_day_the_copied_file_is_the_one_written_anew_and_the_one_built(
    tmp_path: Path, said: dict[str, object]
) -> None:
    daily, folder = tmp_path / "daily.db", tmp_path / "lists"
    copied = 0
    for number, found in enumerate(histories(26)):
        for chamber, day, staff in found:
            lists.write(folder, chamber, day.isoformat(), staff)
        now = START + datetime.timedelta(number)
        given = entries(said) if said else None
        inputs = update.Inputs(lists=walk([folder]).files, corrections=given)
        left = lines(daily)
        update.track(daily, inputs, now)
        copied += is_copied(daily)
        raw = daily.read_bytes()
        assert not [one for one in left - lines(daily) if one in raw]
        assert inspect(daily) == []
        assert differences(content(daily), written_anew(daily)) == []
        mark(daily)
    assert copied > DAYS - 3
    update.track(daily, update.Inputs(lists=iter(()), corrections=given), now, settle=True)
    built = update.Inputs(lists=walk([folder]).files, corrections=given, source="suivi")
    update.build(tmp_path / "once.db", built, now)
    one, other = content(daily), content(tmp_path / "once.db")
    movements = [sorted(row[1:] for row in each[schema.TABLE]) for each in (one, other)]
    assert len(movements[0]) > 20
    if not said:  # masked names have other random identifiers
        assert movements[0] == movements[1]
        assert [name for name in ALIKE if one[name] != other[name]] == []


def said_alike(database: Path) -> dict[str, object]:
    """What two runs over the same lists must say alike, the places of movements within a day aside."""
    found = content(database)
    for table in (schema.TABLE, "retraits", "corrections", *schema.OF_MEMBERS):
        found[table] = sorted(row[1:] for row in found[table])
    with closing(sqlite3.connect(database)) as db:
        for of in schema.RESOURCES:
            told = db.execute(f"select id, publie_le, nature from {of.changes} order by 1")
            found[of.changes] = told.fetchall()
    others = (schema.TABLE, "retraits", "corrections", *schema.OF_MEMBERS)
    return {name: found[name] for name in (*ALIKE, *others, schema.CHANGES, schema.STAYS.changes)}


def draws() -> Draw:
    numbers = count(1)
    return lambda size: f"{next(numbers):0{2 * size}}"


def asked_of(database: Path) -> dict[str, object]:
    """Corrections of movements as maintainers ask them: one at each end of a stay, and a movement to withdraw."""
    stays = [*Published(database).tenures()]
    begun = [stay.mouvement_debut for stay in stays if stay.mouvement_debut and stay.collab_nom]
    ended = [stay for stay in stays if stay.mouvement_fin and not stay.mouvement_debut]
    told = {"date_event": ended[0].fin_apres, "fonction": "Cheffe"}
    return {
        "modifier": {"id": begun[0], "collab_prenom": "Corrigée"},
        "modifier ": {"id": ended[0].mouvement_fin} | told,
        "retirer": begun[-1],
        "retirer ": ended[-1].mouvement_fin,
    }


@pytest.mark.parametrize(("seed", "added"), [(3, True), (5, False), (6, True)])
def test_a_run_that_copies_says_what_a_run_that_reads_everything_says(
    tmp_path: Path, seed: int, added: bool
) -> None:
    one, other, folder = tmp_path / "x.db", tmp_path / "other.db", tmp_path / "lists"
    said, draw = dict(SAID), {one: draws(), other: draws()}
    if not added:
        del said["ajouter"]
    copied = 0
    for number, found in enumerate(histories(seed)):
        for chamber, day, staff in found:
            lists.write(folder, chamber, day.isoformat(), staff)
        if number == DAYS - 5:
            said |= asked_of(one)
        now = START + datetime.timedelta(number)
        for database in (one, other):
            if database == other and number:
                # What another program wrote is not copied: this file is always written anew.
                change(other, "create table autre (nom)")
            inputs = update.Inputs(lists=walk([folder]).files, corrections=entries(said))
            # What is settled too early is taken back.
            update.track(database, inputs, now, settle=number % 4 == 3, draw=draw[database])
        copied += is_copied(one)
        assert not is_copied(other)
        assert inspect(one) == []
        assert said_alike(one) == said_alike(other)
        # Who reads everything puts what a correction adds at the end of its day each time.
        assert added or Published(one).publication == Published(other).publication
        for database in (one, other):
            mark(database)
    assert copied > DAYS - 4


SPOILT = {
    "a line": "update _lignes set json = x'7b7d' where rowid = 1",
    "a filter": "update _positions set rowids = x'' where filtre like 'elu=%'",
    "an index": "drop index idx_mouvements_source",
    "a table of others": "create table autre as select * from collaborations",
    "the words of a search": "insert into mouvements_fts (mouvements_fts) values ('delete-all')",
    "a table with a name like ours": "create table mouvements_fts_autre as select * from collaborations",
    "names on free pages": "create table autre as select * from collaborations; drop table autre",
    "a log": "pragma journal_mode = wal",
    "a name by hand": "update mouvements set collab_nom = null where rowid = 1",
}


@pytest.mark.parametrize("sql", SPOILT.values(), ids=SPOILT)
def test_a_file_that_is_not_as_it_was_written_is_written_anew(tmp_path: Path, sql: str) -> None:
    database, folder = tmp_path / "x.db", tmp_path / "lists"
    for day in (1, 2, 3, 4, 5):
        staff = {**many(40), 3: names(random.Random(7), 9)[:day]}
        lists.write(folder, "senat", f"2026-09-{day:02}", staff)
        inputs = update.Inputs(lists=walk([folder]).files)
        update.track(database, inputs, START + datetime.timedelta(day), settle=True)
        assert is_copied(database) == (day in (2, 3, 4))
        mark(database)
        if day == 4:
            change(database, sql)
    assert inspect(database) == []
    assert query(database, "pragma journal_mode") == ("delete",)
    assert differences(content(database), written_anew(database)) == []


def test_a_morning_copies_the_database_of_the_morning_before_with_its_nights(
    maintainer: Maintainer,
) -> None:
    for name in ("UNE", "AUTRE"):
        mark(maintainer.database)
        maintainer.desk.hires("senat", name)
        maintainer.morning()
        assert is_copied(maintainer.database)
        assert inspect(maintainer.database) == []


def test_a_database_with_faults_is_written_anew_the_next_morning(maintainer: Maintainer) -> None:
    for faults in (["a fault"], []):
        mark(maintainer.database)
        maintainer.run.check = lambda path, faults=faults: faults
        maintainer.desk.hires("senat", f"UNE{len(faults)}")
        maintainer.morning()
        assert is_copied(maintainer.database) == bool(faults)


def test_nights_do_not_have_a_file_copied_that_others_changed(maintainer: Maintainer) -> None:
    mark(maintainer.database)
    change(maintainer.database, "create table autre as select * from collaborations")
    *_, last = nights.read(maintainer.database)
    publish(maintainer.database, [last._replace(source="essai")])
    assert len(nights.read(maintainer.database)) > 1
    maintainer.desk.hires("senat", "UNE")
    maintainer.morning()
    assert not is_copied(maintainer.database)


def test_a_name_near_a_masked_one_has_the_file_written_anew_until_somebody_decides(
    tmp_path: Path,
) -> None:
    database, folder = tmp_path / "x.db", tmp_path / "lists"
    near = f"{MASKED}E"
    team = [[], [], [near], [near], [near], [near]]
    apart = {"noms": [MASKED, near]}
    told = []
    for day, come in enumerate(team, 1):
        staff = {**many(40), 3: [*many(40)[3], *come, f"Une NOUVELLE{'ABCDEF'[day - 1]}"]}
        lists.write(folder, "senat", f"2026-09-{day:02}", staff)
        said = MASK | ({"deux_personnes": apart} if day > 4 else {})
        inputs = update.Inputs(lists=walk([folder]).files, corrections=entries(said))
        update.track(database, inputs, START + datetime.timedelta(day))
        (named,) = query(
            database, "select count(*) from collaborations where collab_nom = ?", near.split()[1]
        )
        told.append((is_copied(database), named))
        mark(database)
    assert told == [(False, 0), (True, 0), (False, 0), (False, 0), (False, 1), (True, 1)]
    assert differences(content(database), written_anew(database)) == []


@pytest.mark.parametrize("both", [False, True], ids=["new to the mask", "known to it elsewhere"])
def test_a_stay_that_ended_is_withheld_once_its_name_is_known_to_be_a_masked_one_in_full(
    tmp_path: Path, both: bool
) -> None:
    """What the mask withholds does not change where another member has the fuller name: only whose it is does."""
    database, folder = tmp_path / "x.db", tmp_path / "lists"
    short, full = "Ada MOREAU", "Ada Jeanne Claire MOREAU"
    other = [short, full] if both else [short]
    told = []
    for day in range(1, 15):
        team = [full] if day < 3 else [full, short] if day == 14 else []
        staff = {**many(40), 3: [*many(40)[3], *team], 9: [*many(40)[9], *other]}
        lists.write(folder, "senat", f"2026-09-{day:02}", staff)
        said = entries({"masquer": {"nom": short}})
        inputs = update.Inputs(lists=walk([folder]).files, corrections=said)
        update.track(database, inputs, START + datetime.timedelta(day))
        told.append((is_copied(database), b"jeanne claire" in database.read_bytes().lower()))
        mark(database)
    assert told == [(False, True), *[(True, True)] * 12, (False, False)]


def test_a_pseudonym_that_the_file_does_not_have_is_lifted_and_takes_no_movement_from_its_stay(
    tmp_path: Path,
) -> None:
    """As where a run is stopped between the file without a mask and its tracking state."""
    database, folder = tmp_path / "daily.db", tmp_path / "lists"
    who, state = "Une PASSAGERE", StateFile(database)

    def run(day: int, said: dict[str, object], anew: bool = False) -> None:
        date = f"2026-09-{day:02}"
        team = [*many(40)[3], *([who] if day > 1 else [])]
        lists.write(folder, "senat", date, {**many(40), 3: team})
        inputs = update.Inputs(
            lists=walk([folder]).files, corrections=entries(said), source="suivi"
        )
        now = START + datetime.timedelta(day)
        if anew:
            update.build(database, inputs, now, settle=False)
        else:
            update.track(database, inputs, now)

    for day in range(1, 15):
        run(day, {})
    run(15, {"masquer": {"nom": who}})
    pseudonyms = state.pseudonyms()
    assert pseudonyms
    run(16, {}, anew=True)
    assert state.pseudonyms() == {}
    state.add_pseudonyms(pseudonyms)
    run(17, {})
    begun = "select count(mouvement_debut) from collaborations where collab_nom = 'PASSAGERE'"
    assert query(database, begun) == (1,)
    assert (inspect(database), state.pseudonyms()) == ([], {})


def test_a_day_that_other_corrections_come_with_is_written_anew(tmp_path: Path) -> None:
    database, folder = tmp_path / "x.db", tmp_path / "lists"
    said: list[dict[str, object]] = [{}, {}, MASK, MASK, {}]
    told = []
    for day, one in enumerate(said, 1):
        staff = {**many(40), 3: [*many(40)[3], f"Une NOUVELLE{'ABCDE'[day - 1]}"]}
        lists.write(folder, "senat", f"2026-09-{day:02}", staff)
        inputs = update.Inputs(lists=walk([folder]).files, corrections=entries(one))
        update.track(database, inputs, START + datetime.timedelta(day))
        told.append(is_copied(database))
        mark(database)
    assert told == [False, True, False, True, False]


def test_lines_of_ended_stays_tell_the_end_of_a_mandate_once_it_is_over(tmp_path: Path) -> None:
    database, folder, known = tmp_path / "x.db", tmp_path / "lists", tmp_path / "elus"
    known.mkdir()
    rows = (
        f"senat,{lists.member('senat', n)},Élue Numéro{n},Numéro{n},Élue,Mme,2020-10-01,{end},,x"
        for n, end in ((3, "2026-09-12"), (4, ""))
    )
    header = "chambre,elu_id,nom_complet,nom,prenom,civilite,debut,fin,motif_fin,origine"
    (known / "mandats.csv").write_text("\n".join([header, *rows, ""]))
    (known / "groupes.csv").write_text("chambre,elu_id,groupe,depuis,jusqua,origine\n")
    told, name = [], "Une PASSAGERE"
    two = {"homonymes": {"nom": name, "elus": [lists.member("senat", 3), lists.member("senat", 5)]}}
    for day in range(1, 16):
        staff = {**many(40), 3: [*many(40)[3], *[name][day - 1 :]], 5: [name]}
        if day > 2:
            del staff[4]
        lists.write(folder, "senat", f"2026-09-{day:02}", staff)
        inputs = update.Inputs(
            lists=walk([folder]).files, members=Members.read(known), corrections=entries(two)
        )
        update.track(database, inputs, START + datetime.timedelta(day - 1))
        sql = "select count(*), count(fin) from collaborations c join _lignes_collaborations l"
        sql += " on l.rowid = c.rowid where cast(l.json as text) like '%\"mandat_fin\"%'"
        told.append((is_copied(database), *query(database, sql)))
        assert differences(content(database), written_anew(database)) == []
        ended = "select count(*), count(mouvement_fin) from collaborations where fin is not null"
        assert len({*query(database, ended)}) == 1
        # What is known of members and of namesakes is kept where their stays ended.
        assert query(database, "select count(*) from _mandats") == (2,)
        assert query(database, "select count(*) from _homonymes") == (2,)
        mark(database)
    over = (True, 3, 1)
    assert told == [(False, 0, 0), *[(True, 0, 0)] * 11, *[over] * 3]


def test_the_first_day_of_another_version_is_written_anew(tmp_path: Path) -> None:
    database, folder = tmp_path / "x.db", tmp_path / "lists"
    state_file = StateFile(database)
    told = []
    for day in (1, 2, 3, 4):
        staff = {**many(40), 3: [f"Une NOUVELLE{'ABCD'[day - 1]}"]}
        lists.write(folder, "senat", f"2026-09-{day:02}", staff)
        update.track(database, update.Inputs(lists=walk([folder]).files), START)
        told.append(is_copied(database))
        mark(database)
        if day == 2:
            state = state_file.load(Published(database).token, Members())
            assert state is not None
            text = to_json(replace(state, package="0.1"))
            change(
                database, f"update _publication set valeur = '{token_of(text)}' where cle = 'suivi'"
            )
            state_file.add(text, sha256=digest.of_file(database))
            state_file.keep(text)
    assert told == [False, True, False, True]


def test_a_name_that_is_nobodys_any_more_is_not_in_the_bytes(tmp_path: Path) -> None:
    database, folder = tmp_path / "x.db", tmp_path / "lists"
    for day, name in enumerate(("Une PASSAGERE", "Une PASSAGERE", "Une PASSAGERRE"), 1):
        lists.write(folder, "senat", f"2026-09-{day:02}", {**many(40), 3: [name]})
        inputs = update.Inputs(lists=walk([folder]).files)
        update.track(database, inputs, START)
        assert (b"passagere" in database.read_bytes().lower()) == (day < 3)
        assert is_copied(database) == (day > 1)
        mark(database)
    assert differences(content(database), written_anew(database)) == []


@pytest.mark.skipif(not DATA.is_dir(), reason=MISSING)
def test_a_stretch_of_real_lists_is_the_same_day_by_day_and_at_once(tmp_path: Path) -> None:
    archive = DATA / "archives" / "an-quotidien-2020.tar.xz"
    found = lists_of(archive)[:60]
    members = Members.read(DATA / "elus")
    daily = tmp_path / "daily.db"
    update.build(daily, update.Inputs(lists=iter(found[:40]), members=members), START)
    for file in found[40:]:
        mark(daily)
        update.track(daily, update.Inputs(lists=iter([file]), members=members), START)
        assert is_copied(daily)
        assert differences(content(daily), written_anew(daily)) == []
    assert inspect(daily) == []
    once = tmp_path / "once.db"
    update.build(once, update.Inputs(lists=iter(found), members=members), START)
    # The last days wait for later lists; what was built at first was settled, and some of it was taken back.
    ids, all_ids = (Published(path).identifiers() for path in (daily, once))
    assert ids <= all_ids
