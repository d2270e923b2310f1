"""The examples of the OpenAPI description: one invented movement, and answers about it alone.

The parameters' examples, sent together, are a search that would find this movement. Nothing of the
served data is shown, because what is generated from a description outlives a withdrawal.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from parlement_lists import tenure
from parlement_lists.movement import CHAMBERS, FIELDS

from ...access.charging import Charge
from ...dataset.changes import Cursor
from ...dataset.coverage import Coverage, Gap
from ...dataset.schema import PUBLISHED, WITHDRAWN
from ...dataset.stays.evidence import RULES
from ...dataset.stays.lines import LINK_FIELDS, MANDATE_FIELD, NEXT, NEXT_DAYS, RETURN_DAYS
from ...refusal import KINDS, SITE, Refusal
from .. import changes as feed
from .. import coverage as coverages
from .. import problems, replies
from .. import search as search_page
from ..listings import MOVEMENTS_LISTING, STAYS_LISTING, Listing
from ..parameters.search_parameters import Search, parse
from ..parameters.stay_parameters import MemberSearch, StaySearch
from ..service import Freshness, Service

# Of an arrival: only a transfer has a member left.
MOVEMENT = {
    field.name: field.example for field in FIELDS if not field.name.startswith("elu_origine_")
}
CURSOR = str(Cursor("5b1f0c3a9d2e8746", 1204, "c07e64a1f3b8d952"))
VERSION = "4f0a6c1d2b93e857"
ETAG = f'W/"{VERSION}-6e1d0a94-3c5b7f2081"'
FILE_ETAG = '"8e2d4b90c1f7a63508bd29e4"'
INSTANT = "2026-09-15T05:12:40Z"
LAST_MODIFIED = "Tue, 15 Sep 2026 05:12:40 GMT"
_LINE = json.dumps(MOVEMENT, ensure_ascii=False).encode()
_WITHDRAWN = "mvt_9f8e7d6c5b4a39281706"
_WITHDRAWN_STAY = "col_9f8e7d6c5b4a39281706"
# It is no leave.
STAY: dict[str, Any] = {
    **{field.name: field.example for field in tenure.FIELDS if field.name != "conge"},
    **{field.name: field.example for field in (*LINK_FIELDS, MANDATE_FIELD)},
    **dict.fromkeys((RETURN_DAYS, NEXT_DAYS), 45),
    NEXT: ["col_2c3d4e5f607182930a1b"],
}
_MEMBER = {
    **{name: STAY[name] for name in ("chambre", "elu_id", "elu_cle")},
    "nom": "Exemple",
    "prenom": "Camille",
    "civilite": "Mme",
    "mandats": [{"debut": "2020-10-01", "fin": STAY[MANDATE_FIELD.name]}],
    "groupes": [{"code": STAY["elu_groupe"], "nom": "Groupe d’exemple", "debut": "2020-10-01"}],
    "equipe": 0,
}
_EVIDENCE = {
    "collaborations": {"commence": STAY["id"]},
    "preuve": {
        side: {"jour": day, "liste": f"{STAY['chambre']}/{day}", "sha256": digit * 64}
        for side, day, digit in (
            ("avant", STAY["debut_apres"], "0"),
            ("apres", STAY["debut"], "1"),
        )
    }
    | {"regle": RULES["arrivee"]},
}
_STAY_LINE = json.dumps(STAY, ensure_ascii=False).encode()


def search(service: Service) -> dict[str, Any]:
    """The page that has the movement alone."""
    page = search_page.SearchPage([_LINE], 1)
    return _loaded(search_page.body(service, MOVEMENTS_LISTING.many, Search(), page))


def stays(service: Service) -> dict[str, Any]:
    """The page that has the stay alone, as of a day."""
    day = {"le": STAY["fin_apres"], "suivante": STAY["fin"]}
    lists = json.dumps({STAY["chambre"]: day}).encode()
    page, asked = search_page.SearchPage([_STAY_LINE], 1), StaySearch(le=STAY["fin_apres"])
    return _loaded(
        search_page.body(service, STAYS_LISTING.many, asked, page, b'"listes":%b,' % lists)
    )


def members(service: Service) -> dict[str, Any]:
    """The page that has the member of the stay alone."""
    page = search_page.SearchPage([json.dumps(_MEMBER, ensure_ascii=False).encode()], 1)
    return _loaded(search_page.body(service, "elus", MemberSearch(), page))


def one(service: Service, listing: Listing) -> dict[str, Any]:
    """The movement, or the stay, by its identifier."""
    of_stays = listing is STAYS_LISTING
    line = _STAY_LINE if of_stays else _LINE
    beside = b"" if of_stays else json.dumps(_EVIDENCE).encode()[1:-1] + b","
    return _loaded(b'{"%b":%b,%b%b' % (listing.one.encode(), line, beside, service.credits))


def changes(service: Service, listing: Listing) -> dict[str, Any]:
    """The end of the feed: the publication of the movement or stay, and a withdrawal."""
    of_stays = listing is STAYS_LISTING
    known, gone = (STAY, _WITHDRAWN_STAY) if of_stays else (MOVEMENT, _WITHDRAWN)
    items = (
        {"publie_le": INSTANT, "nature": PUBLISHED, "id": known["id"], listing.one: known},
        {"publie_le": INSTANT, "nature": WITHDRAWN, "id": gone},
    )
    joined = json.dumps(items)[1:-1].encode()
    return _loaded(feed.body(service, VERSION, feed.FeedPage(joined, CURSOR, more=False)))


def quota(service: Service) -> dict[str, Any]:
    """A key of which one request of the day is used."""
    charge = Charge(1, "", service.config.quota, 1, True, MOVEMENT["date_event"])
    return replies.quota_body(service, charge, datetime.fromisoformat("2026-09-14T16:14:29+00:00"))


def coverage(service: Service) -> dict[str, Any]:
    """One chamber with lists and a hole, two without lists."""
    lists = Coverage("2026-01-05", INSTANT[:10], "", (Gap("2026-04-13", "2026-04-27"),), 171)
    freshness = {name: Freshness(Coverage(), None, late=False) for name in CHAMBERS}
    freshness[MOVEMENT["chambre"]] = Freshness(lists, 1, late=False)
    return _loaded(coverages.body(service, freshness, service.invented))


def problem(service: Service, kind: str) -> dict[str, Any]:
    """The body of a refusal."""
    refused = Refusal(kind, KINDS[kind].meaning)
    if kind == "parameter":
        try:
            parse(b"limit=1000")
        except Refusal as real:
            refused = real
    return _loaded(problems.details(service, refused, SITE))


def _loaded(body: bytes) -> dict[str, Any]:
    members: dict[str, Any] = json.loads(body)
    return members
