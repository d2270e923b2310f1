"""What a walk through the feed meets while the file is replaced."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from datasette_mouvements.dataset.served import DataVersion
from tests.published import as_csv

from . import environment
from .sample import in_order
from .service import Headers, InProcess, Start, adopt
from .situations import CHANGES, PATH, NewKey

rule = pytest.mark.rule
ROWS = in_order()[:60]


class Published:
    """A service, and the file that it serves, which `publish` builds over."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows = {row["collab_nom"] + row["date_event"]: row for row in ROWS}
        self.build()

    def serve(self, service: InProcess, key: Headers) -> None:
        self.service, self.key = service, key

    def build(self) -> None:
        source = self.path.with_suffix(".csv")
        source.write_bytes(as_csv(*self.rows.values()))
        environment.done("build", self.path, "--movements", source)

    def publish(self) -> None:
        self.build()
        adopt(self.service)

    def movements(self) -> dict[str, dict[str, str]]:
        """What the search answers, by identifier."""
        page = self.service.ask(f"{PATH}?limit=500", self.key).json()
        return {movement["id"]: movement for movement in page["mouvements"]}


@pytest.fixture
def published(in_process: Start, new_key: NewKey, tmp_path: Path) -> Published:
    made = Published(tmp_path / "movements.db")
    service = in_process(database=made.path)
    made.serve(service, new_key(service, 1_000_000))
    return made


class Copy:
    """A client's copy: publication replaces by identifier, retrait deletes."""

    def __init__(self, of: Published) -> None:
        self.of, self.cursor, self.more = of, "", True
        self.movements: dict[str, dict[str, str]] = {}

    def follow(self, limit: int) -> int:
        """One page; the status."""
        query = f"?limit={limit}" + (f"&curseur={self.cursor}" if self.cursor else "")
        answer = self.of.service.ask(CHANGES + query, self.of.key)
        if answer.status == 200:
            page = answer.json()
            for change in page["changements"]:
                self.movements.pop(change["id"], None)
                if change["nature"] == "publication":
                    self.movements[change["id"]] = change["mouvement"]
            self.cursor, self.more = page["curseur"], page["encore"]
        return answer.status

    def follow_all(self, limit: int) -> None:
        self.more = True
        while self.more:
            assert self.follow(limit) == 200


@rule("decisions-changes-walk", "decisions-changes")
def test_a_copy_walked_while_data_is_published_ends_equal(published: Published) -> None:
    chance = random.Random(7)
    copy = Copy(published)
    for _ in range(3):
        for _ in range(chance.randrange(1, 9)):
            assert copy.follow(7) == 200
        names = sorted(published.rows)
        del published.rows[chance.choice(names[:20])]
        changed = chance.choice(names[20:])
        published.rows[changed] = {**published.rows[changed], "fonction": str(chance.random())}
        new = {**ROWS[0], "collab_nom": f"NOUVEAU{chance.randrange(10**6)}"}
        published.rows[new["collab_nom"]] = new
        published.publish()
    copy.follow_all(7)
    assert copy.movements == published.movements()


@rule("decisions-changes-cursor", "decisions-charged")
def test_a_process_that_has_not_adopted_a_file_yet_calls_no_cursor_of_it_gone(
    published: Published,
) -> None:
    copy = Copy(published)
    copy.follow_all(500)
    # What another process, quicker than this one, has answered from already.
    following = Published.__new__(Published)
    following.path = published.path.with_name("following.db")
    following.rows = dict(list(published.rows.items())[1:])
    shutil.copyfile(published.path, following.path)
    following.build()
    copy.cursor = str(DataVersion(following.path).cursor)
    used = published.service.ask("/v1/quota", published.key).json()["utilise"]
    following.path.replace(published.path)
    assert copy.follow(500) == 503
    assert published.service.ask("/v1/quota", published.key).json()["utilise"] == used
    adopt(published.service)
    assert copy.follow(500) == 200


@rule("decisions-etag", "decisions-304", "decisions-changes")
def test_a_version_that_comes_back_is_not_the_feed_that_was(published: Published) -> None:
    service, key = published.service, published.key
    page = f"{PATH}?depuis={ROWS[0]['date_event']}&limit=1"
    feed, search = service.ask(CHANGES, key), service.ask(page, key)
    name, row = published.rows.popitem()
    published.publish()
    other = service.ask(page, {**key, "If-None-Match": search.header("ETag") or ""})
    assert (other.status, other.json()["mouvements"]) == (200, search.json()["mouvements"])
    published.rows[name] = row
    published.publish()
    again = service.ask(CHANGES, {**key, "If-None-Match": feed.header("ETag") or ""})
    assert again.header("Mouvements-Version") == feed.header("Mouvements-Version")
    assert again.status == 200
    assert again.json()["curseur"] != feed.json()["curseur"]


@rule("decisions-one-movement", "decisions-changes")
def test_what_is_withdrawn_is_told_as_such_and_may_come_back(published: Published) -> None:
    kept = dict(published.rows)
    gone = sorted(published.rows)[0]
    before = set(published.movements())
    del published.rows[gone]
    published.publish()
    [id] = before - set(published.movements())
    answer = published.service.ask(f"{PATH}/{id}", published.key)
    assert answer.status == 410
    assert answer.json()["type"].endswith("#mouvement-retire")
    assert gone.partition("2")[0] not in answer.body.decode()
    published.rows = kept
    published.publish()
    assert published.service.ask(f"{PATH}/{id}", published.key).status == 200
