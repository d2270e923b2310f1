"""The functions that the European Parliament lists in English, in French words that say no gender."""

from __future__ import annotations

from parlement_lists.movement import plain

SHARED_CONTRACT = "contrat commun"
# By the words of the English name, as it is compared, without « (grouping) ».
_FRENCH = {
    "accredited assistants": "assistance accréditée",
    "accredited assistant": "assistance accréditée",
    "local assistants": "assistance locale",
    "local assistant": "assistance locale",
    "service providers": "prestation de services",
    "service provider": "prestation de services",
    "paying agents": "tiers payant",
    "paying agent": "tiers payant",
    "trainees": "stage",
    "trainee": "stage",
    "assistants to the vice presidency to the quaestorate": "assistance à la vice-présidence ou à la questure",
}


def in_french(function: str | None) -> str:
    """What a function listed in English is called in French; "" of one that is not known so.

    « Accredited assistants (grouping) » is « assistance accréditée, contrat commun ».
    """
    words = plain(function or "")
    alone = words.removesuffix(" grouping")
    told = _FRENCH.get(alone, "")
    return f"{told}, {SHARED_CONTRACT}" if told and alone != words else told
