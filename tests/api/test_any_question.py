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

from datasette_mouvements.api.routes import routes_of
from tests.contract import environment
from tests.contract.service import Answer, InProcess

from .plain_states import ADDED, PlainFile, Row
from .random_files import GROUPS, build

COUNT = int(os.environ.get("MOUVEMENTS_FUZZ", "240"))
AT_ONCE = 8
QUOTA = 10_000_000
SEED = 28
LATE_DAYS = 30


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
        self.cursors = [""]
        self.answered: list[Asked] = []
        self.found: Counter[str] = Counter()
        self.stays = [stay for file in files for stay in file.every_stay]
        self.ends = [
            row["fin"] for row in files[0].rows("select fin from _mandats where fin <> ''")
        ]
        self.adas = [stay for stay in self.stays if stay["collab_prenom"] == "Ada"]
        last = {stay["id"] for stay in files[-1].every_stay}
        self.gone = [stay for stay in files[0].every_stay if stay["id"] not in last]
        self.movements = [one for file in files for one in file.every_movement]

    def question(self) -> Asked:
        """One of its kinds, or one that was answered before, asked by who has that answer."""
        if self.answered and self.chance.random() < 0.35:
            return self.chance.choice(self.answered)
        kinds = [self.of_stays] * 8 + [self.of_members] * 3 + [self.of_team] * 3
        kinds += [self.of_stay, self.of_movement, self.of_movement, self.of_feed, self.of_coverage]
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
                "nom": " ".join(names),
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

    def of_members(self) -> tuple[str, Callable[[PlainFile, Answer], None]]:
        stay, page = self.chance.choice(self.stays), self.page()
        alone = {"groupe": self.chance.choice(GROUPS)}
        asked = self.chance.choice((alone, {})) or self.some(
            {
                "chambre": stay["chambre"],
                "elu": stay["elu_id"],
                **alone,
                "le": self.chance.choice((stay["debut"], *self.ends)),
            }
        )

        def judge(file: PlainFile, answer: Answer) -> None:
            told, every = answer.json(), file.members(asked)
            found = [
                (one["elu_id"], one["equipe"], len(one["mandats"]), len(one["groupes"]))
                for one in told["elus"]
            ]
            assert (told["total"], found) == (len(every), _cut(every, page))
            self.found["members"] += len(every)

        return f"/v1/elus?{urlencode(asked | page)}", judge

    def of_team(self) -> tuple[str, Callable[[PlainFile, Answer], None]]:
        one, page = self.chance.choice(self.movements), self.page()
        equipe = {
            "equipe": self.chance.choice((one["elu_id"], self.chance.choice(self.stays)["elu_id"]))
        }
        asked = equipe | self.some({"type": one["type"], "depuis": one["date_event"]})

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
            if there:
                told = answer.json()["collaboration"]
                assert {n: v for n, v in told.items() if n not in ADDED} == there[0]

        return f"/v1/collaborations/{stay['id']}", judge

    def of_movement(self) -> tuple[str, Callable[[PlainFile, Answer], None]]:
        movement = self.chance.choice(self.movements)

        def judge(file: PlainFile, answer: Answer) -> None:
            if movement["id"] not in {one["id"] for one in file.every_movement}:
                assert answer.status in (404, 410)
                return
            told, stays = answer.json(), file.begun_and_ended(movement["id"])
            assert told.get("collaborations", {}) == {n: one["id"] for n, one in stays.items()}
            assert ("origine" in told) == (movement["type"] == "transfert")
            if "origine" in told:
                assert told["origine"]["elu_id"] == stays["termine"]["elu_id"]
            assert told.get("retour") == file.back(stays)
            self.found["answered"] += "mouvement" in told.get("retour", {})
            for side in ("avant", "apres"):
                one = told["preuve"][side]
                [row] = file.rows("select * from listes where nom = :nom", nom=one["liste"])
                assert (row["date"], row["sha256"]) == (one["jour"], one["sha256"])
            assert told["preuve"]["apres"]["jour"] == movement["date_event"]
            self.found["proofs"] += 1

        return f"/v1/mouvements/{movement['id']}", judge

    def of_feed(self) -> tuple[str, Callable[[PlainFile, Answer], None]]:
        cursor, most = self.chance.choice(self.cursors), self.chance.choice((1, 20, 500))
        asked = {"limit": most} | ({"curseur": cursor} if cursor else {})

        def judge(file: PlainFile, answer: Answer) -> None:
            known = not cursor or file.knows(cursor)
            soon = self.placed.knows(cursor) if cursor else True
            assert answer.status == (200 if known else 503 if soon else 410)
            if known:
                told = answer.json()
                after = int(cursor.split("-")[1]) if cursor else 0
                found = [(one["nature"], one["id"]) for one in told["changements"]]
                assert (found, told["encore"]) == file.changes(after, most)
                self.cursors.append(told["curseur"])
                self.found["withdrawn"] += sum(nature == "retrait" for nature, _ in found)

        return f"/v1/collaborations/changements?{urlencode(asked)}", judge

    def of_coverage(self) -> tuple[str, Callable[[PlainFile, Answer], None]]:
        def judge(file: PlainFile, answer: Answer) -> None:
            assert {
                chamber: (
                    *(one[name] for name in ("premiere_liste", "derniere_liste", "listes")),
                    [(hole["apres"], hole["avant"]) for hole in one["trous"]],
                    [(source["nom"], source["jusqua"]) for source in one["sources"]],
                    one["en_retard"],
                )
                for chamber, one in answer.json()["couverture"].items()
            } == file.coverage(LATE_DAYS)

        return "/v1/couverture", judge


def _cut(rows: list[Any], page: Row) -> list[Any]:
    offset = page.get("offset", 0)
    return rows[offset : offset + page.get("limit", 100)]


def test_every_answer_is_that_of_the_file_that_it_names(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    paths, today = build(tmp_path, chance)
    oracle = Oracle([PlainFile(path, today) for path in paths], chance)
    served, internal = tmp_path / "served.db", tmp_path / "i.sqlite3"
    shutil.copy(paths[0], served)
    given = {"quota": QUOTA, "late_days": LATE_DAYS}
    datasette = environment.datasette(served, internal, given)
    service = InProcess(datasette, internal)
    try:
        routes = routes_of(service.datasette)
        assert routes is not None
        now = datetime.datetime.combine(today, datetime.time(12), datetime.UTC)
        routes.service.clock = lambda: now
        key = {"X-API-Key": environment.issue("qui", internal)}

        async def ask(asked: list[Asked]) -> list[Answer]:
            tags = [
                {"If-None-Match": one.held.header("ETag") or ""} if one.held else {}
                for one in asked
            ]
            pairs = zip(asked, tags, strict=True)
            return await asyncio.gather(
                *(service.answer(one.target, key | tag) for one, tag in pairs)
            )

        asked = since = 0
        named: set[str] = set()
        while asked < COUNT or len(named) < len(paths):
            # A file is adopted once two looks find it unchanged; then another takes its place.
            if since >= COUNT // 6 and oracle.placed.edition in named:
                left = [file for file in oracle.files if file is not oracle.placed]
                oracle.placed, since = chance.choice(left), 0
                named.discard(oracle.placed.edition)
                shutil.copy(oracle.placed.path, tmp_path / "next.db")
                os.replace(tmp_path / "next.db", served)
            questions = [oracle.question() for _ in range(AT_ONCE)]
            answers = service.run(ask(questions))
            for one, answer in zip(questions, answers, strict=True):
                file = oracle.of[answer.header("Mouvements-Version")]
                named.add(file.edition)
                try:
                    oracle.judge(one, file, answer)
                except (AssertionError, KeyError) as wrong:
                    raise AssertionError(f"{one.target}: {answer.status}, {wrong}") from wrong
            asked, since = asked + AT_ONCE, since + AT_ONCE
    finally:
        service.close()
    told = ("stays", "returns", "members", "away", "proofs", "answered", "unchanged", "changed")
    assert all(oracle.found[what] for what in told), oracle.found
