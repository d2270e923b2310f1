"""Calls every operation with the client that openapi-python-client made, and prints what it met.

Run in that generator's environment: ADDRESS KEY WITHDRAWN CURSOR_OF_ANOTHER_HISTORY
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
from mouvements.models.mouvement_seul import MouvementSeul
from mouvements.models.page_de_changements import PageDeChangements
from mouvements.models.probleme import Probleme
from mouvements.models.probleme_de_parametre import ProblemeDeParametre
from mouvements.models.publication import Publication
from mouvements.models.quota import Quota
from mouvements.models.recherche import Recherche
from mouvements.models.recherche_d_elus import RechercheDElus
from mouvements.models.recherche_de_collaborations import RechercheDeCollaborations


def problem(answer: object) -> str:
    assert isinstance(answer, Probleme | ProblemeDeParametre), answer
    return answer.type_.rpartition("#")[2]


def walk(url: str, key: str, withdrawn: str, elsewhere: str) -> dict[str, object]:
    client = AuthenticatedClient(url, key)
    found = mouvements.sync_detailed(client=client, limit=500)
    page = found.parsed
    assert isinstance(page, Recherche)
    one = mouvement.sync(page.mouvements[0].id, client=client)
    assert isinstance(one, MouvementSeul)
    assert one.mouvement == page.mouvements[0]
    again = mouvements.sync_detailed(client=client, limit=500, if_none_match=found.headers["ETag"])
    feed = changements.sync(client=client, limit=500)
    assert isinstance(feed, PageDeChangements)
    stays = collaborations.sync(client=client, present=CollaborationsPresent.OUI)
    assert isinstance(stays, RechercheDeCollaborations)
    stay = collaboration.sync(stays.collaborations[0].id, client=client)
    assert isinstance(stay, CollaborationSeule)
    assert stay.collaboration == stays.collaborations[0]
    stay_feed = changements_des_collaborations.sync(client=client)
    assert isinstance(stay_feed, ChangementsDeCollaborations)
    members = elus.sync(client=client)
    assert isinstance(members, RechercheDElus)
    lists = couverture.sync(client=client)
    assert isinstance(lists, ListesDesChambres)
    left = quota.sync(client=client)
    assert isinstance(left, Quota)
    described = description.sync(client=Client(url))
    assert described is not None
    assert not isinstance(described, ProblemeDeParametre)
    chambers = lists.couverture.additional_properties
    return {
        "search": [movement.id for movement in page.mouvements],
        "published": [one.id for one in feed.changements if isinstance(one, Publication)],
        "unchanged": int(again.status_code),
        "used": left.limite - left.reste,
        "file": fichier_complet.sync_detailed(client=client).content[:2].decode(),
        "present": stays.total,
        "changes": len(stay_feed.changements),
        "members": [member.elu_id for member in members.elus],
        "lists": {name: chamber.listes for name, chamber in chambers.items()},
        "description": str(described.additional_properties["openapi"]),
        "problems": [
            problem(mouvements.sync(client=client, limit=0)),
            problem(quota.sync(client=AuthenticatedClient(url, "mvt_faux"))),
            problem(mouvement.sync(withdrawn, client=client)),
            problem(collaboration.sync("col_inconnue", client=client)),
            problem(changements.sync(client=client, curseur=elsewhere)),
        ],
    }


if __name__ == "__main__":
    print(json.dumps(walk(*sys.argv[1:])))
