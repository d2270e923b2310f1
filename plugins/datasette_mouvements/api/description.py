"""The OpenAPI 3.1 description: `openapi.json`, its placeholders filled with the settings in force."""

from __future__ import annotations

import json
import re
from typing import Any

from .. import addresses
from ..fields import DESCRIPTION, OPENAPI
from ..refusal import SITE
from . import replies
from .service import Service

# The first number is that of the address (/v1).
VERSION: str = DESCRIPTION["info"]["version"]
_SITE = SITE.encode()


def document(service: Service) -> bytes:
    """The description, made once for all clients: `at` writes the site's address into it."""
    description = json.loads(_fill(OPENAPI, service))
    if not service.config.licence_address:
        del description["info"]["license"]["url"]
    _write_contact(description["info"]["contact"], service.config.contact)
    operation = description["paths"][addresses.WHOLE_FILE]["get"]
    opened = operation.pop("x-open-whole-file")
    if service.config.open_whole_file:
        # No key is needed: none is refused, and the headers tell of no quota.
        operation.update(opened)
        responses, shared = operation["responses"], description["components"]["responses"]
        for status in ("401", "429"):
            del responses[status]
        for status in ("416", "503"):
            responses[status] = shared.pop(responses[status]["$ref"].rpartition("/")[2])
        for response in responses.values():
            for name in replies.QUOTA:
                response.get("headers", {}).pop(name, None)
    if service.invented:  # no source is named
        responses = description["paths"][addresses.COVERAGE]["get"]["responses"]
        example = responses["200"]["content"]["application/json"]["example"]
        for chamber in example["couverture"].values():
            chamber["sources"] = []
    return json.dumps(description, ensure_ascii=False, indent=1).encode()


def at(text: bytes, origin: str) -> bytes:
    """The text of `document` for a client that reached the site at `origin`."""
    if not origin:  # a server's address is never empty
        text = text.replace(b'"%b"' % _SITE, b'"/"')
    return text.replace(_SITE, json.dumps(origin, ensure_ascii=False)[1:-1].encode())


def _fill(text: str, service: Service) -> str:
    """JSON with settings where their names stand in braces: `"{quota}"` alone becomes a number.

    In one pass: a setting may hold braces.
    """
    config = service.config
    values: dict[str, str | int] = {
        "site": SITE,
        "base": service.url(""),
        "quota": config.quota,
        "quota_left": config.quota - 1,
        "licence": config.licence,
        "licence_name": config.licence_name,
        "licence_address": config.licence_address,
        "attribution": config.attribution,
    }
    names = "|".join(values)
    return re.sub(
        rf'"\{{({names})\}}"|\{{({names})\}}',
        lambda m: json.dumps(values[m[1]]) if m[1] else json.dumps(str(values[m[2]]))[1:-1],
        text,
    )


def _write_contact(info: dict[str, Any], contact: str) -> None:
    """The setting `contact`, a mail address, a page or a name; without it stands the page about personal data."""
    if "@" in contact and "/" not in contact:
        del info["url"]
        info["email"] = contact
    elif contact:
        info["url" if contact.startswith(("https://", "http://")) else "name"] = contact
