"""Movements and stays as they are published: corrected, without the names that masks withhold.

A mask takes the name, and the identifier that was made of it: what is published instead is a pseudonym, an
HMAC of the natural identifier and the mask's day under a private key. So the same mask gives the same
pseudonym every morning, nobody without the key finds the one in the other, and a mask that was lifted
and set again on another day has another.
"""

from __future__ import annotations

import datetime
import hashlib
import hmac
import json
import os
import secrets
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from parlement_lists.movement import Movement, faults_of, words
from parlement_lists.regular_file import read_bytes, write_whole
from parlement_lists.tenure import Tenure
from parlement_lists.tracking.correction import (
    CorrectionsError,
    Entry,
    fingerprint,
    nameless,
)
from parlement_lists.tracking.corrections import Corrections

from .corrected import NAMES, ChangeOf, as_corrected

KEY_FILE = ".pseudonymes.key"
KEY_BYTES = 32
# Of the pseudonym, as many hexadecimal digits as the other identifiers have.
_DIGITS = 20
# A mask, and the name it withholds.
Masked = tuple[Entry, str]


class Published(NamedTuple):
    """What the next file says: movements in the order of their insertion, stays, and what is to be decided.

    `questions` are a sentence and the lines of each answer, for every name that may be a masked person's.
    `public` has the pseudonym of each identifier that is withheld.
    """

    movements: list[Movement]
    stays: list[Tenure]
    questions: list[str]
    public: dict[str, str]


def key_in(folder: Path) -> bytes:
    """The private key of pseudonyms in a folder, made where there is none; OSError, ValueError for a damaged one.

    Whoever has it and the old lists can tell which names are masked: its owner alone can read it. Lost, other
    pseudonyms are made, and the feed says that the ones before are withdrawn.
    """
    path = folder / KEY_FILE
    if not path.exists():
        write_whole(path, secrets.token_bytes(KEY_BYTES), mode=0o600)
        return read_bytes(path)
    os.chmod(path, 0o600)
    key = read_bytes(path, follow=False)
    if len(key) != KEY_BYTES:
        raise OSError(
            None,
            f"{len(key)} bytes, and a key has {KEY_BYTES}: restore it, or remove it and other"
            " pseudonyms are made",
            str(path),
        )
    return key


def publish(
    movements: Sequence[Movement],
    stays: Sequence[Tenure],
    spellings: Mapping[str, Sequence[str]],
    corrections: Corrections,
    key: bytes,
    today: datetime.date,
) -> Published:
    """What lists and files tell -> what is published; `spellings` are the names that stays had.

    Raises CorrectionsError where a correction makes what cannot be.
    """
    masks = _Masks(stays, spellings, corrections)
    masked = masks.masked(movements)
    public = {id: pseudonym(key, id, entry.date) for id, entry in masked.items()}
    internal = {pseudonym: id for id, pseudonym in public.items()}
    corrections.know_movements_by(lambda id: internal.get(id, id))
    changes: dict[str, tuple[Entry, str]] = {}
    named: list[Movement] = []
    withheld: list[Movement] = []
    written: dict[str, str] = {}
    for movement in movements:
        corrected = _correct(movement, corrections, changes)
        if corrected is None:
            continue
        if movement.id in public:
            corrected = nameless(corrected)._replace(id=public[movement.id])
        written[movement.id] = corrected.id
        (withheld if movement.id in public else named).append(corrected)
    # Lists are in the order of names, so the place of a movement would help to guess its name.
    withheld.sort(key=lambda movement: movement.id)
    rows = [
        _published(stay, public, written, changes.get, corrections.file)
        for stay in sorted(stays, key=lambda stay: (stay.debut, stay.chambre, stay.id))
    ]
    return Published([*named, *withheld], rows, masks.questions(today), public)


def pseudonym(key: bytes, id: str, day: str) -> str:
    """The identifier that is published in place of one that a mask of a day withholds."""
    digest = hmac.new(key, f"{id}\x1f{day}".encode(), hashlib.sha256).hexdigest()
    return f"{id[:4]}{digest[:_DIGITS]}"


def is_named(named: Movement | Tenure) -> bool:
    """Whether a movement or a stay says whose it is."""
    return bool(named.collab_nom or named.collab_prenom)


def _correct(
    movement: Movement, corrections: Corrections, changes: dict[str, tuple[Entry, str]]
) -> Movement | None:
    """A movement as corrections change it, which is noted in `changes` with its type; None if it is withdrawn."""
    if corrections.take_withdrawal(movement.id):
        return None
    change = corrections.take_change(movement.id)
    if change is None:
        return movement
    value = change.value | {"id": movement.id, "confiance": "manuel"}
    movement = movement._replace(**value)
    if faults := faults_of(movement):
        where = f"{corrections.file}: line {change.line}: modifier"
        raise CorrectionsError([f"{where}: {fault}" for fault in faults])
    changes[movement.id] = change, movement.type
    return movement


def _published(
    stay: Tenure,
    public: Mapping[str, str],
    written: Mapping[str, str],
    change_of: ChangeOf,
    file: str,
) -> Tenure:
    """A stay as it is written; a movement that is withdrawn begins and ends none."""
    corrected = as_corrected(
        nameless(stay) if stay.id in public else stay, change_of, file
    )._replace(id=public.get(stay.id, stay.id))
    return corrected._replace(
        mouvement_debut=written.get(stay.mouvement_debut, ""),
        mouvement_fin=written.get(stay.mouvement_fin, ""),
    )


class _Masks:
    """Whose names are withheld: of masked people, and near their names until a correction says whose they are."""

    def __init__(
        self,
        stays: Sequence[Tenure],
        spellings: Mapping[str, Sequence[str]],
        corrections: Corrections,
    ) -> None:
        self._stays = stays
        self._spellings = spellings
        self._corrections = corrections
        # Person and chamber -> where the name stands, what becomes of it there, the masks in question.
        self._doubts: dict[tuple[str, str], list[tuple[Movement | Tenure, str, list[Masked]]]] = (
            defaultdict(list)
        )

    def masked(self, movements: Sequence[Movement]) -> dict[str, Entry]:
        """Each movement and stay that loses its name, and the mask that takes it."""
        if not self._corrections.masks:
            return {}
        items: list[Movement | Tenure] = [*self._stays, *movements]
        masked: dict[str, Entry] = {}
        # A fingerprint tells its name where it matches, and only then what is near it: all are looked at first.
        for item in items:
            for name in self._names_of(item):
                for entry in self._corrections.masks_of(item.chambre, item.elu_id, name)[:1]:
                    masked.setdefault(item.id, entry)
        for stay in self._stays:
            if stay.id in masked:
                self._ask_if_another_goes_on(stay)
        self._connect(masked)
        in_stays = {id for stay in self._stays for id in (stay.mouvement_debut, stay.mouvement_fin)}
        near: dict[str, Entry] = {}
        for item in items:
            if item.id in masked or item.id in in_stays:
                continue  # a movement goes with its stays
            begun = item.debut if isinstance(item, Tenure) else item.date_event
            # What began before the mask was published with a name that nobody asked to withhold.
            masks = [both for both in self._near(item) if both[0].date <= begun]
            if masks:
                near[item.id] = masks[0][0]
                how = "is withheld, as it is near a masked name"
                self._doubts[_person(item), item.chambre].append((item, how, masks))
        self._connect(near)
        return near | masked

    def _names_of(self, item: Movement | Tenure) -> set[str]:
        """The names of a movement or stay, as lists spelled it and as a correction has it."""
        names = {_person(item), _person(self._renamed(item))}
        if isinstance(item, Tenure):
            names.update(map(words, self._spellings.get(item.id, ())))
        return names - {""}

    def _renamed(self, item: Movement | Tenure) -> Movement | Tenure:
        """A movement under the name that a correction gives it."""
        change = self._corrections.change_of(item.id)
        value = change.value if change is not None else {}
        return item._replace(**{name: value[name] for name in NAMES if name in value})

    def _near(self, item: Movement | Tenure) -> list[Masked]:
        person = _person(self._renamed(item))
        return self._corrections.masks_near(item.chambre, item.elu_id, person) if person else []

    def _ask_if_another_goes_on(self, stay: Tenure) -> None:
        """A masked stay that goes on under a name that no mask says may have become another person's."""
        names = self._spellings.get(stay.id, ())
        of_names = [
            self._corrections.masks_of(stay.chambre, stay.elu_id, words(name)) for name in names
        ]
        if not names or of_names[-1]:
            return
        last = max(number for number, entries in enumerate(of_names) if entries)
        masks = [(entry, words(names[last])) for entry in of_names[last]]
        how = "is withheld, as a masked stay goes on under it"
        self._doubts[_person(stay), stay.chambre].append((stay, how, masks))

    def _connect(self, masked: dict[str, Entry]) -> None:
        """Add what stays connect with what is masked: the movements at their ends, and the other stay of a transfer."""
        before = -1
        while len(masked) > before:
            before = len(masked)
            for stay in self._stays:
                ids = [stay.id, *filter(None, (stay.mouvement_debut, stay.mouvement_fin))]
                entry = next((masked[id] for id in ids if id in masked), None)
                if entry is not None:
                    for id in ids:
                        masked.setdefault(id, entry)

    def questions(self, today: datetime.date) -> list[str]:
        """What a maintainer has to decide: the sentence, which never says the masked name, the lines of either answer."""
        reasons = free_reasons(self._corrections)
        return [
            "\n".join(self._lines(self._doubts[key], reasons, today))
            for key in sorted(self._doubts)
        ]

    def _lines(
        self,
        doubts: Sequence[tuple[Movement | Tenure, str, list[Masked]]],
        reasons: Iterator[str],
        today: datetime.date,
    ) -> Iterator[str]:
        item = self._renamed(doubts[-1][0])
        masks = {mask.digest: (mask, name) for _, _, of in doubts for mask, name in of}.values()
        members = sorted({doubt[0].elu_id for doubt in doubts})
        where = {"chambre": item.chambre} | ({"elus": members} if all(members) else {})
        name = f"{item.collab_prenom} {item.collab_nom}".strip()
        lines = ", ".join(f"line {mask.line}" for mask, _ in masks)
        how = " and ".join(sorted({doubt[1] for doubt in doubts}))
        yield (
            f"{name} ({item.chambre}, {', '.join(filter(None, members)) or 'no member'}) {how}"
            f" ({self._corrections.file}: {lines}). Decide, and add the lines of one answer to the corrections."
        )
        yield "Another person:"
        for _, masked_name in masks:
            value = {"noms": [name], "empreinte": fingerprint(masked_name), **where}
            yield entry(today, "Deux personnes", "deux_personnes", value)
        yield "The same person:"
        narrowings = [
            {key: mask.value[key] for key in ("chambre", "elus") if key in mask.value}
            for mask, _ in masks
        ]
        for number, narrowing in enumerate(narrowings):
            if narrowing not in narrowings[:number]:
                yield entry(today, next(reasons), "masquer", {"nom": name, **narrowing})


def entry(today: datetime.date, reason: str, kind: str, value: Mapping[str, Any]) -> str:
    """A correction as a line of its file."""
    texts = ", ".join(f"{key}: {quoted(text)}" for key, text in value.items())
    return f"- {{date: {today}, raison: {reason}, {kind}: {{{texts}}}}}"


def free_reasons(corrections: Corrections) -> Iterator[str]:
    """Reasons that no correction has: they are public, and tell a file's masks of one day apart."""
    used = {correction.reason for correction in corrections.entries}
    number = 1
    while True:
        reason = "Demande d’opposition" + (f" {number}" if number > 1 else "")
        if reason not in used:
            yield reason
        number += 1


def quoted(value: object) -> str:
    """A name, or what a correction says, as YAML takes it whatever signs it holds."""
    return json.dumps(value, ensure_ascii=False)


def _person(item: Movement | Tenure) -> str:
    return words(item.collab_nom, item.collab_prenom)
