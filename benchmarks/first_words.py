"""How many words stand before the first fact on each kind of page: `python -m benchmarks.first_words FILE...`.

FILE is a page as it was saved; its kind is told by its heading. The first fact is what only data can say: the first
number in a table, in figures, in lanes, in what was found or in the lead; the words of the frame are not counted.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

# A number in a cell, in the facts, lanes or coverage of a page, in what was found, or in its first sentence.
_FACT = re.compile(
    r"<td[^>]*>[^<]*(?:<[^>]*>[^<]*)??\d|<(?:dt|b)>[^<]*\d|<ul class=\"lanes\"|class=\"coverage\"|"
    r"<time |<p class=\"result\"[^>]*>[^<]*\d|<p class=\"lead\">(?:(?!</p>).)*?\d",
    re.S,
)
# What is folded, chosen in a list or read by nobody.
_UNREAD = re.compile(
    r"(?<=</summary>)(?:(?!<details).)*?</details>|<(script|svg|option)\b.*?</\1>"
    r"|<span class=\"unseen\">.*?</span>",
    re.S,
)


def before(html: str) -> int:
    """The words of a page between its heading and its first fact."""
    after = html.partition('<main id="contenu"')[2].partition("</h1>")[2]
    after = _UNREAD.sub(" ", after.partition("</main>")[0])
    found = _FACT.search(after)
    text = after[: found.start()] if found else after
    return len(re.findall(r"\w[\w’'-]*", re.sub(r"<[^>]*>?", " ", text)))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name)
        sys.stdout.write(f"{before(path.read_text('utf-8')):5} {path.name}\n")
