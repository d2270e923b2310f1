"""Which of Datasette's own addresses are pages for people, and which hand the movements to programs."""

from __future__ import annotations

from enum import Enum
from urllib.parse import unquote, unquote_plus

from datasette.utils import tilde_decode

from ..dataset import schema

# Datasette names these databases itself; with --crossdb they read every other one.
MEMORY = ("_memory", ":memory:")
# Tables that people see. The others hold the same data ready made for programs.
TABLES = frozenset(name for name in schema.TABLES if not name.startswith("_"))
# Addresses at the root that describe every database, the movements included.
DESCRIPTIONS = frozenset(("", "schema", "queries"))


class Access(Enum):
    """Who may open an address."""

    EVERYONE = "everyone"
    ACCOUNT = "signed-in accounts and key holders"
    KEY = "key holders, charged"


class Exports:
    """Datasette's addresses for one movements database, `name`, under `prefix` (base_url).

    The pages are listed, and everything else below the database asks for an account at least, so
    that an address which a later Datasette adds is closed until it is known.
    """

    def __init__(self, name: str, prefix: str = "") -> None:
        self._guarded = frozenset((name, *MEMORY))
        self._prefix = prefix

    def access(
        self, path: str, query: bytes = b"", method: str = "GET", site: bytes = b""
    ) -> Access:
        """Who may open `path` as core reads it: undecoded. `site` is the Sec-Fetch-Site header."""
        segments = [part for part in self._unprefixed(path).split("/") if part]
        if not segments:
            return Access.EVERYONE
        first, dot, _ = segments[0].partition(".")
        if first == "-" and len(segments) == 2:
            page, dot, _ = segments[1].partition(".")
            return Access.KEY if dot and _decoded(page) in DESCRIPTIONS else Access.EVERYONE
        if (first or not dot) and _decoded(first) not in self._guarded:
            return Access.EVERYONE
        if any("." in segment for segment in segments):
            return Access.KEY
        rest = [_decoded(segment) for segment in segments[1:]]
        if _is_page(rest, method, site) and not _has_sql(query):
            return Access.EVERYONE
        return Access.ACCOUNT

    def _unprefixed(self, path: str) -> str:
        # Core answers with and without base_url.
        return path.removeprefix(self._prefix) if path.startswith(self._prefix + "/") else path


def _is_page(rest: list[str], method: str, site: bytes) -> bool:
    match rest:
        case [] | ["-", "schema" | "queries"]:
            return True
        case [table]:
            return table in TABLES
        case [table, key]:
            return table in TABLES and key != "-"
        case [table, "-", "schema"]:
            return table in TABLES
        case [table, "-", "count"]:
            # A table's page asks for this number by script; only its own visitors may.
            return table in TABLES and method == "POST" and site == b"same-origin"
    return False


def _has_sql(query: bytes) -> bool:
    """Whether a page's query string carries SQL of its own."""
    names = (part.partition("=")[0] for part in query.decode("latin-1").split("&"))
    return any(unquote_plus(name) in ("_where", "sql") for name in names)


def _decoded(segment: str) -> str:
    """What a segment can come to mean: core redirects percent escapes to its own escapes with ~."""
    return unquote(tilde_decode(segment))
