"""Names near a masked one: a new one is withheld too, until a correction says whose it is."""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Iterable, Sequence, Set

from parlement_lists.movement import Movement, words
from parlement_lists.tenure import Tenure
from parlement_lists.tracking.corrections import Corrections, Entry

from ..published import Published

# What stands in the keys of matters before what stands for a name.
_KEY = "nom_proche/"
Named = Movement | Tenure
# A mask, and the name it withholds that is near another.
NearMask = tuple[Entry, str]


class NearNames:
    """The names near one that a mask withholds, where no correction says whose they are.

    What the file `before` publishes is not new: those people, and the stays that they go on with, keep their
    names. All are told. Identifiers are internal ones.
    """

    def __init__(self, corrections: Corrections, before: Published, today: datetime.date) -> None:
        self._corrections = corrections
        self._before = before
        self._today = today
        # What is withheld, as the lists have it: a correction may publish it.
        self.withheld: dict[str, Named] = {}
        self._stays: Sequence[Tenure] = ()
        self._ends: set[str] = set()
        self._published: set[str] = set()
        self._known: set[str] = set()
        # What may be withheld, or is connected with it.
        self._fresh: dict[str, Named] = {}
        # Chamber, member and person -> the masks.
        self._near: dict[tuple[str, str, str], list[NearMask]] = {}
        # Person -> a movement or stay of that name, what becomes of it.
        self._told: dict[str, tuple[Named, str]] = {}

    def begin(self, stays: Sequence[Tenure]) -> None:
        """Take the stays of the next file, and see what the one before publishes; InputRefused for damage."""
        self._stays = stays
        self._ends = {id for stay in stays for id in _connected(stay)}
        for one in self._before.named():
            self._published.add(_person(one))
            if one.id in self._ends:
                self._known.add(one.id)
        connect(stays, self._known)

    def examine(self, one: Named) -> None:
        """Take a stay or movement whose name no mask withholds."""
        near = bool(self._masks_near(one))
        if _person(one) in self._published or one.id in self._known:
            if near:
                self._told.setdefault(_person(one), (one, "stays published"))
        elif near or one.id in self._ends:
            self._fresh[one.id] = one

    def withhold(self, masked: Set[str]) -> set[str]:
        """The identifiers of what loses its name besides `masked`, once all was examined."""
        found = {id for id, one in self._fresh.items() if self._masks_near(one)}
        near = sorted(found)
        connect(self._stays, found)
        for id in near:
            one = self._fresh[id]
            how = (
                "is withheld, as a masked stay goes on under it" if id in masked else "is withheld"
            )
            self._told[_person(one)] = one, how
        found = found - masked | set(near)
        self.withheld = {id: one for id, one in self._fresh.items() if id in found}
        return set(self.withheld)

    def _masks_near(self, one: Named) -> list[NearMask]:
        where = one.chambre, one.elu_id, _person(one)
        if where not in self._near:
            self._near[where] = self._corrections.masks_near(*where)
        return self._near[where]

    def matters(self) -> dict[str, str]:
        """What a maintainer has to decide: the key of each name, the sentence with the two corrections."""
        return {
            _KEY + hashlib.sha256(person.encode()).hexdigest()[:12]: self._sentence(*told)
            for person, told in sorted(self._told.items())
        }

    def near_to(self) -> dict[str, str]:
        """The masks that the names told of are near, each with the name that it withholds.

        It may be known by a fingerprint alone, and be in no list any more when somebody decides.
        """
        found = (near for one, _ in self._told.values() for near in self._masks_near(one))
        return {mask.digest: name for mask, name in found}

    def _sentence(self, one: Named, how: str) -> str:
        near = self._masks_near(one)
        lines = ", ".join(f"line {mask.line}" for mask, _ in near)
        name = f"{one.collab_prenom} {one.collab_nom}".strip()
        apart = ", ".join(
            entry(
                self._today,
                "Deux personnes",
                f"deux_personnes: {{noms: [{quoted(mask.value.get('nom', of))}, {quoted(name)}]}}",
            )
            for mask, of in near
        )
        same = entry(self._today, "Autre graphie", f"masquer: {{nom: {quoted(name)}}}")
        return (
            f"{name} ({one.chambre}, {one.elu_id}) {how}: the name is near one that a mask withholds"
            f" ({self._corrections.file}: {lines}). Decide in the corrections. Another person: {apart}"
            f"{' and build again from every list' if 'goes on' in how else ''}. The same person: {same}"
        )


def entry(today: datetime.date, reason: str, said: str) -> str:
    """A correction as its file takes it."""
    return f"- {{date: {today}, raison: {reason}, {said}}}"


def connect(tenures: Iterable[Tenure], ids: set[str]) -> None:
    """Add to identifiers of stays and movements all that stays connect with them."""
    known = -1
    while len(ids) > known:
        known = len(ids)
        for connected in map(_connected, tenures):
            if connected & ids:
                ids |= connected


def _connected(tenure: Tenure) -> set[str]:
    """The identifiers of a stay and of the movements at its ends."""
    return {tenure.id, *filter(None, (tenure.mouvement_debut, tenure.mouvement_fin))}


def _person(one: Named) -> str:
    return words(one.collab_nom, one.collab_prenom)


def quoted(said: object) -> str:
    """A name, or what a correction says, as YAML takes it whatever signs it holds."""
    return json.dumps(said, ensure_ascii=False)
