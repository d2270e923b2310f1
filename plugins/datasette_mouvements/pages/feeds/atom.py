"""An Atom document (RFC 4287), with what was withdrawn as deleted entries (RFC 6721)."""

from __future__ import annotations

from typing import NamedTuple
from xml.etree import ElementTree

from datasette.utils.asgi import Request

from parlement_lists.meanings import MEANINGS
from parlement_lists.movement import plain

from ...dataset.coverage import MARK, marked
from ..counts.facts import Row
from ..counts.publications import FeedEntry
from ..frame.site import Site
from ..words import french
from ..words.labels import UNNAMED, meaning
from ..words.succession_words import already_there

TYPE = "application/atom+xml"
_ATOM = "http://www.w3.org/2005/Atom"
_TOMBSTONES = "http://purl.org/atompub/tombstones/1.0"
# What several movements of one name and type are called.
_SEVERAL = {"arrivee": "arrivée", "depart": "départ"}


class Feed(NamedTuple):
    """What a feed says of itself."""

    title: str
    here: str  # its path
    page: str  # the path of the page that shows the same
    changed: str  # the instant at which the data changed last: that of a feed without entry


def document(site: Site, request: Request, feed: Feed, entries: list[FeedEntry]) -> bytes:
    """The feed as it is sent: the same bytes for the same entries at the same address."""
    root = ElementTree.Element("feed", {"xmlns": _ATOM, "xmlns:at": _TOMBSTONES, "xml:lang": "fr"})
    here = site.absolute(request, feed.here)
    title, rights = feed.title, site.config.licence
    if site.invented:
        title, rights = f"{MARK} – {title}", marked(rights)
    for name, text in (
        ("id", _identity(site, feed.here)),
        ("title", french.typography(title)),
        ("updated", max((entry.at for entry in entries), default=feed.changed)),
        ("rights", rights),
        ("subtitle", site.config.attribution),
    ):
        ElementTree.SubElement(root, name).text = text
    page = site.absolute(request, feed.page)
    _link(root, "self", here, TYPE)
    _link(root, "alternate", page, "text/html")
    if site.config.licence_address:
        _link(root, "license", site.config.licence_address)
    author = ElementTree.SubElement(root, "author")
    ElementTree.SubElement(author, "name").text = site.title or "Mouvements"
    for entry in entries:
        _entry(root, entry, site, request)
    body: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return body


def _identity(site: Site, path: str) -> str:
    """What names a path for ever (RFC 4287, 4.2.6), by whatever Host it was asked for.

    That is its public address; where none is set, a tag (RFC 4151) of the data's lineage.
    """
    if site.config.public_url:
        return site.service.url(site.service.below(path))
    return f"tag:{site.snapshot().cursor.lineage}.invalid,2026:{path}"


def _link(parent: ElementTree.Element, relation: str, address: str, kind: str = "") -> None:
    told = {"rel": relation, "href": address} | ({"type": kind} if kind else {})
    ElementTree.SubElement(parent, "link", told)


def _entry(root: ElementTree.Element, entry: FeedEntry, site: Site, request: Request) -> None:
    address = site.absolute(request, site.movement(entry.id))
    identity = _identity(site, site.movement(entry.id))
    if not entry.movements:
        ElementTree.SubElement(root, "at:deleted-entry", {"ref": identity, "when": entry.at})
        return
    element = ElementTree.SubElement(root, "entry")
    for name, text in (
        ("id", identity),
        ("title", french.typography(title(entry.movements))),
        # The first publication is not kept, and the day of a movement is no instant.
        ("updated", entry.at),
    ):
        ElementTree.SubElement(element, name).text = text
    first = entry.movements[0]
    name = site.staff(first["collab_nom"], first["collab_prenom"])
    several = len(entry.movements) > 1 and name
    _link(element, "alternate", site.absolute(request, name) if several else address, "text/html")
    for term in (first["type"], first["chambre"]):
        ElementTree.SubElement(element, "category", {"term": term, "label": MEANINGS[term]})
    text = french.typography(summary(entry.movements))
    ElementTree.SubElement(element, "summary").text = text


def title(movements: list[Row]) -> str:
    """Who leaves or joins whom; of several movements how many there are under the name, of transfers no number.

    Namesakes share a name: it is not said that one person joins all these members.
    """
    first = movements[0]
    who = french.full_name(first["collab_prenom"], first["collab_nom"])
    if len(movements) > 1:
        noun = _SEVERAL.get(first["type"])
        what = french.counted(len(movements), noun) if noun else "Transferts"
        return f"{what} sous le nom {who}"
    member = _member(first)
    if first["type"] == "transfert":
        return f"{who} quitte {first['elu_origine_nom'] or UNNAMED} pour {member}"
    return f"{who} {'quitte' if first['type'] == 'depart' else 'rejoint'} {member}"


def summary(movements: list[Row]) -> str:
    """When, where and with what function; of several movements the members, each with what is not the same of all."""
    details = [_details(row) for row in movements]
    same = [values[0] if len(set(values)) == 1 else "" for values in zip(*details, strict=True)]
    told = [text for text in same if text]
    if len(movements) > 1:
        offices = []
        for row, own in zip(movements, details, strict=True):
            apart = [text for text, shared in zip(own, same, strict=True) if text != shared]
            office = _member(row)
            if row["type"] == "transfert":
                office = f"{row['elu_origine_nom'] or UNNAMED} puis {office}"
            apart = [text for text in apart if text]
            offices.append(f"{office} ({' ; '.join(apart)})" if apart else office)
        offices.sort(key=lambda office: (plain(office), office))
        told.append("Parlementaires : " + ", ".join(offices))
    return ". ".join(told) + "."


def _member(row: Row) -> str:
    return row["elu_nom"] or row["elu_id"] or UNNAMED


def _details(row: Row) -> tuple[str, ...]:
    when = french.when(row, row["apres"]).text
    return (
        when[0].upper() + when[1:],
        MEANINGS[row["chambre"]],
        row["fonction"] or "",
        meaning(row["contexte"]),
        MEANINGS[row["source"]],
        _return(row),
    )


def _return(row: Row) -> str:
    links = row.get("links")
    if links is None or links.returns is None:
        return ""
    said = already_there(links.returns)
    return f"Retour : nom déjà chez {links.returns.ended.elu_nom or UNNAMED} {said}"
