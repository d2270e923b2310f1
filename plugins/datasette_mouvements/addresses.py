"""The addresses that more than one room names, as paths below the service's own."""

from __future__ import annotations

import re

SEARCH = "/v1/mouvements"
CHANGES = "/v1/changements"
STAYS = "/v1/collaborations"
STAY_CHANGES = "/v1/collaborations/changements"
MEMBERS = "/v1/elus"
QUOTA = "/v1/quota"
COVERAGE = "/v1/couverture"
DESCRIPTION = "/v1/openapi.json"
WHOLE_FILE = "/fichiers/tout"
FILE_OF_A_SEARCH = "/fichiers/recherche"
# The files of tables, as patterns: `chamber` is for the one of a chamber's name.
MEMBERS_FILE = r"/elus/{chamber}\.csv"
OFFICES_FILE = r"/classements/{chamber}\.csv"
GROUPS_FILE = r"/groupes/{chamber}\.csv"
GROUP_FILE = r"/groupes/{chamber}/(?P<code>[^/]+)\.csv"
DOCUMENTATION = "/documentation"
KEY_PAGE = "/-/cle"
SIGN_OUT = "/-/cle/deconnexion"
_TABLE_FILE = re.compile(
    "|".join(
        one.format(chamber="[^/]+") for one in (MEMBERS_FILE, OFFICES_FILE, GROUPS_FILE, GROUP_FILE)
    )
)


def is_file(path: str) -> bool:
    """Whether a decoded path is that of a file, for a key or an account."""
    return path in (WHOLE_FILE, FILE_OF_A_SEARCH) or _TABLE_FILE.fullmatch(path) is not None
