"""The movement record: the values its fields may take, its stable identifier."""

from __future__ import annotations

import datetime
import functools
import hashlib
import json
import re
import unicodedata
from typing import NamedTuple
from zoneinfo import ZoneInfo

from .bounds import FIRST_DAY, LAST_DAY, too_long
from .chambers import CHAMBERS as CHAMBERS
from .chambers import KNOWN

# Every day of the service is a day in Paris: of a movement, of a list, of a quota.
PARIS = ZoneInfo("Europe/Paris")
TYPES = ("arrivee", "depart", "transfert")
SOURCES = ("suivi", "archives")
CONFIDENCES = ("bot", "faible", "moyen", "fort", "manuel")
CONTEXTS = ("", "elu_sortant", "elu_entrant")
CIVILITIES = ("M.", "Mme")

# What XML 1.0 cannot hold: one such character makes the whole of a feed unreadable.
NOT_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# Characters that turn the reading direction of what follows them: it reads as another text than it is.
DIRECTION = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# What no text that comes in may hold.
UNSEEN = re.compile(f"{NOT_XML.pattern}|{DIRECTION.pattern}")


# Always part of a movement as it is answered, even without a value (specification, "Movements").
ALWAYS_PRESENT = "contexte"


class Movement(NamedTuple):
    """One movement; every field is a string, "" where there is no value (specification, "Movements")."""

    id: str
    date_event: str
    chambre: str
    type: str
    collab_nom: str = ""
    collab_prenom: str = ""
    collab_civilite: str = ""
    elu_cle: str = ""
    elu_id: str = ""
    elu_nom: str = ""
    elu_groupe: str = ""
    elu_origine_nom: str = ""
    elu_origine_groupe: str = ""
    fonction: str = ""
    contexte: str = ""
    source: str = "archives"
    confiance: str = "fort"


FIELD_NAMES = Movement._fields

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
# What messages call a day that data may have.
DAY = f"a day from {FIRST_DAY} to {LAST_DAY} (YYYY-MM-DD)"
_LIGATURES = str.maketrans(
    {"œ": "oe", "æ": "ae", "ß": "ss", "ø": "o", "ł": "l", "đ": "d", "ı": "i"}
)
_NOT_WORD = re.compile(r"[\W_]+")


def seats_on(chamber: str, day: datetime.date) -> int:
    """How many seats a chamber has on a day."""
    return next(seats for since, seats in KNOWN[chamber].seats if since <= day.isoformat())


def is_date(text: str) -> bool:
    """Whether `text` is exactly YYYY-MM-DD in ASCII digits and a day that exists (specification, "Dates")."""
    if not _DATE.fullmatch(text):
        return False
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return True


# Ten years have 3,653 days: a file of a million movements repeats each day hundreds of times.
@functools.lru_cache(maxsize=8192)
def is_day(text: str) -> bool:
    """Whether `text` is a date that data may have: one from FIRST_DAY to LAST_DAY."""
    return is_date(text) and FIRST_DAY <= text <= LAST_DAY


# The values that a field may have.
VALUES: dict[str, tuple[str, ...]] = {
    "chambre": CHAMBERS,
    "type": TYPES,
    "collab_civilite": ("", *CIVILITIES),
    "contexte": CONTEXTS,
    "source": SOURCES,
    "confiance": CONFIDENCES,
}
_OF_TRANSFERS = ("elu_origine_nom", "elu_origine_groupe")
# Control characters, marks of direction and lone surrogates: never part of a name, and no JSON, CSV or XML reader takes them.
UNFIT = re.compile(rf"{UNSEEN.pattern}|[\t\n\r\x7f-\x9f]")

_CONTROL = "holds a control character, or one that XML cannot hold"


def faults_of(movement: Movement) -> list[str]:
    """What keeps a movement from being published, each fault as `FIELD: what`; `id` is not examined."""
    faults = []
    for name, allowed in VALUES.items():
        value = getattr(movement, name)
        if value not in allowed:
            choice = ", ".join(sorted(filter(None, allowed)))
            faults.append(f"{name}: {shown(value)} is not one of {choice}")
    if not is_day(movement.date_event):
        faults.append(f"date_event: {shown(movement.date_event)} is not {DAY}")
    if movement.type != "transfert":
        for name in _OF_TRANSFERS:
            if getattr(movement, name):
                faults.append(f"{name}: only a transfert has one")
    if not "".join(movement).isprintable():
        for name, value in zip(FIELD_NAMES, movement, strict=True):
            if match := UNFIT.search(value):
                turns = DIRECTION.match(match[0])
                what = "holds a mark of direction" if turns else _CONTROL
                faults.append(f"{name}: {shown(value)} {what}")
    if long := too_long(FIELD_NAMES, movement):
        faults.append(long)
    return faults


def shown(value: object) -> str:
    """A value as messages show it: in ASCII, and not the whole of it if it is long."""
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= 80 else text[:77] + "..."


# Each name comes again in every list, stay and movement.
@functools.lru_cache(maxsize=16_384)
def plain(text: str) -> str:
    """`text` in lower case, without accents, every run of punctuation or space one space."""
    folded = text.lower()
    if not folded.isascii():
        decomposed = unicodedata.normalize("NFKD", folded.translate(_LIGATURES))
        folded = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return _NOT_WORD.sub(" ", folded).strip()


def slug_of(family_name: str | None, given_name: str | None) -> str:
    """The name as an address spells it, le-goff-maelle; "" for a name that was withdrawn."""
    return plain(f"{family_name or ''} {given_name or ''}").replace(" ", "-")


def join_key(family_name: str, given_name: str) -> str:
    """`elu_cle`: the member's name as a join key, such as `jadot yannick` (specification, "Movements")."""
    return plain(f"{family_name} {given_name}")


def words(*names: str) -> str:
    """The distinct words of a full name, sorted: they identify a staff member whatever their order."""
    return " ".join(sorted(set(plain(" ".join(names)).split())))


def identifier(movement: Movement) -> str:
    """The stable `id`: `mvt_` and 20 hexadecimal digits of the natural key's SHA-256.

    The natural key is the day, chamber, kind, the staff member's words, the member
    (identifier, else join key) and, for a transfer, the member left. Sources, confidence and
    spelling of labels are left out of it, so a rebuild keeps the identifiers.
    """
    key = (
        movement.date_event,
        movement.chambre,
        movement.type,
        words(movement.collab_nom, movement.collab_prenom),
        movement.elu_id or movement.elu_cle or plain(movement.elu_nom),
        plain(movement.elu_origine_nom),
    )
    return "mvt_" + hashlib.sha256("\x1f".join(key).encode()).hexdigest()[:20]
