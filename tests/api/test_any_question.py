"""Random questions about states while the file is replaced: each answer is that of the file it names.

MOUVEMENTS_FUZZ says how many are asked.
"""

from __future__ import annotations

import asyncio
import datetime
import os
import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from tests.contract.service import Answer, behind

from .conftest import serving
from .plain_states import ADDED, PlainFile, Row
from .random_files import GROUPS, build

COUNT = int(os.environ.get("MOUVEMENTS_FUZZ", "240"))
AT_ONCE = 8
QUOTA = 10_000_000
SEED = 28


class Asked(NamedTuple):
    """A target, what judges its answer by a file, and the answer that the client has, if any."""

    target: str
    judge: Callable[[PlainFile, Answer], None]
    held: Answer | None = None


class Oracle:
    """Makes random questions, and judges their answers by the file that each answer names."""

    def __init__(self, files: list[PlainFile], chance: random.Random) -> None:
        self.files, self.chance = files, chance
        self.of = {name: file for file in files for name in (file.edition, file.version)}
        self.placed = files[0]  # the file that is to be served
        self.answered: list[Asked] = []
        self.found: Counter[str] = Counter()
        self.stays = [stay for file in files for stay in file.every_stay]
        self.adas = [stay for stay in self.stays if stay["collab_prenom"] == "Ada"]
        last = {stay["id"] for stay in files[-1].every_stay}
        self.gone = [stay for stay in files[0].every_stay if stay["id"] not in last]
        self.movements = [one for file in files for one in file.every_movement]
        transfers = {one["id"] for one in self.movements if one["type"] == "transfert"}
        self.left = [stay["elu_id"] for stay in self.stays if stay["mouvement_fin"] in transfers]

    def question(self) -> Asked:
        """One of its kinds, or one that was answered before, asked by who has that answer."""
        if self.answered and self.chance.random() < 0.35:
            return self.chance.choice(self.answered)
        kinds = [self.of_stays] * 4 + [self.of_team] * 2 + [self.of_stay]
        return Asked(*self.chance.choice(kinds)())

    def judge(self, asked: Asked, file: PlainFile, answer: Answer) -> None:
        """A 304 says that the answer which the client has is that of the file, too."""
        target, judge, held = asked
        if held is not None:
            same = answer.header("ETag") == held.header("ETag")
            assert (answer.status == 304, not answer.body) == (same, same)
            self.found["unchanged" if same else "changed"] += 1
            answer = held if same else answer
        judge(file, answer)
        if answer.status == 200:
            self.answered.append(Asked(target, judge, answer))

    def some(self, every: Row) -> Row:
        return {n: value for n, value in every.items() if self.chance.random() < 0.35 and value}

    def page(self) -> Row:
        return self.some(
            {"limit": self.chance.choice((1, 7, 500)), "offset": self.chance.randrange(1, 40)}
        )

    def of_stays(self) -> tuple[str, Callable[[PlainFile, Answer], None]]:
        stay = self.chance.choice(self.chance.choice((self.stays, self.stays, self.adas)))
        names = f"{stay['collab_prenom'] or ''} {stay['collab_nom'] or 'X'}".swapcase().split()
        self.chance.shuffle(names)
        edge = self.chance.choice([stay["debut"], stay["fin"], stay["fin_apres"]]) or "2026-02-01"
        asked = self.some(
            {
                "chambre": stay["chambre"],
                "elu": stay["elu_id"],
                "groupe": self.chance.choice((*GROUPS, stay["elu_groupe"])),
                "nom": " ".join(names[: self.chance.randrange(1, 4)]),
                "le": edge,
            }
        )
        if "le" not in asked:
            asked |= self.some({"present": "oui"})
        page = self.page()

        def judge(file: PlainFile, answer: Answer) -> None:
            told, every = answer.json(), file.stays(asked)
            self.found["stays"] += len(every)
            rows = _cut(every, page)
            items = [
                {n: v for n, v in one.items() if n not in ADDED} for one in told["collaborations"]
            ]
            assert (told["total"], items) == (len(every), rows)
            assert told["listes"] == file.lists(asked.get("le", "9999"))
            for one in told["collaborations"][:3]:
                back = (one["retour_de"], one["retour_jours"]) if "retour_de" in one else None
                assert back == file.returns(one)
                self.found["returns"] += back is not None

        return f"/v1/collaborations?{urlencode(asked | page)}", judge

    def of_team(self) -> tuple[str, Callable[[PlainFile, Answer], None]]:
        one, page = self.chance.choice(self.movements), self.page()
        equipe = self.chance.choice((one["elu_id"], self.chance.choice(self.left)))
        asked = {"equipe": equipe} | self.some({"type": one["type"], "depuis": one["date_event"]})

        def judge(file: PlainFile, answer: Answer) -> None:
            every = file.team(asked)
            found = (answer.json()["total"], answer.json()["mouvements"])
            assert found == (len(every), _cut(every, page))
            self.found["away"] += sum(m["elu_id"] != asked["equipe"] for m in every)

        return f"/v1/mouvements?{urlencode(asked | page)}", judge

    def of_stay(self) -> tuple[str, Callable[[PlainFile, Answer], None]]:
        stay = self.chance.choice(self.chance.choice((self.stays, self.gone)))

        def judge(file: PlainFile, answer: Answer) -> None:
            there = [row for row in file.stays({}) if row["id"] == stay["id"]]
            known = file.rows(
                "select 1 from _changements_collaborations where id = :id", id=stay["id"]
            )
            assert answer.status == (200 if there else 410 if known else 404)
            self.found["withdrawn"] += answer.status == 410
            if there:
                told = answer.json()["collaboration"]
                assert {n: v for n, v in told.items() if n not in ADDED} == there[0]

        return f"/v1/collaborations/{stay['id']}", judge


def _cut(rows: list[Any], page: Row) -> list[Any]:
    offset = page.get("offset", 0)
    return rows[offset : offset + page.get("limit", 100)]


def test_every_answer_is_that_of_the_file_that_it_names(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    paths, today = build(tmp_path, chance)
    oracle = Oracle([PlainFile(path) for path in paths], chance)
    database = tmp_path / "served.db"
    shutil.copy(paths[0], database)
    with serving(database, tmp_path, quota=QUOTA) as served:
        served.at(datetime.datetime.combine(today, datetime.time(12), datetime.UTC))

        async def ask(asked: list[Asked], is_replaced: bool) -> list[Answer]:
            adopting = asyncio.ensure_future(adopt() if is_replaced else asyncio.sleep(0))
            tags = [{"If-None-Match": one.held.header("ETag")} if one.held else {} for one in asked]
            requests = [
                served.service.answer(one.target, served.key | tag)
                for one, tag in zip(asked, tags, strict=True)
            ]
            answers = await asyncio.gather(*requests)
            await adopting
            return answers

        async def adopt() -> None:
            for _ in range(2):  # a file is adopted once two looks find it unchanged
                await behind(served.service).served.look()

        asked = since = 0
        named: set[str] = set()
        while asked < COUNT or len(named) < len(paths):
            if is_replaced := since >= COUNT // 6 and oracle.placed.edition in named:
                left = [file for file in oracle.files if file is not oracle.placed]
                oracle.placed, since = chance.choice(left), 0
                named.discard(oracle.placed.edition)
                shutil.copy(oracle.placed.path, tmp_path / "next.db")
                os.replace(tmp_path / "next.db", database)
            questions = [oracle.question() for _ in range(AT_ONCE)]
            answers = served.service.run(ask(questions, is_replaced))
            for one, answer in zip(questions, answers, strict=True):
                file = oracle.of[answer.header("Mouvements-Version")]
                named.add(file.edition)
                try:
                    oracle.judge(one, file, answer)
                except (AssertionError, KeyError) as wrong:
                    raise AssertionError(f"{one.target}: {answer.status}, {wrong}") from wrong
            asked, since = asked + AT_ONCE, since + AT_ONCE
    told = ("stays", "returns", "away", "withdrawn", "unchanged", "changed")
    assert all(oracle.found[what] for what in told), oracle.found
