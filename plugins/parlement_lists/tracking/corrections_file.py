"""The corrections file: YAML that a reviewer can read, every fault of it named."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import yaml

from ..bounds import CORRECTIONS_BYTES, REASON_LETTERS, OverBound, too_long
from ..movement import (
    CHAMBERS,
    DAY,
    FIELD_NAMES,
    UNSEEN,
    Movement,
    faults_of,
    is_day,
    plain,
    words,
)
from ..regular_file import read_bytes
from .corrections import Corrections, CorrectionsError, Entry

_OF_MOVEMENTS = tuple(name for name in FIELD_NAMES if name != "confiance")
# What an entry may say besides its date and reason, and the keys of what it says.
GENRES: dict[str, tuple[str, ...]] = {
    "accepter": (),
    "refuser": (),
    "meme_personne": ("noms", "chambre"),
    "deux_personnes": ("noms", "empreinte", "elus", "chambre"),
    "homonymes": ("nom", "elus"),
    "ajouter": _OF_MOVEMENTS,
    "modifier": _OF_MOVEMENTS,
    "retirer": (),
    "masquer": ("nom", "empreinte", "elus", "chambre"),
}
# What is expected under a key, and whether a value is that.
_EXPECTED: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "noms": ("a list of names", lambda value: _are_names(value)),
    "nom": ("a name", lambda value: isinstance(value, str) and bool(plain(value))),
    "elus": ("a list of members' identifiers", lambda value: _are_names(value)),
    "empreinte": ("a text", lambda value: isinstance(value, str)),
    "chambre": (f"one of {', '.join(CHAMBERS)}", lambda value: value in CHAMBERS),
}
# The keys that an entry must have.
_NEEDED = {"meme_personne": ("noms",), "deux_personnes": ("noms",), "homonymes": ("nom", "elus")}
# It may have an origin, whatever it is.
_SOUND = Movement("", "2015-01-01", CHAMBERS[0], "transfert")
# Words of a name that say nothing about whose it is.
_PARTICLES = frozenset(("d", "da", "de", "del", "des", "di", "du", "el", "l", "la", "le", "les"))


def read(path: Path) -> Corrections:
    """The corrections of a YAML file; raises CorrectionsError with every fault."""
    try:
        body = read_bytes(path, most=CORRECTIONS_BYTES + 1)
        CORRECTIONS_BYTES.examine(len(body))
        text = body.decode("utf-8-sig")
        root = yaml.compose(text, Loader=_Loader)
        items = yaml.load(text, Loader=_Loader)
    except (OSError, UnicodeDecodeError, OverBound, RecursionError) as error:
        raise CorrectionsError([f"{path}: {error}"]) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f" line {mark.line + 1}:" if mark else ""
        raise CorrectionsError(
            [f"{path}:{line} not YAML: {getattr(error, 'problem', error)}"]
        ) from error
    if items is None:
        return Corrections(file=str(path))
    if not isinstance(items, list):
        raise CorrectionsError([f"{path}: line 1: a list of corrections is expected (- date: ...)"])
    faults: list[str] = []
    entries = []
    for node, item in zip(root.value, items, strict=True):
        line = node.start_mark.line + 1
        of_item = _faults(item)
        faults += [f"{path}: line {line}: {fault}" for fault in of_item]
        if not of_item:
            kind = next(kind for kind in GENRES if kind in item)
            entries.append(Entry(line, item["date"], item["raison"].strip(), kind, item[kind]))
    seen: dict[str, int] = {}
    for entry in entries:
        first = seen.setdefault(entry.digest, entry.line)
        if first != entry.line:
            faults.append(f"{path}: line {entry.line}: {entry.kind}: repeats line {first}")
    faults += [f"{path}: {fault}" for fault in _names_in_reasons(entries) + _shared_names(entries)]
    if faults:
        raise CorrectionsError(faults)
    return Corrections(entries, str(path))


def _names_in_reasons(entries: list[Entry]) -> list[str]:
    """The corrections whose reason, which is published, holds the whole of a name a mask withholds.

    That of the mask itself must hold no word of it.
    """
    masks = [entry for entry in entries if entry.kind == "masquer" and "nom" in entry.value]
    names = [(mask, set(plain(mask.value["nom"]).split())) for mask in masks]
    return [
        f"line {entry.line}: raison: the reason is published and must not repeat a masked name"
        for entry in entries
        for reason in [set(plain(entry.reason).split())]
        if any(
            name <= reason or (mask is entry and (name - _PARTICLES) & reason)
            for mask, name in names
        )
    ]


def _shared_names(entries: list[Entry]) -> list[str]:
    """The `meme_personne` that share a spelling in a chamber: only one of the two could hold."""
    same = [entry for entry in entries if entry.kind == "meme_personne"]
    faults = []
    for first, entry in itertools.combinations(same, 2):
        names, others = (set(map(words, one.value["noms"])) for one in (first, entry))
        # Without a chamber an entry is of all of them.
        chambers = {one.value.get("chambre") for one in (first, entry)}
        if names & others and (None in chambers or len(chambers) == 1):
            faults.append(
                f"line {entry.line}: meme_personne: has a spelling of line {first.line}: one"
                " entry holds all the spellings of a person"
            )
    return faults


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """YAML whose plain scalars are texts: dates and matricules such as 01234E5 stay as written."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}


def _faults(item: object) -> list[str]:
    """What keeps a correction from being one."""
    if not isinstance(item, dict):
        return ["each correction is a mapping with date, raison and one of " + ", ".join(GENRES)]
    kinds = [kind for kind in GENRES if kind in item]
    faults = [f"{key}: not known" for key in item if key not in (*GENRES, "date", "raison")]
    if not isinstance(item.get("date"), str) or not is_day(item["date"]):
        faults.append(f"date: {DAY} is expected")
    if not isinstance(item.get("raison"), str) or not item["raison"].strip():
        faults.append("raison: the reason is missing")
    if len(kinds) != 1:
        faults.append(f"exactly one of {', '.join(GENRES)} is expected")
    if faults:
        return faults
    (kind,) = kinds
    return [f"{kind}: {fault}" for fault in _faults_of_value(kind, item[kind])] or _unfit(item)


def _faults_of_value(kind: str, value: Any) -> list[str]:
    """What keeps a correction of a kind from saying what it says."""
    if not GENRES[kind]:
        if kind == "retirer":
            expected, right = "the id of a movement", isinstance(value, str) and bool(value)
        else:
            expected = "the name of a list, such as senat/2017-10-02,"
            right = isinstance(value, str) and value.partition("/")[0] in CHAMBERS
        return [] if right else [f"{expected} is expected"]
    if not isinstance(value, dict):
        return [f"a mapping with {', '.join(GENRES[kind])} is expected"]
    if unknown := [f"{key}: not known here" for key in value if key not in GENRES[kind]]:
        return unknown
    if GENRES[kind] == _OF_MOVEMENTS:
        return _faults_of_fields(kind, value)
    values = dict.fromkeys(_NEEDED.get(kind, ())) | value
    for key, content in values.items():
        expected, is_right = _EXPECTED[key]
        if not is_right(content):
            return [f"{key}: {expected} is expected"]
    if kind == "masquer" and ("nom" in value) == ("empreinte" in value):
        return ["either nom or empreinte is expected"]
    if kind == "meme_personne" and len(value["noms"]) < 2:
        return ["noms: at least two spellings are expected"]
    if kind == "deux_personnes":
        names = value["noms"]
        if not len(names) == len(set(map(words, names))) == 2 - ("empreinte" in value):
            return ["noms: exactly two names are expected, or one and an empreinte"]
    return []


def _faults_of_fields(kind: str, value: dict[Any, Any]) -> list[str]:
    """The faults of a movement's fields."""
    faults = [f"{name}: a text is expected" for name, v in value.items() if not isinstance(v, str)]
    # What is not given has no fault; whether it all goes together shows when the movement is changed.
    faults = faults or faults_of(_SOUND._replace(**value))
    if kind == "modifier" and len(value) < 2:
        faults.append("the id and at least one field are expected")
    needed = ("id",) if kind == "modifier" else ("date_event", "chambre", "type")
    return [*faults, *(f"{name}: is missing" for name in needed if name not in value)]


def _unfit(item: Mapping[Any, Any]) -> list[str]:
    """The texts of a correction that are too long, or hold what no text may."""
    faults = []
    for key, value in item.items():
        for name, content in value.items() if isinstance(value, dict) else [(key, value)]:
            for text in content if isinstance(content, list) else [content]:
                if long := too_long([name], [text], {"raison": REASON_LETTERS}):
                    faults.append(long)
                elif UNSEEN.search(text):
                    faults.append(f"{name}: holds a control character or a mark of direction")
    return faults


def _are_names(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, str) and v for v in value)
