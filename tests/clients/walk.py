"""Walks the whole interface with the client that openapi-python-client made, and tells what it met.

Run in that generator's environment: ADDRESS KEY KEY_WITH_ONE_REQUEST WITHDRAWN WITHDRAWN_STAY
CURSOR_OF_ANOTHER_HISTORY DAY
"""

from __future__ import annotations

import datetime
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
from mouvements.models.publication_de_collaboration import PublicationDeCollaboration
from mouvements.models.quota import Quota
from mouvements.models.recherche import Recherche
from mouvements.models.recherche_d_elus import RechercheDElus
from mouvements.models.recherche_de_collaborations import RechercheDeCollaborations
from mouvements.models.une_collaboration import UneCollaboration
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


def copy_of_stays(client: AuthenticatedClient) -> tuple[dict[str, UneCollaboration], int]:
    """What the whole feed of stays makes, and how many were withdrawn."""
    kept: dict[str, UneCollaboration] = {}
    withdrawn = 0
    cursor: str | Unset = UNSET
    while True:
        page = changements_des_collaborations.sync(client=client, curseur=cursor, limit=90)
        assert isinstance(page, ChangementsDeCollaborations)
        for change in page.changements:
            if isinstance(change, PublicationDeCollaboration):
                kept[change.id] = change.collaboration
            else:
                kept.pop(change.id, None)
                withdrawn += 1
        cursor = page.curseur
        if not page.encore:
            return kept, withdrawn


def states(client: AuthenticatedClient, day: str) -> dict[str, object]:
    """Who works for whom, members and coverage."""
    first = collaborations.sync(client=client, limit=500)
    seated = elus.sync(client=client, limit=500)
    assert isinstance(first, RechercheDeCollaborations)
    assert isinstance(seated, RechercheDElus)
    found = first.collaborations
    kept, gone = copy_of_stays(client)
    one = collaboration.sync(found[0].id, client=client)
    assert isinstance(one, CollaborationSeule)
    assert one.collaboration == kept[found[0].id]
    on = collaborations.sync(client=client, le=datetime.date.fromisoformat(day))
    now = collaborations.sync(client=client, present=CollaborationsPresent.OUI)
    assert isinstance(on, RechercheDeCollaborations)
    assert isinstance(now, RechercheDeCollaborations)
    lists = couverture.sync(client=client)
    assert isinstance(lists, ListesDesChambres)
    chambers = lists.couverture.additional_properties
    return {
        "stays": [one.id for one in found],
        "kept": sorted(kept),
        "gone": gone,
        "stay": one.collaboration.to_dict(),
        "on a day": on.total,
        "present": now.total,
        "members": [one.elu_id for one in seated.elus],
        "mandates": sum(len(one.mandats) for one in seated.elus),
        "lists": {name: one.listes for name, one in chambers.items()},
        "holes": sum(hole.jours for one in chambers.values() for hole in one.trous),
    }


def problem(answer: object) -> str:
    assert isinstance(answer, Probleme | ProblemeDeParametre), answer
    return answer.type_.rpartition("#")[2]


def errors(url: str, client: AuthenticatedClient, spent: str, *given: str) -> dict[str, str]:
    withdrawn, gone, elsewhere = given
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
        "unknown stay": problem(collaboration.sync("col_inconnue", client=client)),
        "withdrawn stay": problem(collaboration.sync(gone, client=client)),
        "elsewhere": problem(changements.sync(client=client, curseur=elsewhere)),
        "spent": problem(mouvements.sync(client=poor)),
    }


def walk(url: str, key: str, spent: str, *given: str) -> dict[str, object]:
    *refused, day = given
    client = AuthenticatedClient(url, key)
    found = search(client)
    kept, gone = copy(client)
    one = mouvement.sync(found[0], client=client)
    assert isinstance(one, MouvementSeul)
    first = mouvements.sync_detailed(client=client)
    again = mouvements.sync_detailed(client=client, if_none_match=first.headers["ETag"])
    left = quota.sync(client=client)
    assert isinstance(left, Quota)
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
        "file": len(whole.content),
        **states(client, day),
        "description": str(told.additional_properties["openapi"]),
        "errors": errors(url, client, spent, *refused),
    }


if __name__ == "__main__":
    print(json.dumps(walk(*sys.argv[1:])))
