"""The operations of the OpenAPI description that give files."""

from __future__ import annotations

from typing import Any

from ...refusal import KINDS
from ..replies import QUOTA
from ..service import Service
from .parameters import OF_FILES, Operation, operation
from .responses import OF_FILE, REFUSALS, VERSION, named, refusal, refused

_FILE = ("ETag", "Link", "Content-Disposition", "Accept-Ranges")
_REFUSALS = ("DemandeRefusee", "CleRefusee", *OF_FILE, "QuotaAtteint")
_BYTES = {"schema": {"type": "string", "format": "binary"}}
_ZIP = {"application/zip": _BYTES}
_PAYS = "la clé d’un compte connecté au site vaut aussi, et un navigateur sans clé est mené à la page des clés"


def whole_file(service: Service) -> Operation:
    """The file of everything; without a key where the setting opens it."""
    opened = service.config.open_whole_file
    cost = "Ouvert à tous, non comptée." if opened else f"Comptée comme une demande ; {_PAYS}."
    own_headers = ("Mouvements-Curseur", *VERSION, *(() if opened else QUOTA))
    refusals = (
        {
            **refused("DemandeRefusee"),
            **{
                str(KINDS[REFUSALS[name][0]].status): refusal(service, name, of_key=False)
                for name in OF_FILE
            },
        }
        if opened
        else refused(*_REFUSALS)
    )
    return operation(
        "fichier_complet",
        "copie",
        "Télécharger tout en un fichier",
        "Une archive ZIP : mouvements et collaborations en CSV, la licence, et"
        " `datapackage.json`, qui dit les colonnes, le curseur et la version. Une copie commence ici"
        f" et continue par le flux des changements, depuis `Mouvements-Curseur`. {cost}",
        [*OF_FILES],
        _answers(own_headers, _ZIP) | refusals,
    ) | ({"security": []} if opened else {})


def _answers(own_headers: tuple[str, ...], content: dict[str, Any]) -> dict[str, Any]:
    """The whole file, a part of it, or that it has not changed; a 304 has no Link."""
    headers = (*own_headers, *_FILE)
    return {
        "200": {"description": "Le fichier", "headers": named(*headers), "content": content},
        "206": {
            "description": "La partie demandée par Range ; de plusieurs, un message à plusieurs parties",
            "headers": named(*headers, "Content-Range"),
            "content": {**content, "multipart/byteranges": _BYTES},
        },
        "304": {
            "description": "Rien n’a changé ; non comptée",
            "headers": named(*own_headers, "ETag"),
        },
    }
