"""What the marks of charts mean: words, each with its mark; CHAMBER is the class of the chamber shown."""

from __future__ import annotations

import re
from collections.abc import Iterable

HATCH = 'class="trou" fill="url(#trou)"'
_HOLE = f'<rect {HATCH} x="1" y="1" width="30" height="20"/>'
LEGENDS = {
    "lanes": {
        "présence constatée sur les listes": '<rect class="plein CHAMBER" x="1" y="5" width="30" height="12"/>',
        "début ou fin dans cet intervalle, jour exact inconnu": '<rect class="flou CHAMBER" fill="url(#CHAMBER-d)" x="1" y="5" width="30" height="12"/>',
        "toujours sur la dernière liste": '<rect class="plein CHAMBER" x="1" y="5" width="22" height="12"/><line class="encore CHAMBER" x1="23" x2="23" y2="22"/>',
        "déjà là sur la première liste": '<path class="avant CHAMBER" d="M9 4 2 11 9 18"/><rect class="plein CHAMBER" x="12" y="5" width="19" height="12"/>',
        "pas de liste connue": _HOLE,
        "fin ou début de mandat": '<line class="mandat" x1="16" x2="16" y2="22"/>',
    },
    "band": {
        "listes connues": '<rect class="plein CHAMBER" x="1" y="3" width="30" height="16"/>',
        "aucune liste pendant plus de dix jours\u00a0: rien ne peut être daté précisément": _HOLE,
    },
    "months": {
        "arrivées": '<rect class="arr" x="9" y="3" width="14" height="16"/>',
        "départs": '<rect class="dep" x="9" y="3" width="14" height="16"/>',
        "transferts (un départ et une arrivée)": '<rect class="tra" x="9" y="3" width="14" height="16"/>',
        "pas de liste connue": _HOLE,
    },
}
_CLASS = re.compile(r'class="([\w-]+)')


def marks(kind: str, charts: Iterable[str] = ()) -> dict[str, str]:
    """The words of the marks of a kind; of these charts, if any are given, only those that they have."""
    drawn = {name for chart in charts for name in _CLASS.findall(chart)}
    return {
        words: mark
        for words, mark in LEGENDS[kind].items()
        if not drawn or drawn.issuperset(_CLASS.findall(mark))
    }
