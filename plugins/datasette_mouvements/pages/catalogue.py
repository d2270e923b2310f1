"""What catalogues read of this site: the data set and its interface as DCAT-AP 3, the interface as data.gouv.fr keeps one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from datasette.utils.asgi import Request, Response

from parlement_lists.meanings import MEANINGS
from parlement_lists.movement import CHAMBERS, plain

from .. import addresses
from ..api import openapi
from ..api.parameters.parameter import FORMS
from ..config import Config
from ..dataset.credits import credits
from ..dataset.invented import MARK, NOTE
from ..dataset.served.snapshot import Snapshot
from ..refusal import SITE
from .files import parquet
from .frame import open_text
from .frame.site import Site

KIND = "application/ld+json"
_LIST = "http://publications.europa.eu/resource/authority"
_MEDIA = "https://www.iana.org/assignments/media-types"
_CONTEXT = {
    "@language": "fr",
    "dcat": "http://www.w3.org/ns/dcat#",
    "dct": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "vcard": "http://www.w3.org/2006/vcard/ns#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
_KEYWORDS = ("Parlement", "collaborateurs parlementaires", *(MEANINGS[name] for name in CHAMBERS))
_FEED = "/flux"
Node = dict[str, Any]
# The addresses of data that everyone may download from; none where Datasette closes the table.
Open = frozenset[str]


async def record(site: Site, request: Request) -> Response:
    """The data set, its files and its interface as DCAT-AP 3, in JSON-LD."""
    return await _answer(site, request, "catalogue", KIND, _graph)


async def card(site: Site, request: Request) -> Response:
    """The interface as the catalogue data.gouv.fr takes a `dataservice`."""
    return await _answer(site, request, "card", "application/json", _card)


async def _answer(
    site: Site, request: Request, name: str, kind: str, make: Callable[[Site, Snapshot, Open], Node]
) -> Response:
    snapshot = site.snapshot()
    opened = frozenset(
        (
            *((_FEED,) if await site.may_view(None) else ()),
            *(addresses.WHOLE_FILES if await site.whole_file_is_open() else ()),
        )
    )

    async def text() -> bytes:
        return (
            json.dumps(make(site, snapshot, opened), ensure_ascii=False, indent=1).encode() + b"\n"
        )

    # A file of the same edition may have been built later.
    kept = (name, snapshot.edition, snapshot.built_at, site.service.salt, *sorted(opened))
    body = openapi.at(await site.kept(kept, text, len), site.origin(request))
    return open_text.answer(site.service, request, body, kind, by_host=True)


def _graph(site: Site, snapshot: Snapshot, opened: Open) -> Node:
    shared = {**_rights(site.config), **_contact(site), **_access(opened)}
    return {
        "@context": _CONTEXT,
        "@graph": [_data_set(site, snapshot, opened) | shared, _interface(site) | shared],
    }


def _title(site: Site) -> str:
    return f"{MARK} – {site.title}" if site.invented else site.title


def _description(site: Site) -> str:
    return " ".join(filter(None, (NOTE if site.invented else "", site.description or site.title)))


def _data_set(site: Site, snapshot: Snapshot, opened: Open) -> Node:
    sources = [] if site.invented else credits(snapshot.coverage)
    return {
        "@id": _here("donnees"),
        "@type": "dcat:Dataset",
        "dct:title": _title(site),
        "dct:description": _description(site),
        "dct:identifier": _code(_here("donnees")),
        # The version is of movements alone; the edition is of stays and lists too.
        "dcat:version": _code(snapshot.edition),
        "dct:modified": _typed(snapshot.built_at, "dateTime"),
        "dcat:keyword": list(_KEYWORDS),
        "dcat:theme": {"@id": f"{_LIST}/data-theme/GOVE"},
        "dct:language": {"@id": f"{_LIST}/language/FRA"},
        **(
            {} if site.invented else {"dct:accrualPeriodicity": {"@id": f"{_LIST}/frequency/DAILY"}}
        ),
        "dct:spatial": {"@id": f"{_LIST}/country/FRA", "@type": "dct:Location"},
        "dct:temporal": _periods(snapshot),
        # A source of DCAT-AP would be a data set: lists that chambers publish as pages are none.
        "dct:provenance": [
            {
                "@type": "dct:ProvenanceStatement",
                "rdfs:label": one.publisher,
                "rdfs:seeAlso": {"@id": one.address},
            }
            for one, _ in sources
        ],
        "dcat:landingPage": _document("/"),
        "foaf:page": _document(addresses.DOCUMENTATION),
        "dcat:distribution": list(_distributions(site, opened)),
    }


def _interface(site: Site) -> Node:
    return {
        "@id": _here("interface"),
        "@type": "dcat:DataService",
        "dct:title": openapi.TITLE,
        "dct:description": _description(site),
        "dct:identifier": _code(_here("interface")),
        "dcat:endpointURL": {"@id": f"{SITE}{addresses.ROOT}"},
        "dcat:endpointDescription": {"@id": f"{SITE}{addresses.DESCRIPTION}"},
        "dcat:servesDataset": {"@id": _here("donnees")},
        "dcat:landingPage": _document(addresses.KEY_PAGE),
        "foaf:page": _document(addresses.DOCUMENTATION),
        "dct:format": {"@id": f"{_LIST}/file-type/JSON"},
    }


def _distributions(site: Site, opened: Open) -> Iterator[Node]:
    """Every form in which the data can be had. Only what needs no key has an address to download from."""
    yield _distribution(
        site,
        "tout",
        "Toutes les données, avec leur description (Data Package)",
        "application/zip",
        "ZIP",
    ) | _download(addresses.WHOLE_FILE, opened)
    yield _distribution(site, "csv", f"Une recherche : {FORMS['csv'].meaning}", "text/csv", "CSV")
    for path, title in parquet.TITLES.items() if parquet.version() else ():
        made = _distribution(site, path.rpartition("/")[2], title, parquet.KIND, "PARQUET")
        yield made | _download(path, opened)
    yield _distribution(
        site, "flux", "Les dernières publications (Atom)", "application/atom+xml", "ATOM"
    ) | _download(_FEED, opened)
    yield _distribution(site, "json", openapi.TITLE, "application/json", "JSON") | {
        "dcat:accessURL": {"@id": f"{SITE}{addresses.ROOT}"},
        "dcat:accessService": {"@id": _here("interface")},
    }


def _distribution(site: Site, name: str, title: str, media: str, form: str) -> Node:
    return {
        "@id": _here(name),
        "@type": "dcat:Distribution",
        "dct:title": title,
        "dcat:accessURL": {"@id": f"{SITE}/fichiers"},
        "dcat:mediaType": {"@id": f"{_MEDIA}/{media}"},
        "dct:format": {"@id": f"{_LIST}/file-type/{form}"},
        **_rights(site.config),
    }


def _download(path: str, opened: Open) -> Node:
    return {"dcat:downloadURL": {"@id": f"{SITE}{path}"}} if path in opened else {}


def _access(opened: Open) -> Node:
    """Public, in the words of the European list, while everybody may ask for a key; else restricted."""
    word = "PUBLIC" if _FEED in opened else "RESTRICTED"
    return {"dct:accessRights": {"@id": f"{_LIST}/access-right/{word}"}}


def _periods(snapshot: Snapshot) -> list[Node]:
    """From the first to the last list of each chamber that has lists; /v1/couverture says the holes."""
    return [
        {
            "@type": "dct:PeriodOfTime",
            "rdfs:label": MEANINGS[chamber],
            "dcat:startDate": _typed(lists.first, "date"),
            "dcat:endDate": _typed(lists.last, "date"),
        }
        for chamber, lists in snapshot.coverage.items()
        if lists.last
    ]


def _rights(config: Config) -> Node:
    """The licence, by its address where it has one, and whom to credit."""
    address = {"@id": config.licence_address} if config.licence_address else {}
    licence = {**address, "@type": "dct:LicenseDocument", "dct:title": config.licence_name}
    return {
        "dct:license": licence,
        "dct:rights": {"@type": "dct:RightsStatement", "rdfs:label": config.attribution},
    }


def _contact(site: Site) -> Node:
    """Whom to write to, where the settings say it; a publisher they do not."""
    link = site.contact_link
    if not link:
        return {}
    way = "vcard:hasEmail" if link.startswith("mailto:") else "vcard:hasURL"
    return {
        "dcat:contactPoint": {"@type": "vcard:Kind", "vcard:fn": site.title, way: {"@id": link}}
    }


def _here(name: str) -> str:
    return f"{SITE}{addresses.CATALOGUE}#{name}"


def _document(path: str) -> Node:
    return {"@id": f"{SITE}{path}", "@type": "foaf:Document"}


def _code(text: str) -> Node:
    """A text that is of no language."""
    return {"@value": text}


def _typed(text: str, kind: str) -> Node:
    return {"@value": text, "@type": f"xsd:{kind}"}


def _card(site: Site, snapshot: Snapshot, opened: Open) -> Node:
    """`contact_points` hold what a contact point of that catalogue is made of, as it keeps them apart."""
    link = site.contact_link
    way = "email" if link.startswith("mailto:") else "contact_form"
    contact = {"name": site.title, way: site.config.contact, "role": "contact"}
    return {
        "title": _title(site),
        "description": f"{_description(site)}\n\n{site.config.attribution}",
        "format": "REST",
        "base_api_url": f"{SITE}{addresses.ROOT}",
        "machine_documentation_url": f"{SITE}{addresses.DESCRIPTION}",
        "technical_documentation_url": f"{SITE}{addresses.DOCUMENTATION}",
        "business_documentation_url": f"{SITE}{addresses.DOCUMENTATION}#methode",
        "access_type": "open_with_account" if _FEED in opened else "restricted",
        "authorization_request_url": f"{SITE}{addresses.KEY_PAGE}",
        "rate_limiting": f"{site.config.quota} requêtes par jour et par clé, jusqu’à minuit (Paris)",
        **({} if site.config.own_licence else {"license": "odc-odbl"}),
        "tags": [plain(word).replace(" ", "-") for word in _KEYWORDS],
        **({"contact_points": [contact]} if link else {}),
    }
