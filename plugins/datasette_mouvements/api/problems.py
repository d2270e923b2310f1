"""The body of a refusal: problem details (RFC 9457), or a page for people."""

from __future__ import annotations

import functools
import json
from html import escape
from typing import Any
from urllib.parse import quote

from .. import addresses
from ..refusal import DATABASE, KINDS, SITE, Refusal
from .service import Service


def details(service: Service, refused: Refusal, origin: str) -> bytes:
    """The body of a refusal to a request at `origin`."""
    return _details(
        f"{origin}{addresses.DOCUMENTATION}#{KINDS[refused.kind].anchor}",
        refused.kind,
        detail(service, refused, origin),
        refused.parameters,
        service.credits,
    )


def detail(service: Service, refused: Refusal, origin: str) -> str:
    """The refusal's sentence, with the addresses that begin with `origin` in it."""
    database = f"{origin}/{quote(service.config.database)}"
    return refused.detail.replace(SITE, origin).replace(DATABASE, database)


# A flood of wrong keys repeats one refusal, which must cost less than an answer.
@functools.lru_cache(maxsize=64)
def _details(
    type_: str, kind: str, detail: str, parameters: tuple[str, ...], credits: bytes
) -> bytes:
    body: dict[str, Any] = {
        "type": type_,
        "title": KINDS[kind].title,
        "status": KINDS[kind].status,
        "detail": detail,
    }
    if parameters:
        body["parametre"] = parameters[0]
    if len(parameters) > 1:
        body["parametres"] = list(parameters)
    start = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return start[:-1].encode() + b"," + credits


# Not a template: in a flood a refused page must cost next to nothing.
@functools.lru_cache(maxsize=64)
def notice(kind: str, detail: str, prefix: str) -> bytes:
    """A refusal as a page of HTML."""
    title, text = escape(KINDS[kind].title), escape(detail)
    return (
        f'<!doctype html><html lang="fr"><meta charset="utf-8"><title>{title}</title>'
        f'<h1>{title}</h1><p>{text}</p><p><a href="{prefix}/">Revenir à l’accueil</a> ·'
        f' <a href="{prefix}{addresses.KEY_PAGE}">Votre clé</a></p></html>\n'
    ).encode()
