"""Every command in the documentation for maintainers runs, in order, on a fresh copy; every link leads somewhere."""

from __future__ import annotations

import re
import shutil
import tomllib

import pytest

from tests.contract.environment import ROOT, SAMPLE, done, issue
from tests.keys.postgres_server import PostgresServer

from .commands import Reader, blocks
from .tables import DOCS, PAGES, headings, text

FOLLOWED = (
    *("restore.md", "observe.md", "use-postgresql.md"),
    "publish.md",
)
ELSEWHERE = {
    "answer-an-erasure.md": "the test below, beside real data",
    "sign-in.md": "the browser tests, in an environment with another plugin",
    "keep-a-copy.md": "tests/dataset/test_copy_command.py, with a service to copy",
    "upgrade.md": "the workflow `newest`",
}
# What makes a new environment, asks the chambers, serves until it is ended, or runs these very tests.
NOT_HERE = re.compile(r"^(python3 -m venv|git clone) .*\n|^make (newest|morning|serve)\n", re.M)
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
TEXTS = (
    *("README.md", "Makefile", "Dockerfile", "compose.yaml", "publish.sh", "install.sh", ".ci/run"),
    "docs/examples/daily.yml",
)
SLOW = {"publish.md"}  # it publishes to each target
STORE = "postgresql://mouvements:secret@db.example.org/mouvements"


@pytest.fixture(scope="module")
def postgres():
    server = PostgresServer()
    yield server
    server.close()


@pytest.mark.process
@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=[pytest.mark.slow] * (page in SLOW)) for page in FOLLOWED]
)
def test_every_command_of_the_page_runs(page, tmp_path, postgres):
    store = postgres.new_database()
    done("keys", "list", "--store", store)
    script = NOT_HERE.sub("", "".join(blocks(DOCS / "how-to" / page)))
    for written in (STORE, STORE.replace(":secret", "")):  # or the password is in a file
        script = script.replace(written, store)
    assert script.count("\n") >= 2
    reader = Reader(tmp_path)
    if page == "restore.md":
        issue("alice", reader.machine.clone / "var" / "internal.sqlite3")
    if page == "publish.md":  # what `make morning` made
        done("build", reader.machine.clone / "data" / "movements.db", "--movements", SAMPLE)
    for program in ("pg_dump", "pg_restore"):
        reader.really(program, postgres.programs)
    given = {"DATABASE_URL": postgres.new_database()}  # what Heroku answers
    if page == "use-postgresql.md":
        given["MOUVEMENTS_STORE"] = store
    ran = reader.follow(script, **given)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.process
def test_the_rehearsal_of_an_erasure_leaves_real_data_as_they_are(tmp_path):
    reader = Reader(tmp_path)
    clone = reader.machine.clone
    (clone / "data").mkdir(exist_ok=True)
    done("build", clone / "data" / "movements.db", "--movements", SAMPLE)
    shutil.copytree(clone / "data" / "exemple", clone / "lists")
    (clone / "corrections.yml").write_text("[]\n")
    before = contents(clone)
    ran = reader.follow("".join(blocks(DOCS / "how-to" / "answer-an-erasure.md")))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert contents(clone) == before


def contents(folder):
    files = (path for path in folder.rglob("*") if "__pycache__" not in path.parts)
    return {path: path.read_bytes() for path in files if path.is_file()}


def test_no_command_has_a_password_among_its_arguments():
    # `echo` and `printf` are the shell's own, and no process.
    safe = re.compile(r"\b(?:echo|printf|export \w+=\$\(cat) ")
    for page in PAGES:
        for line in "".join(blocks(DOCS / page)).splitlines():
            if not safe.search(line):
                assert "secret@" not in line, line
                assert not re.search(r"\$\{?(MOUVEMENTS_STORE|DATASETTE_SECRET)\b", line), line
                assert not re.search(r" --secret | -e \w*(SECRET|STORE|PASSWORD)", line), line


def test_every_page_with_commands_is_followed_by_a_test():
    with_commands = {page.rpartition("/")[2] for page in PAGES if blocks(DOCS / page)}
    assert with_commands == {*FOLLOWED, *ELSEWHERE}


def test_commands_run_in_a_clone_whose_environment_is_not_active():
    bare = {
        page.rpartition("/")[2]
        for page in PAGES
        for block in blocks(DOCS / page, "console", "bash", "sh")
        if re.search(r"^ *(\w+=\S* )*(datasette|pip) |[|&;(] *(datasette|pip) ", block, re.M)
    }
    assert bare == set()


def everything():
    return "\n".join([*((ROOT / name).read_text() for name in TEXTS), *map(text, PAGES)])


def test_every_extra_that_is_named_exists():
    found = re.findall(r"(?:-e '?\S*|\.whl\)|mouvements)\[([a-z,]+)\]", everything())
    assert len(found) > 5
    assert {name for names in found for name in names.split(",")} <= set(EXTRAS)


def test_every_make_target_that_is_named_exists():
    makefile = (ROOT / "Makefile").read_text()
    named = re.findall(r"(?:`|^|\$ )make ([a-z]+)", everything(), re.M)
    assert len(named) > 5
    assert set(named) <= set(re.findall(r"^([a-z]+):", makefile, re.M))


@pytest.mark.parametrize(
    "page", ["README.md", "CHANGELOG.md", "benchmarks/README.md", *(f"docs/{p}" for p in PAGES)]
)
def test_every_link_leads_to_a_file_and_to_a_heading_of_it(page):
    path = ROOT / page
    for target, anchor in re.findall(
        r"\]\(([^)#:]*)#?([^):]*)\)", path.read_text(encoding="utf-8")
    ):
        led_to = path.parent / target if target else path
        assert led_to.exists(), target
        if anchor:
            titles = [re.sub(r"[^\w -]", "", title) for title in headings(led_to)]
            assert anchor in [title.strip().lower().replace(" ", "-") for title in titles], anchor
