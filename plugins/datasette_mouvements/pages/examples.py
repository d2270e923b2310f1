"""The clients of `examples`, as files that the site gives to everyone."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from datasette.utils.asgi import Request, Response

from .frame import open_text
from .frame.site import PageMissing, Site

FOLDER = Path(__file__).parent.parent / "examples"
# What each is, in French and in English. A browser shows all but the module, which pages of other sites may import.
CLIENTS = {
    "client.py": ("Python 3.9 ou plus récent", "Python 3.9 or later"),
    "client.mjs": ("JavaScript, Node.js 18 ou plus récent", "JavaScript, Node.js 18 or later"),
    "client.R": ("R 4.1, avec curl et jsonlite", "R 4.1, with curl and jsonlite"),
}
_KINDS = {".mjs": "text/javascript; charset=utf-8"}


async def page(site: Site, request: Request) -> Response:
    """One of them; PageMissing for another name."""
    name = request.url_vars["file"]
    if name not in CLIENTS:
        raise PageMissing(f"Il y a ici {', '.join(CLIENTS)}.")
    kind = _KINDS.get(Path(name).suffix, "text/plain; charset=utf-8")
    return open_text.answer(site.service, request, _content(name), kind)


@cache
def _content(name: str) -> bytes:
    return (FOLDER / name).read_bytes()
