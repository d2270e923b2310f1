"""Whose names the masks withhold, in the movements and in the stays that hang together with them."""

from __future__ import annotations

from collections.abc import Iterable

from parlement_lists.movement import Movement
from parlement_lists.tenure import Tenure
from parlement_lists.tracking.corrections import Corrections, nameless

from .pseudonyms import is_named


class Withheld:
    """Whose names the masks withhold: in their movements, and in the stays these begin and end.

    A stay has its person's latest spelling, and its movements may have others: what is withheld in
    one of them is withheld in all that hang together.
    """

    def __init__(
        self,
        corrections: Corrections,
        tenures: Iterable[Tenure] = (),
        movements: Iterable[Movement] = (),
    ) -> None:
        self._corrections = corrections
        self._movements: set[str] = set()
        self._tenures: set[str] = set()
        if corrections.masks:
            tenures = list(tenures)
            self._movements |= {m.id for m in movements if not is_named(corrections.withhold(m))}
            self._tenures |= {t.id for t in tenures if not is_named(corrections.withhold(t))}
            while self._spread(tenures):
                pass

    def _spread(self, tenures: Iterable[Tenure]) -> bool:
        """Withhold what hangs together with what is withheld; whether that was anything more."""
        before = len(self._movements) + len(self._tenures)
        for tenure in tenures:
            ends = {id for id in (tenure.mouvement_debut, tenure.mouvement_fin) if id}
            if tenure.id in self._tenures or ends & self._movements:
                self._tenures.add(tenure.id)
                self._movements |= ends
        return len(self._movements) + len(self._tenures) > before

    def movement(self, movement: Movement) -> Movement:
        """The movement as it is published."""
        published = self._corrections.withhold(movement)
        return nameless(published) if movement.id in self._movements else published

    def tenure(self, tenure: Tenure) -> Tenure:
        """The stay as it is published."""
        return nameless(tenure) if tenure.id in self._tenures else tenure
