"""Which of Datasette's addresses are pages for people, and which are exports for programs."""

from __future__ import annotations

from enum import Enum
from urllib.parse import unquote, unquote_plus

from datasette.app import Datasette
from datasette.utils import tilde_decode

from .. import addresses
from ..dataset import schema

# Datasette's own databases; with --crossdb they read every other one.
MEMORY = ("_memory", ":memory:")
# Tables that people see. The others have the same data, ready made for programs.
TABLES = frozenset(name for name in schema.TABLES if not name.startswith("_"))
# What names no staff is also a file for everyone.
OPEN_FILES = frozenset(
    f"{table}.{kind}" for table in ("equipes", "groupes") for kind in ("csv", "json")
)
# Addresses at the root that describe every database, also the movements.
DESCRIPTIONS = frozenset(("", "schema", "queries"))
# Core's pages for developers and administrators: forms, consoles, lists of what each actor may do,
# and the databases with the paths of their files.
CONSOLES = frozenset(
    "actions allow-debug allowed api check create-token databases debug messages patterns permissions"
    " rules tasks threads".split()
)


class Access(Enum):
    """Who may open an address."""

    EVERYONE = "everyone"
    BOUNDED = "everyone, within the bounds of `bounds`"
    ACCOUNT = "signed-in accounts and key holders"
    KEY = "key holders, charged"


def below(datasette: Datasette, name: str, path: str) -> list[str] | None:
    """What follows the movements' database `name`, or one of core's, in an undecoded path; None for another address.

    `path` is below base_url. The segments are decoded.
    """
    first, *rest = _segments(path) or [""]
    stem, dot, _ = first.partition(".")
    names = {name, *MEMORY}
    # Core finds each database by its route, which another plugin may change.
    routes = {database.route for key, database in datasette.databases.items() if key in names}
    if (stem or not dot) and not {tilde_decode(stem), _decoded(stem)} & (routes | names):
        return None
    return [_decoded(segment) for segment in rest]


def access(path: str, rest: list[str] | None, query: bytes, method: str, site: bytes) -> Access:
    """Who may open a path, of which `rest` is `below`; `site` is the Sec-Fetch-Site header.

    Pages are listed; everything else below the database needs an account. So an address that a later
    Datasette adds is closed until it is listed.
    """
    if rest is None:
        return _of_instance(_segments(path))
    if "." in path:
        # Core redirects where the name is escaped.
        is_file = len(rest) == 1 and rest == _segments(path)[1:]
        is_open = is_file and rest[0] in OPEN_FILES and not _has_sql(query)
        return Access.BOUNDED if is_open else Access.KEY
    if _has_sql(query):
        return Access.KEY
    return Access.BOUNDED if _is_page(rest, method, site) else Access.ACCOUNT


def takes(path: str, rest: list[str] | None, method: str) -> bool:
    """Whether core is asked at all: nobody changes the movements or their file; what writes is listed."""
    if method in ("GET", "HEAD", "OPTIONS"):
        return True
    if rest is None:
        return unquote(path) != addresses.WHOLE_FILE
    match rest:
        case [_, "-", "count"] | ["-", "queries", "store"] | [_, "-", "edit" | "update" | "delete"]:
            return method == "POST"
    return False


def table_of(path: str) -> str:
    """The second segment of `path` without its format: the table, if it is the page or the export of one."""
    segments = _segments(path)
    return _decoded(segments[1].partition(".")[0]) if len(segments) > 1 else ""


def _of_instance(segments: list[str]) -> Access:
    if len(segments) > 1 and segments[0].partition(".")[0] == "-":
        page, dot, _ = segments[1].partition(".")
        if _decoded(page) in CONSOLES:
            return Access.ACCOUNT
        if len(segments) == 2 and dot and _decoded(page) in DESCRIPTIONS:
            return Access.KEY
    return Access.EVERYONE


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


def _segments(path: str) -> list[str]:
    return [part for part in path.split("/") if part]


def _decoded(segment: str) -> str:
    """A segment without escapes: core redirects percent escapes to its own, with ~."""
    return unquote(tilde_decode(segment))
