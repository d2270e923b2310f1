"""The addresses that more than one room names, as paths below the service's own."""

from __future__ import annotations

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
DOCUMENTATION = "/documentation"
CLIENT = "/exemples/client.py"
YOUR_DATA = "/vos-donnees"
KEY_PAGE = "/-/cle"
# Addresses of before, as patterns: what answers their question now, or "" (410); `database` is that of the
# movements. Version 4 forgets them.
GONE = {
    r"/(?:chiffres|classements)(?:/[^/.]+)?": "/groupes",
    # A program that asks for a table must get no page.
    r"/(?:parcours|figures/.*|chiffres/[^/]+\.csv)": "",
    r"/(?:elus|classements)/(?P<chamber>[^/]+)\.csv": "/{database}/equipes.csv?_stream=1&chambre={chamber}",
    r"/groupes/(?P<chamber>[^/]+)\.csv": "/{database}/groupes.csv?_stream=1&chambre={chamber}",
    r"/groupes/(?P<chamber>[^/]+)/(?P<code>[^/]+)\.csv": "/{database}/equipes.csv?_stream=1&chambre={chamber}&elu_groupe={code}",
    r"/elus/(?P<chamber>[^/]+)/(?P<id>[^/]+)\.csv": "/{database}/collaborations.csv?_stream=1&chambre={chamber}&elu_id={id}",
    r"/collaborateurs": "/recherche",
    r"/collaborateurs/(?P<name>[^/]+)/flux": "/flux?nom={name}",
    r"/-/cle/deconnexion": "/-/logout",
    r"/(?:documentation/en|exemples/client\.(?:R|mjs))": DOCUMENTATION,
    r"/fichiers/(?:recherche|(?:mouvements|collaborations)\.parquet)": "/fichiers",
    r"/catalogue\.json(?:ld)?": "/fichiers",
}
