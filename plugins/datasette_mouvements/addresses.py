"""The addresses that more than one room names, as paths below the service's own."""

from __future__ import annotations

import re

ROOT = "/v1"
SEARCH = "/v1/mouvements"
CHANGES = "/v1/changements"
STAYS = "/v1/collaborations"
STAY_CHANGES = "/v1/collaborations/changements"
MEMBERS = "/v1/elus"
QUOTA = "/v1/quota"
COVERAGE = "/v1/couverture"
DESCRIPTION = "/v1/openapi.json"
WHOLE_FILE = "/fichiers/tout"
# The files of tables, as patterns: `chamber` is for the one of a chamber's name. They are open as their pages are.
MEMBERS_FILE = r"/elus/{chamber}\.csv"
OFFICES_FILE = r"/classements/{chamber}\.csv"
GROUPS_FILE = r"/groupes/{chamber}\.csv"
GROUP_FILE = r"/groupes/{chamber}/(?P<code>[^/]+)\.csv"
TEAM_FILE = r"/elus/{chamber}/(?P<id>[^/]+)\.csv"
_TABLE_FILES = (MEMBERS_FILE, OFFICES_FILE, GROUPS_FILE, GROUP_FILE, TEAM_FILE)
DOCUMENTATION = "/documentation"
CLIENT = "/exemples/client.py"
YOUR_DATA = "/vos-donnees"
KEY_PAGE = "/-/cle"
# Addresses of version 2, as patterns: the page that answers their question now, or "" (410). Version 4 forgets them.
GONE = {
    r"/chiffres(?:/[^/.]+)?": "/classements",
    # A program that asks for a table must get no page.
    r"/(?:parcours|figures/.*|chiffres/[^/]+\.csv)": "",
    r"/collaborateurs": "/recherche",
    r"/-/cle/deconnexion": "/-/logout",
    r"/(?:documentation/en|exemples/client\.(?:R|mjs))": DOCUMENTATION,
    r"/fichiers/(?:recherche|(?:mouvements|collaborations)\.parquet)": "/fichiers",
    r"/catalogue\.json(?:ld)?": "/fichiers",
}
_TABLE_FILE = re.compile(
    "|".join(re.sub(r"\?P<\w+>", "", one.format(chamber="[^/]+")) for one in _TABLE_FILES)
)


def is_file(path: str) -> bool:
    """Whether a decoded path is that of a file."""
    return path == WHOLE_FILE or is_table(path)


def is_table(path: str) -> bool:
    """Whether a decoded path is that of the file of one table, which needs no key."""
    return _TABLE_FILE.fullmatch(path) is not None
