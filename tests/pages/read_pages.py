"""The names, counts, durations and percentages that the page of a member or of a name shows."""

from __future__ import annotations

import html
import re
from typing import NamedTuple

from .from_lists import Words, words

Row = tuple[Words, str, str, str]  # who, begin, end, how long


class MemberPage(NamedTuple):
    """What is read of a member's page, with plain spaces."""

    name: str
    facts: dict[str, str]  # what is said -> the figure
    titles: list[str]
    dates: list[Row]
    lanes: list[tuple[Words, str]]
    left: list[tuple[Words, str]]
    figures: dict[str, tuple[str, ...]]  # where -> departures, people, share
    offices: list[str]
    total: str
    years: dict[str, str]
    text: str


class NamePage(NamedTuple):
    """What is read of the page of a name."""

    name: str
    title: str
    lead: str
    lanes: list[tuple[str, str]]
    periods: list[tuple[str, str, str, str, str]]  # member's address, chamber, begin, end, how long
    total: str
    text: str


def plain(markup: str) -> str:
    """Text of markup, with plain spaces."""
    bare = html.unescape(re.sub(r"<[^>]*>", "", markup))
    return re.sub(r"[\s\u00a0\u202f]+", " ", bare).strip()


def found(pattern: str, text: str) -> list[str]:
    return re.findall(pattern, text, re.DOTALL)


def cells(row: str) -> list[str]:
    return found(r"<t[hd][^>]*>(.*?)</t[hd]>", row)


def member(page: str) -> MemberPage:
    page = re.sub(r"<svg.*?</svg>", "", page, flags=re.DOTALL)
    table = "".join(found(r"<caption>Présences dans.*?</table>", page))
    dates = [[plain(cell) for cell in cells(row)] for row in found(r"<tr role.*?</tr>", table)]
    departures = "".join(found(r'<h2 id="departs">.*?</section>', page))
    share = "".join(found(r"<caption>Départs en douze mois.*?</table>", departures))
    rates = [[plain(cell) for cell in cells(row)] for row in found(r"<tr>.*?</tr>", share)]
    return MemberPage(
        plain(found(r"<h1>(.*?)</h1>", page)[0]),
        {plain(dd): plain(dt) for dt, dd in found_pairs(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page)},
        [plain(one) for one in found(r'<h3 class="lanes-title">(.*?)</h3>', page)],
        [(words(who), begin, end, long) for who, begin, end, long in dates if begin != "Arrivée"],
        [
            (words(plain(who)), plain(long))
            for who, long in found_pairs(
                r'<p class="who">(?:<a[^>]*>|<span[^>]*>)(.*?)</.*?<p class="when">(.*?)</p>', page
            )
        ],
        [
            (words(plain(who)), plain(rest))
            for who, rest in found_pairs(r"<li><b>(.*?)</b>, (.*?)\.</li>", departures)
        ],
        {where: tuple(of) for where, *of in rates if where != "Où"},
        [plain(one) for one in found(r'<p class="strip-label">.*?class="hint">(.*?)</span>', page)],
        plain(found(r'<h2 id="mouvements">.*?<p class="hint">(.*?)</p>', page)[0])
        .split(",")[0]
        .strip("."),
        dict(
            plain(one).split(" ", 1)
            for one in found(r'<details class="year"[^>]*><summary>(.*?)</summary>', page)
        ),
        plain(page),
    )


def found_pairs(pattern: str, text: str) -> list[tuple[str, str]]:
    return re.findall(pattern, text, re.DOTALL)


def name(page: str) -> NamePage:
    page = re.sub(r"<svg.*?</svg>", "", page, flags=re.DOTALL)
    table = "".join(found(r"<caption>Périodes de travail.*?</table>", page))
    periods = []
    for row in found(r"<tr role.*?</tr>", table):
        who, *rest = cells(row)
        address = found(r'href="([^"]*)"', who)
        if address:
            periods.append((address[0], *map(plain, rest)))
    return NamePage(
        plain(found(r"<h1>(.*?)</h1>", page)[0]),
        plain(found(r'<h2 id="parcours">(.*?)</h2>', page)[0]),
        plain("".join(found(r'<p class="lead">(.*?)</p>', page))),
        [
            (address, plain(long))
            for address, long in found_pairs(
                r'<li class="lane">.*?href="([^"]*)".*?<p class="when">(.*?)</p>', page
            )
        ],
        periods,  # type: ignore[arg-type]
        plain(found(r'<h2 id="mouvements">(.*?)</h2>', page)[0]),
        plain(page),
    )
