"""Names that no mask withholds and that may be a masked person's: withheld until a correction says whose they are."""

from __future__ import annotations

import datetime
import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from parlement_lists import tenure
from parlement_lists.movement import Movement, identifier, words
from parlement_lists.tenure import Tenure
from parlement_lists.tracking.correction import Entry, fingerprint
from parlement_lists.tracking.corrections import Corrections
from parlement_lists.tracking.state import TrackingState

from ..corrected import NAMES
from ..published import Published
from .pseudonyms import is_named

# What stands in the keys of matters before what stands for a name.
OF_NAMES = "nom_proche/"
# A mask, and the name it withholds.
Masked = tuple[Entry, str]


class Doubt(NamedTuple):
    """A name that may be a masked person's: where it stands, what becomes of it there, the masks in question."""

    one: Movement | Tenure
    how: str
    masks: Sequence[Masked]


class NearNames:
    """What loses its name in the next file: what masks say, and each name that may be a masked person's.

    The latter is near a masked name, or a masked stay goes on under it; no correction says whose it is.
    What the file `before` publishes with a name that no mask withholds keeps it. Identifiers are internal ones.
    `spellings` are those of stays (see `Stays`).
    """

    def __init__(
        self,
        corrections: Corrections,
        before: Published,
        today: datetime.date,
        spellings: Mapping[str, Sequence[str]],
    ) -> None:
        self._corrections = corrections
        self._spellings = spellings
        self._before = before
        self._today = today
        # What is withheld for its near name, as the lists have it: a correction may publish it.
        self.undecided: dict[str, Movement | Tenure] = {}
        # Chamber, member and person -> the masks; to be asked once every name of a fingerprint was seen.
        self._near: dict[tuple[str, str, str], list[Masked]] = {}
        # Person and chamber -> where the name stands.
        self._doubts: dict[tuple[str, str], list[Doubt]] = defaultdict(list)

    def withhold(
        self,
        stays: Collection[Tenure],
        movements: Iterable[Movement],
        state: TrackingState | None,
        anew: bool,
        whole: bool,
    ) -> set[str]:
        """The identifiers of what loses its name; InputRefused for damage.

        With the `state` of the file before, what is `undecided` stays so, whatever it is called now, until it is
        decided, and so does all that is nameless there, unless everything is made `anew`. Unless these are the
        `whole` of the next file, the others stay as they are there.
        """
        stays = [*stays]  # they are read many times, and all are in memory here anyway
        taken: list[Movement | Tenure] = [*stays, *movements]
        waiting = {one.id: one for one in state.withheld()} if state else {}
        if anew:
            waiting = {one.id: waiting[one.id] for one in taken if one.id in waiting}
        before = list(self._before.named()) if whole else []
        # A fingerprint tells its name where it matches, and only then what is near it: all are looked at first.
        masked = {one.id for one in (*taken, *waiting.values()) if self._is_masked(one)}
        known = {one.id for one in before if not self._is_masked(one)}
        if not whole:
            ends = {id for stay in stays for id in (stay.mouvement_debut, stay.mouvement_fin)}
            known = self._before.named_among(ends.union(one.id for one in taken)) - masked
        connect(stays, masked)
        explained = set(masked)
        masked |= {one.id for one in taken if self._made_of_masked(one)}
        if state and not anew:
            masked |= self._before.nameless() - waiting.keys()
        connect(stays, masked)
        connect(stays, known)
        found = set()
        for one in (*taken, *waiting.values()):
            near = self._masks_near(one)
            if near and one.id not in known | masked:
                found.add(one.id)
                self._doubt(one, "is withheld, as it is near a masked name", near)
        for stay in stays:
            if stay.id not in masked or self._is_masked(stay):
                continue
            masks = self._masks_near(stay) or self._made_of_masked(stay)
            # A masked movement of the stay tells whose it is, unless somebody near may have taken its place.
            if stay.id not in explained or self._masks_near(stay):
                self._doubt(stay, "is withheld, as a masked stay goes on under it", masks)
        connect(stays, found)
        for one in taken:
            if one.id in found - masked - known:
                self.undecided[one.id] = _called(one, waiting.get(one.id, one))
        return masked | found

    def _is_masked(self, one: Movement | Tenure) -> bool:
        """Whether it has no name, or one that a mask withholds, in the lists or as a correction has it."""
        withheld = [self._corrections.withholds(said) for said in {one, self._renamed(one)}]
        return any(withheld) or not is_named(one)

    def _made_of_masked(self, one: Movement | Tenure) -> list[Masked]:
        """The masks of the name that an identifier is made of, where it is not the name of now."""
        changed = isinstance(one, Tenure) or self._corrections.change_of(one.id) is not None
        if not changed or id_under(one, _person(one)) == one.id:
            return []
        found = [
            (mask, name)
            for mask, name in self._corrections.masked_names(one.chambre, one.elu_id)
            if id_under(one, name) == one.id
        ]
        self._corrections.matched.update(mask.digest for mask, _ in found)
        return found

    def _masks_near(self, one: Movement | Tenure) -> list[Masked]:
        where = one.chambre, one.elu_id, _person(self._renamed(one))
        if where not in self._near:
            self._near[where] = self._corrections.masks_near(*where) if where[2] else []
        return self._near[where]

    def _renamed(self, one: Movement | Tenure) -> Movement | Tenure:
        """A movement under the name that a correction gives it."""
        change = self._corrections.change_of(one.id)
        said = change.value if change is not None else {}
        return one._replace(**{name: said[name] for name in NAMES if name in said})

    def _doubt(self, one: Movement | Tenure, how: str, masks: Sequence[Masked]) -> None:
        one = self._renamed(one)
        self._doubts[_person(one), one.chambre].append(Doubt(one, how, masks))

    def matters(self) -> dict[str, str]:
        """What a maintainer has to decide: the key of each name, what to write into the corrections."""
        reasons = free_reasons(self._corrections)
        return {
            OF_NAMES + hashlib.sha256(" ".join(of).encode()).hexdigest()[:12]: "\n".join(
                self._lines(doubts, reasons)
            )
            for of, doubts in sorted(self._doubts.items())
        }

    def names_in_doubt(self) -> dict[str, str]:
        """The masks that the doubts are about, by digest, each with its name.

        It may be known by a fingerprint alone, and be in no list any more when somebody decides.
        """
        doubts = (doubt for found in self._doubts.values() for doubt in found)
        return {mask.digest: name for doubt in doubts for mask, name in doubt.masks}

    def _spellings_of(self, doubt: Doubt) -> Sequence[str]:
        """The names under which a stay went on after the masked one, if there is more than one."""
        one, found = doubt.one, list[str]()
        for name in self._spellings.get(one.id, ()):
            masked = self._corrections.masks_of(one.chambre, one.elu_id, words(name))
            found = [] if masked else [*found, name]
        return found if len(found) > 1 else []

    def _lines(self, doubts: Sequence[Doubt], reasons: Iterator[str]) -> Iterator[str]:
        """The sentence, which never says the masked name, then the lines of either answer."""
        one = doubts[-1].one
        masks = {m.digest: (m, name) for doubt in doubts for m, name in doubt.masks}.values()
        members = sorted({doubt.one.elu_id for doubt in doubts})
        where = {"chambre": one.chambre} | ({"elus": members} if all(members) else {})
        lines = ", ".join(f"line {mask.line}" for mask, _ in masks) or "a mask not known"
        goes_on = any("goes on" in doubt.how for doubt in doubts)
        name = f"{one.collab_prenom} {one.collab_nom}".strip()
        yield (
            f"{name} ({one.chambre}, {', '.join(filter(None, members)) or 'no member'})"
            f" {' and '.join(sorted({doubt.how for doubt in doubts}))} ({self._corrections.file}: {lines})."
            " Decide, and add the lines of one answer to the corrections."
        )
        if not masks:
            yield "Another person, or a mask that was lifted: build again from every list."
        spelled = next(filter(None, map(self._spellings_of, doubts)), [name])
        for number, begun in enumerate(spelled if masks else ()):
            since = f" since {begun}" if len(spelled) > 1 else ""
            yield f"Another person{since}{', and build again from every list' if goes_on else ''}:"
            # No mask has a name in between: it is masked, and put apart from the next one.
            between = spelled[number - 1 : number + 1] if number else []
            apart = [{"noms": between}] if between else _apart(begun, masks)
            if begun != name or between:
                apart += _apart(name, self._masks_near(one))
            for said in apart:
                yield entry(self._today, "Deux personnes", "deux_personnes", {**said, **where})
            for said in [{"nom": between[0], **where}] if between else ():
                yield entry(self._today, next(reasons), "masquer", said)
        yield "The same person:"
        narrowings = [
            {key: mask.value[key] for key in ("chambre", "elus") if key in mask.value}
            for mask, _ in masks
        ]
        for number, narrowed in enumerate(narrowings or [{}]):
            if narrowed not in narrowings[:number]:
                yield entry(self._today, next(reasons), "masquer", {"nom": name, **narrowed})


def _apart(name: str, masks: Iterable[Masked]) -> list[dict[str, Any]]:
    return [{"noms": [name], "empreinte": fingerprint(of)} for _, of in masks]


def entry(today: datetime.date, reason: str, kind: str, said: Mapping[str, Any]) -> str:
    """A correction as a line of its file."""
    told = ", ".join(f"{key}: {quoted(value)}" for key, value in said.items())
    return f"- {{date: {today}, raison: {reason}, {kind}: {{{told}}}}}"


def free_reasons(corrections: Corrections) -> Iterator[str]:
    """Reasons that no correction has: a file's masks of one day are known by these alone, and reasons are public."""
    used = {entry.reason for entry in corrections.entries}
    number = 1
    while True:
        reason = "Demande d’opposition" + (f" {number}" if number > 1 else "")
        if reason not in used:
            yield reason
        number += 1


def connect(tenures: Iterable[Tenure], ids: set[str]) -> None:
    """Add to identifiers of stays and movements all that stays connect with them."""
    known = -1
    while len(ids) > known:
        known = len(ids)
        for stay in tenures:
            connected = {stay.id, *filter(None, (stay.mouvement_debut, stay.mouvement_fin))}
            if connected & ids:
                ids |= connected


def id_under(one: Movement | Tenure, person: str) -> str:
    """The identifier that a movement or stay would have under a name (see `movement.words`)."""
    if isinstance(one, Movement):
        return identifier(one._replace(collab_nom=person, collab_prenom=""))
    return tenure.identifier(one.chambre, one.elu_id, person, one.debut)


def quoted(said: object) -> str:
    """A name, or what a correction says, as YAML takes it whatever signs it holds."""
    return json.dumps(said, ensure_ascii=False)


def _person(one: Movement | Tenure) -> str:
    return words(one.collab_nom, one.collab_prenom)


def _called(one: Movement | Tenure, other: Movement | Tenure) -> Movement | Tenure:
    """A movement or stay under the name of another: the one that is to be decided."""
    return one._replace(**{name: getattr(other, name) for name in NAMES})
