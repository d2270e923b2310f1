"""The schemas of the OpenAPI description: the values of parameters, and the members of JSON answers.

No object is closed, because members may be added later.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from parlement_lists import tenure
from parlement_lists.meanings import MEANINGS
from parlement_lists.movement import ALWAYS_PRESENT, FIELDS, Field

from ...dataset.schema import PUBLISHED, WITHDRAWN
from ...dataset.stays.evidence import INTERVALS, RULES
from ...dataset.stays.lines import LINE_FIELDS, MANDATE_FIELD, NEXT, NEXT_DAYS, RETURN_DAYS
from .. import changes
from ..parameters.parameter import Parameter
from ..parameters.search_parameters import BY_NAME
from ..parameters.stay_parameters import MEMBERS_BY_NAME, STAYS_BY_NAME

Schema = dict[str, Any]
# Fields and parameters with a list of values -> the name of their type in generated clients.
ENUMS = {
    "chambre": "Chambre",
    "type": "TypeDeMouvement",
    "source": "Source",
    "confiance": "Confiance",
    "contexte": "Contexte",
    "collab_civilite": "Civilite",
}
_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_INSTANT: Schema = {"type": "string", "format": "date-time"}
_DAY: Schema = {"type": "string", "format": "date"}
_CREDITS = {
    "licence": _TEXT | {"description": "Licence des données"},
    "attribution": _TEXT | {"description": "Mention à reproduire"},
}


_LIST: Schema = {
    "type": "object",
    "properties": {
        "jour": _DAY,
        "liste": _TEXT | {"description": "Son nom dans la table listes"},
        "sha256": _TEXT | {"description": "De ses octets, décompressés ; absent s’il n’y en a pas"},
    },
    "required": ["jour", "liste"],
}
_RULES = (
    "`apparition` : la liste d’avant n’a pas le nom, celle d’après l’a ; `disparition` : l’inverse ;"
    " `deplacement` : il est chez un autre élu ; `intervalle` : les listes sont refaites d’intervalles"
)
_EVIDENCE: Schema = {
    "origine": {
        "type": "object",
        "description": "L’élu qu’un transfert quitte",
        "properties": {"elu_id": _TEXT, "elu_nom": _TEXT, "elu_groupe": _TEXT},
        "required": ["elu_id"],
    },
    "collaborations": {
        "type": "object",
        "description": "Les identifiants des collaborations qu’il commence et termine",
        "properties": {"commence": _TEXT, "termine": _TEXT},
    },
    "retour": {
        "type": "object",
        "description": "D’une arrivée le départ auquel elle répond, d’un départ le retour",
        "properties": {"mouvement": _TEXT, "jours": _COUNT},
        "required": ["jours"],
    },
    "preuve": {
        "type": "object",
        "description": "Les deux listes entre lesquelles il a été vu",
        "properties": {
            "avant": _LIST,
            "apres": _LIST,
            "regle": _TEXT | {"enum": [*RULES.values(), INTERVALS], "description": _RULES},
        },
        "required": ["avant", "apres", "regle"],
    },
}
_LISTS: Schema = {
    "type": "object",
    "description": "De chaque chambre, les listes dont la réponse est",
    "additionalProperties": {
        "type": "object",
        "properties": {
            "le": _DAY | {"description": "La dernière liste de ce jour ou d’avant"},
            "suivante": _DAY | {"description": "La première liste d’après"},
        },
    },
}


def ref(name: str) -> Schema:
    """The schema of this name."""
    return {"$ref": f"#/components/schemas/{name}"}


def parameter(described: Parameter) -> Schema:
    """The values of a parameter."""
    if described.name in ENUMS:
        return ref(ENUMS[described.name])
    if described.values:
        return _TEXT | {"enum": list(described.values)}
    if described.least is not None:
        return {
            "type": "integer",
            "minimum": described.least,
            "maximum": described.most,
            "default": described.default,
        }
    if described.format:
        return _TEXT | {"format": described.format, "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}
    return _TEXT | {
        "minLength": 1,
        "maxLength": described.longest,
        "pattern": described.usual or described.pattern,
    }


def answers() -> dict[str, Schema]:
    """The schemas of answers by name."""
    return {
        **{ENUMS[field.name]: _enum(field) for field in FIELDS if field.values},
        "Mouvement": _object(
            {field.name: _property(field) for field in FIELDS},
            [f.name for f in FIELDS if f.required or f.name == ALWAYS_PRESENT],
            "Un mouvement. Un champ sans valeur est absent, sauf contexte.",
        ),
        "Recherche": _search(BY_NAME, "mouvements", ref("Mouvement")),
        "MouvementSeul": _object(
            {"mouvement": ref("Mouvement"), **_EVIDENCE, **_CREDITS}, ["mouvement", *_CREDITS]
        ),
        "UneCollaboration": _stay(),
        "RechercheDeCollaborations": _search(
            STAYS_BY_NAME, "collaborations", ref("UneCollaboration"), listes=_LISTS
        ),
        "UnElu": _member(),
        "RechercheDElus": _search(MEMBERS_BY_NAME, "elus", ref("UnElu")),
        "CollaborationSeule": _object({"collaboration": ref("UneCollaboration"), **_CREDITS}),
        "ChangementsDeCollaborations": _changes("ChangementDeCollaboration"),
        "ChangementDeCollaboration": {
            "description": "Ce que le flux dit d’un identifiant ; nature dit lequel des deux.",
            "oneOf": [ref("PublicationDeCollaboration"), ref("Retrait")],
            "discriminator": _by_nature("PublicationDeCollaboration"),
        },
        "PublicationDeCollaboration": _change(
            PUBLISHED,
            "La collaboration est publiée, ou a changé : elle remplace celle du même identifiant.",
            collaboration=ref("UneCollaboration"),
        ),
        # Not called Changements: in generated Python the type and its member would have one name.
        "PageDeChangements": _changes("Changement"),
        "Changement": {
            "description": "Ce que le flux dit d’un identifiant ; nature dit lequel des deux.",
            "oneOf": [ref("Publication"), ref("Retrait")],
            "discriminator": _by_nature("Publication"),
        },
        "Publication": _change(
            PUBLISHED,
            "Le mouvement est publié, ou a changé : il remplace celui du même identifiant.",
            mouvement=ref("Mouvement"),
        ),
        "Retrait": _change(WITHDRAWN, "Ce qui avait cet identifiant est retiré : effacez-le."),
        "Quota": _quota(),
        # Not called Couverture, as its member is (see PageDeChangements).
        "ListesDesChambres": _coverage(),
        "Probleme": _problem("Une erreur (RFC 9457)."),
        "ProblemeDeParametre": _problem(
            "Une erreur (RFC 9457) et les paramètres en cause ; une demande malformée n’en a pas.",
            parametre=_TEXT | {"description": "Le premier paramètre en cause"},
            parametres={
                "type": "array",
                "items": _TEXT,
                "description": "Tous, s’il y en a plusieurs",
            },
        ),
    }


def _object(properties: Schema, required: list[str] | None = None, meaning: str = "") -> Schema:
    """An object; every member is required, unless `required` lists them."""
    schema: Schema = {"type": "object", "properties": properties}
    schema["required"] = [*properties] if required is None else required
    return {"description": meaning, **schema} if meaning else schema


def _enum(field: Field) -> Schema:
    values = " ; ".join(
        f"`{value}` : {MEANINGS.get(value, value)}" if value else f"vide : {MEANINGS[value]}"
        for value in field.values
    )
    return _TEXT | {"enum": list(field.values), "description": f"{field.description} {values}."}


def _property(field: Field) -> Schema:
    own = {"enum": list(field.values)} if field.values else {}
    schema = ref(ENUMS[field.name]) if field.name in ENUMS else _TEXT | own
    schema |= {"description": field.description, "examples": [field.example]}
    if field.name == "date_event":
        schema["format"] = "date"
    return schema


def _by_nature(published: str) -> Schema:
    return {
        "propertyName": "nature",
        "mapping": {
            PUBLISHED: f"#/components/schemas/{published}",
            WITHDRAWN: "#/components/schemas/Retrait",
        },
    }


def _stay() -> Schema:
    shapes: dict[str, Schema] = {
        **dict.fromkeys(("debut", "debut_apres", "fin", "fin_apres", MANDATE_FIELD.name), _DAY),
        **dict.fromkeys((RETURN_DAYS, NEXT_DAYS), _COUNT | {"examples": [12]}),
        NEXT: {"type": "array", "items": _TEXT, "examples": [[LINE_FIELDS[0].example]]},
    }
    fields = {field.name: _property(field) | shapes.get(field.name, {}) for field in LINE_FIELDS}
    required = [field.name for field in tenure.FIELDS if field.required]
    meaning = (
        "Une collaboration, telle que les listes la montrent. Un champ sans valeur est absent."
    )
    return _object(fields, required, meaning)


_ENDED_AFTER = _DAY | {
    "description": "La fin n’est pas connue : dernière liste qui nomme l’équipe, avant la fin du mandat"
}


def _member() -> Schema:
    days = {"debut": _DAY, "fin": _DAY}
    fields = {
        **{
            one.name: _property(one)
            for one in FIELDS
            if one.name in ("chambre", "elu_id", "elu_cle")
        },
        **dict.fromkeys(("nom", "prenom"), _TEXT),
        "civilite": ref(ENUMS["collab_civilite"]),
        "mandats": {"type": "array", "items": _object(days | {"fin_apres": _ENDED_AFTER}, [])},
        "groupes": {
            "type": "array",
            "items": _object({"code": _TEXT, "nom": _TEXT, **days}, ["code", "nom"]),
        },
        "equipe": _COUNT | {"description": "Personnes présentes"},
    }
    return _object(fields, ["chambre", "elu_id", "nom", "mandats", "groupes", "equipe"])


def _search(known: Mapping[str, Parameter], many: str, one: Schema, **more: Schema) -> Schema:
    properties = {
        "total": {
            "type": ["integer", "null"],
            "minimum": 0,
            "description": f"Nombre exact de {many}, selon la demande ; la spécification admet null",
        },
        "limit": _without_default(parameter(known["limit"])),
        "offset": _without_default(parameter(known["offset"])),
        many: {"type": "array", "items": one},
        **more,
        **_CREDITS,
    }
    return _object(properties)


def _without_default(schema: Schema) -> Schema:
    return {name: value for name, value in schema.items() if name != "default"}


def _changes(one: str) -> Schema:
    properties = {
        "changements": {"type": "array", "items": ref(one)},
        "curseur": _TEXT | {"description": "À garder, et à envoyer la prochaine fois"},
        "encore": {"type": "boolean", "description": "Si d’autres changements suivent déjà"},
        "version": _TEXT | {"description": "Version des données"},
        **_CREDITS,
    }
    return _object(properties, [*changes.ENVELOPE])


def _change(nature: str, meaning: str, **more: Schema) -> Schema:
    return _object(
        {
            "publie_le": _INSTANT | {"description": "Instant du changement, en UTC"},
            "nature": _TEXT | {"const": nature},
            "id": _TEXT | {"description": "Identifiant du mouvement ou de la collaboration"},
            **more,
        },
        meaning=meaning,
    )


def _quota() -> Schema:
    return _object(
        {
            "limite": _COUNT | {"description": "Demandes par jour"},
            "utilise": _COUNT | {"description": "Demandes comptées aujourd’hui"},
            "reste": _COUNT | {"description": "Demandes encore permises aujourd’hui"},
            "jour": _TEXT | {"format": "date", "description": "Le jour compté, à Paris"},
            "retour_a": _INSTANT | {"description": "Prochain minuit, heure de Paris"},
            "retour_dans": _COUNT | {"description": "Secondes jusque-là"},
            **_CREDITS,
        }
    )


def _coverage() -> Schema:
    day = _TEXT | {"format": "date"}
    hole = {
        "apres": day | {"description": "La dernière liste avant le trou"},
        "avant": day | {"description": "La première liste après lui"},
        "jours": _COUNT | {"description": "Jours de l’une à l’autre"},
    }
    source = {
        "nom": _TEXT | {"description": "Qui publie ou archive les listes"},
        "credit": _TEXT | {"description": "Comment le citer"},
        "licence": _TEXT,
        "jusqua": day | {"description": "La dernière liste qui en vient"},
    }
    chamber = {
        "premiere_liste": day,
        "derniere_liste": day,
        "listes": _COUNT | {"description": "Combien ont été admises"},
        "trous": {"type": "array", "items": _object(hole)},
        "sources": {"type": "array", "items": _object(source)},
        "en_retard": {"type": "boolean", "description": "Si la dernière liste est trop ancienne"},
    }
    always = [name for name in chamber if not name.endswith("_liste")]
    chambers = {"type": "object", "additionalProperties": _object(chamber, always)}
    return _object({"couverture": chambers, **_CREDITS})


def _problem(meaning: str, **more: Schema) -> Schema:
    required = {
        "type": _TEXT | {"format": "uri-reference", "description": "Mène à la documentation"},
        "title": _TEXT,
        "status": {"type": "integer"},
        "detail": _TEXT | {"description": "Ce qui est en cause, pour une personne, en français"},
        **_CREDITS,
    }
    return _object({**required, **more}, [*required], meaning)
