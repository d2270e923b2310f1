"""A service on the sample, in this process, and how to ask it as a visitor or as an account."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator
from contextvars import Context
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from datasette.app import Datasette

from datasette_mouvements.pages.site import Site, site_of
from tests.contract import environment
from tests.published import build_sample

from . import databases, september, three_groups, years

NOW = datetime.datetime(2026, 9, 14, 10, 30, tzinfo=datetime.UTC)
PUBLIC, CONTACT = "https://exemple.fr", "contact@exemple.fr"
# The day on which the sample that a first start serves is served.
SAMPLE_DAY = datetime.datetime(2026, 11, 21, 5, tzinfo=datetime.UTC)


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "movements.db"
    environment.done("build", path, "--movements", environment.SAMPLE)
    return path


@pytest.fixture(scope="session")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of the lists of `years`, for all tests: a test that changes it takes a copy."""
    return years.build(tmp_path_factory.mktemp("years"))


@pytest.fixture(scope="session")
def grouped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of `three_groups`, as `listed`."""
    return three_groups.build(tmp_path_factory.mktemp("groups"))


@pytest.fixture(scope="session")
def month_of_lists(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of `september`, as `listed`."""
    return september.build(tmp_path_factory.mktemp("september"))


Start = Callable[..., Any]


def starting(database: Path, folder: Path, running: list[Datasette]) -> Start:
    """Starts services whose keys are in the folder; what is started is in `running`."""

    async def start(
        settings: dict[str, Any] | None = None,
        path: Path | None = None,
        now: datetime.datetime | None = None,
        **core: Any,
    ) -> Datasette:
        internal = folder / f"internal-{len(running)}.sqlite3"
        # In a context of its own: Datasette would end it with the test that first asks for it.
        datasette: Datasette = Context().run(
            environment.datasette, path or database, internal, settings, **core
        )
        running.append(datasette)
        await datasette.invoke_startup()
        if now is not None:
            site(datasette).service.clock = lambda: now
        return datasette

    return start


def close(running: list[Datasette]) -> None:
    for datasette in running:
        if (pages := site_of(datasette)) is not None:
            pages.service.close()
        datasette.close()


@pytest.fixture
def make(database: Path, tmp_path: Path) -> Iterator[Start]:
    """Start a service with these settings of the plugin, at this moment; `core` are Datasette's."""
    running: list[Datasette] = []
    yield starting(database, tmp_path, running)
    close(running)


@pytest.fixture(scope="session")
def shared(database: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """As `make`, but one service for all tests that ask for the same: they change nothing of it."""
    running: list[Datasette] = []
    start = starting(database, tmp_path_factory.mktemp("shared"), running)
    services: dict[str, Datasette] = {}

    async def start_once(*settings: Any, **options: Any) -> Datasette:
        asked = repr((settings, options))
        if asked not in services:
            services[asked] = await start(*settings, **options)
        return services[asked]

    yield start_once
    close(running)


@pytest.fixture
def changed(make: Start, tmp_path: Path) -> Start:
    """Start a service on a copy of a file after these changes, as no build would make them."""

    async def start_changed(of: Path, *changes: str, now: datetime.datetime | None = None) -> Any:
        path = tmp_path / "movements.db"
        with databases.changing(of, path) as db:
            for sql in changes:
                db.execute(sql)
        return await make(path=path, now=now)

    return start_changed


@pytest.fixture
async def datasette(shared: Start) -> Datasette:
    return await shared({"contact": CONTACT})


@pytest.fixture
async def year(shared: Start, listed: Path) -> Datasette:
    """A service on the lists of `years`."""
    return await shared({"contact": CONTACT}, path=listed, now=years.TODAY)


@pytest.fixture
async def groups(shared: Start, grouped: Path) -> Datasette:
    """A service on the lists of `three_groups`."""
    return await shared(path=grouped, now=years.TODAY)


@pytest.fixture
async def month(shared: Start, month_of_lists: Path) -> Datasette:
    """A service on the lists of `september`."""
    return await shared({"contact": CONTACT}, path=month_of_lists, now=september.NOW)


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The invented file that a first start serves."""
    path = tmp_path_factory.mktemp("sample") / "movements.db"
    build_sample(path, SAMPLE_DAY)
    return path


@pytest.fixture
async def served(shared: Start, sample: Path) -> Datasette:
    """A service on the sample."""
    datasette: Datasette = await shared(
        {"public_url": PUBLIC, "allow_invented": True}, path=sample, now=SAMPLE_DAY
    )
    return datasette


def site(datasette: Datasette) -> Site:
    pages = site_of(datasette)
    assert pages is not None
    return pages


class Read(HTMLParser):
    """What of a page can be seen, and where it leads."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.links: list[str] = []
        self.addresses: list[str] = []  # of everything that a browser would load
        self.inline: list[str] = []
        self.ids: list[str] = []
        self._within: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "a" and values.get("href"):
            self.links.append(values["href"] or "")
        for name in ("src", "srcset", "action") + (("href",) if tag == "link" else ()):
            if values.get(name):
                self.addresses.append(values[name] or "")
        self.inline += [name for name in values if name.startswith("on") or name == "style"]
        if tag == "style" or (tag == "script" and "src" not in values):
            self.inline.append(tag)
        self.ids += [value or "" for name, value in attrs if name == "id"]
        for name in ("aria-label", "alt", "title", "placeholder"):
            if values.get(name):
                self.words.append(values[name] or "")
        if tag not in ("input", "img", "meta", "link", "source", "br"):
            self._within.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self._within and self._within.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not {"pre", "code", "script"} & set(self._within):
            self.words.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"[ \n\t]+", " ", " ".join(self.words))

    @property
    def plain(self) -> str:
        """The text with plain spaces, and none before a stop, where a tag ends."""
        return re.sub(r" (?=[.,])", "", re.sub(r"\s+", " ", self.text))


async def text_of(datasette: Datasette, path: str) -> str:
    """What a page says, with plain spaces."""
    answer = await datasette.client.get(path)
    assert answer.status_code == 200, path
    return Read(answer.text).plain


def head(html: str) -> dict[str, str]:
    """The page's description and what it says for sharing, by name."""
    return dict(re.findall(r'<meta (?:name|property)="([a-z:_]+)" content="([^"]*)">', html))
