"""Walks the whole interface with the client that openapi-python-client made, and tells what it met.

Run in that generator's environment: ADDRESS KEY KEY_WITH_ONE_REQUEST WITHDRAWN CURSOR_OF_ANOTHER_HISTORY
"""

from __future__ import annotations

import json
import sys

from mouvements.api.copie import changements, fichier_complet
from mouvements.api.fichiers import fichier_de_recherche
from mouvements.api.mouvements import mouvement, mouvements
from mouvements.api.service import description, quota
from mouvements.client import AuthenticatedClient, Client
from mouvements.models.fichier_de_recherche_format import FichierDeRechercheFormat
from mouvements.models.mouvement import Mouvement
from mouvements.models.mouvement_seul import MouvementSeul
from mouvements.models.page_de_changements import PageDeChangements
from mouvements.models.probleme import Probleme
from mouvements.models.probleme_de_parametre import ProblemeDeParametre
from mouvements.models.publication import Publication
from mouvements.models.quota import Quota
from mouvements.models.recherche import Recherche
from mouvements.types import UNSET, Unset


def search(client: AuthenticatedClient) -> list[str]:
    """Every identifier, page by page."""
    found: list[str] = []
    while True:
        page = mouvements.sync(client=client, limit=100, offset=len(found))
        assert isinstance(page, Recherche)
        found += [one.id for one in page.mouvements]
        assert page.total is not None
        if len(found) >= page.total:
            return found


def copy(client: AuthenticatedClient) -> tuple[dict[str, Mouvement], int]:
    """What the whole feed makes, and how many were withdrawn."""
    kept: dict[str, Mouvement] = {}
    withdrawn = 0
    cursor: str | Unset = UNSET
    while True:
        page = changements.sync(client=client, curseur=cursor, limit=90)
        assert isinstance(page, PageDeChangements)
        for change in page.changements:
            if isinstance(change, Publication):
                kept[change.id] = change.mouvement
            else:
                kept.pop(change.id, None)
                withdrawn += 1
        cursor = page.curseur
        if not page.encore:
            return kept, withdrawn


def problem(answer: object) -> str:
    assert isinstance(answer, Probleme | ProblemeDeParametre), answer
    return answer.type_.rpartition("#")[2]


def errors(url: str, client: AuthenticatedClient, spent: str, *given: str) -> dict[str, str]:
    withdrawn, elsewhere = given
    wrong = mouvements.sync(client=client, limit=0)
    assert isinstance(wrong, ProblemeDeParametre)
    assert wrong.parametre == "limit"
    poor = AuthenticatedClient(url, spent)
    mouvements.sync(client=poor)
    return {
        "limit=0": problem(wrong),
        "no key": problem(mouvements.sync(client=AuthenticatedClient(url, "", prefix=""))),
        "bad key": problem(quota.sync(client=AuthenticatedClient(url, "mvt_faux"))),
        "unknown": problem(mouvement.sync("mvt_inconnu", client=client)),
        "withdrawn": problem(mouvement.sync(withdrawn, client=client)),
        "elsewhere": problem(changements.sync(client=client, curseur=elsewhere)),
        "spent": problem(mouvements.sync(client=poor)),
    }


def walk(url: str, key: str, spent: str, withdrawn: str, elsewhere: str) -> dict[str, object]:
    client = AuthenticatedClient(url, key)
    found = search(client)
    kept, gone = copy(client)
    one = mouvement.sync(found[0], client=client)
    assert isinstance(one, MouvementSeul)
    first = mouvements.sync_detailed(client=client)
    again = mouvements.sync_detailed(client=client, if_none_match=first.headers["ETag"])
    left = quota.sync(client=client)
    assert isinstance(left, Quota)
    lines = fichier_de_recherche.sync_detailed(
        client=client, format_=FichierDeRechercheFormat.NDJSON
    )
    whole = fichier_complet.sync_detailed(client=client)
    told = description.sync(client=Client(url))
    assert told is not None
    assert not isinstance(told, ProblemeDeParametre)
    return {
        "search": found,
        "copy": sorted(kept),
        "withdrawn": gone,
        "same": one.mouvement == kept[found[0]],
        "unchanged": int(again.status_code),
        "used": left.limite - left.reste,
        "lines": len(lines.content.splitlines()),
        "file": len(whole.content),
        "description": str(told.additional_properties["openapi"]),
        "errors": errors(url, client, spent, withdrawn, elsewhere),
    }


if __name__ == "__main__":
    print(json.dumps(walk(*sys.argv[1:])))
