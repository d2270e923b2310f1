"""What a start needs, what stops it, and that the package need not be installed."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from datasette_mouvements import config

from . import environment
from .service import Service, in_every_way

rule = pytest.mark.rule


def run(*command: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command],
        cwd=environment.ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@in_every_way
@rule("service-not-installed", "service-serve")
def test_the_plugin_is_registered_once(service: Service) -> None:
    names = [plugin["name"] for plugin in service.ask("/-/plugins.json?all=1").json()]
    registered = [name for name in names if "mouvements" in name and not name.endswith(".py")]
    assert len(registered) == 1


@rule("service-settings")
@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"quota": 0}, "quota"),
        ({"quota": "1000"}, "quota"),
        ({"attribution": ""}, "attribution"),
        ({"public_url": "mouvements.exemple.fr"}, "public_url"),
        ({"public_url": "https://mouvements.exemple.fr/"}, "public_url"),
        ({"public_url": "https://a.fr>; rel=x"}, "public_url"),
        ({"store": "mysql://ailleurs"}, "store"),
        ({"open_whole_file": "yes"}, "open_whole_file"),
        ({"quotas": 1000}, "quotas"),
        (["quota"], environment.PLUGIN),
    ],
)
def test_a_wrong_setting_is_named(settings: Any, named: str) -> None:
    with pytest.raises(config.ConfigError, match=named):
        config.read(settings)


@rule("service-settings")
@pytest.mark.parametrize(
    "store",
    ["postgresql://ada:secret@host/keys", "postgresql://host/keys?user=ada&password=secret"],
)
def test_a_password_that_would_be_shown_with_the_settings_is_refused(store: str) -> None:
    with pytest.raises(config.ConfigError) as refused:
        config.refuse_written_password({"store": store})
    assert "$env" in str(refused.value)
    assert "secret" not in str(refused.value)
    config.refuse_written_password({"store": {"$env": "MOUVEMENTS_STORE"}})
    config.refuse_written_password({"store": "postgresql://ada@[::1]:5432/keys"})


@rule("service-settings")
@pytest.mark.parametrize(
    ("setting", "said"), [("quota: mille", "quota"), ("store: 'postgresql://a:b@c/d'", "$env")]
)
def test_a_real_start_with_a_wrong_setting_ends_with_its_name(
    python_without_package: Path, database: Path, tmp_path: Path, setting: str, said: str
) -> None:
    wrong = tmp_path / "metadata.yml"
    wrong.write_text(f"plugins: {{{environment.PLUGIN}: {{{setting}}}}}", encoding="utf-8")
    command = [python_without_package, "-I", "-m", "datasette", "serve", database, "-m", wrong]
    command += ["--plugins-dir", environment.PLUGINS, "--internal", tmp_path / "i.sqlite3"]
    started = run(*command, "--port", "0")
    assert started.returncode != 0
    assert said in started.stderr
    assert "Traceback" not in started.stderr
