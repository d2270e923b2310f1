"""What a page says, sentence by sentence, to whoever sees or hears it."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import NamedTuple

# What is one sentence, whatever stands in it, and what a bar separates within one.
_WHOLE = {"title", "h1", "h2", "h3", "p", "li", "tr", "dl/div", "caption", "summary", "figcaption"}
_PARTS = {"p", "td", "th", "dd", "dt", "h3", "li"}
_UNSEEN = {"svg", "script", "pre"}
_VOID = {"input", "img", "meta", "link", "source", "br"}
_LISTS = ("lanes", "moves")  # their lines are told apart by the title above


class Sentence(NamedTuple):
    """The section that a sentence stands in, and its words; a line of people begins with its title."""

    section: str
    text: str


class PageText(HTMLParser):
    """The sentences of a page, in order, with plain spaces."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.sentences: list[Sentence] = []
        self._section, self._title, self._list = "head", "", ""
        self._open: list[str] = []
        self._begun = 0  # how deep the element of the sentence stands, 0 outside of one
        self._words: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if given.get("name") == "description":
            self.sentences.append(Sentence("head", plain(given["content"])))
        if given.get("role") == "img":
            self.sentences.append(Sentence(self._section, plain(given["aria-label"])))
        if tag in _VOID:
            return
        self._open.append(tag)
        if tag in ("header", "main", "footer") or (tag == "h2" and self._section != "footer"):
            self._section, self._title = given.get("id") or tag, ""
        if tag in ("ul", "ol"):
            self._list = given.get("class", "")
        if not self._begun:
            self._end_sentence()
            if tag in _WHOLE or "/".join(self._open[-2:]) in _WHOLE:
                self._begun = len(self._open)
        elif given.get("class") == "hint":
            self._words.append(" ")
        elif tag in _PARTS:
            self._words.append(" | ")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VOID:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        while tag in self._open:
            if len(self._open) == self._begun:
                self._end_sentence()
            closed = self._open.pop()
            if closed in ("span", "h3", "h4"):
                self._words.append(" ")
            if closed == tag:
                break

    def handle_data(self, data: str) -> None:
        if not _UNSEEN & set(self._open):
            self._words.append(data)

    def _end_sentence(self) -> None:
        text, tag = plain("".join(self._words)), self._open[self._begun - 1] if self._begun else ""
        self._words, self._begun = [], 0
        if tag == "h3":
            self._title = text
        if tag == "li" and self._list in _LISTS and self._title:
            text = f"{self._title} > {text}"
        if text:
            self.sentences.append(Sentence(self._section, text))


def plain(text: str) -> str:
    """Text with plain spaces, none before a stop, and one bar between cells."""
    text = re.sub(r"[\s\u00a0\u202f]+", " ", text.replace("ᵉʳ", "er"))
    return re.sub(r" (?=[.,)])", "", re.sub(r"( \|)+(?= |$)", " |", text).strip(" |"))
