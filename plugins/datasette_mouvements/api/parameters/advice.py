"""What to do instead of sending a parameter that an operation does not have.

Of what was sent only days, numbers, accepted values and a few plain words are repeated: it may be a key.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote_plus

from parlement_lists.movement import is_date

from ...refusal import SITE
from .parameter import (
    LATEST,
    LIMIT_DEFAULT,
    LIMIT_MOST,
    OFFSET_MOST,
    Parameter,
    value_of,
    whole,
)
from .usual_names import (
    COLUMNS,
    CURSOR_NAMES,
    FEED,
    INSTEAD,
    OURS,
    PAGES,
    RENAMED,
    SAFELY,
    SEARCH,
    STAYS,
    TABLE,
    YEARS,
    usual_form,
)

# Names and groups. A key, also without its mark, is longer than any of these words.
_WORDS = re.compile(r"[^\W_]{1,24}(?:[ '’.&-]{1,2}[^\W_]{1,24}){0,7}")
_SENT_MOST = 80  # characters, once escaped
# For operations without pages, by a parameter that only they have.
_UNPAGED = {
    "nom": f"un flux n’a pas de pages, il a les {LATEST} dernières publications ; les pages sont"
    f" à {SEARCH}?limit=100, et ce qui change à {FEED}?limit=100, avec une clé",
}


def advice(name: str, sent: Mapping[str, str], parameters: Mapping[str, Parameter]) -> str:
    """What to do instead of sending `name` to an operation that has these parameters; "" if unknown.

    `sent` is all that the request gave, as text.
    """
    if name == "_":
        return INSTEAD["cache"]
    if name.startswith("_"):
        return (
            f"ce qui commence par « _ » est de Datasette, dont l’adresse demande une clé : {TABLE}"
        )
    usual = usual_form(name)
    if usual in parameters:  # with another case, or an accent
        return ""
    value, ours = sent[name], OURS.get(usual, usual)
    if ours in parameters:
        return f"c’est ici « {ours} », par exemple {ours}={sample(parameters[ours], value)}"
    return (
        _paged(ours, value, sent, parameters)
        or _dated(ours, value, parameters)
        or _elsewhere(ours, value)
        or INSTEAD.get(usual, "")
        or _by_column(usual, value)
    )


def sample(parameter: Parameter, value: str) -> str | int:
    """What was sent, if the parameter accepts it and it may be repeated; else the example."""
    kept = value_of(parameter, value)
    if isinstance(kept, int) or (kept is not None and (parameter.values or parameter.format)):
        return kept
    if kept is None or (parameter.name == "elu" and not re.search(r"[0-9]", value)):  # a name
        return parameter.example
    return _repeatable(value) or parameter.example


def _paged(
    ours: str, value: str, sent: Mapping[str, str], parameters: Mapping[str, Parameter]
) -> str:
    """How to ask for the next page, with the numbers that were sent."""
    page = ours in PAGES
    if page and "offset" in parameters:
        number, size = whole(value), _size(sent)
        passed = size if number is None else max(number - 1, 0) * size
        passed = passed if passed <= OFFSET_MOST else size
        return (
            f"les pages se demandent par limit et offset, par exemple limit={size}&offset={passed}"
        )
    if "curseur" in parameters and (page or ours in CURSOR_NAMES or ours == "offset"):
        example = parameters["curseur"].example
        return (
            f"c’est ici « curseur », celui de la réponse précédente, par exemple curseur={example}"
        )
    if page or ours in CURSOR_NAMES or ours in ("limit", "offset"):
        return next((advice for name, advice in _UNPAGED.items() if name in parameters), "")
    return ""


def _dated(ours: str, value: str, parameters: Mapping[str, Parameter]) -> str:
    """How to ask for a day or a year, with the numbers that were sent."""
    if "jusqua" not in parameters:
        return ""
    if ours == "le":
        day = value if is_date(value) else "2026-01-31"
        return (
            f"un jour se demande par ses deux bornes, par exemple depuis={day}&jusqua={day} ; qui"
            f" travaillait avec qui ce jour-là est à {STAYS}?le={day}"
        )
    if ours in YEARS:
        year = value if is_date(f"{value}-01-01") else "2026"
        return (
            "une période se demande par ses deux bornes, par exemple"
            f" depuis={year}-01-01&jusqua={year}-12-31"
        )
    return ""


def _elsewhere(ours: str, value: str) -> str:
    """Where to ask for what a parameter of another operation does."""
    if ours == "nom":
        words = _repeatable(value) or "dupont"
        return (
            f"rien ne se cherche ici par nom ; {STAYS}?nom=, suivi de tous les"
            f" mots d’un nom, donne ses collaborations ; la page {SITE}/recherche?q={words} le fait, et,"
            f" avec une clé, {TABLE}?_search={words}&{SAFELY}"
        )
    if ours == "groupe":
        group = _repeatable(value) or "NI"
        return (
            f"les mouvements ne se filtrent pas par groupe ; Datasette le fait, avec une clé :"
            f" {TABLE}?elu_groupe={group}&{SAFELY} ; les collaborations d’un groupe sont à"
            f" {STAYS}?groupe={group}"
        )
    if ours == "present":
        return f"qui est là aujourd’hui est à {STAYS}?present=oui"
    if ours in RENAMED:
        return f"« {ours} » est un paramètre de {SEARCH}, pas de cette adresse"
    return ""


def _by_column(usual: str, value: str) -> str:
    """How Datasette filters by a column for which the interface has no parameter."""
    field = COLUMNS.get(usual)
    if field is None:
        return ""
    if field.values:
        condition = f"{field.name}={value if value in field.values else field.values[-1]}"
    elif field.name.endswith("groupe"):
        condition = f"{field.name}={_repeatable(value) or 'NI'}"
    else:
        condition = f"{field.name}__contains={_repeatable(value) or 'a'}"
    address = f"{TABLE}?{condition}&{SAFELY}"
    return f"l’interface ne filtre pas par ce champ ; Datasette le fait, avec une clé : {address}"


def _repeatable(value: str) -> str:
    """What was sent, escaped, if it is a few plain words; else ""."""
    escaped = quote_plus(value) if _WORDS.fullmatch(value[: _SENT_MOST + 1]) else ""
    return escaped if len(escaped) <= _SENT_MOST else ""


def _size(sent: Mapping[str, str]) -> int:
    """The page size of a request, by any of its names."""
    for name, value in sent.items():
        if name == "limit" or OURS.get(usual_form(name)) == "limit":
            return min(whole(value) or LIMIT_DEFAULT, LIMIT_MOST)
    return LIMIT_DEFAULT
