"""What a run with a clock that was ahead left among the lists, put right: later mornings would stop at it."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from ...movement import PARIS
from ...regular_file import read_bytes
from ...tracking.members.members_files import MemberRows, read_rows
from ...tracking.members.spans import Span
from ..downloading.originals import FOLDER, KeptOriginals
from ..kept_list import is_to_come
from ..member_spans import ONE_DAY
from ..members import write_rows
from ..repository import Repository


def put_right(
    repository: Repository, originals: KeptOriginals, now: datetime.datetime
) -> Iterator[tuple[str, str]]:
    """Take lists and members of days to come back; yields chamber and sentence for each that was.

    Only to be called under the lock, where it is sure that it is `now`: with a clock behind, every list
    would be of a day to come. The lists stay among the originals of today.
    """
    received = now.astimezone(PARIS)
    today = received.date()
    lists = repository.lists_to_come(today)
    if lists:
        _forget_notes(repository)
    for path in lists:
        chamber, body = path.parent.name, read_bytes(path, follow=False)
        kept = originals.keep(chamber, received, f"a-venir-{path.name}", body)
        repository.take_out(path)
        yield (
            chamber,
            f"a clock was ahead: {chamber}/{path.stem} is of a day to come, and is put aside as"
            f" {FOLDER}/{kept}",
        )
    if not repository.members.exists():
        return
    rows = read_rows(repository.members, begun=True)
    ahead = {chamber for chamber, day in rows.watched.items() if is_to_come(day, today)}
    if ahead:
        _forget_notes(repository)
        write_rows(repository.members, _dated(rows, ahead, today))
    for chamber in sorted(ahead):
        yield (
            chamber,
            f"a clock was ahead: members of {chamber} had been read on {rows.watched[chamber]}, a day to"
            " come",
        )


def _forget_notes(repository: Repository) -> None:
    """Forget what sources noted: on days to come, it would be believed until then.

    This comes first: a run that is killed after it does the rest again, and not this.
    """
    seen = repository.last_seen()
    repository.remember({name: {**noted, "memory": {}} for name, noted in seen.items()})


def _dated(rows: MemberRows, ahead: set[str], today: datetime.date) -> MemberRows:
    """The rows, with nothing of some chambers after today."""

    def until_today(span: Span) -> Span:
        until = min(span.until, today) if span.until else None
        return span._replace(since=min(span.since, today), until=until)

    return rows._replace(
        mandates=[
            row._replace(span=until_today(row.span)) if row.chamber in ahead else row
            for row in rows.mandates
        ],
        groups=[
            row._replace(span=until_today(row.span)) if row.chamber in ahead else row
            for row in rows.groups
        ],
        # Yesterday, so that today's members are read.
        watched={c: today - ONE_DAY if c in ahead else day for c, day in rows.watched.items()},
    )
