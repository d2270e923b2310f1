"""Atom feeds (RFC 4287): the latest movements of a search, or under a staff member's name."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2s
from urllib.parse import unquote
from xml.etree import ElementTree

from datasette.utils.asgi import Request, Response

from ..api import replies
from ..api.parameters import Search, parse, query_string
from ..api.service import ODBL
from ..movement import MEANINGS
from ..refusal import Refusal
from . import french
from .absent import absent
from .facts import Row
from .page_headers import page_headers, public
from .site import Site
from .staff import of_name

MOST = 50
TYPE = "application/atom+xml; charset=utf-8"
# The interface's filters as SQL on the movements table.
CONDITIONS = {
    "chambre": "chambre = ?",
    "type": "type = ?",
    "source": "source = ?",
    "depuis": "date_event >= ?",
    "jusqua": "date_event <= ?",
    "elu": "elu_id = ?",
}
_ATOM = "http://www.w3.org/2005/Atom"


async def search(site: Site, request: Request) -> Response:
    """The latest movements that the interface's filters select; open, and free of charge."""
    try:
        asked = parse_filters(request, ())
    except Refusal as refused:
        return as_response(replies.refuse(site.service, refused, site.origin(request)))
    version = site.snapshot().version
    query = query_string(asked)
    key = ("feed", version, site.origin(request), query)
    if site.cache.get(key) is None:
        where, values = conditions(asked)
        rows = await site.rows(f"where {where} order by rowid desc limit {MOST}", values)
        title = _title(asked)
        _keep(site, request, key, rows, title, site.path("/flux") + (f"?{query}" if query else ""))
    return _send(site, request, key)


async def staff(site: Site, request: Request) -> Response:
    """The latest movements under a staff member's name."""
    slug = french.slug(unquote(request.url_vars["nom"]), "")
    facts = await site.facts()
    key = ("staff-feed", facts.edition, site.origin(request), slug)
    if site.cache.get(key) is None:
        found = await of_name(facts, slug)
        if not found.spellings:
            return await absent(site, request, "Rien n’est publié sous ce nom.")
        family, given = found.spellings[0]
        title = f"Mouvements sous le nom {french.full_name(given, family)}"
        here = site.staff(slug, "") + "/flux"
        _keep(site, request, key, found.movements[:MOST], title, here)
    return _send(site, request, key)


def parse_filters(request: Request, beside: Sequence[str]) -> Search:
    """The search of a page's query string, without paging; parameters `beside` it are left out.

    A form sends its empty fields too: they filter nothing. Raises Refusal as the interface does.
    """
    parts = [
        part
        for part in request.query_string.split("&")
        if part.partition("=")[2] and part.partition("=")[0] not in beside
    ]
    asked = parse("&".join(parts).encode())
    if asked != asked._replace(limit=Search().limit, offset=0):
        raise Refusal(
            "parameter",
            "Un flux ou un fichier n’a pas de pages : retirez limit et offset.",
            "limit",
        )
    return asked


def conditions(search: Search) -> tuple[str, list[str]]:
    """The search as a condition on the movements table, with its values."""
    used = [name for name in CONDITIONS if getattr(search, name)]
    where = " and ".join(CONDITIONS[name] for name in used) or "1"
    return where, [getattr(search, name) for name in used]


def as_response(reply: replies.Reply) -> Response:
    """An answer of the interface's, from a page."""
    headers = {name.decode(): value.decode() for name, value in reply.headers}
    kind = headers.pop("content-type", "text/plain")
    return Response(reply.body, reply.status, headers, kind)


def _title(asked: Search) -> str:
    words = [MEANINGS.get(value, value) for value in asked[:6] if value]
    return "Derniers mouvements" + (f" : {', '.join(words)}" if words else "")


def _keep(
    site: Site, request: Request, key: tuple[str, ...], rows: list[Row], title: str, here: str
) -> None:
    body = atom(site, request, rows, french.typography(title), here)
    site.cache.put(key, body, len(body))


def _send(site: Site, request: Request, key: tuple[str, ...]) -> Response:
    body: bytes = site.cache.get(key) or b""
    tag = f'W/"{blake2s(body, digest_size=8).hexdigest()}"'
    headers = page_headers(site.service, public(300)) | {"etag": tag}
    headers["content-security-policy"] = "default-src 'none'"
    if tag in request.headers.get("if-none-match", ""):
        return Response(b"", 304, headers, TYPE)
    return Response(body, 200, headers, TYPE)


def atom(site: Site, request: Request, rows: list[Row], title: str, here: str) -> bytes:
    """The feed document. `updated` is the latest day, so that the same rows give the same bytes."""
    feed = ElementTree.Element("feed", {"xmlns": _ATOM, "xml:lang": "fr"})
    latest = rows[0]["date_event"] if rows else "1970-01-01"
    for name, text in (
        ("id", site.absolute(request, here)),
        ("title", title),
        ("updated", f"{latest}T00:00:00Z"),
        ("rights", site.config.licence),
        ("subtitle", site.config.attribution),
    ):
        ElementTree.SubElement(feed, name).text = text
    itself = {"rel": "self", "type": "application/atom+xml", "href": site.absolute(request, here)}
    ElementTree.SubElement(feed, "link", itself)
    ElementTree.SubElement(feed, "link", {"rel": "license", "href": ODBL})
    author = ElementTree.SubElement(feed, "author")
    ElementTree.SubElement(author, "name").text = site.title or "Mouvements"
    for row in rows:
        _entry(feed, row, site.absolute(request, site.movement(row["id"])))
    body: bytes = ElementTree.tostring(feed, encoding="utf-8", xml_declaration=True)
    return body


def _entry(feed: ElementTree.Element, row: Row, address: str) -> None:
    entry = ElementTree.SubElement(feed, "entry")
    for name, text in (
        ("id", address),
        ("title", sentence(row)),
        ("updated", f"{row['date_event']}T00:00:00Z"),
        ("published", f"{row['date_event']}T00:00:00Z"),
    ):
        ElementTree.SubElement(entry, name).text = text
    page = {"rel": "alternate", "type": "text/html", "href": address}
    ElementTree.SubElement(entry, "link", page)
    for term in (row["type"], row["chambre"]):
        ElementTree.SubElement(entry, "category", {"term": term, "label": MEANINGS[term]})
    text = french.when(row, row["apres"]).text
    details = [
        text[0].upper() + text[1:],
        MEANINGS[row["chambre"]],
        row["fonction"] or "",
        MEANINGS[row["contexte"]] if row["contexte"] else "",
        MEANINGS[row["source"]],
    ]
    ElementTree.SubElement(entry, "summary").text = french.typography(
        ". ".join(detail for detail in details if detail) + "."
    )


def sentence(row: Row) -> str:
    """Who leaves or joins whom, in words."""
    who = french.full_name(row["collab_prenom"], row["collab_nom"])
    member = row["elu_nom"] or row["elu_id"] or "un élu non précisé"
    if row["type"] == "transfert":
        return f"{who} quitte {row['elu_origine_nom'] or 'un élu non précisé'} pour {member}"
    return f"{who} {'quitte' if row['type'] == 'depart' else 'rejoint'} {member}"
