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

# What an entry may say besides its date and reason.
GENRES = (
    "accepter",
    "refuser",
    "meme_personne",
    "deux_personnes",
    "homonymes",
    "ajouter",
    "modifier",
    "retirer",
    "masquer",
)
_CHANGEABLE = tuple(n for n in FIELD_NAMES if n not in ("id", "source", "confiance"))
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
        found = _faults(item)
        faults += [f"{path}: line {line}: {fault}" for fault in found]
        if not found:
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
            first = next((e for e in seen[name] if _overlap(e.value.get("chambre"), chamber)), None)
            if first is not None:
                faults.append(
                    f"line {entry.line}: meme_personne: has a spelling of line {first.line}: one"
                    " entry holds all the spellings of a person"
                )
            seen[name].append(entry)
    return faults


def _overlap(one: str | None, other: str | None) -> bool:
    """Whether two chambers, each None for all of them, have a list in common."""
    return one is None or other is None or one == other


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
    checked = _CHECKS[kinds[0]](item[kinds[0]], item)
    return faults or [f"{kinds[0]}: {fault}" for fault in checked] or _unfit(item)


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
        for name, found in inner:
            texts = found if isinstance(found, list) else [found]
            yield from ((str(name)[:80], text) for text in texts if isinstance(text, str))


def _list_faults(value: object, item: Mapping[str, Any]) -> list[str]:
    chamber = value.partition("/")[0] if isinstance(value, str) else ""
    return (
        [] if chamber in CHAMBERS else ["the name of a list is expected, such as senat/2017-10-02"]
    )


def _same_faults(value: object, item: Mapping[str, Any]) -> list[str]:
    if not isinstance(value, dict) or not _texts(value.get("noms")) or len(value["noms"]) < 2:
        return ["noms: at least two spellings are expected"]
    return _unknown(value, ("noms", "chambre"))


def _two_people_faults(value: object, item: Mapping[str, Any]) -> list[str]:
    if not isinstance(value, dict) or not _texts(value.get("noms")):
        return ["noms: the two names are expected"]
    names = set(map(words, value["noms"]))
    if not len(value["noms"]) == len(names) == 2 - ("empreinte" in value):
        return ["noms: exactly two names are expected, or one and an empreinte"]
    if not isinstance(value.get("empreinte", ""), str):
        return ["empreinte: a text is expected"]
    return _members_faults(value) or _unknown(value, ("noms", "empreinte", "elus", "chambre"))


def _members_faults(value: Mapping[str, Any]) -> list[str]:
    wrong = "elus" in value and not _texts(value["elus"])
    return ["elus: a list of members' identifiers is expected"] if wrong else []


def _homonym_faults(value: object, item: Mapping[str, Any]) -> list[str]:
    if not isinstance(value, dict) or not isinstance(value.get("nom"), str):
        return ["nom: the shared name is expected"]
    if not _texts(value.get("elus")):
        return ["elus: the members with whom it is another person are expected"]
    return _unknown(value, ("nom", "elus"))


def _movement_faults(value: object, item: Mapping[str, Any]) -> list[str]:
    if not isinstance(value, dict):
        return ["the fields of a movement are expected"]
    wrong = _unknown(value, (*_CHANGEABLE, "id", "source"))
    wrong += [f"{name}: a text is expected" for name, v in value.items() if not isinstance(v, str)]
    # What is not given has no fault; whether it all goes together shows when the movement is changed.
    return wrong or faults_of(_SOUND._replace(**value))


def _added_faults(value: object, item: Mapping[str, Any]) -> list[str]:
    wrong = _movement_faults(value, item)
    if isinstance(value, dict):
        wrong += [f"{n}: is missing" for n in ("date_event", "chambre", "type") if n not in value]
    return wrong


def _changed_faults(value: object, item: Mapping[str, Any]) -> list[str]:
    wrong = _movement_faults(value, item)
    if isinstance(value, dict) and len(value) < 2:
        wrong.append("the id and at least one field are expected")
    return wrong if not isinstance(value, dict) or "id" in value else [*wrong, "id: is missing"]


def _withdrawn_faults(value: object, item: Mapping[str, Any]) -> list[str]:
    return [] if isinstance(value, str) and value else ["the id of a movement is expected"]


def _mask_faults(value: object, item: Mapping[str, Any]) -> list[str]:
    if not isinstance(value, dict) or ("nom" in value) == ("empreinte" in value):
        return ["either nom or empreinte is expected"]
    if wrong := _members_faults(value):
        return wrong
    name = value.get("nom", "")
    if not isinstance(name, str) or ("nom" in value and not plain(name)):
        return ["nom: a name is expected"]
    if set(plain(name).split()) - _PARTICLES & set(plain(item["raison"]).split()):
        return ["raison: the reason is published and must not repeat the name"]
    return _unknown(value, ("nom", "empreinte", "elus", "chambre"))


def _texts(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, str) and v for v in value)


def _unknown(value: Mapping[str, Any], known: tuple[str, ...]) -> list[str]:
    return [f"{key}: not known here" for key in value if key not in known]


_CHECKS = {
    "accepter": _list_faults,
    "refuser": _list_faults,
    "meme_personne": _same_faults,
    "deux_personnes": _two_people_faults,
    "homonymes": _homonym_faults,
    "ajouter": _added_faults,
    "modifier": _changed_faults,
    "retirer": _withdrawn_faults,
    "masquer": _mask_faults,
}
