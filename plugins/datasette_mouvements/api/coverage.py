"""The answer at /v1/couverture: the lists of each chamber, and their sources."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..dataset.coverage import Coverage
from ..dataset.credits import credits
from .service import Freshness, Service


def holes(lists: Coverage) -> list[dict[str, Any]]:
    """The days without a list, each by the lists around them."""
    return [{"apres": hole.before, "avant": hole.after, "jours": hole.days} for hole in lists.holes]


def described(lists: Coverage) -> dict[str, Any]:
    """How many lists, from when to when, and the holes; a day that there is none of is left out."""
    return {
        **({"premiere_liste": lists.first} if lists.first else {}),
        **({"derniere_liste": lists.last} if lists.last else {}),
        "listes": lists.number,
        "trous": holes(lists),
    }


def body(service: Service, freshness: Mapping[str, Freshness], invented: bool) -> bytes:
    """The JSON of the answer at /v1/couverture."""
    told = {"couverture": chambers(freshness, invented)}
    start = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
    return start[:-1].encode() + b"," + service.credits


def chambers(freshness: Mapping[str, Freshness], invented: bool) -> dict[str, dict[str, Any]]:
    """Of each chamber the lists and the sources, of which invented lists have none."""
    owed = [] if invented else credits({name: one.lists for name, one in freshness.items()})
    return {
        chamber: {
            **described(one.lists),
            "sources": [
                {
                    "nom": credit.publisher,
                    "credit": f"{credit.publisher} ({credit.address})",
                    "licence": credit.licence,
                    "jusqua": last,
                }
                for credit, last in owed
                if credit.chamber == chamber
            ],
            "en_retard": one.late,
        }
        for chamber, one in freshness.items()
    }
