"""Where an error was raised, for messages that must not repeat its text."""

from __future__ import annotations

import traceback


def place_of(error: BaseException, package: str = "") -> str:
    """What an error is and in which line, of a package where it passed through it; its text may name somebody."""
    frames = [
        (str(frame.f_globals.get("__name__", "?")), line)
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    own = [(module, line) for module, line in frames if module.partition(".")[0] == package]
    module, line = (own or frames)[-1]
    return f"{type(error).__name__} in {module}, line {line}"
