"""What a walk through the feed meets while the file is replaced."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.building.follower import table
from tests.building.original_service import OriginalService, movement

from .service import adopt
from .situations import CHANGES, PATH

rule = pytest.mark.rule


@pytest.fixture
def original(tmp_path: Path) -> Iterator[OriginalService]:
    service = OriginalService(tmp_path)
    service.publish(*(movement(number) for number in range(60)))
    yield service
    service.close()


def ask(original: OriginalService, target: str, **headers: str) -> Any:
    return original.service.ask(target, {"X-API-Key": original.key, **headers})


class Copy:
    """A client's copy: publication replaces by identifier, retrait deletes."""

    def __init__(self, original: OriginalService) -> None:
        self.original, self.cursor, self.more = original, "", True
        self.movements: dict[str, dict[str, str]] = {}

    def follow(self, limit: int) -> int:
        """One page; the status."""
        query = f"?limit={limit}" + (f"&curseur={self.cursor}" if self.cursor else "")
        answer = ask(self.original, CHANGES + query)
        if answer.status == 200:
            page = answer.json()
            for change in page["changements"]:
                self.movements.pop(change["id"], None)
                if change["nature"] == "publication":
                    self.movements[change["id"]] = change["mouvement"]
            self.cursor, self.more = page["curseur"], page["encore"]
        return int(answer.status)

    def follow_all(self, limit: int) -> None:
        self.more = True
        while self.more:
            assert self.follow(limit) == 200


@rule("decisions-changes-walk", "decisions-changes")
def test_a_copy_walked_while_data_is_published_ends_equal(original: OriginalService) -> None:
    chance = random.Random(7)
    copy = Copy(original)
    for number in range(3):
        for _ in range(chance.randrange(1, 9)):
            assert copy.follow(7) == 200
        changed = movement(chance.randrange(20, 60), fonction=str(chance.random()))
        original.change(changed, movement(100 + number), gone=(chance.randrange(20),))
    copy.follow_all(7)
    assert copy.movements == table(original.database)


@rule("decisions-changes-cursor", "decisions-charged")
def test_a_process_that_has_not_adopted_a_file_yet_calls_no_cursor_of_it_gone(
    original: OriginalService,
) -> None:
    copy = Copy(original)
    copy.follow_all(500)
    before = original.database.read_bytes()
    original.change(movement(100))
    copy.follow_all(500)
    # Another process, quicker than this one, has answered from the file already.
    after = original.database.with_name("after.db")
    original.database.rename(after)
    original.database.write_bytes(before)
    adopt(original.service)
    used = ask(original, "/v1/quota").json()["utilise"]
    after.rename(original.database)
    assert copy.follow(500) == 503
    assert ask(original, "/v1/quota").json()["utilise"] == used
    adopt(original.service)
    assert copy.follow(500) == 200


@rule("decisions-etag", "decisions-304", "decisions-changes")
def test_a_version_that_comes_back_is_not_the_feed_that_was(original: OriginalService) -> None:
    page = f"{PATH}?limit=1"
    feed, search = ask(original, CHANGES), ask(original, page)
    newest = search.json()["mouvements"][0]["id"]
    original.change(gone=(next(n for n in range(60) if movement(n).id != newest),))
    other = ask(original, page, **{"If-None-Match": search.header("ETag") or ""})
    assert (other.status, other.json()["mouvements"]) == (200, search.json()["mouvements"])
    original.publish(*(movement(number) for number in range(60)))
    again = ask(original, CHANGES, **{"If-None-Match": feed.header("ETag") or ""})
    assert again.header("Mouvements-Version") == feed.header("Mouvements-Version")
    assert again.status == 200
    assert again.json()["curseur"] != feed.json()["curseur"]
