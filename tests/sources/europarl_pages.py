"""Invented pages and lists of members of the European Parliament, in every form they have had."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

from parlement_lists.sources.originals import MemberRecord, StaffRow

GENERATIONS = "ABCD"
HEADINGS = (
    "Accredited assistants",
    "Accredited assistants (grouping)",
    "Local assistants",
    "Local assistants (grouping)",
    "Paying agents",
    "Service providers",
)


def staff(name: str, heading: str = HEADINGS[0], member: str = "1001", group: str = "") -> StaffRow:
    """A row of `Given FAMILY`, of the member whose name `member_name` tells."""
    given, _, family = name.rpartition(" ")
    return StaffRow(member, f"Élu{member}", "Anne", group, "", family.upper(), given, heading)


def member(number: int, group: str = "EPP") -> MemberRecord:
    return MemberRecord(str(number), f"Élu{number}", "Anne", group=group)


def member_name(id: str) -> str:
    return f"Anne ÉLU{id}"


def blocks_of(rows: Sequence[StaffRow]) -> dict[str, list[str]]:
    """The names below each heading; a row with several headings stands below each of them."""
    blocks: dict[str, list[str]] = {}
    for row in rows:
        for heading in row.fonction.split(", "):
            blocks.setdefault(heading, []).append(f"{row.collab_prenom} {row.collab_nom}".strip())
    return blocks


def make(id: str, member_name: str, rows: Sequence[StaffRow], generation: str = "C") -> bytes:
    """A page as the site would show these rows; without any, the list is empty (A has then none)."""
    blocks = blocks_of(rows)
    body = _old(blocks) if generation == "A" else _newer(blocks, generation)
    title = "es_title-h1" if generation == "D" else "erpl_title-h1"
    name = html.escape(member_name)
    address = f"/meps/en/{id}/NAME/assistants"
    return f"""<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en" lang="en">
<head>
    <meta http-equiv="Content-Type" content="text/html; charset=UTF-8" />
    <title>Assistants | {name} | MEPs | European Parliament</title>
    <link rel="canonical" href="https://www.europarl.europa.eu{address}" />
    <script>var shown = "<div>not on the page</div>";</script>
</head>
<body>
<ul><li><a href="/meps/fr/{id}/NAME/assistants"><span class="ep_name">français</span></a></ul>
<h1 class="{title}">Assistants <span class="sr-only">{name}</span></h1>
<!-- START CARD ASSISTANTS -->
{body}
<!-- END CARD -->
<p class="mb-2">Contact<br>Plenary &amp; committees</p>
<a href="{address}#detailedcardmep"><span class="t-x">Assistants</span></a>
</body>
</html>
""".encode()


def _old(blocks: Mapping[str, Sequence[str]]) -> str:
    return "\n".join(
        f"""<div class="ep_gridrow erpl-meps-asst-group-list">
    <h3 class="ep-a_heading erpl-meps-asst-type-title"><div class="ep_title">
        <span class="ep_name">{html.escape(heading)}</span><span class="ep_icon">&nbsp;</span>
    </div></h3>
    <article><ul>{_old_items(names)}</ul></article>
</div>"""
        for heading, names in blocks.items()
    )


def _old_items(names: Sequence[str]) -> str:
    return "".join(
        f"""
        <li><div class="ep-p_text ep-layout_accredited_assistants erpl-meps-asst">
            <span class="ep_name">

                {html.escape(name)}

            </span><span class="ep_icon">&nbsp;</span>
        </div></li>"""
        for name in names
    )


def _newer(blocks: Mapping[str, Sequence[str]], generation: str) -> str:
    title = "es_title-h4" if generation == "D" else "erpl_title-h4"
    # To 2022 the span was never closed; from 2023 on a drawing stands in it.
    end = "" if generation == "B" else "</span>"
    drawing = (
        '<svg aria-hidden="true" class="es_icon"><use xlink:href="#es_icon-user"></use></svg>'
        if generation in "CD"
        else ""
    )
    listed = "\n".join(
        f"""    <!-- start type of assistants -->
    <div class="erpl_type-assistants mt-2">
        <h4 class="{title}">{html.escape(heading)}</h4>
        <div class="separator mt-1 mb-1"></div>
{_newer_items(names, drawing, end)}
    </div>
    <!-- end type of assistants -->"""
        for heading, names in blocks.items()
    )
    return f'<div class="erpl_type-assistants-list">\n{listed}\n</div>'


def _newer_items(names: Sequence[str], drawing: str, end: str) -> str:
    return "\n".join(
        f"""        <div>
            <div class="erpl_type-assistants-item">
                <i class="erpl_assistant-icon accredited_assistants"></i>
                <span class="erpl_assistant"> {drawing}

                    {html.escape(name)}

                {end}
            </div>
        </div>"""
        for name in names
    )


def api_answer(members: Sequence[MemberRecord], country: str = "FR") -> bytes:
    """What the Open Data API answers of these members."""
    records = [
        {
            "id": f"person/{one.id}",
            "type": "Person",
            "identifier": one.id,
            "label": f"{one.given} {one.family.upper()}",
            "familyName": one.family,
            "givenName": one.given,
            "sortLabel": one.family.upper(),
            "api:country-of-representation": country,
            "api:political-group": one.group,
        }
        for one in members
    ]
    return json.dumps({"data": records, "@context": []}).encode()


def full_list(members: Sequence[MemberRecord], country: str = "France") -> bytes:
    """The full list in XML; `group` stands as the full name."""
    meps = "".join(
        f"<mep><fullName>{escape(one.given)} {escape(one.family.upper())}</fullName>"
        f"<country>{country}</country><politicalGroup>{escape(one.group)}</politicalGroup>"
        f"<id>{one.id}</id><nationalPoliticalGroup>-</nationalPoliticalGroup></mep>"
        for one in members
    )
    head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
    return f"{head}<meps>{meps}</meps>".encode()
