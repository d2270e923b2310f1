"""The page of one movement: what lists show of it, the stays that it begins and ends, what follows under the name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from parlement_lists.dates import days_between
from parlement_lists.movement import slug_of
from parlement_lists.tenure import Tenure

from ..dataset.schema import CHANGES, SPELLED_STAYS
from ..dataset.stays import (
    HOMONYMS_SQL,
    Succession,
    Successions,
    evidence,
    find_successions,
    homonyms,
)
from ..fields import MOVEMENT_FIELDS
from . import french
from .runner import Context, View
from .site import PageMissing

# Days of a stay that says too little to be told as the next one.
SHORT_STAY = 7

# How well a day is known where no stay says which list came before.
WITHOUT_LIST = {
    "bot": "à trois jours près",
    "fort": "à trois jours près",
    "moyen": "à dix jours près",
    "manuel": "donnée à la main",
}


def read(view: View) -> Context:
    """One movement; raises PageMissing where there is none, or none any more."""
    id = view.path["id"]
    rows = view.movements("where id = :id", id=id)
    if not rows:
        if view.row(f"select id from {CHANGES} where id = :id", id=id):
            why = "Ce mouvement a été publié, puis retiré : effacez-le de vos copies."
            raise PageMissing(why, 410, "Contenu retiré")
        raise PageMissing("Aucun mouvement n’a jamais été publié sous cet identifiant.")
    (row,) = rows
    follow(view, rows)
    return {
        "row": row,
        "precision": precision(row),
        "lists": evidence(view.db, row).get("preuve"),
        "fields": [field for field in MOVEMENT_FIELDS if row[field.name]],
    }


def follow(view: View, movements: Iterable[dict[str, Any]]) -> None:
    """Give each movement the stays `begun` and `ended`, None where there is none, and `links`.

    `links` has `returns` (to what somebody came back), `answered` (with what the end was answered) and `elsewhere`
    (where the name is seen next), each a Succession or None; it is None where none of them is known.
    """
    movements = list(movements)
    stays = view.stays(
        """
        where mouvement_debut in (select value from json_each(:ids))
          or mouvement_fin in (select value from json_each(:ids))
        """,
        ids=json.dumps([row["id"] for row in movements]),
    )
    begun = {stay.mouvement_debut: stay for stay in stays}
    ended = {stay.mouvement_fin: stay for stay in stays}
    successions = successions_of(view, stays)
    for row in movements:
        first, last = begun.get(row["id"]), ended.get(row["id"])
        links = {
            "returns": successions.returns.get(first.id) if first else None,
            "answered": successions.answered.get(last.id) if last else None,
            "elsewhere": seen_next(successions, last) if last else None,
        }
        row["begun"], row["ended"] = first, last
        row["links"] = links if any(links.values()) else None


def stays_under(view: View, slugs: Iterable[str]) -> list[Tenure]:
    """The stays under these addresses of names, in every spelling, those of the last lists last."""
    return view.stays(
        f"""
        where rowid in (select c.rowid from json_each(:slugs) j
          cross join {SPELLED_STAYS} and n.adresse = j.value)
        order by fin is null, fin_apres, debut, rowid
        """,
        slugs=json.dumps(sorted(slugs)),
    )


def successions_of(view: View, stays: Iterable[Tenure]) -> Successions:
    """What the stays under the names of these return to, and what follows them."""
    slugs = {slug_of(stay.collab_nom, stay.collab_prenom) for stay in stays} - {""}
    return find_successions(stays_under(view, slugs), homonyms(view.rows(HOMONYMS_SQL)))


def seen_next(successions: Successions, stay: Tenure) -> Succession | None:
    """Where the name is seen after a stay, without stays of SHORT_STAY days or less on either side."""
    after = successions.seen_next(stay.id)
    begun = tuple(later for later in after.begun if not _is_short(later)) if after else ()
    return Succession(stay, begun) if begun and not _is_short(stay) else None


def _is_short(stay: Tenure) -> bool:
    # One that was there in the first list may have begun long before.
    known = bool(stay.debut_apres and stay.fin)
    return known and days_between(stay.debut, stay.fin) <= SHORT_STAY


def precision(row: Mapping[str, Any]) -> str:
    """How well the day of a movement is known, and by which lists; `apres` is the day of the one before."""
    after, seen = row["apres"], row["date_event"]
    if not after:
        return WITHOUT_LIST.get(row["confiance"], "approximative")
    if french.when(row, after).exact:
        words = "au jour près"
    elif french.precise(after, seen):
        words = "approximative"
    else:
        words = f"à {french.counted(days_between(after, seen), 'jour')} près"
    lists = "listes du {} et du {}".format(*french.pair_of_days(after, seen))
    if after == seen:
        lists = f"liste du {french.day(seen)}"
    by_hand = ", donnée à la main" if row["confiance"] == "manuel" else ""
    return f"{words}, {lists}{by_hand}"
