"""The charts, drawn as SVG by pygal: no script, no font of its own, light and dark."""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Callable
from typing import Any

from ..movement import CHAMBERS, MEANINGS
from . import french
from .facts import Facts

try:
    import pygal
except ModuleNotFoundError as missing:  # Datasette does not bring it: pages do without
    if missing.name != "pygal":
        raise
    pygal = None
else:
    from pygal.style import Style

    # pygal leaves a finder for its maps, of a form that Python warns of at every later import.
    sys.meta_path[:] = [f for f in sys.meta_path if not isinstance(f, pygal.PluginImportFixer)]

TYPE = "image/svg+xml; charset=utf-8"
# The policy of an image: it may do nothing but style itself.
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
SIZES = {"large": (720, 300), "etroit": (360, 300)}

# Legend, order and table tell the series apart without colour too. Contrasts are above 3 on white and on #16181d.
# The last one is that of what is not known.
_COLOURS = ("#2a6fbb", "#c2541b", "#6f7683", "#b9bfc9")
_DARK = (
    "@media (prefers-color-scheme: dark) {"
    " text, .axis text, .axis text.major, .legends .legend text, text.no_data"
    " { fill: #e4e6eb !important }"
    " .axis .line, .axis .guide.line, .axis .major.line { stroke: #565c69 !important } }"
)
_FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif'
# pygal's own script would read these to show tooltips; an image runs none.
_INTERACTIVE = re.compile(r"<desc\b[^>]*>[^<]*</desc>|<script\b.*?</script>", re.DOTALL)
# pygal's comments say when it drew; the same numbers must give the same bytes.
_COMMENTS = re.compile(r"<!--.*?-->", re.DOTALL)


def drawn() -> bool:
    """Whether charts can be drawn here; their numbers are in tables all the same."""
    return pygal is not None


def names() -> list[str]:
    """The charts of a data version."""
    if not drawn():
        return []
    return [*(f"mois-{chamber}" for chamber in CHAMBERS), "groupes"]


def draw(name: str, size: str, facts: Facts) -> bytes:
    """One chart of a data version, as SVG."""
    if name == "groupes":
        return _groups(facts, size)
    return _months(facts, name.removeprefix("mois-"), size)


def _months(facts: Facts, chamber: str, size: str) -> bytes:
    months = facts.months[chamber]
    if size == "etroit":
        months = dict(list(months.items())[-12:])
    known = {m: types for m, types in months.items() if m not in facts.unlisted[chamber]}
    chart = _chart(pygal.StackedBar, size)
    chart.x_labels = [_short_month(month) for month in months]
    chart.x_labels_major_every = 3
    chart.show_minor_x_labels = False
    for kind, label in (
        ("arrivee", "Arrivées"),
        ("depart", "Départs"),
        ("transfert", "Transferts"),
    ):
        chart.add(label, [known[month][kind] if month in known else None for month in months])
    top = _scale(chart, max((sum(types.values()) for types in known.values()), default=0))
    if len(known) < len(months):
        chart.add("Non connu", [None if month in known else top for month in months])
    return _svg(chart, f"months-{chamber}-{size}")


def _groups(facts: Facts, size: str) -> bytes:
    groups = facts.groups[: 12 if size == "large" else 8]
    chart = _chart(pygal.HorizontalBar, size)
    chart.legend_at_bottom_columns = 2
    chart.height = 32 * len(groups) + 70
    groups = groups[::-1]  # the first at the top
    chart.x_labels = [f"{group} ({_INITIALS[chamber]})" for chamber, group, _, _ in groups]
    chart.add("Arrivées", [arrivals for _, _, arrivals, _ in groups])
    chart.add("Départs", [departures for _, _, _, departures in groups])
    _scale(chart, max((max(one[2:]) for one in groups), default=0))
    return _svg(chart, f"groups-{size}")


_INITIALS = {
    chamber: "".join(word[0] for word in MEANINGS[chamber].upper().split()) for chamber in CHAMBERS
}


def usage(days: list[tuple[str, int]], size: str) -> bytes:
    """Requests a day of one account."""
    chart = _chart(pygal.Bar, size)
    chart.show_legend = False
    chart.x_labels = [f"{int(day[8:])}/{int(day[5:7])}" for day, _ in days]
    chart.x_labels_major_every = 5 if size == "large" else 7
    chart.show_minor_x_labels = False
    chart.add("Demandes", [number for _, number in days])
    _scale(chart, max(number for _, number in days))
    return _svg(chart, "usage")


def _scale(chart: Any, most: int) -> int:
    """Whole numbers up the side, five steps at most; the highest."""
    step = next(
        factor * 10**power
        for power in range(12)
        for factor in (1, 2, 5)
        if factor * 10**power * 5 >= most
    )
    marks = range(0, max(most, 1) + step, step)
    chart.y_labels = [{"value": mark, "label": french.number(mark)} for mark in marks]
    return marks[-1]


def _short_month(month: str) -> str:
    return f"{month[5:7]}/{month[2:4]}"


def _chart(kind: Callable[..., Any], size: str) -> Any:
    width, height = SIZES[size]
    style = Style(
        background="transparent",
        plot_background="transparent",
        foreground="#24272e",
        foreground_strong="#24272e",
        foreground_subtle="#9aa1ad",
        guide_stroke_color="#c9ced6",
        major_guide_stroke_color="#c9ced6",
        opacity="1",
        opacity_hover="1",
        transition="0s",
        colors=_COLOURS,
        font_family=_FONT,
        label_font_size=12,
        major_label_font_size=12,
        legend_font_size=13,
        no_data_font_size=16,
    )
    config = pygal.Config()
    config.css.append(f"inline:{_DARK}")
    return kind(
        config,
        js=[],
        style=style,
        width=width,
        height=height,
        legend_at_bottom=True,
        legend_at_bottom_columns=3,
        legend_box_size=12,
        show_y_guides=True,
        show_x_guides=False,
        margin=8,
        spacing=6,
        truncate_label=-1,
        include_x_axis=True,
        print_values=False,
        no_data_text="Aucun mouvement",
        formatter=lambda value: french.number(round(value or 0)),
        disable_xml_declaration=True,
        no_prefix=True,
        pretty_print=False,
    )


def _svg(chart: Any, identifier: str) -> bytes:
    text: str = chart.render(is_unicode=True)
    text = _COMMENTS.sub("", _INTERACTIVE.sub("", text))
    # pygal's identifiers are random; the same numbers must give the same bytes.
    text = re.sub(r"chart-[0-9a-f-]{36}", html.escape(identifier), text)
    return text.encode()
