"""The tables of the documentation say what the definitions say, and docstrings cite headings that exist."""

from __future__ import annotations

import re

from datasette_mouvements.api.envelope import ENVELOPE
from datasette_mouvements.api.parameters.search_parameters import PARAMETERS
from datasette_mouvements.cli import mouvements
from datasette_mouvements.config import Config, settings
from datasette_mouvements.dataset.coverage import HOLE_DAYS
from datasette_mouvements.dataset.turnover import FEWEST
from datasette_mouvements.refusal import KINDS
from parlement_lists import tenure
from parlement_lists.movement import FIELDS
from parlement_lists.tracking.other_source import LIMITS
from parlement_lists.tracking.report import REASONS
from tests.contract.environment import LISTS, PACKAGE, PLUGINS

from .tables import headings, names, rows, section, text

PAGE = "specification.md"
MODULES = sorted(path for name in (LISTS, PACKAGE) for path in (PLUGINS / name).rglob("*.py"))


def cited(source: str) -> list[str]:
    """The headings that a module's comments and docstrings cite, a line break or not in between."""
    return re.findall(r'specification, "([^"]+)"', re.sub(r"\n\s*(# )?", " ", source))


def test_docstrings_cite_headings_that_exist_and_no_other_document():
    found = {(path.stem, heading) for path in MODULES for heading in cited(path.read_text("utf-8"))}
    assert len(found) >= 6
    assert {heading for _, heading in found} <= set(headings(PAGE))
    elsewhere = re.compile(r"specification, section|\(decisions:")
    assert [path.name for path in MODULES if elsewhere.search(path.read_text("utf-8"))] == []


def test_a_citation_is_found_across_a_line_break():
    assert cited('(specification,\n    # "Dates")') == cited('specification, "Dates"') == ["Dates"]


def test_every_field_stands_in_the_table_in_order_with_its_values():
    tabled = rows(section(PAGE, "Movements"), "field")
    assert [name for row in tabled for name in names(row[0])] == [field.name for field in FIELDS]
    values = {name: names(row[1]) for row in tabled for name in names(row[0])}
    for field in FIELDS:
        if field.values:
            assert values[field.name] == [value for value in field.values if value]


def test_every_column_of_stays_stands_in_the_table_in_order():
    tabled = rows(section(PAGE, "Stays"), "column")
    assert tuple(name for row in tabled for name in names(row[0])) == tenure.FIELD_NAMES


def test_every_parameter_stands_in_the_table_with_its_bounds_and_default():
    tabled = {names(row[0])[0]: row[1:] for row in rows(section(PAGE, "Parameters"), "parameter")}
    assert list(tabled) == [parameter.name for parameter in PARAMETERS]
    for parameter in PARAMETERS:
        accepted, default = tabled[parameter.name]
        if parameter.values:
            assert names(accepted) == list(parameter.values)
        if parameter.longest:
            assert accepted.endswith(f"1 to {parameter.longest} characters")
        if parameter.least is not None:
            low, high = accepted.replace("2^63-1", str(2**63 - 1)).split(" to ")
            assert (int(low), int(high)) == (parameter.least, parameter.most)
            assert names(default) == [str(parameter.default)]


def test_every_kind_of_error_stands_in_the_table():
    tabled = [(int(row[0]), *names(row[1])) for row in rows(section(PAGE, "Errors"), "status")]
    assert sorted(tabled) == sorted((kind.status, kind.anchor) for kind in KINDS.values())


def test_the_envelope_and_the_quota_are_those_of_the_code():
    written = " ".join(text(PAGE).split())
    assert f"JSON object: {', '.join(f'`{name}`' for name in ENVELOPE)}." in written
    assert f"It is {Config().quota} requests a day (setting `quota`" in written


def test_a_hole_is_as_long_as_in_the_code():
    known = section(PAGE, "What can be known")
    assert f"A **hole** is more than {HOLE_DAYS} days from one accepted list to the next" in known


def test_turnover_is_given_of_as_many_people_as_in_the_code():
    assert f"Of fewer than {FEWEST} people nothing is given" in section(PAGE, "Turnover")


def test_every_reason_to_refuse_a_list_stands_in_the_table():
    tabled = rows(text("tracking.md"), "reason")
    # A list is `truncated` in two ways.
    assert {name for row in tabled for name in row[0].split(", ")} == set(REASONS)


def test_the_limits_at_a_change_of_source_are_those_of_the_code():
    written = rows(text("tracking.md"), "days")
    assert [(d.removeprefix("up to "), *shares) for d, *shares in written] == [
        (str(days), *(f"{share:.1%}".replace(".0%", "%").replace("%", " %") for share in shares))
        for days, shares in LIMITS
    ]


def test_every_setting_stands_in_the_table_with_its_default_and_no_other():
    def shown(kind: type, default: object) -> str:
        said = str(default).lower() if kind is bool else str(default)
        return f"`{said}`" if said else "none"

    assert rows(text("settings.md"), "setting") == [
        [f"`{name}`", shown(kind, default), meaning] for name, kind, default, meaning in settings()
    ]


def test_every_variable_of_a_command_stands_in_the_table_with_its_options():
    found: dict[str, tuple[set[str], set[str]]] = {}
    for name, command in mouvements.commands.items():
        for one in (command, *getattr(command, "commands", {}).values()):
            for option in one.params:
                if option.envvar:
                    options, commands = found.setdefault(option.envvar, (set(), set()))
                    options |= set(option.opts)
                    commands.add(name)
    tabled = rows(section("settings.md", "The environment of the commands"), "variable")
    assert {
        names(variable)[0]: (set(names(options)), set(names(commands)))
        for variable, options, commands, _ in tabled
    } == found
