"""`read` makes one list of originals at hand, or says why not and makes none."""

from __future__ import annotations

import datetime
import gzip
import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from parlement_lists.bounds import ORIGINAL_BYTES
from parlement_lists.sources.commands import read_command
from parlement_lists.sources.download import Source
from parlement_lists.sources.originals import ChamberMembers, MemberRecord, StaffList, StaffRow
from tests.tracking.lists import write_members


class Moon(Source):
    """A source whose originals are JSON, of staff or of members, told apart by content."""

    def members(self, originals, day):
        for original in originals:
            content = json.loads(original.body)
            if "members" in content:
                members = [MemberRecord(*fields) for fields in content["members"]]
                return ChamberMembers(members, False, "lune", remarks=[f"members of {day}"])
        return None

    def read(self, originals, members, day):
        rows, remarks, list_day, unknown = [], [], None, []
        for original in originals:
            content = json.loads(original.body)
            if "refused" in content:
                raise original.refusal(content["refused"])
            list_day = datetime.date.fromisoformat(content["day"]) if "day" in content else list_day
            for member, family, given in content.get("staff", ()):
                name = members.name("senat", member)
                of_day = list_day or day
                group = members.group("senat", member, of_day) if of_day else ""
                named = (name.family, name.given) if name else ("", "")
                rows.append(StaffRow(member, *named, group, "", family, given))
            unknown += content.get("unknown", [])
            remarks.append(f"{original.name} was read")
        return StaffList(rows, "lune", list_day, remarks, unknown)


STAFF = {"staff": [["10000A", "MODÈLE", "Paul"], ["10000B", "LE GOFF", "Maëlle"]]}
MEMBERS = {"members": [["10000A", "Exemple", "Jeanne", "Mme", "GRA"]]}
LINES = ["10000A,,,,,MODÈLE,Paul,", "10000B,,,,,LE GOFF,Maëlle,"]


@pytest.fixture
def moon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(*arguments: object) -> Result:
    return CliRunner().invoke(read_command, [*map(str, arguments)], obj=(Moon("senat"),))


def original(name: str, content: object) -> Path:
    path = Path(name)
    path.write_text(json.dumps(content))
    return path


def staff_lines(text: str) -> list[str]:
    header, *lines = text.splitlines()
    assert header.startswith("chambre,elu_id,")
    return [line.removeprefix("senat,") for line in lines]


def test_members_come_from_folders_and_from_originals_of_the_day(moon: Path) -> None:
    mandates = ["senat,10000B,Zoé Autre,Autre,Zoé,Mme,2014-10-01,"]
    folder = write_members(moon / "elus", mandates, ["senat,10000B,GRB,2014-10-01,"])
    before = {path: path.read_bytes() for path in folder.iterdir()}
    files = (original("a.json", STAFF), original("b.json", MEMBERS))
    done = read("senat", *files, "--members", folder, "--date", "2016-10-02")
    assert done.exit_code == 0, done.stderr
    assert staff_lines(done.stdout) == [
        "10000B,Autre,Zoé,GRB,,LE GOFF,Maëlle,",
        "10000A,Exemple,Jeanne,GRA,,MODÈLE,Paul,",
    ]
    assert "members of 2016-10-02" in done.stderr
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_a_folder_gets_the_file_of_the_chamber_and_day(moon: Path) -> None:
    (moon / "there").mkdir()
    first = original("a.json", STAFF | {"day": "2016-10-02"})
    for output in ("lists/", "there"):
        done = read("senat", first, "-o", output)
        assert (done.exit_code, done.stdout) == (0, "")
        path = moon / output / "senat" / "2016-10-02.csv"
        assert staff_lines(path.read_text()) == LINES
        assert read("senat", first, "-o", output).exit_code == 0  # the same again
    Path("lists/senat/2016-10-04.csv.gz").write_bytes(gzip.compress(b"any list"))
    done = read("senat", original("c.json", STAFF | {"day": "2016-10-04"}), "-o", "lists/")
    assert done.exit_code == 1
    assert "2016-10-04.csv.gz: a list of that day is there, and stays" in done.stderr
    Path("lists/senat/2016-10-04.csv.gz").unlink()
    other = original("a.json", {"day": "2016-10-02", "staff": STAFF["staff"][:1]})
    done = read("senat", other, "-o", "lists/")
    assert done.exit_code == 1
    assert "2016-10-02.csv: another list of that day is there" in done.stderr
    assert staff_lines((moon / "lists/senat/2016-10-02.csv").read_text()) == LINES
    assert sorted(os.listdir(moon / "lists" / "senat")) == ["2016-10-02.csv"]


def test_a_file_that_is_named_is_replaced(moon: Path) -> None:
    Path("out.csv").write_text("old")
    done = read("senat", original("a.json", STAFF), "--date", "2016-10-02", "-o", "out.csv")
    assert (done.exit_code, done.stdout) == (0, "")
    assert staff_lines(Path("out.csv").read_text()) == LINES
    os.mkfifo("pipe")
    done = read("senat", original("a.json", STAFF), "--date", "2016-10-02", "-o", "pipe")
    assert done.exit_code == 1
    assert "not a regular file" in done.stderr
    assert Path("pipe").is_fifo()


@pytest.mark.parametrize("output", ["lists/", None])
@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"refused": "page 3: 2 titles"}, "a.json: page 3: 2 titles"),
        ({"staff": [["10000A", "A\nB", "C"]]}, "member 10000A: collab_nom holds a control"),
    ],
)
def test_refusals_leave_no_row(moon: Path, content: object, said: str, output: str | None) -> None:
    given = ("-o", output) if output else ()
    done = read("senat", original("a.json", content), "--date", "2016-10-02", *given)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: ")
    assert said in done.stderr
    assert not Path("lists").exists()


def test_a_gzip_is_unpacked_whatever_its_name(moon: Path) -> None:
    for name in ("a.json.gz", "a.json"):
        Path(name).write_bytes(gzip.compress(json.dumps(STAFF).encode()))
        done = read("senat", name, "--date", "2016-10-02")
        assert staff_lines(done.stdout) == LINES
        assert "a.json was read" in done.stderr


def test_files_that_are_no_originals_are_refused(moon: Path) -> None:
    real = original("a.json", STAFF)
    Path("link.json").symlink_to(real)
    Path("cut.gz").write_bytes(gzip.compress(json.dumps(STAFF).encode())[:-9])
    with open("long.json", "wb") as file:
        file.truncate(ORIGINAL_BYTES + 1)
    Path("bomb.json").write_bytes(gzip.compress(Path("long.json").read_bytes(), 1))
    for name, why in (
        ("link.json", "a link, not a regular file"),
        ("cut.gz", "cut.gz: damaged gzip"),
        (".", "Is a directory"),
        ("long.json", f"long.json: more than {ORIGINAL_BYTES} bytes"),
        ("bomb.json", f"bomb.json: more than {ORIGINAL_BYTES} bytes"),
    ):
        done = read("senat", real, name, "--date", "2016-10-02")
        assert (done.exit_code, done.stdout) == (1, "")
        assert why in done.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "why"),
    [
        (["senat", "a.json", "-o", "lists/"], 2, "give --date"),
        (["mars", "a.json"], 2, "unknown source mars; known: "),
        (["senat", "a.json", "--date", "2016-10-02", "--members", "."], 1, "mandats.csv"),
    ],
)
def test_wrong_usage_is_told(moon: Path, arguments: list[str], status: int, why: str) -> None:
    original("a.json", STAFF)
    done = read(*arguments)
    assert (done.exit_code, done.stdout) == (status, "")
    assert why in done.stderr


def test_a_list_is_of_the_day_that_the_originals_say_else_of_the_one_given(moon: Path) -> None:
    dated, undated = original("a.json", STAFF | {"day": "2016-10-02"}), original("b.json", STAFF)
    for arguments, sentences in (
        ((dated, "--date", "2016-10-05"), ["the originals are of 2016-10-02, not of 2016-10-05"]),
        ((dated,), []),
        ((undated,), []),
    ):
        done = read("senat", *arguments)
        day = "2016-10-02" if dated in arguments else "no day"
        assert done.stderr.splitlines()[1:] == [*sentences, f"senat/{day}: 2 rows, from lune"]
        assert staff_lines(done.stdout) == LINES
    to_come = original("c.json", STAFF | {"day": "9999-12-31"})
    for given in ((), ("--date", "2016-10-02")):
        done = read("senat", to_come, *given, "-o", "lists/")
        assert done.exit_code == 1
        assert "a list of 9999-12-31, which is after the day it was received" in done.stderr
    assert not Path("lists").exists()


@pytest.mark.parametrize(("packed", "arguments"), [(False, ()), (True, ("--date", "2016-10-05"))])
def test_who_is_not_known_is_not_a_new_one_where_the_list_before_has_somebody_more(
    moon: Path, packed: bool, arguments: tuple[str, ...]
) -> None:
    """Of the lists in the folder it is the newest one before the day that the originals say."""
    folder = moon / "lists" / "senat"
    folder.mkdir(parents=True)
    header = "chambre,elu_id,elu_nom,elu_prenom,groupe,collab_civilite,collab_nom,collab_prenom,"
    for day, member in (("04", "10000D"), ("02", "10000C"), ("01", "10000E")):
        text = f"{header}fonction\nsenat,{member},Exemple,Jeanne,,Mme,AUBE,Zoé,\n"
        path = folder / f"2016-10-{day}.csv"
        path.write_text(text)
        if packed:
            Path(f"{path}.gz").write_bytes(gzip.compress(path.read_bytes()))
            path.unlink()
    (folder / "2016-10-02T0900.csv").write_text(f"{header}fonction\n")  # no list
    content = STAFF | {"day": "2016-10-03", "unknown": ["NEUF Ève"]}
    done = read("senat", original("a.json", content), "-o", "lists", *arguments)
    assert done.exit_code == 1
    assert "NEUF Ève: not known, and may be one of those who are missing: 10000C\n" in done.stderr
    done = read("senat", original("a.json", content | {"unknown": []}), "-o", "lists", *arguments)
    assert (done.exit_code, done.stderr.count("a.json was read")) == (0, 1)
    assert staff_lines((folder / "2016-10-03.csv").read_text()) == LINES
