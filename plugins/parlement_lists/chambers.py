"""The chambers: all that the code knows of each and that no source says.

A chamber has more places, each with a row of its own; tests/test_chambers.py names the one that is missing.
"""

from __future__ import annotations

from typing import NamedTuple


class Chamber(NamedTuple):
    name: str  # French, as people read it
    # The form of a member's identifier where a list says it (specification, "Movements").
    member_id: str
    # From which day on it has so many seats, the latest first; of the European Parliament those of France.
    seats: tuple[tuple[str, int], ...]
    # The first day of each new assembly, whose lists lose many members at once. A members folder adds the
    # days on which it sees many mandates begin; a renewal that neither knows is accepted by a correction.
    renewals: tuple[str, ...]
    # At the Sénat a renewal ends one half of the mandates, every second one the same half.
    wholly_renewed: bool


# Seats: Constitution, article 24 (deputies and senators); European Council decisions (EU) 2023/2061,
# (EU) 2018/937, which took effect as the United Kingdom left, and 2013/312/EU.
KNOWN = {
    "assemblee": Chamber(
        name="Assemblée nationale",
        member_id="PA[0-9]{1,9}",
        seats=(("", 577),),
        renewals=("2012-06-20", "2017-06-21", "2022-06-22", "2024-06-09", "2024-07-08"),
        wholly_renewed=True,
    ),
    "senat": Chamber(
        name="Sénat",
        # 14263U, 000346, 1111R3: of all senators since 1959.
        member_id="[0-9]{4}[0-9A-Z]{2}",
        seats=(("", 348),),
        renewals=(
            "2014-10-01",
            "2017-10-02",
            "2020-10-01",
            "2023-10-02",
            "2026-10-01",
            "2029-10-01",
        ),
        wholly_renewed=False,
    ),
    "europarl": Chamber(
        name="Parlement européen",
        member_id="[0-9]{1,9}",
        seats=(("2024-07-16", 81), ("2020-02-01", 79), ("", 74)),
        renewals=("2014-07-01", "2019-07-02", "2024-07-16", "2029-07-17"),
        wholly_renewed=True,
    ),
}
CHAMBERS = tuple(KNOWN)
