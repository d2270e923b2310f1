"""A real server with accounts, a real Chromium, and axe-core; what is missing fails, nothing is skipped."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.contract import environment
from tests.contract.service import OverHttp
from tests.published import build_sample

AXE = "axe-core@4.14.1"
OUTPUT = environment.ROOT / "tests" / "output"
NOW = datetime(2026, 11, 21, 5, tzinfo=UTC)
PASSWORD = "un mot de passe inventé"
PATIENCE = 60_000  # ms, for what a slow machine does late
# Chromium without the services of its maker: it must ask nothing of any other host.
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


def needed(is_there: object, what: str, how: str) -> None:
    if not is_there:
        pytest.fail(f"{what} is missing: {how}", pytrace=False)


class Site(OverHttp):
    """The server, and the commands of the one who keeps it."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def accounts(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "datasette", "accounts", *arguments]
        command += ["--yes", "--internal", str(self.internal)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The invented sample, served as the README says, with datasette-accounts."""
    needed(
        importlib.util.find_spec("datasette_accounts"),
        "datasette-accounts",
        "pip install -e '.[browser]', in an environment of its own (make browser)",
    )
    folder = tmp_path_factory.mktemp("browser")
    build_sample(folder / "movements.db", NOW)
    internal = folder / "internal.sqlite3"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DATASETTE_SECRET", environment.SECRET)
        patch.setenv("MOUVEMENTS_CONTACT", "contact@exemple.fr")
        options = [
            o for name in ("default_allow_sql", "allow_download") for o in ("-s", name, "off")
        ]
        command = environment.plain_command(
            Path(sys.executable), folder / "movements.db", internal, *options
        )
        site = Site("browser", command, internal, environment.ROOT)
        yield site
        site.close()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    program = shutil.which("chromium")
    needed(program, "chromium", "apt-get install chromium")
    needed(importlib.util.find_spec("playwright"), "playwright", "pip install -e '.[browser]'")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=list(FLAGS), timeout=PATIENCE
        )
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """axe-core's source, from npm."""
    npm = shutil.which("npm")
    needed(npm, "npm", "install Node.js and npm")
    folder = tmp_path_factory.mktemp("axe")
    command = [str(npm), "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder)]
    done = subprocess.run([*command, AXE], capture_output=True, text=True, check=False)
    needed(done.returncode == 0, AXE, f"npm cannot install it: {done.stderr}")
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture
def visit(live: Site, chromium: Any) -> Iterator[Callable[..., Any]]:
    """Open a window of this width and theme; at the end, no page asked another host or complained."""
    contexts = []
    asked: list[str] = []
    complaints: list[str] = []

    def opening(width: int = 1280, theme: str = "light", **options: Any) -> Any:
        context = chromium.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=theme,
            locale="fr-FR",
            base_url=live.url,
            **options,
        )
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        return page

    yield opening
    for context in contexts:
        context.close()
    assert [url for url in asked if not url.startswith((live.url + "/", "data:"))] == []
    assert [text for text in complaints if "Content Security Policy" in text] == []


def sign_in(page: Any, live: Site, name: str) -> None:
    """A new account of this name, signed in by the other plugin's own call."""
    live.accounts("create", name, "--password", PASSWORD, "--no-must-change")
    answer = page.request.post(
        f"{live.url}/-/login/api/authenticate", data={"username": name, "password": PASSWORD}
    )
    assert answer.ok, answer.text()


def go(place: Any) -> None:
    """Click what leads to another page, and wait until that is there whole.

    A click alone ends when the page begins to come: what is counted or read then may be missing.
    """
    with place.page.expect_navigation():
        place.click()


def violations(page: Any, axe: str, *rules: str) -> list[str]:
    """What axe-core finds wrong with the page as it is now, by all rules where none is named.

    The page's own policy stays in force.
    """
    # Nodes of other results would only be described in vain.
    options = json.dumps({"resultTypes": ["violations"]} | ({"runOnly": rules} if rules else {}))
    session = page.context.new_cdp_session(page)
    session.send("Runtime.evaluate", {"expression": axe})
    answer = session.send(
        "Runtime.evaluate",
        {
            "expression": f"axe.run(document, {options}).then(r => JSON.stringify(r.violations.map("
            "v => v.id + ': ' + v.nodes.map(n => n.target.join(' ')).join(', '))))",
            "awaitPromise": True,
            "returnByValue": True,
        },
    )
    session.detach()
    wrong: list[str] = json.loads(answer["result"]["value"])
    return wrong


def unfold(page: Any) -> bool:
    """Open what is folded on the page, its menu too; whether any of it was in sight."""
    seen: bool = page.evaluate(
        """() => [...document.querySelectorAll('details:not([open])')].filter(
            d => { d.open = true; return d.checkVisibility() }).length > 0"""
    )
    return seen


def fold(page: Any) -> None:
    """Close what unfolds."""
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = false })")


def too_wide(page: Any) -> list[str]:
    """What makes the page wider than its window; nothing where nobody has to scroll sideways."""
    told: list[str] = page.evaluate(
        """() => {
            const width = document.documentElement.clientWidth;
            if (document.documentElement.scrollWidth <= width) return [];
            const out = [...document.body.querySelectorAll('*')].filter(
                e => e.getBoundingClientRect().right > width + 1);
            return out.length ? out.map(e => 'too wide: ' + e.tagName + '.' + e.getAttribute('class'))
                .slice(0, 5) : ['too wide'];
        }"""
    )
    return told


def picture(page: Any, name: str) -> None:
    """Keep what the page looks like now, whole."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=str(OUTPUT / f"{name}.png"), full_page=True)
