"""The addresses of the pages that the invented sample fills; data/exemple/LISEZMOI.md says what is where."""

from __future__ import annotations

MEMBER = "/elus/assemblee/PA999001"
STAFF = "/collaborateurs/hautecloque-bievremont-anne-sophie"
EXPLORER = "/movements/mouvements?chambre=senat"

# Pages with the words and charts of this site, which have a limit of HTML.
TOLD = {
    "home": "/",
    "week": "/semaine",
    "week-before": "/semaine/2026-W46",
    "elections": "/elections/2026",
    "chambers": "/elus",
    "chamber": "/elus/assemblee",
    "chamber-of-a-group": "/elus/assemblee?groupe=HIR",
    "chamber-on-a-day": "/elus/assemblee?le=2025-11-03",
    "chamber-late": "/elus/senat",
    "member": MEMBER,
    "member-on-a-day": f"{MEMBER}?le=2025-11-03",
    "member-without-anybody": "/elus/assemblee/PA999012",
    "member-of-a-late-chamber": "/elus/senat/99004Z",
    "member-of-europe": "/elus/europarl/999005",
    "member-whose-mandate-ended": "/elus/assemblee/PA999013",
    "member-with-a-homonym": "/elus/assemblee/PA999009",
    "staff": STAFF,
    "staff-of-two-people": "/collaborateurs/petit-fauconnet-camille",
    "staff-of-a-shared-contract": "/collaborateurs/rompre-desaulnes-isaline",
    "movement": "/mouvements/mvt_508617bd7d110e8db3a6",
    "sources": "/sources",
    "groups": "/groupes",
    "group": "/groupes/assemblee/HIR",
    "group-of-europe": "/groupes/europarl/BOR",
    "your-data": "/vos-donnees",
    "search": "/recherche?q=hautecloque",
    "search-with-a-typo": "/recherche?q=hauteclocque",
    "search-of-nobody": "/recherche?q=zzzzz",
    "files": "/fichiers",
    "documentation": "/documentation",
    "key-visitor": "/-/cle",
    "absent": "/collaborateurs/personne",
    "unknown": "/nulle-part",
}
PAGES = {
    **TOLD,
    "explorer": EXPLORER,
    "explorer-filtered": "/explorer?chambre=assemblee&type=depart&depuis=2026-10-01",
    "explorer-of-nothing": "/explorer?q=zzzzz",
    "stays": "/movements/collaborations",
    "teams": "/movements/equipes",
    "figures-of-groups": "/movements/groupes",
    "versions": "/-/versions",
    "refused": "/-/auth-token",
    "base": "/movements",
}
