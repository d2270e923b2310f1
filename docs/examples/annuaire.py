"""A source of a package of its own: an invented directory of the Sénat's staff, as JSON."""

import json
from dataclasses import dataclass

from parlement_lists.sources.hooks import (
    Address,
    OriginalRefused,
    Source,
    StaffList,
    StaffRow,
    hookimpl,
)


@dataclass(frozen=True)
class Annuaire(Source):
    def read(self, originals, members, day):
        (original,) = originals
        try:
            found = json.loads(original.body)
            pairs = [(one["matricule"], one["nom"], one["prenom"]) for one in found]
        except (ValueError, KeyError, TypeError) as error:
            raise OriginalRefused(f"{original.name}: {error!r}") from error
        rows = []
        for matricule, family, given in pairs:
            group = members.group(self.chamber, matricule, day) if day else ""
            rows.append(StaffRow(matricule, "", "", group, "", family, given))
        return StaffList(rows, origin="annuaire-json")


@hookimpl
def mouvements_sources():
    address = Address("annuaire.json", "https://annuaire.example.org/senat.json")
    return [Annuaire("annuaire", "senat", {"json": address})]
