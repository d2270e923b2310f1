"""The figures of years and terms that can be set beside others: of all chambers, of one with its groups, as CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from datasette.utils.asgi import Request, Response
from markupsafe import Markup

from parlement_lists.movement import CHAMBERS

from ...dataset.stays.rotation import JOINED_DAYS, MEN, SEXES, SHORT_DAYS, WOMEN, Rotation
from ...dataset.stays.years_and_terms import TERM, YEAR, ChamberRotation, RotationFigures
from ...dataset.turnover import FEWEST
from ..charts import drawing
from ..counts.facts import Facts, Part
from ..frame.site import Site
from ..words import french
from . import office_table

CSV_HEADER = (
    *("chambre", "genre", "periode", "du", "au", "groupe", "sexe", "personnes", "effectif_moyen"),
    *("arrivees", "departs", "taux", "taux_par_an", "duree_mediane_jours", "duree_arrivees"),
    *("parties", "part", "sans_liste", "non_calculable"),
)
_BOUNDS = {"joined": JOINED_DAYS, "short": SHORT_DAYS, "fewest": FEWEST}
_Values = Sequence[tuple[str, float | None]]


class RotationRow(NamedTuple):
    """A row of a table: a period, a sex or a group of one, with its figures if they are given."""

    label: Markup
    figures: RotationFigures
    rotation: Rotation | None
    women: float | None = None
    code: str = ""

    @property
    def why(self) -> str:
        """Why there are no figures."""
        gap = self.figures.period.counted.gap
        if gap:
            return french.gap(gap)
        short = self.figures.period.short
        return "moins d’un an de listes" if short else f"moins de {FEWEST} personnes"

    @property
    def median_days(self) -> float | None:
        """How long half of those who arrived stayed at most, None where that is not known."""
        return self.rotation.lasting.days if self.rotation and self.rotation.lasting else None

    @property
    def median_months(self) -> int | None:
        """The same in the whole months that tables tell."""
        days = self.median_days
        until = self.figures.period.counted.until
        return None if days is None else french.whole_months(days, until)

    @property
    def unlisted(self) -> int:
        """The days of the period that are of holes."""
        return sum(hole.days - 1 for hole in self.figures.period.counted.holes)


class RotationChart(NamedTuple):
    """A chart with its title and what its numbers are."""

    title: str
    told: str
    drawn: Markup


async def index(site: Site, request: Request) -> Response:
    """Every chamber's years and terms."""
    facts = await site.facts(Part.ROTATION)

    async def context() -> dict[str, Any]:
        tables = [(c, _rows(c, facts.rotation[c])) for c in CHAMBERS if c in facts.rotation]
        return {"tables": tables, "coverage": facts.coverage, **_BOUNDS}

    return await site.cached(request, ("rotation", facts.build), "rotation", context, indexed=True)


async def chamber(site: Site, request: Request) -> Response:
    """One chamber: charts, and the groups of the year or term asked for, else of the latest that has figures."""
    facts = await site.facts(Part.ROTATION)
    name = request.url_vars["chamber"]
    found = facts.rotation.get(name)
    given = [one for one in found.figures if one.whole] if found else []
    asked = {one.period.name: one for one in given}.get(request.args.get("periode") or "")
    shown = asked or (given[-1] if given else None)

    async def context() -> dict[str, Any]:
        charts = list(_charts(name, found)) if found else []
        return {
            "chamber": name,
            "known": facts.coverage[name],
            "rows": _rows(name, found) if found else [],
            "charts": charts,
            "months": found.months if found else [],
            "svg": drawing.defs(name),
            "legend": drawing.legend("columns", name, [chart.drawn for chart in charts]),
            "choices": [(one.period.name, label(name, one)) for one in given],
            "shown": shown,
            "shown_label": label(name, shown) if shown else "",
            "parts": list(_parts(shown)) if shown else [],
            "groups_unknown": office_table.GROUPS_UNKNOWN,
            "canonical_query": {"periode": asked.period.name if asked else ""},
            **_BOUNDS,
        }

    key = ("rotation", facts.build, name, asked.period.name if asked else "")
    return await site.cached(request, key, "rotation_of_chamber", context, indexed=True)


def label(chamber: str, figures: RotationFigures) -> Markup:
    """What a year or a term is called; at the Sénat every third year half of the seats are renewed."""
    kind, name = figures.period.kind, figures.period.name
    if kind == YEAR:
        return Markup(name)
    since, _, until = name.partition("-")
    span = f"de {since} à {until}" if until else f"depuis {since}"
    return Markup(f"Sénat {span}" if chamber == "senat" else f"Législature {span}")


def _rows(chamber: str, found: ChamberRotation) -> list[RotationRow]:
    """The terms, then the years, the latest of each first."""
    ordered = sorted(found.figures, key=lambda one: (one.period.kind == TERM, one.period.name))
    return [
        RotationRow(label(chamber, one), one, one.whole, one.women()) for one in reversed(ordered)
    ]


def _parts(shown: RotationFigures) -> Iterator[RotationRow]:
    """All, women, men, then the groups that have figures."""
    for name, sex in (("Ensemble", ""), ("Femmes", WOMEN), ("Hommes", MEN)):
        if rotation := shown.rotations.get(("", sex)):
            women = None if sex else shown.women()
            yield RotationRow(Markup(name), shown, rotation, women)
    for code in shown.groups:
        rotation = shown.rotations.get((code, ""))
        yield RotationRow(Markup(), shown, rotation, shown.women(code), code)


def _charts(chamber: str, found: ChamberRotation) -> Iterator[RotationChart]:
    """The rate and the length of stays by year, or by term where no year has figures; then the months."""
    kind = YEAR if any(one.whole for one in found.figures if one.period.kind == YEAR) else TERM
    periods = [row for row in reversed(_rows(chamber, found)) if row.figures.period.kind == kind]
    names = [row.figures.period.name.replace("-", "–") for row in periods]
    rates = [100 * row.rotation.by_year if row.rotation else None for row in periods]
    by = "par an" if kind == YEAR else "par an, entre deux renouvellements"
    yield _chart(
        "Taux standard de rotation", by, list(zip(names, rates, strict=True)), _percent, chamber
    )
    lasting = list(zip(names, (row.median_months for row in periods), strict=True))
    told = "médiane, en mois, selon la date d’arrivée (aucune si plus de la moitié sont encore là)"
    yield _chart("Durée des collaborations", told, lasting, french.number, chamber)
    months = [(one.month, one.stays.get("")) for one in found.months]
    told = "collaborations par mois, en moyenne"
    yield _chart("Effectif", told, months, french.number, chamber)
    women = [(one.month, _women(one.stays)) for one in found.months]
    yield _chart("Part des femmes", "par mois", women, _percent, chamber, 100)


def _chart(
    title: str,
    told: str,
    values: _Values,
    write: Callable[[float], str],
    chamber: str,
    top: int = 0,
) -> RotationChart:
    known = [(name, value) for name, value in values if value is not None]
    if not known:
        return RotationChart(title, french.typography(f"{told} : pas de chiffre"), Markup())
    name, latest = known[-1]
    day = french.month(name) if len(name) == 7 else name
    said = f"{told} : {write(round(latest))} pour {day}"
    top = top or drawing.round_top(max(int(value) + 1 for _, value in known))
    shown = french.typography(f"{title}, {said}. Les mêmes nombres sont dans un tableau.")
    return RotationChart(
        title, french.typography(said), drawing.columns(values, top, write, chamber, shown)
    )


def _percent(value: float) -> str:
    return french.share(value / 100)


def _women(stays: dict[str, float]) -> float | None:
    women, men = (stays.get(sex, 0) for sex in SEXES)
    return 100 * women / (women + men) if min(women, men) >= FEWEST else None


def csv_rows(facts: Facts, chamber: str) -> Iterator[list[str]]:
    """Every figure of a chamber, a row each, under CSV_HEADER; then the headcounts of months."""
    found = facts.rotation.get(chamber)
    for one in found.figures if found else ():
        kind, name, counted, _ = one.period
        head = [chamber, kind, name, counted.since, counted.until]
        holes = office_table.spans(counted.holes)
        if not one.whole:
            row = RotationRow(Markup(), one, None)
            yield [*head, *[""] * (len(CSV_HEADER) - len(head) - 1), row.why]
        for (group, sex), rotation in sorted(one.rotations.items()):
            yield [*head, group, sex, *_cells(rotation), holes, ""]
    for month in found.months if found else ():
        since, until = facts.coverage[chamber].covered_days(month.month)
        head = [chamber, "mois", month.month, since, until, ""]
        why = french.why_unknown(month.month, month.gap) if month.gap else ""
        empty = [""] * (len(CSV_HEADER) - 10)
        for sex, mean in month.stays.items() if not month.gap else [("", None)]:
            yield [*head, sex, "", "" if mean is None else f"{mean:.2f}", *empty, why]


def _cells(one: Rotation) -> Iterator[str]:
    days, arrivals = one.lasting or (None, "")
    yield from (str(one.people), f"{one.headcount:.2f}", str(one.arrivals), str(one.departures))
    yield from (f"{one.rate:.4f}", f"{one.by_year:.4f}")
    yield from ("" if days is None else str(days), str(arrivals), str(one.left))
    yield f"{one.left / one.people:.4f}"
