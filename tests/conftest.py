"""What every test shares: what is made once, the rules of the contract, and how many of them a run covered."""

from __future__ import annotations

import gc
import os
from collections import defaultdict
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from typing import Any

import pytest
from datasette import app
from datasette.plugins import get_plugins, pm
from jinja2 import Environment, Undefined

from tests.contract.rules import RULES
from tests.run_folder import VARIABLE


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "rule(id, ...): the rules of the contract that a test covers"
    )


@pytest.fixture(scope="session", autouse=True)
def known_once() -> Iterator[None]:
    """Each Datasette would compile every template again, and read what every plugin says of itself."""
    compiles = Environment.compile
    compiled: dict[tuple[Any, ...], Any] = {}

    def once(self: Environment, source: Any, *rest: Any, **named: Any) -> Any:
        kind = self.is_async, self.autoescape, *self.filters, *self.tests, *self.extensions
        key = source, rest, *named.items(), kind
        if key not in compiled:
            compiled[key] = compiles(self, source, *rest, **named)
        return compiled[key]

    described = cache(lambda plugins: get_plugins())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Environment, "compile", once)
        patch.setattr(app, "get_plugins", lambda: deepcopy(described(frozenset(pm.get_plugins()))))
        yield


@pytest.fixture(scope="session", autouse=True)
def nothing_is_written_that_was_not_given() -> Iterator[None]:
    """A template that lacks a value writes nothing in its place, and no other test would notice."""

    def written(missing: Undefined) -> str:
        # An `if` within braces that has no `else` is meant; core's own page of errors lacks its version.
        if missing._undefined_hint or missing._undefined_name == "datasette_version":
            return ""
        return str(missing._fail_with_undefined_error())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Undefined, "__str__", written)
        yield


@pytest.fixture(scope="session", autouse=True)
def folder_of_the_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is made once for all processes lies beside the folders of each."""
    folder = tmp_path_factory.getbasetemp()
    with pytest.MonkeyPatch.context() as patch:
        is_worker = "PYTEST_XDIST_WORKER" in os.environ
        patch.setenv(VARIABLE, str(folder.parent if is_worker else folder))
        yield


@pytest.hookimpl(tryfirst=True)  # before -k and -m leave tests out
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        for rule in {name for marker in item.iter_markers("rule") for name in marker.args}:
            if rule not in RULES:
                raise pytest.UsageError(f"{item.nodeid}: {rule} is not in tests/contract/rules.py")
            item.user_properties.append(("rule", rule))
    config.stash[collected] = [*items]  # of which -k and -m leave some out

    # Begun first: at the end one of them would keep a process busy while the others have nothing to do.
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=lambda item: item.location[0] not in LONGEST)


def pytest_collection_finish() -> None:
    gc.freeze()  # the thousands of tests are not looked through again and again for garbage


# Files that take long.
LONGEST = {
    "tests/pages/test_pages_from_lists.py",
    "tests/real/test_windows.py",
    "tests/sources/test_fuzz.py",
    "tests/real/test_senat.py",
    "tests/real/test_assemblee.py",
    "tests/sources/test_europarl_download.py",
    "tests/building/test_same.py",
    "tests/building/test_corrected.py",
    "tests/building/test_feed_and_masks.py",
    "tests/processes/test_kills.py",
    "tests/serving/test_addresses.py",
}
collected = pytest.StashKey[list[pytest.Item]]()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    outcomes: dict[str, set[str]] = defaultdict(set)
    for outcome in ("passed", "failed", "error"):
        for report in terminalreporter.stats.get(outcome, []):
            for name, value in getattr(report, "user_properties", []):
                if name == "rule":
                    outcomes[value].add(outcome)
    if outcomes:
        broken = sorted(rule for rule, seen in outcomes.items() if seen != {"passed"})
        kept = len(outcomes) - len(broken)
        terminalreporter.section("rules of the contract")
        terminalreporter.line(f"{kept} of {len(RULES)} rules covered by tests that all passed")
        for rule in broken:
            terminalreporter.line(f"  broken: {rule}: {RULES[rule]}")
