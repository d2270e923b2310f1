"""Names as lists write them: civility, family and given name; whether two spellings are one person."""

from __future__ import annotations

import operator
import re

from ...csv_rows import find_fault
from ...movement import UNSEEN, plain, words

_CIVILITY = re.compile(r"(M\.|Mme|Mlle|Mr|M|MM\.|Monsieur|Madame|Mademoiselle)\s+", re.IGNORECASE)
_CIVILITIES = {
    **dict.fromkeys(("m", "mr", "mm", "monsieur"), "M."),
    **dict.fromkeys(("mme", "mlle", "madame", "mademoiselle"), "Mme"),
}
# A letter that lost its encoding: xe9, \xe9, \u00e9, &eacute;, %C3%A9, Ã©, a replacement character.
_BROKEN = re.compile(
    r"x[c-f][0-9a-f]|\\u[0-9a-fA-F]{4}|&#?\w+;|%[0-9A-F]{2}|Ã[\x80-\xbf ]|â€|\ufffd|\w\?|[\x80-\x9f]"
    # Signs that no name holds, which letters become when read in the code pages of other machines: ├®, √©.
    r"|[¡-³µ¶¸-¿×÷†-•…‰™∂-⋿─-◿]"
)
# What a family name may begin with.
_PARTICLES = frozenset(
    ("d", "da", "de", "del", "della", "den", "der", "des", "di", "du", "van", "von")
)
# Characters that show nothing, and that no letter needs: soft hyphen, zero width, byte order mark.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")
_PLACEHOLDERS = frozenset(("n/a", "#n/a", "n.a.", "n.c.", "null", "undefined", "non renseigné"))
# Said in place of a whole name. A part of one may be a name: `X` is the family name of some people.
_NOBODY = frozenset(
    words(text)
    for text in (
        *(*_PLACEHOLDERS, "nc", "none", "x", "xx"),
        *("non communiqué", "à venir", "à définir"),
    )
)
# Two words of fewer letters may have the same ones by chance: Marion and Romain.
LONG_WORD = 8
ONE_LETTER = "one letter differs"
_ENTITY = re.compile(r"&#?\w+;")
_FORBIDDEN = re.compile(rf"^[=+@\-]|[\t\n\r\x7f<>=|{{}}]|{UNSEEN.pattern}")


def civility_and_name(text: str) -> tuple[str, str]:
    """`Mme LE GOFF Maëlle *` -> (`Mme`, `LE GOFF Maëlle`); the civility is "" where there is none."""
    name = " ".join(text.replace("*", " ").split())
    civility = _CIVILITY.match(name)
    if not civility:
        return "", name
    return _CIVILITIES[plain(civility[1])], name[civility.end() :]


def is_broken(name: str) -> bool:
    """Whether a name carries letters whose encoding was lost on the way."""
    return _BROKEN.search(name) is not None


def visible(text: str) -> str:
    """The text without characters that show nothing: within a name they would make another one of it."""
    return _INVISIBLE.sub("", text)


def is_forbidden(name: str) -> bool:
    """Whether a name cannot be one: a formula, control characters, markup, nothing but signs."""
    return _FORBIDDEN.search(name) is not None or not plain(name)


def is_nobody(full: str) -> bool:
    """Whether a whole name cannot be one: what `is_forbidden` says, or what is said where there is none."""
    return is_forbidden(full) or words(full) in _NOBODY


def is_placeholder(name: str) -> bool:
    """Whether an original says that there is no name, or how one would be written in HTML."""
    return name.casefold() in _PLACEHOLDERS or _ENTITY.search(name) is not None


def is_no_name(name: str) -> bool:
    """Whether a name in an original cannot be one: what `is_forbidden` says, a placeholder, what no field holds."""
    return is_placeholder(name) or is_forbidden(name) or find_fault(name) != ""


def read_civility(text: str) -> str:
    """M. or Mme as originals abbreviate it (`M`, `mme`, `Mlle`), "" where it is neither."""
    return _CIVILITIES.get(plain(text), "")


def family_and_given(full: str, family: str, given: str) -> tuple[str, str]:
    """The family name in capitals and the given name, from a full name and its rough split.

    The split is kept when it has exactly the words of the full name; otherwise the words written in
    capitals are the family name, and without any, or with nothing else, the last word is, with the
    particles before it.
    """
    family, given = (" ".join(part.replace("*", " ").split()) for part in (family, given))
    if family and given and words(family, given) == words(full):
        return family.upper(), given
    parts = full.split()
    capitals = [part for part in parts if part.isupper() and len(part) > 1]
    if capitals and len(capitals) < len(parts):
        return " ".join(capitals), " ".join(part for part in parts if part not in capitals)
    begins = len(parts) - 1
    while begins > 1 and plain(parts[begins - 1]) in _PARTICLES:
        begins -= 1
    given_parts = parts[:begins]
    if capitals:
        given_parts = [part.title() for part in given_parts]
    return " ".join(parts[begins:]).upper(), " ".join(given_parts)


def near(one: str, other: str) -> bool:
    """Whether two keys (see `movement.words`) are so near that one is a respelling of the other.

    All the words of the other (at least two) and more; else one word in common, and of the others what `misspelling`
    allows, or a long word of the same letters. A single word (`Martin MARTIN`) is within the name of anybody of that
    family.
    """
    mine, yours = set(one.split()), set(other.split())
    common = mine & yours
    if len(common) > 1 and common in (mine, yours):
        return True
    left, right = "".join(mine - common), "".join(yours - common)
    same_letters = len(left) >= LONG_WORD and sorted(left) == sorted(right)
    return bool(common) and (same_letters or misspelling(one, other) != "")


def misspelling(one: str, other: str) -> str:
    """Why one key may be another with one error in it, "" where it is not: stricter than `near`.

    `near` compares people of one member, this one compares anybody with who must not be named.
    """
    mine, yours = set(one.split()), set(other.split())
    common = mine & yours
    if not common and min(len(mine), len(yours)) > 1:
        return ""
    left, right = sorted(mine - yours), sorted(yours - mine)
    if len(left) + len(right) == 1 and len(common) >= 2:
        return "a word more or less"
    if len(left) + len(right) == 3 and left and right:
        parts, (whole,) = (left, right) if len(left) == 2 else (right, left)
        return "a word in two" if whole in ("".join(parts), "".join(reversed(parts))) else ""
    if not len(left) == len(right) == 1:
        return ""
    a, b = left[0], right[0]
    exchanged = any(a == b[:i] + b[i + 1] + b[i] + b[i + 2 :] for i in range(len(b) - 1))
    changed = len(a) == len(b) and sum(map(operator.ne, a, b)) == 1
    shorter, longer = sorted((a, b), key=len)
    dropped = any(shorter == longer[:i] + longer[i + 1 :] for i in range(len(longer)))
    near_enough = exchanged or changed or dropped
    return ONE_LETTER if near_enough and max(len(a), len(b)) >= 3 else ""


def share_a_word(family: str, other_family: str) -> bool:
    """Whether two family names share a word of four letters or more."""
    common = set(plain(family).split()) & set(plain(other_family).split())
    return any(len(word) >= 4 for word in common)


def has_a_word_more(family: str, other_family: str) -> bool:
    """Whether one family name is the other and a word of four letters or more: a name taken, or given up."""
    one, other = set(plain(family).split()), set(plain(other_family).split())
    return (one < other or other < one) and any(len(word) >= 4 for word in one ^ other)
