"""What a command says: what it found, and the errors that end a run, in sentences."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import click
from datasette.utils.sqlite import sqlite3

from parlement_lists.regular_file import FilesError
from parlement_lists.sources.chambers import SourceError
from parlement_lists.tracebacks import place_of
from parlement_lists.tracking.corrections import CorrectionsError
from parlement_lists.tracking.reading.git import GitFailed

from ..dataset.input_files import InputRefused

# Each one's message says what is wrong.
FAILURES = (
    InputRefused,
    CorrectionsError,
    FilesError,
    SourceError,
    GitFailed,
    OSError,
)


def sentences(error: Exception) -> list[str]:
    """The sentences of a failure. Of an unforeseen one only kind and place: its text might name somebody."""
    if isinstance(error, InputRefused | CorrectionsError):
        return error.faults
    if isinstance(error, OSError) and error.filename:
        return [f"{error.filename}: {error.strerror}"]
    if isinstance(error, FAILURES):
        return [str(error)]
    return [f"an error that was not foreseen: {place_of(error)}"]


@contextmanager
def refusals(*last: str) -> Iterator[None]:
    """Print what goes wrong in the block, a fault a line, then `last`; ends with status 1."""
    try:
        yield
    except (*FAILURES, sqlite3.Error) as error:
        for line in (*sentences(error), *last):
            click.echo(line, err=True)
        sys.exit(1)


def tell(
    about: dict[str, Any], lines: Iterable[str], as_json: bool, alarms: Iterable[str] = ()
) -> None:
    """Print what a command has to say, `about` for programs, else `lines` for people; `alarms` as errors."""
    click.echo(json.dumps(about, ensure_ascii=False) if as_json else "\n".join(lines))
    for alarm in alarms:
        click.echo(alarm, err=True)
