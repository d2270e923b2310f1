"""What each host is given: the pinned alpha, closed settings, no secret, no litter, keys in a safe place."""

from __future__ import annotations

import json
import re
from contextlib import closing
from functools import cache

import pytest
import yaml
from datasette.utils.sqlite import sqlite3

from tests.contract.environment import METADATA, ROOT

from .host import STORE, TOOLS, Machine
from .test_constraints import pins_of_hosts

pytestmark = pytest.mark.process


def store_of(target):
    return {"MOUVEMENTS_STORE": STORE} if target in ("cloudrun", "heroku") else {}


@pytest.fixture(scope="module")
def published_on(tmp_path_factory, database):
    """The machine after a publication on a target: made once, to be looked at only."""

    @cache
    def publish(target):
        machine = Machine(tmp_path_factory.mktemp(target))
        # A secret that is given needs no place.
        (machine.clone / "var").write_text("a file, and no folder")
        busy = tmp_path_factory.mktemp("busy") / "busy.db"
        busy.write_bytes(database.read_bytes())
        with closing(sqlite3.connect(busy)) as writer:  # `later` is in its write-ahead log alone
            writer.execute("pragma journal_mode=wal")
            writer.execute("create table later (n integer)")
            writer.commit()
            done = machine.publish(
                target,
                "essai",
                "--db",
                busy,
                *(("--", "--max-instances", "7") if target == "cloudrun" else ()),
                DATASETTE_SECRET="kept-secret",
                MOUVEMENTS_CONTACT="contact@example.org",
                MOUVEMENTS_PUBLIC_URL="https://mouvements.example.org",
                FLY_REGION="mad",
                **store_of(target),
            )
        assert done.returncode == 0, done.stderr
        assert "MOUVEMENTS_CONTACT" not in done.stderr
        return machine

    return publish


@pytest.fixture(params=TOOLS)
def published(request, published_on):
    """(target, machine) after a publication."""
    return request.param, published_on(request.param)


def start_line(target, context):
    if target == "heroku":
        return (context / "Procfile").read_text()
    return (context / "Dockerfile").read_text().splitlines()[-1]


def installed(target, context):
    if target == "heroku":
        return (context / "requirements.txt").read_text().split()
    (line,) = re.findall(r"^RUN pip install -U (.*)$", (context / "Dockerfile").read_text(), re.M)
    return line.split()


def test_every_package_is_installed_at_the_version_that_was_tried(published):
    target, machine = published
    # Datasette's publishers put it first, unpinned: pip takes the version that comes later.
    assert installed(target, machine.captured) == ["datasette", *pins_of_hosts()]


def test_downloads_and_streams_are_closed_whoever_asks(published):
    target, machine = published
    line = start_line(target, machine.captured)
    for setting in ("allow_download", "allow_csv_stream"):
        assert f"--setting {setting} off" in line
    if target != "docker":
        assert "--setting force_https_urls on" in line


def test_keys_live_on_the_volume_or_in_the_store_and_never_where_files_are_served(published):
    target, machine = published
    line = start_line(target, machine.captured)
    if store_of(target):
        assert "--internal" not in line
    else:
        assert re.search(r"--internal /data/internal\.sqlite3 ", line)
    assert not list(machine.captured.rglob("*.sqlite3"))


def test_metadata_and_settings_arrive_whole(published):
    _, machine = published
    arrived = json.loads((machine.captured / "metadata.json").read_text())
    assert arrived == yaml.safe_load(METADATA.read_text(encoding="utf-8"))


def test_the_host_is_told_its_settings_and_the_image_holds_no_secret(published):
    target, machine = published
    if target != "docker":
        assert machine.host_was_told("DATASETTE_SECRET") == ["kept-secret"]
        assert machine.host_was_told("MOUVEMENTS_CONTACT") == ["contact@example.org"]
    if target in ("cloudrun", "heroku"):
        assert machine.host_was_told("MOUVEMENTS_STORE") == [STORE]
    for path in machine.captured.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert b"kept-secret" not in content
            assert b"s3cret" not in content


def test_no_tool_is_given_a_secret_as_an_argument(published):
    _, machine = published
    assert machine.arguments()
    for secret in ("kept-secret", "s3cret", "t0ken"):
        assert [line for line in machine.arguments() if secret in line] == []


def test_a_value_with_quotes_and_backslashes_arrives_as_it_is(machine, database):
    awkward = 'a"b\\c=d, e'
    given = {"MOUVEMENTS_STORE": STORE + awkward, "FAIL": "gcloud run services update*"}
    machine.publish("cloudrun", "essai", "--db", database, **given)
    (flags,) = [line for line in machine.was_told() if line.startswith("{")]
    assert json.loads(flags)["--update-env-vars"]["MOUVEMENTS_STORE"] == STORE + awkward


def test_it_has_the_python_and_the_debian_of_the_container_and_no_secret_of_its_own(published):
    target, machine = published
    # Stages may begin with an earlier stage: images that are taken from elsewhere have a version.
    (base,) = set(re.findall(r"^FROM (\S+:\S+)", (ROOT / "Dockerfile").read_text(), re.M))
    if target == "heroku":
        version = (machine.captured / ".python-version").read_text().strip()
        assert base.startswith(f"python:{version}-")
        assert not (machine.captured / "runtime.txt").exists()
        return
    lines = (machine.captured / "Dockerfile").read_text().splitlines()
    assert [line for line in lines if line.startswith("FROM ")] == [f"FROM {base}"]
    assert not any("SECRET" in line for line in lines)


def test_the_plugin_arrives_without_litter(published):
    _, machine = published
    plugins = machine.captured / "plugins"
    assert (plugins / "datasette_mouvements").exists()
    assert not [p for p in plugins.rglob("*") if p.name.endswith((".egg-info", ".pyc"))]


def test_the_database_arrives_alone_with_what_only_its_write_ahead_log_held(published):
    _, machine = published
    assert [path.name for path in machine.captured.glob("*.db*")] == ["movements.db"]
    with closing(sqlite3.connect(machine.captured / "movements.db")) as db:
        assert db.execute("select count(*) > 300 from mouvements").fetchone() == (1,)
        assert db.execute("select count(*) from later").fetchone() == (0,)
        assert db.execute("pragma journal_mode").fetchone() == ("delete",)


def test_the_fly_volume_is_made_once_and_mounted(published_on):
    machine = published_on("fly")
    (made,) = [line for line in machine.was_told() if line.startswith("flyctl volumes create")]
    assert "mouvements --region mad --size 1 -a essai" in made
    assert (
        'destination = "/data"\n  source = "mouvements"'
        in (machine.captured / "fly.toml").read_text()
    )


@pytest.mark.parametrize(
    ("target", "made"),
    [
        ("fly", "flyctl apps create --name essai"),
        ("cloudrun", "gcloud run deploy essai"),
        ("heroku", "heroku apps:create essai"),
    ],
)
def test_a_new_app_is_made_and_has_its_settings_before_the_first_deploy(
    machine, database, target, made
):
    done = machine.publish(target, "essai", "--db", database, MOUVEMENTS_STORE=STORE, NEW_APP="1")
    # The stand-in for flyctl knows no app, which its own publisher then takes for an error.
    assert target == "fly" or done.returncode == 0, done.stderr
    told = machine.was_told()
    (place,) = [n for n, line in enumerate(told) if line.startswith(made)]
    settings = next(n for n, line in enumerate(told) if "DATASETTE_SECRET" in line)
    assert place <= settings
    deploys = [n for n, line in enumerate(told) if re.search(r" (builds|deploy --)", line)]
    assert all(settings < n for n in deploys)


def test_a_secret_is_made_once_and_kept_for_the_next_deploy(machine, database):
    for _ in range(2):  # told, and no further
        given = {"MOUVEMENTS_STORE": STORE, "FAIL": "curl *"}
        machine.publish("heroku", "essai", "--db", database, **given)
    set_to = machine.host_was_told("DATASETTE_SECRET")
    assert len(set_to) == 2
    assert len(set(set_to)) == 1
    assert re.fullmatch(r"[0-9a-f]{64}", set_to[0])
    kept = machine.clone / "var" / "datasette-secret"
    assert kept.stat().st_mode & 0o077 == 0


def test_a_dry_run_needs_no_tool_leaves_the_context_and_tells_nobody(machine, database):
    for tool in machine.tools.iterdir():
        tool.unlink()
    done = machine.publish("docker", "--db", database, "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "(MOUVEMENTS_CONTACT) is not set" in done.stderr
    context = machine.clone / "build" / "docker"
    assert (context / "movements.db").exists()
    assert "--plugins-dir plugins/" in start_line("docker", context)
    assert machine.was_told() == []
    assert not (machine.clone / "var").exists()


def test_what_follows_two_hyphens_goes_to_datasette_publish(published_on):
    assert any("--max-instances 7" in line for line in published_on("cloudrun").was_told())
