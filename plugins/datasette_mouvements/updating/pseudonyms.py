"""Under which identifiers what is withheld is published: random ones, since its own are made of the name."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import TypeVar

from parlement_lists.movement import Movement
from parlement_lists.tenure import Tenure

from ..dataset.changes import Draw
from ..dataset.input_files import Line

Named = TypeVar("Named", Movement, Tenure)
# As many as the other identifiers have (see `movement.identifier`).
_BYTES = 10


def is_named(named: Movement | Tenure) -> bool:
    """Whether a movement or a stay says whose it is."""
    return bool(named.collab_nom or named.collab_prenom)


def loses_name(had: Movement, told: Movement) -> bool:
    """Whether a name that was there is withheld."""
    return is_named(had) and not is_named(told)


def in_no_order_of_names(withheld: list[tuple[Line, Movement]]) -> list[tuple[Line, Movement]]:
    """What is withheld, to be put after everything else: lists are in the order of names, which a place tells."""
    return sorted(withheld, key=lambda numbered: numbered[1].id)


class Pseudonyms:
    """The internal identifiers of what is withheld, each with the random one that is published for it.

    This room works with the internal ones, which the lists give: they are put in where a database is
    read, and taken out where one is written. `draw` makes so many random bytes, in hexadecimal.
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
        """Every internal identifier with what stands for it."""
        return self._public

    @property
    def lifted(self) -> set[str]:
        """The internal identifiers that are published with a name again.

        The feed shows what stood for them beside them: if the name is withheld again, another one must.
        """
        return self._named - self._used

    def internal(self, public: str) -> str:
        """The internal identifier that a published one stands for: itself, where it is one."""
        return self._internal.get(public, public)

    def public(self, id: str) -> str:
        """What stands for an internal identifier: itself, where nothing else does."""
        return self._public.get(id, id)

    def restored(self, named: Named) -> Named:
        """A movement or stay as it is published, under its internal identifier."""
        id = self._internal.get(named.id)
        return named if id is None else named._replace(id=id)

    def published(self, told: Named, had: Named) -> Named:
        """What is told, under the identifier to publish; `had` is the same with the name it had in this run."""
        if is_named(told):
            if told.id in self._public:
                self._named.add(told.id)
            return told
        if told.id in self._public or is_named(had):
            return told._replace(id=self.take(told))
        return told

    def take(self, named: Movement | Tenure) -> str:
        """What stands for the identifier of a movement or stay, from now on if nothing did."""
        self._used.add(named.id)
        if named.id not in self._public:
            kind = "col" if isinstance(named, Tenure) else "mvt"
            public = f"{kind}_{self._draw(_BYTES)}"
            self._public[named.id] = public
            self._internal[public] = named.id
        return self._public[named.id]
