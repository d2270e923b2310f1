"""A chamber has all its places: what is missing of one is named."""

from __future__ import annotations

import json
import re

from datasette_mouvements.pages import french
from parlement_lists.chambers import CHAMBERS
from parlement_lists.sources.chambers import SOURCES
from parlement_lists.sources.credits import CREDITS
from tests.contract.environment import PACKAGE, PLUGINS

STYLE = (PLUGINS / PACKAGE / "static" / "mouvements.css").read_text(encoding="utf-8")
DESCRIBED = json.loads((PLUGINS / PACKAGE / "api" / "openapi.json").read_text(encoding="utf-8"))
# The class of a chamber, with a colour on white and one on black.
COLOURS = {
    name
    for name in re.findall(r"(?m)^\.(\w+) \{ --cham: var\(--\1\); \}$", STYLE)
    if len(re.findall(rf"--{name}: #", STYLE)) == 2
}
PLACES = {
    "SOURCES in parlement_lists/sources/chambers.py": {source.chamber for source in SOURCES},
    "CREDITS in parlement_lists/sources/credits.py": {credit.chamber for credit in CREDITS},
    "CHAMBERS in datasette_mouvements/pages/french.py": {*french.CHAMBERS},
    "static/mouvements.css, its class and both its colours": {
        name for name, words in french.CHAMBERS.items() if words.css in COLOURS
    },
    "api/openapi.json, the schema Chambre": {
        *DESCRIBED["components"]["schemas"]["Chambre"]["enum"]
    },
}


def test_every_chamber_is_in_every_place() -> None:
    missing = [
        f"{chamber} is missing from {place}"
        for place, chambers in PLACES.items()
        for chamber in CHAMBERS
        if chamber not in chambers
    ]
    assert not missing, "\n".join(missing)
