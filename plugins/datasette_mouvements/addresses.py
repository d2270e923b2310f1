"""The addresses that more than one room names, as paths below the service's own."""

from __future__ import annotations

SEARCH = "/v1/mouvements"
CHANGES = "/v1/changements"
QUOTA = "/v1/quota"
DESCRIPTION = "/v1/openapi.json"
WHOLE_FILE = "/fichiers/tout"
FILE_OF_A_SEARCH = "/fichiers/recherche"
DOCUMENTATION = "/documentation"
KEY_PAGE = "/-/cle"
SIGN_OUT = "/-/cle/deconnexion"
