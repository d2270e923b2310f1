"""The corrections file: YAML that a reviewer can read, every fault of it named."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
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
from ..regular_file import open_regular
from .correction import CorrectionsError, Entry
from .corrections import Corrections

_CHANGEABLE = tuple(n for n in FIELD_NAMES if n not in ("id", "source", "confiance"))
_OF_MOVEMENTS = (*_CHANGEABLE, "id", "source")
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
# It may have an origin, whatever it is.
_SOUND = Movement("", "2015-01-01", CHAMBERS[0], "transfert")
# Words of a name that say nothing about whose it is.
_PARTICLES = frozenset(("d", "da", "de", "del", "des", "di", "du", "el", "l", "la", "le", "les"))


def read(path: Path) -> Corrections:
    """The corrections of a YAML file; raises CorrectionsError with every fault."""
    try:
        with open_regular(path) as file:
            body = file.read(CORRECTIONS_BYTES + 1)
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
    """The corrections whose reason, which is published, holds the whole of a name a mask withholds."""
    masks = [e.value for e in entries if e.kind == "masquer"]
    masked = [set(plain(value["nom"]).split()) for value in masks if "nom" in value]
    return [
        f"line {entry.line}: raison: the reason is published and must not repeat a masked name"
        for entry in entries
        if any(name <= set(plain(entry.reason).split()) for name in masked)
    ]


def _shared_names(entries: list[Entry]) -> list[str]:
    """The `meme_personne` that share a spelling in a chamber: only one of the two could hold."""
    seen: dict[str, list[Entry]] = defaultdict(list)
    faults = []
    for entry in entries:
        if entry.kind != "meme_personne":
            continue
        chamber = entry.value.get("chambre")
        for name in {words(name) for name in entry.value["noms"]}:
            others = ((e, {e.value.get("chambre"), chamber}) for e in seen[name])
            # Without a chamber an entry is of all of them.
            first = next((e for e, both in others if None in both or len(both) == 1), None)
            if first is not None:
                faults.append(
                    f"line {entry.line}: meme_personne: has a spelling of line {first.line}: one"
                    " entry holds all the spellings of a person"
                )
            seen[name].append(entry)
    return faults


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """YAML whose plain scalars are texts: dates and matricules such as 01234E5 stay as written."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}


def _faults(item: object) -> list[str]:
    if not isinstance(item, dict):
        return ["each correction is a mapping with date, raison and one of " + ", ".join(GENRES)]
    kinds = [kind for kind in GENRES if kind in item]
    faults = [f"{key}: not known" for key in item if key not in (*GENRES, "date", "raison")]
    if not isinstance(item.get("date"), str) or not is_day(item["date"]):
        faults.append(f"date: {DAY} is expected")
    if not isinstance(item.get("raison"), str) or not item["raison"].strip():
        faults.append("raison: the reason is missing")
    if len(kinds) != 1:
        return [*faults, f"exactly one of {', '.join(GENRES)} is expected"]
    (kind,) = kinds
    value = item[kind]
    keys = value if isinstance(value, dict) else ()
    unknown = [f"{key}: not known here" for key in keys if key not in GENRES[kind]]
    if kind in ("ajouter", "modifier"):
        of_value = unknown + _faults_of_fields(kind, value, whole=not unknown)
    else:
        of_value = _faults_of_value(kind, value, item) or unknown
    return faults or [f"{kind}: {fault}" for fault in of_value] or _unfit(item)


def _faults_of_value(kind: str, value: Any, item: Mapping[str, Any]) -> list[str]:
    """What keeps a correction of a kind from saying what it says, without the keys that it may not have."""
    if kind in ("accepter", "refuser"):
        named = isinstance(value, str) and value.partition("/")[0] in CHAMBERS
        return [] if named else ["the name of a list is expected, such as senat/2017-10-02"]
    if kind == "retirer":
        named = isinstance(value, str) and bool(value)
        return [] if named else ["the id of a movement is expected"]
    fields: Mapping[str, Any] = value if isinstance(value, dict) else {}
    names: Any = fields.get("noms")
    if kind == "meme_personne" and (not _texts(names) or len(names) < 2):
        return ["noms: at least two spellings are expected"]
    if kind == "deux_personnes":
        if not _texts(names):
            return ["noms: the two names are expected"]
        if not len(names) == len(set(map(words, names))) == 2 - ("empreinte" in fields):
            return ["noms: exactly two names are expected, or one and an empreinte"]
    if kind == "homonymes":
        if not isinstance(fields.get("nom"), str):
            return ["nom: the shared name is expected"]
        if not _texts(fields.get("elus")):
            return ["elus: the members with whom it is another person are expected"]
    if kind == "masquer" and ("nom" in fields) == ("empreinte" in fields):
        return ["either nom or empreinte is expected"]
    if not isinstance(fields.get("empreinte", ""), str):
        return ["empreinte: a text is expected"]
    if fields.get("chambre", CHAMBERS[0]) not in CHAMBERS:
        return [f"chambre: one of {', '.join(CHAMBERS)} is expected"]
    if not _texts(fields.get("elus", ["any"])):
        return ["elus: a list of members' identifiers is expected"]
    return (
        _faults_of_name(fields["nom"], item["raison"])
        if kind == "masquer" and "nom" in fields
        else []
    )


def _faults_of_fields(kind: str, value: object, whole: bool) -> list[str]:
    """The faults of a movement's fields; `whole` if all of them are known."""
    if not isinstance(value, dict):
        return ["the fields of a movement are expected"]
    faults = [f"{name}: a text is expected" for name, v in value.items() if not isinstance(v, str)]
    if whole and not faults:
        # What is not given has no fault; whether it all goes together shows when the movement is changed.
        faults = faults_of(_SOUND._replace(**value))
    if kind == "modifier" and len(value) < 2:
        faults.append("the id and at least one field are expected")
    needed = ("id",) if kind == "modifier" else ("date_event", "chambre", "type")
    return [*faults, *(f"{name}: is missing" for name in needed if name not in value)]


def _faults_of_name(name: object, reason: object) -> list[str]:
    if not isinstance(name, str) or not plain(name):
        return ["nom: a name is expected"]
    if isinstance(reason, str) and {*plain(name).split()} - _PARTICLES & {*plain(reason).split()}:
        return ["raison: the reason is published and must not repeat the name"]
    return []


def _unfit(item: Mapping[Any, Any]) -> list[str]:
    """The texts of a correction that are too long, or hold what no text may."""
    faults = []
    for name, text in _named_texts(item):
        if long := too_long([name], [text], {"raison": REASON_LETTERS}):
            faults.append(long)
        elif UNSEEN.search(text):
            faults.append(f"{name}: holds a control character or a mark of direction")
    return faults


def _named_texts(item: Mapping[Any, Any]) -> Iterator[tuple[str, str]]:
    """The texts of a correction, and those of its lists and mappings: it has no others."""
    for key, value in item.items():
        inner = value.items() if isinstance(value, dict) else [(key, value)]
        for name, content in inner:
            texts = content if isinstance(content, list) else [content]
            yield from ((str(name)[:80], text) for text in texts if isinstance(text, str))


def _texts(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, str) and v for v in value)
