"""Starting and stopping real processes: on fresh files, on any name, on a taken port."""

import json
import os
import pty
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import click
import pytest
from datasette.app import Datasette
from datasette.utils import StartupError
from uvicorn.config import STARTUP_FAILURE

from datasette_mouvements.config import ConfigError
from datasette_mouvements.dataset.input_files import read
from datasette_mouvements.serving import commands
from datasette_mouvements.serving.commands import datasette_options
from datasette_mouvements.serving.server import instance
from tests.contract.environment import done
from tests.published import write

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "tests" / "sample" / "mouvements.csv"


@pytest.mark.process
def test_plain_datasettes_start_together_on_a_fresh_file(movements: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "datasette", movements, "--internal", tmp_path / "v.sqlite3"]
    processes = [
        subprocess.Popen(
            [*command, "--get", "/-/versions.json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(4)
    ]
    said = [process.communicate(timeout=60)[1].decode() for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0, 0], said


def serve(*options: object) -> list[str]:
    """The command that serves, on a port of its own choice."""
    command = [sys.executable, "-m", "datasette", "mouvements", "serve", "--port", "0", *options]
    return [str(part) for part in command]


@pytest.fixture
def movements(tmp_path: Path) -> Path:
    """A movements database under another name than the one the settings give."""
    path = tmp_path / "x.db"
    write(path, [(str(SAMPLE), read(SAMPLE))])
    return path


@pytest.mark.process
@pytest.mark.parametrize(("workers", "asked"), [(1, signal.SIGINT), (2, signal.SIGTERM)])
def test_any_file_is_served_as_the_movements_and_a_stop_asked_for_is_no_failure(
    movements: Path, tmp_path: Path, workers: int, asked: int
) -> None:
    options = ("--db", movements, "--internal", tmp_path / "i.sqlite3", "--workers", workers)
    process = subprocess.Popen(
        serve(*options), stdout=subprocess.PIPE, text=True, bufsize=1, cwd=ROOT
    )
    try:
        assert process.stdout is not None
        address = re.search(r"Serving at (http://\S+)", process.stdout.readline())
        assert address is not None
        with urlopen(address[1] + "/movements/mouvements", timeout=30) as page:
            # As metadata.yml describes the table of that name.
            assert "Du plus récent au plus ancien" in page.read().decode()
        with pytest.raises(HTTPError) as refused:
            urlopen(address[1] + "/v1/mouvements", timeout=10)
        with refused.value as answer:
            assert answer.code == 401
    finally:
        process.send_signal(asked)
        process.communicate(timeout=30)
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("terminal", "host", "public", "shows_a_key", "warned"),
    [
        (True, "127.0.0.1", "", True, False),
        # It would stay in a log.
        (False, "127.0.0.1", "", False, False),
        (True, "127.0.0.2", "", False, True),
        (True, "127.0.0.2", "https://example.org", False, False),
    ],
)
def test_a_start_prints_its_address_and_a_key_or_how_to_get_one(
    movements: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    terminal: bool,
    host: str,
    public: str,
    shows_a_key: bool,
    warned: bool,
) -> None:
    """At a host that other machines may reach, no key is shown, and the public address is asked for."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("MOUVEMENTS_PUBLIC_URL", public)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    bound: list[socket.socket] = []
    monkeypatch.setattr(commands, "run", lambda options, at, workers: bound.append(at))
    internal = tmp_path / "i.sqlite3"
    options = ("--db", movements, "--internal", internal, "--host", host, "--port", "0")
    with pytest.raises(SystemExit) as ended:
        commands.serve.main([*map(str, options), "--setting", "base_url", "/sous/"])
    said = capsys.readouterr()
    with bound[0] as at:
        assert f"Serving at http://{host}:{at.getsockname()[1]}/sous (pages)" in said.out
    assert not ended.value.code
    assert ("Bearer mvt_" in said.out) is shows_a_key
    assert (f"keys create ACCOUNT --internal {internal}\n" in said.out) is not shows_a_key
    assert ("Set public_url in metadata.yml." in said.err) is warned


@pytest.mark.process
def test_keys_are_never_written_to_the_served_file(movements: Path) -> None:
    before = movements.read_bytes()
    plain = [sys.executable, "-m", "datasette", movements, "--internal", movements]
    named = ["-s", "plugins.datasette-mouvements.database", "x"]
    for command in (serve("--db", movements, "--internal", movements), [*plain, *named]):
        refused = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT)
        assert refused.returncode == 1
        assert "served to everyone" in refused.stderr
        assert "curl" not in refused.stdout
        assert movements.read_bytes() == before


async def test_a_link_to_the_keys_is_not_served(movements: Path, tmp_path: Path) -> None:
    link, internal = tmp_path / "link.db", tmp_path / "i.sqlite3"
    internal.touch()
    link.symlink_to(internal)
    with pytest.raises(StartupError, match=r"i\.sqlite3 holds keys and is served to everyone"):
        await Datasette([str(movements), str(link)], internal=str(internal)).invoke_startup()


@pytest.mark.process
@pytest.mark.parametrize("terminal", [True, False])
def test_the_first_key_is_shown_at_a_terminal_and_nowhere_else(
    movements: Path, tmp_path: Path, terminal: bool
) -> None:
    reading, writing = pty.openpty() if terminal else os.pipe()
    command = serve("--db", movements, "--internal", tmp_path / "i.sqlite3")
    process = subprocess.Popen(command, stdout=writing, cwd=ROOT)
    os.close(writing)
    said = b""
    try:
        while not re.search(rb"limit=2|keys create ACCOUNT .*\n", said):
            said += os.read(reading, 10_000)
        _do_what_is_said(said.decode())
    finally:
        process.terminate()
        process.wait(30)
        os.close(reading)
    assert (b"Bearer mvt_" in said) == terminal
    assert (b"keys create ACCOUNT" in said) != terminal


def _do_what_is_said(printed: str) -> None:
    if curl := re.search(r'curl -H "Authorization: (.*)" "(http\S+)"', printed):
        with urlopen(Request(curl[2], headers={"Authorization": curl[1]}), timeout=30) as answer:
            assert json.load(answer)["mouvements"]
    else:
        said = re.search(r"datasette mouvements (keys create) ACCOUNT (.*)", printed)
        assert said
        done(*said[1].split(), "ada", *shlex.split(said[2]))


@pytest.mark.process
@pytest.mark.parametrize("hook", ["startup", "asgi_wrapper"])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_start_that_another_plugin_ends_is_a_failure(
    movements: Path, tmp_path: Path, workers: int, hook: str
) -> None:
    (tmp_path / "ends.py").write_text(
        "from datasette import hookimpl\nfrom datasette.utils import StartupError\n\n\n"
        f"@hookimpl\ndef {hook}():\n    raise StartupError('it cannot start')\n"
    )
    options = ("--db", movements, "--internal", tmp_path / "i.sqlite3")
    command = serve(*options, "--plugins-dir", tmp_path, "--workers", workers)
    refused = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT)
    assert "it cannot start" in refused.stderr
    assert refused.returncode == STARTUP_FAILURE


@pytest.mark.process
def test_a_port_that_is_taken_is_named(movements: Path, tmp_path: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        options = ("--db", movements, "--internal", tmp_path / "i.sqlite3", "--port", port)
        refused = subprocess.run(serve(*options), capture_output=True, text=True, timeout=60)
    assert refused.returncode == 1
    assert str(port) in refused.stderr
    assert "curl" not in refused.stdout


@pytest.mark.parametrize(
    "given",
    [["--ssl-keyfile", "k.pem"], ["-p", "9000"]],
    ids=" ".join,
)
def test_what_datasette_s_own_server_does_is_not_promised(
    movements: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.pem").touch()
    with pytest.raises(click.UsageError, match="has no effect here"):
        datasette_options(movements, tmp_path / "i.sqlite3", given)


def test_the_file_that_is_served_is_the_movements_and_no_other(
    movements: Path, tmp_path: Path
) -> None:
    internal = tmp_path / "i.sqlite3"
    year = Path(shutil.copyfile(movements, tmp_path / "2026.db"))
    made = instance(datasette_options(year, internal, []))
    assert [(name, one.path) for name, one in made.databases.items()] == [("movements", str(year))]
    other = shutil.copyfile(movements, tmp_path / "movements.db")
    with pytest.raises(ConfigError, match=r"movements\.db and .*2026\.db would both be called"):
        instance(datasette_options(year, internal, [str(other)]))


@pytest.mark.parametrize(
    "given",
    [["-m", "other.yml"], ["-mother.yml"], ["--metadata=other.yml"]],
    ids=" ".join,
)
def test_a_metadata_file_given_in_any_form_prevails_over_the_one_that_lies_there(
    movements: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, quota in (("metadata.yml", 1), ("other.yml", 2)):
        text = f"plugins:\n  datasette-mouvements:\n    quota: {quota}\n"
        (tmp_path / name).write_text(text, encoding="utf-8")

    def served(*options: str) -> object:
        made = instance(datasette_options(movements, tmp_path / "i.sqlite3", options))
        return made.plugin_config("datasette-mouvements")["quota"]

    assert served(*given) == 2
    assert served() == 1
