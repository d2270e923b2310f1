"""What is asked of one version of the data, and the JSON that answers it (specification, "The answer")."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable
from datetime import datetime
from functools import partial
from hashlib import blake2s
from typing import Any, NamedTuple

from parlement_lists.movement import PARIS

from .. import addresses
from ..dataset import schema
from ..dataset.changes import CursorGone, has_place, parse_cursor
from ..dataset.coverage import Coverage, credits
from ..dataset.schema import Resource
from ..dataset.served import DataVersion
from ..dataset.stays import evidence
from ..refusal import KINDS, SITE, Refusal, unavailable
from . import parameters, resources
from .parameter import Arguments
from .parameters import FEED, LIMIT_DEFAULT, NOW, STAYS
from .resources import Listing
from .service import Service


class Question(NamedTuple):
    """A question about one version: `query` is its query string in normal form, `tag` the ETag of its answer.

    `rows` say whose version the answer has. `make` gives its members, in parts, and its links to other pages; Refusal where
    there is no answer, which has no tag either, sqlite3.Error when the file cannot be read.
    """

    query: str
    tag: bytes
    rows: Resource
    make: Callable[[], tuple[list[bytes], list[str]]]


def _etag(version: str, service: Service, question: str) -> bytes:
    """The weak ETag of an answer: data version, settings shown in it, and the question in normal form."""
    token = blake2s(question.encode(), digest_size=5).hexdigest()
    return f'W/"{version}-{service.salt}-{token}"'.encode()


def of_page(service: Service, resource: Listing, version: DataVersion, query: bytes) -> Question:
    """A page of a search; Refusal as `parameters.checked` raises it."""
    arguments = parameters.checked(
        query, parameters.OF[resource.name], partial(resources.has_member, version, resource)
    )
    limit, offset = int(arguments.get("limit", LIMIT_DEFAULT)), int(arguments.get("offset", 0))
    base = parameters.query_string({**arguments, "offset": 0}, resource.name)
    asked = _at(base, offset)

    def make() -> tuple[list[bytes], list[str]]:
        lines, total = resources.page(version, resource, arguments)
        head = f'"total":{total},"limit":{limit},"offset":{offset},"{resource.name}":['
        lists = _lists(version, str(arguments.get("le", ""))) if resource.name == STAYS else b""
        links = _links(f"{SITE}{resource.path}", base, limit, offset, total)
        return [head.encode(), lines, b"]", lists], links

    # Which movements are of a team depends on its stays, too.
    rows = schema.STAYS if "equipe" in arguments else resource.rows
    tag = _etag(version.of(rows), service, f"{resource.name} {asked}")
    return Question(asked, tag, rows, make)


def of_feed(service: Service, resource: Listing, version: DataVersion, query: bytes) -> Question:
    """A page of a feed; Refusal likewise."""
    arguments = parameters.checked(query, parameters.OF[FEED])
    limit, end = int(arguments.get("limit", LIMIT_DEFAULT)), version.feeds[resource.rows].end
    asked, after = parameters.query_string(arguments, FEED), _after(version, resource, arguments)

    def make() -> tuple[list[bytes], list[str]]:
        if after is None:
            place = parse_cursor(str(arguments["curseur"]))
            # Of several processes one adopts a new file before the others.
            if place is not None and has_place(service.served.path, resource.rows, place):
                raise unavailable()
            raise _gone(resource)
        lines, cursor, further = resources.changes(version, resource, after, limit)
        more = "true" if further else "false"
        tail = f'],"curseur":"{cursor}","encore":{more},"version":"{version.of(resource.rows)}"'
        following = parameters.query_string({"curseur": str(cursor), "limit": limit}, FEED)
        links = [f'<{SITE}{resource.feed}?{following}>; rel="next"'] if further else []
        return [b'"changements":[', lines, tail.encode()], links

    # Also of the last change: after a restored backup another history may reach its number.
    tag = _etag(version.of(resource.rows), service, f"{end} {resource.feed} {asked}")
    return Question(asked, b"" if after is None else tag, resource.rows, make)


def of_item(
    service: Service, resource: Listing, id: str, version: DataVersion, query: bytes
) -> Question:
    """One movement or stay, by its identifier; Refusal for any parameter."""
    parameters.checked(query)
    change = version.change_of(resource.rows, id)

    def make() -> tuple[list[bytes], list[str]]:
        if change is None:
            kind = f"unknown_{resource.item}"
            raise Refusal(kind, f"{KINDS[kind].meaning[:-1]} ; vérifiez qu’il est entier.")
        at, line = change
        if line is None:
            kind = f"withdrawn_{resource.item}"
            sentence, _, then = KINDS[kind].meaning.partition(" : ")
            day = datetime.fromisoformat(at).astimezone(PARIS).date()
            raise Refusal(kind, f"{sentence} le {day} : {then}")
        is_movement = resource is resources.SEARCH
        beside = _members(evidence(version.db, json.loads(line)) if is_movement else {})
        members = b'"%b":%b' % (resource.item.encode(), line)
        return [members, b"," + beside if beside else b""], []

    # Of all that the file says: stays and lists stand beside a movement.
    tag = _etag(version.edition, service, f"{resource.item} {id}")
    return Question("", tag if change and change[1] else b"", resource.rows, make)


def _at(base: str, offset: int) -> str:
    """A query string in normal form, of which `base` is what stands before the offset."""
    return "&".join(filter(None, (base, f"offset={offset}" if offset else "")))


def _links(address: str, base: str, limit: int, offset: int, total: int) -> list[str]:
    """The first, previous, next and last page, as links of RFC 8288."""
    last = max(0, total - 1) // limit * limit
    offsets = {
        "first": 0,
        # From past the end back to the last page.
        "prev": max(0, min(offset - limit, last)) if offset else None,
        "next": offset + limit if offset + limit < total else None,
        "last": last if total else None,
    }
    links = []
    for rel, at in offsets.items():
        if at is not None:
            query = _at(base, at)
            links.append(f'<{address}{"?" * bool(query)}{query}>; rel="{rel}"')
    return links


def _lists(version: DataVersion, day: str) -> bytes:
    """Of each chamber the list of which the answer is, and the next one; without a day, the last list."""
    lists = {}
    for chamber, days in version.list_days.items():
        place = bisect_right(days, day) if day else len(days)
        lists[chamber] = {"le": days[place - 1]} if place else {}
        if place < len(days):
            lists[chamber]["suivante"] = days[place]
    return b"," + _members({"listes": lists})


def _after(version: DataVersion, resource: Listing, arguments: Arguments) -> int | None:
    """The number after which the feed continues; None for a cursor of another history."""
    feed = version.feeds[resource.rows]
    text = str(arguments.get("curseur", ""))
    if text == NOW:
        return feed.end.seq
    place = parse_cursor(text)
    if place is None:
        return 0
    try:
        return feed.place(place)
    except CursorGone:
        return None


def _gone(resource: Listing) -> Refusal:
    """The refusal of a cursor of another history, with links to the whole file and the beginning of the feed."""
    return Refusal(
        "cursor_gone",
        "Ce curseur n’est pas de l’historique servi aujourd’hui, qui a été restauré ou refait à neuf :"
        " ce qui a changé depuis n’est pas connu. Reprenez votre copie depuis le début, par"
        f" {SITE}{resource.feed} sans curseur ou par le fichier entier, {SITE}{addresses.WHOLE_FILE}.",
        links=(
            f'<{SITE}{addresses.WHOLE_FILE}>; rel="alternate"; type="application/zip"',
            f'<{SITE}{resource.feed}>; rel="first"',
        ),
    )


def coverage(service: Service, version: DataVersion) -> bytes:
    """The members of the answer at /v1/couverture: the lists of each chamber, and their sources if not invented."""
    owed = [] if version.invented else credits(version.coverage)
    chambers = {
        chamber: {
            **described(fresh.lists),
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
            "en_retard": fresh.late,
        }
        for chamber, fresh in service.freshness(version).items()
    }
    return _members({"couverture": chambers})


def described(lists: Coverage) -> dict[str, Any]:
    """How many lists, from when to when, and the holes; a day that there is none of is left out."""
    holes = [
        {"apres": hole.before, "avant": hole.after, "jours": hole.days} for hole in lists.holes
    ]
    return {
        **({"premiere_liste": lists.first} if lists.first else {}),
        **({"derniere_liste": lists.last} if lists.last else {}),
        "listes": lists.number,
        "trous": holes,
    }


def _members(answer: dict[str, Any]) -> bytes:
    """The members of an answer as JSON, without its braces."""
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))[1:-1].encode()
