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
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from parlement_lists.movement import Movement, words
from parlement_lists.regular_file import read_bytes, write_whole
from parlement_lists.tenure import Tenure
from parlement_lists.tracking.corrections import Corrections, Entry, fingerprint, nameless

from .corrected import NAMES, Changes, corrected, with_changes

KEY_FILE = ".pseudonymes.key"
KEY_BYTES = 32
# Of the pseudonym, as many hexadecimal digits as the other identifiers have.
_DIGITS = 20
# Public, so they say nothing of a name.
REASONS = {"masquer": "Demande d’opposition", "deux_personnes": "Deux personnes"}
NEAR = "is withheld, as it is near a masked name"
GOES_ON = "is withheld, as a masked stay goes on under it"


class Published(NamedTuple):
    """What the next file says: movements in the order of their insertion, stays, and what is to be decided.

    `questions` are a sentence and the lines of each answer, for every name that may be a masked person's.
    `public` has the pseudonym of each identifier that is withheld.
    """

    movements: list[Movement]
    stays: list[Tenure]
    questions: list[str]
    public: dict[str, str]


class Doubt(NamedTuple):
    """A name that may be a masked person's: where it stands, why it is withheld there, the masks in question.

    `since` is the name that a stay had first after the masked one; each mask has the words of its name.
    """

    item: Movement | Tenure
    name: str
    since: str
    how: str
    masks: Sequence[tuple[Entry, str]]


def key_in(path: Path) -> bytes:
    """The private key of pseudonyms in a file, made where there is none; OSError for a damaged one.

    Whoever has it and the old lists can tell which names are masked: its owner alone can read it. Lost, other
    pseudonyms are made, and the feed says that the ones before are withdrawn.
    """
    if not path.exists():
        write_whole(path, secrets.token_bytes(KEY_BYTES), mode=0o600)
        return read_bytes(path)
    # A link is refused, before the mode of its target is changed.
    key = read_bytes(path, follow=False)
    os.chmod(path, 0o600)
    if len(key) != KEY_BYTES:
        why = f"{len(key)} bytes, and a key has {KEY_BYTES}: restore it, or remove it and other"
        raise OSError(None, f"{why} pseudonyms are made", str(path))
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
    days, doubts = _withheld(movements, stays, spellings, corrections)
    public = {id: pseudonym(key, id, day) for id, day in days.items()}
    internal = {pseudonym: id for id, pseudonym in public.items()}
    corrections.know_movements_by(lambda id: internal.get(id, id))
    changes: Changes = {}
    named: list[Movement] = []
    withheld: list[Movement] = []
    written: dict[str, str] = {}
    for movement in movements:
        if movement.id in internal:  # a file that was published gives it back without its name
            continue
        row = corrected(movement, corrections, changes)
        if row is None:
            continue
        if movement.id in public:
            row = nameless(row)._replace(id=public[movement.id])
        written[movement.id] = row.id
        (withheld if movement.id in public else named).append(row)
    # Lists are in the order of names, so the place of a movement would help to guess its name.
    withheld.sort(key=lambda movement: movement.id)
    rows = [
        # A movement that is withdrawn begins and ends none.
        with_changes(
            nameless(stay) if stay.id in public else stay, changes, corrections.file
        )._replace(
            id=public.get(stay.id, stay.id),
            mouvement_debut=written.get(stay.mouvement_debut, ""),
            mouvement_fin=written.get(stay.mouvement_fin, ""),
        )
        for stay in stays
    ]
    # By published identifiers: the place of a stay, too, would help to guess the one before.
    rows.sort(key=lambda stay: (stay.debut, stay.chambre, stay.id))
    return Published([*named, *withheld], rows, _questions(doubts, corrections, today), public)


def pseudonym(key: bytes, id: str, day: str) -> str:
    """The identifier that is published in place of one that a mask of a day withholds."""
    digest = hmac.new(key, f"{id}\x1f{day}".encode(), hashlib.sha256).hexdigest()
    return f"{'col_' if id.startswith('col_') else 'mvt_'}{digest[:_DIGITS]}"


def _withheld(
    movements: Sequence[Movement],
    stays: Sequence[Tenure],
    spellings: Mapping[str, Sequence[str]],
    corrections: Corrections,
) -> tuple[dict[str, str], list[Doubt]]:
    """Each movement and stay that loses its name, with the day of the mask that takes it, and why it is in doubt."""
    if not corrections.masks:
        return {}, []
    items: list[Movement | Tenure] = [*stays, *movements]
    names = {item.id: _names_of(item, spellings, corrections) for item in items}
    masked: dict[str, str] = {}
    # A fingerprint tells its name where it matches, and only then what is near it: all are looked at first.
    for item in items:
        for person in names[item.id]:
            for mask in corrections.masks_of(item.chambre, item.elu_id, person):
                masked[item.id] = min(masked.get(item.id, mask.date), mask.date)
    doubts: list[Doubt] = []
    for stay in stays:
        spelled = spellings.get(stay.id, ())
        masks = [corrections.masks_of(stay.chambre, stay.elu_id, words(name)) for name in spelled]
        # One that goes on under a name that no mask has may have become another person's.
        if any(masks) and not masks[-1]:
            last = max(place for place, entries in enumerate(masks) if entries)
            of_last = [(mask, words(spelled[last])) for mask in masks[last]]
            doubts.append(Doubt(stay, spelled[-1], spelled[last + 1], GOES_ON, of_last))
    _spread(stays, masked)
    # Who was published before the mask, with a name that nobody asked to withhold, is known to be another person.
    begun = {item.id: item.debut if isinstance(item, Tenure) else item.date_event for item in items}
    _spread(stays, begun)
    first = min(mask.date for mask in corrections.masks)
    near: dict[str, str] = {}
    decided: dict[str, str] = {}
    for item in items:
        if item.id in masked or begun[item.id] < first:
            continue
        for person, name in names[item.id].items():
            near_masks = corrections.masks_near(item.chambre, item.elu_id, person)
            apart = {mask.line for mask, _, apart in near_masks if apart}
            undecided = [
                (mask, masked_name)
                for mask, masked_name, _ in near_masks
                if mask.line not in apart and mask.date <= begun[item.id]
            ]
            if undecided:
                near[item.id] = min([near.get(item.id, "9"), *(mask.date for mask, _ in undecided)])
                doubts.append(Doubt(item, name, name, NEAR, undecided))
            elif apart:
                decided[item.id] = begun[item.id]
    # Whoever is another person is so after a transfer, too.
    _spread(stays, decided)
    near = {id: day for id, day in near.items() if id not in decided}
    doubts = [doubt for doubt in doubts if doubt.how != NEAR or doubt.item.id in near]
    _spread(stays, near)
    return near | masked, doubts


def _names_of(
    item: Movement | Tenure, spellings: Mapping[str, Sequence[str]], corrections: Corrections
) -> dict[str, str]:
    """The names of a movement or stay by their words: as lists spelled it, and as a correction has it."""
    names = [*spellings.get(item.id, ()), f"{item.collab_prenom} {item.collab_nom}".strip()]
    if isinstance(item, Tenure):
        names += item.anciens_noms.split(" ; ")
    if entry := corrections.change_of(item.id):
        value = {name: entry.value.get(name, getattr(item, name)) for name in NAMES}
        names.append(f"{value['collab_prenom']} {value['collab_nom']}".strip())
    return {words(name): name for name in names if words(name)}


def _spread(stays: Iterable[Tenure], days: dict[str, str]) -> None:
    """Give all that stays connect the first of their days: the movements at their ends, the other stay of a transfer."""
    changed = True
    while changed:
        changed = False
        for stay in stays:
            ids = [id for id in (stay.id, stay.mouvement_debut, stay.mouvement_fin) if id]
            day = min((days[id] for id in ids if id in days), default="")
            for id in ids if day else ():
                changed |= days.get(id) != day
                days[id] = day


def _questions(
    doubts: Iterable[Doubt], corrections: Corrections, today: datetime.date
) -> list[str]:
    """What a maintainer has to decide: the sentence, which never says the masked name, the lines of either answer."""
    by_name: dict[tuple[str, str], list[Doubt]] = defaultdict(list)
    for doubt in doubts:
        by_name[words(doubt.name), doubt.item.chambre].append(doubt)
    questions = []
    for (_, chamber), of_name in sorted(by_name.items()):
        name = of_name[-1].name
        members = sorted({doubt.item.elu_id for doubt in of_name})
        where = {"chambre": chamber} | ({"elus": members} if all(members) else {})
        masks = {mask.line: mask for doubt in of_name for mask, _ in doubt.masks}
        apart = {(doubt.since, masked) for doubt in of_name for _, masked in doubt.masks}
        same = (
            {"nom": name} | {key: v for key, v in mask.value.items() if key in ("chambre", "elus")}
            for mask in masks.values()
        )
        lines = [
            f"{name} ({chamber}, {', '.join(filter(None, members)) or 'no member'})"
            f" {' and '.join(sorted({doubt.how for doubt in of_name}))} ({corrections.file}:"
            f" {', '.join(f'line {line}' for line in sorted(masks))})."
            " Decide, and add the lines of one answer to the corrections.",
            "Another person:",
        ]
        for other, masked in sorted(apart):
            value = {"noms": [other], "empreinte": fingerprint(masked), **where}
            lines.append(entry(today, "deux_personnes", value))
        lines.append("The same person:")
        lines += dict.fromkeys(entry(today, "masquer", value) for value in same)
        questions.append("\n".join(lines))
    return questions


def entry(today: datetime.date, kind: str, value: Mapping[str, Any]) -> str:
    """A correction as a line of its file: YAML takes JSON whatever signs a name holds."""
    texts = ", ".join(
        f"{key}: {json.dumps(text, ensure_ascii=False)}" for key, text in value.items()
    )
    return f"- {{date: {today}, raison: {REASONS[kind]}, {kind}: {{{texts}}}}}"
