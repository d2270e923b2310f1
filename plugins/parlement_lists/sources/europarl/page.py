"""One page of the European Parliament: a member's staff, under the headings of the page.

The parser is selectolax (Lexbor) rather than lxml: it ends what a page leaves open where the HTML
standard, and so a browser, ends it, and drops nothing that is nested deeply, as libxml2 does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...bounds import PAGE_BYTES, PAGE_OPEN, PAGE_TAGS
from ...csv_rows import one_line
from ...movement import shown
from ...tracking.reading.names import is_forbidden, is_no_name
from ..originals import Original

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_FORMATTING = re.compile(
    r"<(/?)(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?![\w-])", re.IGNORECASE
)
_MEMBER = re.compile(r"/meps/[a-z]{2}/([0-9]{1,9})/")
# A tag in which another tag begins, or an end tag without a name.
_BROKEN_TAG = re.compile(r"<[^<>]*<|</(?![a-z][a-z0-9]*\s*>)", re.IGNORECASE)
# Line ends of the page's source stand between words.
_BLANKS = str.maketrans("\t\n\r", "   ")


class Block(NamedTuple):
    """A heading as it stands, and the names below it in their order."""

    heading: str
    names: Sequence[str]


class MemberPage(NamedTuple):
    """The content of a page: its member and the staff; no block is nobody.

    `member` and `name` are "" if the page does not say.
    """

    member: str
    name: str
    blocks: Sequence[Block]


class _Layout(NamedTuple):
    """The layout of a generation of pages: classes of elements, selectors of headings and names.

    `outer` holds all blocks, and is there without any; "" in a generation that had no such element.
    `entry` is the class of which there is one for each name, and none elsewhere.
    """

    outer: str
    block: str
    heading: str
    name: str
    entry: str


_LAYOUTS = (
    # From 2020; titles are found by their tag, because their classes were renamed in 2025.
    _Layout(
        outer="erpl_type-assistants-list",
        block="erpl_type-assistants",
        heading="h4",
        name=".erpl_assistant",
        entry="erpl_assistant",
    ),
    # To 2020; its class of names stands all over the page.
    _Layout(
        outer="",
        block="erpl-meps-asst-group-list",
        heading="h3.erpl-meps-asst-type-title .ep_name",
        name=".erpl-meps-asst .ep_name",
        entry="erpl-meps-asst",
    ),
)


def read_page(original: Original) -> MemberPage:
    """The staff on a member's page in English; raises OriginalRefused.

    A page is refused unless it is whole: its end is there, and every element of a list that its text
    holds is one that was read. What is left of a page that was cut is not the staff.
    """
    # Imported here: it is part of the extra `lists`, and the service does without it.
    from selectolax.lexbor import LexborHTMLParser

    try:
        text = _text(original.body)
        tree = LexborHTMLParser(text)
        for drawing in tree.css("svg, script, style"):
            drawing.decompose()
        root = tree.css_first("html")
        language = ((root.attributes.get("lang") if root else "") or "en").lower()
        if not language.startswith("en"):
            raise ValueError(f"its language is {shown(language)}, not English")
        # The one member whom the addresses in the page name.
        members = sorted(set(_MEMBER.findall(text)))
        if len(members) > 1:
            raise ValueError(f"names {len(members)} members: {', '.join(members[:3])}")
        # The member's name in the title, which is that of the heading above the list.
        title, top = tree.css_first("head > title"), tree.css_first("h1")
        name = [*(_line(title).split(" | ") if title else []), "", ""][1]
        if name and top and name not in _line(top):
            raise ValueError("its title names a person whom its heading does not")
        return MemberPage("".join(members), name, _blocks(text, tree))
    except ValueError as error:
        raise original.refusal(str(error)) from None


def _text(body: bytes) -> str:
    """The page's text; raises ValueError unless it is one, whole and of a size that is safe to parse."""
    if len(body) > PAGE_BYTES:
        raise ValueError(f"{len(body):,} bytes, more than {PAGE_BYTES:,}")
    if (tags := body.count(b"<")) > PAGE_TAGS:
        raise ValueError(f"{tags:,} tags, more than {PAGE_TAGS:,}")
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start:,} is not UTF-8") from error
    if "<html" not in text[:2_000].lower():
        raise ValueError("not an HTML page")
    if not text.rstrip().lower().endswith("</html>"):
        raise ValueError(f"cut off after {len(body):,} bytes: it does not end in </html>")
    open_at_once = 0
    for tag in _FORMATTING.finditer(text):
        open_at_once = max(0, open_at_once - 1) if tag[1] else open_at_once + 1
        if open_at_once > PAGE_OPEN:
            raise ValueError(f"more than {PAGE_OPEN} elements of formatting left open")
    return text


def _blocks(text: str, tree: LexborHTMLParser) -> list[Block]:
    """The blocks of the list in a page; raises ValueError where it is not one list, read whole."""
    layouts = [layout for layout in _LAYOUTS if tree.css(f".{layout.outer or layout.block}")]
    if len(layouts) != 1:
        raise ValueError(f"{len(layouts) or 'no'} list of assistants, where one is expected")
    (layout,) = layouts
    outer = tree.css(f".{layout.outer}") if layout.outer else []
    if len(outer) > 1:
        raise ValueError(f"{len(outer)} lists of assistants, where one is expected")
    blocks = []
    for number, node in enumerate((outer[0] if outer else tree).css(f".{layout.block}"), 1):
        try:
            blocks.append(_block(layout, node))
        except ValueError as error:
            raise ValueError(f"block {number} of the list: {error}") from None
    if outer and _line(outer[0]) != " ".join(" ".join((b.heading, *b.names)) for b in blocks):
        raise ValueError("text in the list of assistants that is no heading or name")
    begin = text.find(layout.outer or layout.block)
    last = max(text.rfind(mark) for mark in (layout.outer or layout.block, layout.entry))
    # The menu that follows the list names the member again.
    menu = _MEMBER.search(text, last)
    if menu is None and _MEMBER.search(text):
        raise ValueError("nothing of the page follows its list of assistants")
    # A tag that lost its end hides what follows it from every element.
    if broken := _BROKEN_TAG.search(text, begin, menu.start() if menu else len(text)):
        raise ValueError(f"a broken tag at character {broken.start():,}")
    # A comment or a script that is not closed hides what follows from any parser.
    entries = len(re.findall(rf'class="[^"<>]*(?<![\w-]){layout.entry}(?![\w-])', text))
    if entries != (names := sum(len(block.names) for block in blocks)):
        what = f"elements of class {layout.entry}, of which {names} were read"
        raise ValueError(f"{entries} {what}")
    return blocks


def _block(layout: _Layout, node: LexborNode) -> Block:
    """A block of the list; ValueError says what it is not, without a name, because a log must not hold one."""
    headings, nodes = node.css(layout.heading), node.css(layout.name)
    if len(headings) != 1:
        raise ValueError(f"{len(headings)} headings, where one is expected")
    # An element that is not closed takes in the next name, or the next block.
    if any(next(part.iter(), None) for part in (*headings, *nodes)):
        raise ValueError("a name or heading that holds other elements")
    heading, *names = map(_line, (*headings, *nodes))
    if not names:
        raise ValueError("no names below its heading")
    if is_forbidden(heading):
        raise ValueError("its heading is none")
    for place, name in enumerate(names, 1):
        if is_no_name(name):
            raise ValueError(f"name {place} of {len(names)} is no name")
    if _line(node) != " ".join((heading, *names)):
        raise ValueError("text below its heading that is no name")
    return Block(heading, names)


def _line(node: LexborNode) -> str:
    """The text of an element; raises ValueError for what no text may hold."""
    # Without a separator, the texts of two elements with no space between them would be one word.
    return one_line(node.text(separator=" ").translate(_BLANKS))
