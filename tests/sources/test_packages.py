"""A package that is installed brings sources of its own; what it gets wrong is said with its name."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from parlement_lists.sources.commands import fetch
from parlement_lists.sources.hooks import SourceError
from parlement_lists.sources.registry import choose
from tests.tracking import lists

from .misbehaving import says

MODULE = """
from parlement_lists.sources.hooks import ListSource, hookimpl

@hookimpl
def mouvements_sources():
    return [ListSource("{source}", "senat", "{url}")]
"""
URL = "https://lists.example.org/senat.csv"


@pytest.fixture
def installs(tmp_path):
    """Installs a package as pip would: a module, and metadata that names it as an entry point."""
    folder = tmp_path / "site-packages"

    def install(package, text):
        module = package.replace("-", "_")
        metadata = folder / f"{module}-1.0.dist-info"
        metadata.mkdir(parents=True)
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0")
        # The same name in each package: nothing obliges them to agree on names.
        (metadata / "entry_points.txt").write_text(f"[mouvements]\nsources = {module}\n")
        (folder / f"{module}.py").write_text(text)
        return folder

    return install


def test_fetch_takes_a_list_from_a_source_of_another_package(
    server, installs, tmp_path, monkeypatch
):
    server.answer_with(says(lists.data("senat", lists.STAFF)))
    module = MODULE.format(source="lune", url=server.url)
    monkeypatch.syspath_prepend(installs("lists-fetched", module))
    given = [str(tmp_path / "lists"), "--json", "--source"]
    ran = CliRunner().invoke(fetch, [*given, "lune"])
    assert ran.exit_code == 0, ran.output
    (result,) = json.loads(ran.stdout)
    assert (result["source"], result["status"]) == ("lune", "new")
    assert (tmp_path / "lists" / "senat").is_dir()
    ran = CliRunner().invoke(fetch, [*given, "mars"])
    assert ran.exit_code == 2
    assert "known: assemblee, " in ran.stderr


def test_a_package_takes_the_place_of_the_source_of_its_chamber(installs, monkeypatch):
    monkeypatch.syspath_prepend(installs("lists-daily", MODULE.format(source="lune", url=URL)))
    assert [source.name for source in choose(())] == ["assemblee", "lune", "europarl"]


def test_two_sources_of_one_name_are_refused_with_both_packages(installs, monkeypatch):
    for package in ("lists-one", "lists-two"):
        monkeypatch.syspath_prepend(installs(package, MODULE.format(source="lune", url=URL)))
    with pytest.raises(SourceError, match=r"package lists-\w+: lune is a source of lists-\w+$"):
        choose(("assemblee",))


def test_a_module_that_is_named_twice_is_told(installs, monkeypatch):
    text = MODULE.format(source="lune", url=URL)
    folder = installs("lists-twice", text)
    points = folder / "lists_twice-1.0.dist-info" / "entry_points.txt"
    points.write_text("[mouvements]\none = lists_twice\ntwo = lists_twice\n")
    monkeypatch.syspath_prepend(folder)
    with pytest.raises(
        SourceError, match="package lists-twice: lists_twice is an entry point twice"
    ):
        choose(("assemblee",))


def test_a_package_does_not_replace_a_source_of_this_one(installs, monkeypatch):
    monkeypatch.syspath_prepend(installs("lists-own", MODULE.format(source="assemblee", url=URL)))
    with pytest.raises(
        SourceError, match="lists-own: assemblee is a source of datasette-mouvements"
    ):
        choose(("assemblee",))


@pytest.mark.parametrize(
    ("package", "text", "reason"),
    [
        ("lists-absent", "import nothing_of_this_name", "No module named 'nothing_of_this_name'"),
        ("lists-raising", "1 / 0", "ZeroDivisionError in lists_"),
        ("lists-faulty", MODULE.partition("return")[0] + "1 / 0", "ZeroDivisionError in lists_"),
        ("lists-folder", MODULE.format(source="../lune", url=URL), "lower-case letters"),
        ("lists-none", MODULE.partition("return")[0] + "pass", "None is not a Source"),
        ("lists-other", MODULE.replace("sources()", "sources(datasette)"), "Argument.*datasette"),
    ],
)
def test_a_package_whose_sources_cannot_be_had_is_named(
    installs, monkeypatch, package, text, reason
):
    monkeypatch.syspath_prepend(installs(package, text))
    with pytest.raises(SourceError, match=rf"(?s)package {package}: .*{reason}"):
        choose(("assemblee",))
    broken = []
    assert [source.name for source in choose((), None, broken)] == [
        "assemblee",
        "senat",
        "europarl",
    ]
    assert len(broken) == 1
