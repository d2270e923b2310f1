"""Ten mornings on which servers fail in every way there is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tests.sources.misbehaving import drips as slow

from .chambers import (
    Fault,
    a_page,
    a_page_called_otherwise,
    accepted_and_empty,
    another_type,
    broken,
    cut,
    cut_and_whole,
    moved,
    not_found,
    of_yesterday,
)

NEW, SAME, FAILED = "new", "unchanged", "failed"


class Morning(NamedTuple):
    """What misbehaves on a morning, and how each chamber's source ends: Assemblée, Sénat, Parlement."""

    faults: Mapping[str, Fault]
    ends: tuple[str, str, str] = (NEW, NEW, NEW)


MORNINGS = (
    Morning(
        {"/senat/alphabetique": not_found, "/europarl/members": broken},
    ),
    Morning(
        {
            "/assemblee/zip": a_page,
            "/senat/par_senateur": cut,
            "/europarl/page/190003": slow,
        },
        (NEW, FAILED, FAILED),
    ),
    Morning(
        {"/senat/senateurs": broken, "/europarl/page/190009": cut_and_whole},
        (NEW, NEW, FAILED),
    ),
    Morning(
        {
            "/assemblee/zip": cut_and_whole,
            "/senat/par_senateur": not_found,
            "/europarl/page": accepted_and_empty,
        },
        (NEW, FAILED, FAILED),
    ),
    Morning(
        {"/assemblee": broken, "/senat/par_senateur": of_yesterday},
        # Of the day before that nothing could be had on.
        (FAILED, NEW, NEW),
    ),
    Morning(
        {
            "/assemblee/zip": moved,
            "/senat/par_senateur": another_type,
            "/europarl/page/190010": another_type,
        },
        (NEW, FAILED, FAILED),
    ),
    Morning(
        {"/assemblee/zip": of_yesterday, "/europarl": a_page},
        (SAME, NEW, FAILED),
    ),
    Morning(
        {
            "/assemblee/zip": another_type,
            "/senat/par_senateur": of_yesterday,
            "/europarl/page/190003": not_found,
        },
        (NEW, SAME, FAILED),
    ),
    Morning(
        {
            "/assemblee/zip": accepted_and_empty,
            "/senat/par_senateur": a_page_called_otherwise,
            "/europarl/page": broken,
        },
        (NEW, FAILED, FAILED),
    ),
    Morning(
        {"/senat/alphabetique": of_yesterday, "/europarl/page": moved},
    ),
)
