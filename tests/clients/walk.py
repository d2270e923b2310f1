"""Reads an answer of each kind with the client that openapi-python-client made, and prints what it met.

Run in that generator's environment: ADDRESS KEY
"""

from __future__ import annotations

import json
import sys

from mouvements.api.copie import changements, fichier_complet
from mouvements.api.mouvements import mouvements
from mouvements.api.service import couverture
from mouvements.client import AuthenticatedClient
from mouvements.models.listes_des_chambres import ListesDesChambres
from mouvements.models.page_de_changements import PageDeChangements
from mouvements.models.probleme_de_parametre import ProblemeDeParametre
from mouvements.models.publication import Publication
from mouvements.models.recherche import Recherche


def walk(url: str, key: str) -> dict[str, object]:
    client = AuthenticatedClient(url, key)
    page = mouvements.sync(client=client, limit=500)
    assert isinstance(page, Recherche)
    feed = changements.sync(client=client, limit=500)
    assert isinstance(feed, PageDeChangements)
    lists = couverture.sync(client=client)
    assert isinstance(lists, ListesDesChambres)
    refused = mouvements.sync(client=client, limit=0)
    assert isinstance(refused, ProblemeDeParametre)
    chambers = lists.couverture.additional_properties
    return {
        "search": [movement.id for movement in page.mouvements],
        "published": [one.id for one in feed.changements if isinstance(one, Publication)],
        "lists": {name: chamber.listes for name, chamber in chambers.items()},
        "refused": refused.type_.rpartition("#")[2],
        "file": fichier_complet.sync_detailed(client=client).content[:2].decode(),
    }


if __name__ == "__main__":
    print(json.dumps(walk(*sys.argv[1:])))
