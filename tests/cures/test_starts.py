"""What a service that does not start says to do is done; it starts."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from socket import create_server

import pytest
import yaml
from datasette.utils import StartupError
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.config import ConfigError
from datasette_mouvements.serving.commands import datasette_options
from datasette_mouvements.serving.server import CannotListen, Server, instance
from datasette_mouvements.serving.startup import check_settings
from tests.published import Published
from tests.contract.environment import METADATA, PLUGIN, datasette, done

from .messages import filled
from .test_commands import refused


def test_a_password_is_put_in_the_environment_and_named(database, folder, tmp_path, monkeypatch):
    done("build", database, "--lists", folder)
    described = yaml.safe_load(METADATA.read_text(encoding="utf-8"))
    settings = described["plugins"][PLUGIN]
    settings["store"] = password = "postgresql://user:secret@localhost/x"
    file = tmp_path / "metadata.yml"

    def checked():
        file.write_text(yaml.safe_dump(described), encoding="utf-8")
        options = datasette_options(database, tmp_path / "i.sqlite3", ["--metadata", str(file)])
        return check_settings(instance(options))

    with pytest.raises(StartupError) as told:
        checked()
    filled("put it in the environment and write {$env: MOUVEMENTS_STORE}", str(told.value))
    settings["store"] = yaml.safe_load(re.search(r"write (\{.*\})", str(told.value))[1])
    monkeypatch.setenv("MOUVEMENTS_STORE", password)
    assert checked().store == password


def test_the_file_of_movements_is_the_one_of_that_name(database, folder, tmp_path):
    done("build", database, "--lists", folder)
    internal = tmp_path / "i.sqlite3"
    other = tmp_path / "movements.db"
    shutil.copy(database, other)
    options = datasette_options(database, internal, [str(other)])
    with pytest.raises(ConfigError) as told:
        instance(options)
    filled("rename the first", str(told.value))
    (first,) = re.findall(r"^(\S+) and \S+ would both", str(told.value))
    assert first == str(other)
    shutil.move(first, tmp_path / "before.db")
    assert check_settings(
        instance(datasette_options(database, internal, [str(tmp_path / "before.db")]))
    )


def test_keys_are_not_listed_among_the_files_and_the_movements_are(database, folder, tmp_path):
    done("build", database, "--lists", folder)
    internal = tmp_path / "i.sqlite3"
    done("keys", "create", "ada", "--internal", internal)
    with pytest.raises(StartupError) as told:
        check_settings(instance(datasette_options(database, internal, [str(internal)])))
    filled("do not list it among the files", str(told.value))
    assert check_settings(instance(datasette_options(database, internal, [])))


def test_an_option_of_another_server_is_looked_up_in_the_help(database):
    with pytest.raises(Exception, match="has no effect") as told:
        datasette_options(database, database, ["--port", "9000"])
    filled("see `datasette mouvements serve --help`", str(told.value))
    _, *asked = shlex.split(re.search("`(.*)`$", str(told.value).rpartition(": see ")[2])[1])
    assert "--port" in done(*asked[1:]).output


def test_another_port_is_given_where_one_is_taken(database, folder, tmp_path, monkeypatch):
    for name in ("DATASETTE_SECRET", "MOUVEMENTS_SERVE_OPTIONS"):
        monkeypatch.setenv(name, "x")  # given back after the test
    done("build", database, "--lists", folder)
    options = datasette_options(database, tmp_path / "i.sqlite3", [])
    with create_server(("127.0.0.1", 0)) as taken:
        with pytest.raises(CannotListen) as told:
            Server(options, "127.0.0.1", taken.getsockname()[1], 1)
        filled("give another --port or --host", str(told.value))
        with Server(options, "127.0.0.1", 0, 1).socket as socket:
            assert socket.getsockname()[1] != taken.getsockname()[1]


def test_what_is_to_be_built_first_is(tmp_path, folder, monkeypatch):
    monkeypatch.chdir(tmp_path)  # without the lists of the sample
    database = tmp_path / "movements.db"
    _, given = refused("build it first: {} mouvements build {} ...", "serve", "--db", database)
    done("build", given, "--lists", folder)
    assert Published(database).lists


@pytest.mark.parametrize(
    ("called", "said"),
    [
        ((".venv/bin/program",), ".venv/bin/program"),
        (("program",), "program"),
        ((sys.executable, "-m", "datasette"), f"{sys.executable} -m datasette"),
    ],
)
def test_the_command_of_a_hint_runs_as_it_is_copied(tmp_path, called, said):
    for name in (".venv/bin/program", "on-path/program"):
        program = tmp_path / name
        program.parent.mkdir(parents=True)
        program.write_text(f"#!{sys.executable}\nfrom datasette.cli import cli\ncli()\n")
        program.chmod(0o755)
    path = tmp_path / ("on-path" if called == ("program",) else "empty")
    environment = os.environ | {"PATH": f"{path}:/usr/bin:/bin"}

    def run(*words):
        return subprocess.run(
            words, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60
        )

    refusal = run(*called, "mouvements", "serve", "--db", "movements.db").stderr
    program, _ = filled("build it first: {} mouvements build {} ...", refusal)
    assert program == said
    assert ", version" in run(*shlex.split(program), "--version").stdout


def test_a_database_of_another_name_is_served_under_the_one_of_the_settings(
    database, folder, tmp_path
):
    done("build", database, "--lists", folder)
    internal = tmp_path / "i.sqlite3"
    settings = {"database": "x"}
    with closing(sqlite3.connect(other := tmp_path / "other.db")) as db:
        db.execute("create table t (a)")
    with pytest.raises(StartupError) as told:
        check_settings(datasette(other, internal, settings))
    filled("serve data/movements.db, or the file that holds the movements", str(told.value))
    assert check_settings(datasette(database, internal, settings))


def test_a_public_service_of_invented_people_says_the_command_and_the_setting(
    database, folder, tmp_path
):
    done("build", database, "--lists", folder, "--invented")
    public = {"public_url": "https://example.org", "contact": "x@example.org"}
    with pytest.raises(StartupError) as told:
        check_settings(datasette(database, tmp_path / "i.sqlite3", public))
    cure = "set plugins.{}.allow_invented"
    assert filled(cure, str(told.value)) == (PLUGIN,)
    given = re.search("the command `(.*?)`", str(told.value))[1]
    assert given.endswith(f"--serve {database}")
    done(*shlex.split(given), "--help")
    allowed = {str(told.value).rpartition(".")[2]: True}
    for settings in (public | allowed, {}):
        assert check_settings(datasette(database, tmp_path / "i.sqlite3", settings))
    # `serve` tells it as a command does, in a line.
    described = yaml.safe_load(METADATA.read_text(encoding="utf-8"))
    described["plugins"][PLUGIN] |= public
    file = tmp_path / "metadata.yml"
    file.write_text(yaml.safe_dump(described), encoding="utf-8")
    options = "--internal", tmp_path / "i.sqlite3", "--metadata", file
    assert refused(cure, "serve", "--db", database, *options) == (PLUGIN,)


def test_a_folder_of_somebody_else_is_removed(database, folder, tmp_path):
    done("build", movements := tmp_path / "movements.db", "--lists", folder)
    link = tmp_path / f"datasette-mouvements-{os.getuid()}"
    link.symlink_to(tmp_path)
    start = [sys.executable, "-m", "datasette", "serve", movements, "--get", "/"]
    plain = {"cwd": tmp_path, "env": os.environ | {"TMPDIR": str(tmp_path)}, "text": True}
    told = subprocess.run(start, capture_output=True, timeout=60, **plain)
    assert told.returncode
    filled("remove it", told.stderr)
    Path(re.search(r"(\S+) belongs to another user", told.stderr)[1]).unlink()
    found = subprocess.run(start, capture_output=True, timeout=60, **plain)
    assert found.returncode == 0, found.stderr
