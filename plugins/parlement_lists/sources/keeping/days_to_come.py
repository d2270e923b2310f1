"""What a run with a clock that was ahead left among the lists, put right: later mornings would stop at it."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from ...tracking.members.members_files import MemberRows, read_rows
from ...tracking.members.spans import Span
from ..members import write_rows
from ..repository import Repository

ONE_DAY = datetime.timedelta(1)


def put_right(repository: Repository, today: datetime.date) -> Iterator[tuple[str, str]]:
    """Take lists and members of days to come back; yields chamber and sentence for each that was.

    Only to be called under the lock, where it is sure that it is `today`: with a clock behind, every list
    would be of a day to come. A list may be of tomorrow, because the Sénat publishes it on the evening before.
    """
    last = today + ONE_DAY
    for path in repository.lists_after(last):
        kept = repository.set_aside(path)
        yield (
            path.parent.name,
            f"{path.parent.name}/{path.stem} is of a day to come, because a clock was ahead: it is put"
            f" aside as {kept}",
        )
    if not repository.members.exists():
        return
    rows = read_rows(repository.members, begun=True)
    ahead = {chamber for chamber, day in rows.watched.items() if day > last}
    if ahead:
        write_rows(repository.members, _dated(rows, ahead, today))
    for chamber in sorted(ahead):
        yield (
            chamber,
            f"members of {chamber} had been read on {rows.watched[chamber]}, a day to come",
        )


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
