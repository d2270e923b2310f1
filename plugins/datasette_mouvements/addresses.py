"""The addresses that more than one room names, as paths below the service's own."""

from __future__ import annotations

import re

SEARCH = "/v1/mouvements"
CHANGES = "/v1/changements"
QUOTA = "/v1/quota"
DESCRIPTION = "/v1/openapi.json"
WHOLE_FILE = "/fichiers/tout"
FILE_OF_A_SEARCH = "/fichiers/recherche"
DOCUMENTATION = "/documentation"
KEY_PAGE = "/-/cle"
_TABLE_FILE = re.compile(r"/(?:(?:elus|classements)/[^/]+|groupes/[^/]+/[^/]+)\.csv")


def is_file(path: str) -> bool:
    """Whether a decoded path is that of a file, for a key or an account."""
    return path in (WHOLE_FILE, FILE_OF_A_SEARCH) or _TABLE_FILE.fullmatch(path) is not None


SIGN_OUT = "/-/cle/deconnexion"
