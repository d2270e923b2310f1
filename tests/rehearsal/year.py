"""A year of mornings of one seed: faults begin and end, and each morning is compared with the truth."""

from __future__ import annotations

import datetime
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from . import truth
from .episodes import Episode, is_ill
from .faults import MACHINE, OF_CHAMBERS, Fault
from .house import House
from .machine import OF_THE_MACHINE
from .world import SIZES

# Quiet mornings: before the first fault, and for what is hidden to be settled after the last one.
BEFORE, AFTER = 3, 13
IDLE = (0, 6)
FAULTS = (*OF_CHAMBERS, *OF_THE_MACHINE)
# Since an election: a chamber that was elected hires for a month, and the last accepted list may be as old.
ELECTED = datetime.timedelta(62)
# Nights from one backup to the next at least.
BACKED_UP = 8


class Track:
    """The faults of one chamber, or of the machine, one after the other: all of them before one comes again."""

    def __init__(self, faults: Sequence[Fault], seed: str) -> None:
        self.faults = faults
        # Of its own: a fault that is added to another track changes nothing here.
        self.chance = random.Random(seed)
        self.deck: list[Fault] = []
        self.idle = self.chance.randint(*IDLE)
        self.episode: Episode | None = None
        self.done: list[Episode] = []

    def begin(self, today: datetime.date, most: int, elections: Sequence[datetime.date]) -> None:
        """A fault may begin tonight, and last for so many nights at most, with `elections` before."""
        if self.episode is not None:
            return
        if self.idle:
            self.idle -= 1
            return
        if not self.deck:
            self.deck = self.chance.sample(self.faults, len(self.faults))
        fault = self.deck.pop()
        if fault.as_renewed and any(today - day < ELECTED for day in elections):
            self.deck.insert(0, fault)
            return
        left = min(self.chance.randint(*fault.nights), most)
        self.episode = Episode(fault, today, left, today)
        self.episode.answers = fault.answers()

    def end(self) -> None:
        """What has healed is done with."""
        if self.episode and self.episode.healed >= 0:
            self.done.append(self.episode)
            self.episode, self.idle = None, self.chance.randint(*IDLE)


class Outcome(NamedTuple):
    """How a seed went: its movements, what is wrong in words, and its episodes."""

    seed: int
    movements: int
    wrong: list[str]
    episodes: list[Episode]


class Year:
    """One seed's mornings in a folder; `wrong` grows with what is not as it must be."""

    def __init__(self, folder: Path, seed: int, mornings: int) -> None:
        self.seed, self.mornings = seed, mornings
        self.house = House(folder, seed)
        self.tracks = {
            place: Track([f for f in FAULTS if f.chamber == place], f"{seed} {place}")
            for place in (*SIZES, MACHINE)
        }
        self.hidden: dict[str, set[datetime.date]] = defaultdict(set)
        self.unread: dict[str, set[datetime.date]] = defaultdict(set)
        self.wrong: dict[str, str] = {}
        self.backed_up = BEFORE - BACKED_UP

    def pass_(self) -> Outcome:
        """Every morning; then what is hidden still is lost."""
        house = self.house
        try:
            for number in range(self.mornings):
                if number:
                    self._night(number)
                killed = bool(house.kill)
                report = house.run()
                if report is not None:
                    self._hear(report)
                elif killed:
                    for episode in (e for track in self.tracks.values() for e in _open(track)):
                        episode.killed += 1
                self._compare()
            told = truth.read(house.served).told
            for sentence in truth.compare(told, self._settled(), self.hidden, self.unread):
                self.wrong.setdefault(sentence, self._today)
        except SystemExit as given_up:
            # First: only so many sentences are printed.
            self.wrong = {str(given_up): self._today} | self.wrong
        finally:
            house.close()
        wrong = [f"{day}: {sentence}" for sentence, day in self.wrong.items()]
        episodes = [e for track in self.tracks.values() for e in (*track.done, *_open(track))]
        return Outcome(self.seed, len(house.world.facts), wrong, episodes)

    @property
    def _today(self) -> str:
        return self.house.world.day.isoformat()

    def _night(self, number: int) -> None:
        house = self.house
        tomorrow = house.world.day + datetime.timedelta(1)
        for chamber, track in self.tracks.items():
            early = BEFORE if chamber else 2 * BEFORE
            if early < number < self.mornings - AFTER:
                left = self.mornings - AFTER - number
                track.begin(tomorrow, left, house.world.elections)
            if track.episode and track.episode.left:
                track.episode.befall(house, track.chance)
                if track.episode.fault.hides:
                    self.hidden[chamber].add(tomorrow)
        # After the faults: what an older file is restored from is some nights old.
        if self.tracks[MACHINE].episode is None and number >= self.backed_up + BACKED_UP:
            self.backed_up = number
            house.back_up()
        bad = [t.episode for t in self.tracks.values() if t.episode and t.episode.acts_on(tomorrow)]
        house.chambers.answers = {p: a for one in bad for p, a in one.answers.items()}
        house.chambers.spoiled = {
            one.fault.chamber: one.fault.spoiled for one in bad if one.fault.spoiled
        }
        house.pass_day()
        for one in bad:
            for member in one.fault.unread(house.world):
                self.unread[member].add(tomorrow)

    def _hear(self, report: dict[str, Any]) -> None:
        ill = is_ill(report)
        for track in self.tracks.values():
            episode = track.episode
            if episode is None:
                continue
            episode.hear(report, self.house.world.day, self.house.folder, ill)
            if episode.needs_a_person(report):
                episode.call_a_person(self.house, report)
            track.end()

    def _compare(self) -> None:
        house = self.house
        published = truth.read(house.served) if house.served.exists() else truth.NOTHING
        world = house.world
        wrong = truth.false_today(
            published, world.facts, world.absences, self.hidden, world.day, self.unread
        )
        for sentence in wrong | house.strayed():
            if sentence not in self.wrong:
                bad = [t.episode.fault.name for t in self.tracks.values() if t.episode]
                self.wrong[sentence] = f"{self._today} ({', '.join(bad)})"

    def _settled(self) -> Iterator[Any]:
        """The facts whose absences have lasted long enough to be told."""
        until = self.house.world.day - datetime.timedelta(10)
        return (fact for fact in self.house.world.facts if fact.day <= until)


def _open(track: Track) -> list[Episode]:
    return [track.episode] if track.episode else []


def rehearse(folder: Path, seed: int, mornings: int) -> Outcome:
    """A year, or less, of one seed."""
    return Year(folder, seed, mornings).pass_()
