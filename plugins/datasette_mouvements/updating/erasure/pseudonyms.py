"""Random identifiers for movements and stays whose name is withheld: their own are hashes of the name."""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from parlement_lists.movement import Movement
from parlement_lists.tenure import Tenure
from parlement_lists.tracking.correction import Named

from ...dataset.changes import Draw

# As many as the other identifiers have (see `movement.identifier`).
_BYTES = 10


def is_named(named: Movement | Tenure) -> bool:
    """Whether a movement or a stay says whose it is."""
    return bool(named.collab_nom or named.collab_prenom)


class Pseudonyms:
    """The internal identifiers of what is withheld, each with its pseudonym: the random one that is published.

    This room works with the internal identifiers, which the lists give: pseudonyms are replaced where a
    database is read, and put back where one is written. `draw`: see `Draw`.
    """

    def __init__(
        self, known: Mapping[str, str] | None = None, draw: Draw = secrets.token_hex
    ) -> None:
        self._draw = draw
        self._public = dict(known or {})
        self._internal = {public: id for id, public in self._public.items()}
        self._named: set[str] = set()
        self._used: set[str] = set()

    @property
    def known(self) -> Mapping[str, str]:
        """Every internal identifier with its pseudonym."""
        return self._public

    @property
    def lifted(self) -> set[str]:
        """The internal identifiers that are published with a name again.

        The feed shows their pseudonyms beside them, so a name that is withheld again needs a new one.
        """
        return self._named - self._used

    def internal(self, public: str) -> str:
        """The internal identifier of a published one: itself, if it is no pseudonym."""
        return self._internal.get(public, public)

    def public(self, id: str) -> str:
        """The pseudonym of an internal identifier, or itself, if it has none."""
        return self._public.get(id, id)

    def restored(self, named: Named) -> Named:
        """A movement or stay as it is published, under its internal identifier."""
        id = self._internal.get(named.id)
        return named if id is None else named._replace(id=id)

    def published(self, named: Named, had: Named) -> Named:
        """A movement or stay under the identifier to publish; `had` is the same before its name was withheld."""
        if is_named(named):
            if named.id in self._public:
                self._named.add(named.id)
            return named
        if named.id in self._public or is_named(had):
            return named._replace(id=self.take(named))
        return named

    def take(self, named: Movement | Tenure) -> str:
        """The pseudonym of a movement or stay, made now if it has none."""
        self._used.add(named.id)
        if named.id not in self._public:
            kind = "col" if isinstance(named, Tenure) else "mvt"
            public = f"{kind}_{self._draw(_BYTES)}"
            self._public[named.id] = public
            self._internal[public] = named.id
        return self._public[named.id]
