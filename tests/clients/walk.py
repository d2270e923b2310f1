"""Walks the interface with the client that openapi-python-client made, and tells what it met.

Run in that generator's environment: ADDRESS KEY KEY_WITH_ONE_REQUEST WITHDRAWN CURSOR_OF_ANOTHER_HISTORY
"""

from __future__ import annotations

import json
import sys

from mouvements.api.collaborations import collaboration, collaborations, elus
from mouvements.api.copie import changements, changements_des_collaborations, fichier_complet
from mouvements.api.mouvements import mouvement, mouvements
from mouvements.api.service import couverture, description, quota
from mouvements.client import AuthenticatedClient, Client
from mouvements.models.changements_de_collaborations import ChangementsDeCollaborations
from mouvements.models.collaboration_seule import CollaborationSeule
from mouvements.models.collaborations_present import CollaborationsPresent
from mouvements.models.listes_des_chambres import ListesDesChambres
from mouvements.models.mouvement import Mouvement
from mouvements.models.mouvement_seul import MouvementSeul
from mouvements.models.page_de_changements import PageDeChangements
from mouvements.models.probleme import Probleme
from mouvements.models.probleme_de_parametre import ProblemeDeParametre
from mouvements.models.publication import Publication
from mouvements.models.quota import Quota
from mouvements.models.recherche import Recherche
from mouvements.models.recherche_d_elus import RechercheDElus
from mouvements.models.recherche_de_collaborations import RechercheDeCollaborations
from mouvements.types import UNSET, Unset


def search(client: AuthenticatedClient) -> list[str]:
    """Every identifier, page by page."""
    identifiers: list[str] = []
    while True:
        page = mouvements.sync(client=client, limit=100, offset=len(identifiers))
        assert isinstance(page, Recherche)
        identifiers += [movement.id for movement in page.mouvements]
        assert page.total is not None
        if len(identifiers) >= page.total:
            return identifiers


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


def states(client: AuthenticatedClient) -> dict[str, object]:
    """The first page of what lists tell: who works for whom, members, coverage."""
    stays = collaborations.sync(client=client, present=CollaborationsPresent.OUI)
    feed = changements_des_collaborations.sync(client=client)
    members = elus.sync(client=client)
    lists = couverture.sync(client=client)
    assert isinstance(stays, RechercheDeCollaborations)
    assert isinstance(feed, ChangementsDeCollaborations)
    assert isinstance(members, RechercheDElus)
    assert isinstance(lists, ListesDesChambres)
    stay = collaboration.sync(stays.collaborations[0].id, client=client)
    assert isinstance(stay, CollaborationSeule)
    assert stay.collaboration == stays.collaborations[0]
    chambers = lists.couverture.additional_properties
    return {
        "present": stays.total,
        "changes": len(feed.changements),
        "members": [member.elu_id for member in members.elus],
        "lists": {name: chamber.listes for name, chamber in chambers.items()},
    }


def problem(answer: object) -> str:
    assert isinstance(answer, Probleme | ProblemeDeParametre), answer
    return answer.type_.rpartition("#")[2]


def errors(url: str, client: AuthenticatedClient, spent: str, *given: str) -> dict[str, str]:
    withdrawn, elsewhere = given
    poor = AuthenticatedClient(url, spent)
    mouvements.sync(client=poor)
    return {
        "limit=0": problem(mouvements.sync(client=client, limit=0)),
        "no key": problem(mouvements.sync(client=AuthenticatedClient(url, "", prefix=""))),
        "bad key": problem(quota.sync(client=AuthenticatedClient(url, "mvt_faux"))),
        "unknown": problem(mouvement.sync("mvt_inconnu", client=client)),
        "withdrawn": problem(mouvement.sync(withdrawn, client=client)),
        "unknown stay": problem(collaboration.sync("col_inconnue", client=client)),
        "elsewhere": problem(changements.sync(client=client, curseur=elsewhere)),
        "spent": problem(mouvements.sync(client=poor)),
    }


def walk(url: str, key: str, *given: str) -> dict[str, object]:
    client = AuthenticatedClient(url, key)
    identifiers = search(client)
    kept, gone = copy(client)
    one = mouvement.sync(identifiers[0], client=client)
    assert isinstance(one, MouvementSeul)
    assert one.mouvement == kept[identifiers[0]]
    first = mouvements.sync_detailed(client=client)
    again = mouvements.sync_detailed(client=client, if_none_match=first.headers["ETag"])
    left = quota.sync(client=client)
    assert isinstance(left, Quota)
    whole = fichier_complet.sync_detailed(client=client)
    described = description.sync(client=Client(url))
    assert described is not None
    assert not isinstance(described, ProblemeDeParametre)
    return {
        "search": identifiers,
        "copy": sorted(kept),
        "withdrawn": gone,
        "unchanged": int(again.status_code),
        "used": left.limite - left.reste,
        "file": len(whole.content),
        **states(client),
        "description": str(described.additional_properties["openapi"]),
        "errors": errors(url, client, *given),
    }


if __name__ == "__main__":
    print(json.dumps(walk(*sys.argv[1:])))
