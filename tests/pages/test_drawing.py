"""Charts, by examples whose places were worked out by hand."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from datasette_mouvements.dataset.coverage import Coverage, Gap
from datasette_mouvements.pages.charts import drawing
from datasette_mouvements.pages.charts.drawing import Mark, Scale
from parlement_lists.tenure import Tenure

# 990 days of 1000, so that a day is a tenth of a per cent: the rest is the margin.
SINCE, UNTIL = "2024-01-01", "2026-09-17"
SCALE = Scale(SINCE, UNTIL)
FIRST, LAST = "2024-01-11", UNTIL


def marks(svg, kind):
    """What is drawn of one class, in order: its attributes."""
    root = ElementTree.fromstring(svg)
    return [one.attrib for one in root.iter() if kind in one.get("class", "").split()]


def placed(svg, kind):
    """Where the rectangles of one class begin and how wide they are."""
    return [(one.get("x", "0%"), one["width"]) for one in marks(svg, kind)]


def stay(after, begin, last_seen, end=""):
    return Tenure(
        "col_1", "assemblee", "1", debut_apres=after, debut=begin, fin_apres=last_seen, fin=end
    )


def lane(*stays):
    return drawing.lane(stays, SCALE, "fond-an", LAST, FIRST)


def test_a_scale_puts_days_along_the_width():
    assert SCALE.at(SINCE) == 0
    assert SCALE.at("2024-04-10") == 10  # a hundred days on
    assert SCALE.at(UNTIL) == 99
    assert SCALE.at("2020-01-01") == 0
    assert SCALE.at("2030-01-01") == 100
    assert SCALE.years == [(2024, 0), (2025, 36.6), (2026, 73.1)]


def test_a_bar_is_full_on_the_lists_and_fades_where_the_day_is_not_known():
    drawn = lane(stay("2024-04-10", "2024-04-30", "2025-01-05", "2025-02-04"))
    assert placed(drawn, "plein") == [("12%", "25%")]  # 250 days
    assert placed(drawn, "flou") == [("10%", "2%"), ("37%", "3%")]
    assert [one["fill"] for one in marks(drawn, "flou")] == ["url(#an-d)", "url(#an-f)"]
    assert not marks(drawn, "encore")
    assert not marks(drawn, "avant")


def test_ends_known_to_the_day_do_not_fade():
    drawn = lane(stay("2024-04-09", "2024-04-10", "2024-07-18", "2024-07-19"))
    assert placed(drawn, "plein") == [("10%", "10%")]
    assert not marks(drawn, "flou")


def test_who_is_on_the_last_list_ends_upright():
    drawn = lane(stay("2024-04-09", "2024-04-10", LAST))
    assert placed(drawn, "plein") == [("10%", "89%")]
    assert [one["x1"] for one in marks(drawn, "encore")] == ["99%"]


def test_who_was_there_before_the_first_list_has_an_open_arrow():
    drawn = lane(stay("", FIRST, LAST))
    assert len(marks(drawn, "avant")) == 1
    assert not marks(drawn, "flou")


def test_who_is_missing_from_the_last_list_only_fades_towards_it():
    drawn = lane(stay("2024-04-09", "2024-04-10", "2026-09-12"))
    assert placed(drawn, "plein") == [("10%", "88.5%")]
    assert placed(drawn, "flou") == [("98.5%", "0.5%")]
    assert not marks(drawn, "encore")


def test_a_day_alone_is_still_seen():
    drawn = lane(stay("2024-04-09", "2024-04-10", "2024-04-10", "2024-04-11"))
    assert placed(drawn, "plein") == [("10%", "0.5%")]


def test_several_stays_are_bars_of_one_lane():
    drawn = lane(
        stay("", FIRST, "2024-04-09", "2024-04-10"), stay("2024-07-18", "2024-07-19", LAST)
    )
    assert placed(drawn, "plein") == [("1%", "9%"), ("20%", "79%")]


def test_behind_lanes_holes_are_hatched_and_mandates_dashed():
    gaps = (Gap("", FIRST), Gap("2024-04-10", "2024-04-30"), Gap(UNTIL, ""))
    drawn = drawing.background("fond-an", SCALE, gaps, [Mark("2024-07-19", 1)])
    assert placed(drawn, "trou") == [("0%", "1%"), ("10%", "2%")]
    assert [one["x1"] for one in marks(drawn, "mandat")] == ["20%"]
    assert [one["x1"] for one in marks(drawn, "grid")] == ["36.6%", "73.1%"]
    assert all(one["height"] == "100%" for one in marks(drawn, "trou"))


def test_an_axis_has_years_and_the_numbers_of_marks():
    drawn = drawing.axis(SCALE, [Mark("2024-07-19", 1), Mark("2025-01-01")])
    texts = [one.text for one in ElementTree.fromstring(drawn).iter("text")]
    assert texts == ["2024", "2025", "2026", "1"]
    assert [one["cx"] for one in marks(drawn, "mark")] == ["20%"]
    assert "tall" not in drawing.axis(SCALE)
    # The name of a year that ends at once would stand in the next one's.
    late = drawing.axis(Scale("2023-12-20", "2026-09-17"))
    assert [one.text for one in ElementTree.fromstring(late).iter("text")] == [
        "2024",
        "2025",
        "2026",
    ]


def test_a_band_is_full_where_there_are_lists_and_hatched_elsewhere():
    known = Coverage(FIRST, "2026-08-28", holes=(Gap("2024-04-10", "2024-07-19"),))
    drawn = drawing.band("senat", SCALE, known, "Sénat & liste", late=True)
    assert placed(drawn, "trou") == [("0%", "99%")]
    assert placed(drawn, "plein") == [("1%", "9%"), ("20%", "77%")]
    assert [one["x1"] for one in marks(drawn, "retard")] == ["97%"]
    assert ElementTree.fromstring(drawn).get("aria-label") == "Sénat & liste"
    empty = drawing.band("senat", SCALE, Coverage(), "Sénat")
    assert not marks(empty, "plein")


MONTHS = [
    ("2026-01", 20, 10, 5),
    ("2026-02", 99, 99, 99),
    ("2026-03", 0, 3, 0),
    ("2026-04", 0, 0, 0),
]


def test_months_go_up_and_down_from_one_line():
    drawn = drawing.months(MONTHS, {"2026-02"}, [Mark("2026-03-01", 1)], 67, "Sénat")
    # One movement is a pixel: transfers from 74 to 84, arrivals above, departures below.
    assert [(one["y"], one["height"]) for one in marks(drawn, "tra")] == [("74", "10")]
    assert [(one["y"], one["height"]) for one in marks(drawn, "arr")] == [("54", "20")]
    assert [(one["y"], one["height"]) for one in marks(drawn, "dep")] == [("84", "10"), ("79", "3")]
    assert placed(drawn, "arr") == [("3%", "19%")]
    assert placed(drawn, "trou") == [("25%", "25%")]
    assert [one["x1"] for one in marks(drawn, "mandat")] == ["50%"]


@pytest.mark.parametrize(("most", "top"), [(0, 1), (2, 2), (3, 4), (9, 10), (21, 40), (81, 100)])
def test_a_scale_of_months_ends_with_a_round_number(most, top):
    assert drawing.round_top(most) == top


def test_a_share_fills_its_part_of_the_rail():
    assert [one["width"] for one in marks(drawing.share(1 / 3), "fill")] == ["33%"]
    assert not marks(drawing.share(0), "fill")


@pytest.mark.parametrize("kind", ["lanes", "band", "months"])
def test_a_legend_takes_the_chamber_s_class(kind):
    drawn = drawing.legend(kind, "europarl")
    assert "CHAMBER" not in drawn
    ElementTree.fromstring(drawn)


def test_a_legend_of_charts_has_the_marks_that_they_have_and_no_others():
    left = lane(stay("2024-02-01", "2024-02-02", "2024-06-01", "2024-06-02"))
    words = drawing.legend("lanes", charts=[left])
    assert "présence constatée" in words
    for absent in ("toujours", "déjà là", "pas de liste", "mandat"):
        assert absent not in words
    whole = drawing.months(MONTHS, set(), (), 67, "")
    assert "transferts" in drawing.legend("months", charts=[whole])
    assert "pas de liste" not in drawing.legend("months", charts=[whole])
    assert "pas de liste" in drawing.legend(
        "months", charts=[whole, drawing.months(MONTHS, {"2026-02"}, (), 67, "")]
    )


def test_nothing_drawn_is_refused_by_the_policy():
    """No style and no script, and what others refer to has one name a page."""
    drawn = "".join(
        [
            drawing.defs("assemblee", "senat", backgrounds=[drawing.background("f", SCALE, ())]),
            lane(stay("", FIRST, LAST)),
            drawing.band_years(SCALE),
        ]
    )
    root = ElementTree.fromstring(f"<div>{drawn}</div>")
    assert not {"style", "script"} & {one.tag for one in root.iter()}
    assert not any("style" in one.attrib for one in root.iter())
    names = [one.attrib["id"] for one in root.iter() if "id" in one.attrib]
    assert names == ["trou", "an-d", "an-f", "se-d", "se-f", "f"]
