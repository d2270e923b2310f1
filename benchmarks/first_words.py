"""How many words stand before the first fact on each kind of page: `python -m benchmarks.first_words [FILE]...`.

FILE is a page as it was saved; without any it is each page of the sample that has a place in the browser tests. The
first fact is what only data can say: the first number in a table, in figures, in what was found or in the lead; the
first lane or name that was found; that nothing is known. The words of the frame are not counted, those of forms and
of links to other periods are. A page that no data fills, as an explanation, has no first fact.
"""

from __future__ import annotations

import asyncio
import datetime
import re
import sys
import tempfile
from pathlib import Path

from datasette_mouvements.pages.counts.facts import Part
from datasette_mouvements.pages.frame.instance import site_of
from datasette_mouvements.serving.sample import SCRIPT, build_sample
from tests.browser.places import PAGES
from tests.contract import environment

NOW = datetime.datetime(2026, 11, 21, 5, tzinfo=datetime.UTC)
# A number in a cell, in the facts, lanes or coverage of a page, in what was found, or in its first sentence.
_FACT = re.compile(
    r"<td[^>]*>[^<]*(?:<[^>]*>[^<]*)??\d|<(?:dt|b)>[^<]*\d|<ul class=\"(?:lanes|found)\"|class=\"coverage\"|"
    r"<time |<p class=\"(?:empty|none)\"|<p class=\"result\"|<p class=\"lead\">(?:(?!</p>).)*?\d",
    re.S,
)
# What is folded, chosen in a list or read by nobody.
_UNREAD = re.compile(
    r"(?<=</summary>)(?:(?!<details).)*?</details>|<(script|svg|option)\b.*?</\1>"
    r"|<span class=\"unseen\">.*?</span>",
    re.S,
)


def before(html: str) -> int | None:
    """The words of a page between its heading and its first fact; None of a page without any."""
    after = html.partition("<main ")[2].partition("</h1>")[2]
    after = _UNREAD.sub(" ", after.partition("</main>")[0])
    found = _FACT.search(after)
    return (
        len(re.findall(r"\w[\w’'-]*", re.sub(r"<[^>]*>?", " ", after[: found.start()])))
        if found
        else None
    )


async def _of_sample(folder: Path) -> dict[str, str]:
    """The HTML of each place of the sample."""
    build_sample(folder / "movements.db", NOW, environment.ROOT / SCRIPT)
    datasette = environment.datasette(folder / "movements.db", folder / "internal.sqlite3")
    await datasette.invoke_startup()
    site = site_of(datasette)
    assert site is not None
    site.service.clock = lambda: NOW
    while site.latest_facts.known is None or site.latest_facts.known.counted_to is not max(Part):
        site.count()
        await asyncio.sleep(0.1)
    return {
        name: (await datasette.client.get(path, follow_redirects=True)).text
        for name, path in PAGES.items()
    }


def main(files: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        pages = {Path(name).name: Path(name).read_text("utf-8") for name in files} or asyncio.run(
            _of_sample(Path(folder))
        )
    for name, html in pages.items():
        number = before(html)
        sys.stdout.write(f"{'-' if number is None else number:>5} {name}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
