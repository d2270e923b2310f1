"""The group of commands: each is found under its own name, and none is imported before it is asked for."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest

from datasette_mouvements.cli import PLACES, mouvements


@pytest.mark.parametrize("name", PLACES)
def test_a_command_bears_the_name_under_which_it_is_found(name: str) -> None:
    command = mouvements.get_command(click.Context(mouvements), name)
    assert command is not None
    assert command.name == name


def test_datasette_s_own_commands_import_no_room_of_the_plugin() -> None:
    loaded = "import sys, datasette.cli; print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", loaded], capture_output=True, check=True).stdout
    ours = {
        name
        for name in modules.decode().split()
        if name.partition(".")[0] in ("datasette_mouvements", "parlement_lists")
    }
    assert ours == {"datasette_mouvements", "datasette_mouvements.cli"}
