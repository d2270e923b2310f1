"""What the commands print that tells a maintainer what to do, found in the code by its verbs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.contract.environment import PLUGINS, ROOT

# What these rooms write is for visitors and clients; these modules describe columns, settings' values and errors.
NOT_FOR_MAINTAINERS = {"pages", "api", "examples"}
DESCRIPTIONS = {
    "meanings.py",
    "movement.py",
    "tenure.py",
    "schema.py",
    "refusal.py",
}
SCRIPTS = ("install.sh", "publish.sh")
# `name` and `open` are mostly no verbs.
VERBS = """
accept|add|adopt|allow|answer|append|apply|ask|assign|avoid|begin|build|bump|call|change|check|choose|chown|chmod|clean|clear|clone|close|comment|
commit|compare|configure|confirm|consider|convert|copy|correct|create|decide|declare|define|delete|deploy|disable|
do|download|drop|edit|enable|end (?:it|the|what)|enter|erase|export|extract|fetch|fill|finish|fix|force|free|generate|get|
give|go|hand|ignore|import|increase|inform|insert|inspect|install|join|keep|kill|launch|leave|let|link|load|look|lower|make|mark|
mask|measure|mend|merge|mind|modify|mount|move|name (?:another|the|a|one)|narrow|note|open (?:a|the|it|another)|pass|paste|pick|pip|place|
point|prepare|press|print|publish|pull|push|put|raise|read|reach|rebuild|reduce|refer|refuse|reinstall|reload|remove|rename|reopen|repair|repeat|replace|
report|request|rerun|reset|restart|restore|retire|retry|review|revert|revoke|rewrite|rotate|run|save|say|search|see|send|serve|
set|settle|shorten|show|sign|skip|specify|split|start|stop|store|submit|supply|switch|sync|take|tell|terminate|test|track|transfer|treat|trust|try|turn|undo|
uninstall|unlock|unmask|unpack|unset|update|upgrade|upload|use|verify|visit|wait|watch|withdraw|withhold|write
""".replace("\n", "")
# At the beginning of a clause, or a command in full. Commas part words of a list, too: after them only "or", "and".
CURE = re.compile(
    rf"(?:^|[:;.] |\(|, (?:or |and |then )?|\b(?:or|and|then|first) )"
    rf"(?=(?:{VERBS})\b(?![-(])(?! (?:as|by|is|of|if|no|so)\b))"
    r"|(?=`?(?:datasette|\{\}) mouvements [a-z]|pip install|apt-get|make morning)",
    re.IGNORECASE,
)
SQL = re.compile(
    r"^(?:drop|insert|update|delete|with|create|check|pragma) [^;]*(?:from|table|index|\(|into|=)"
)
_PRINTED = re.compile(
    r"""\b(?:refuse|need \S+|echo|print\()\s*f?(?P<q>["'])(?P<said>.*?)(?<!\\)(?P=q)"""
)
_VARIABLE = re.compile(r"\$\w+|\$\{[^}]*\}|\{\w+\}")


@cache
def cures() -> dict[str, str]:
    """Each cure, from its verb to the end of the message, with the message; what is filled in is {}."""
    found: dict[str, str] = {}
    for where, message in (*_of_modules(), *_of_scripts()):
        if cure := CURE.search(message):
            found[f"{where}: {message[cure.end() :]}"] = message
    return found


def filled(cure: str, said: str) -> tuple[str, ...]:
    """What a printed message fills into a cure; its words must stand there as the code has them."""
    assert any(key.endswith(f": {cure}") for key in cures()), f"no message of the code has: {cure}"
    end = r"(\S+)" if cure.endswith("{}") else ""
    parts = map(re.escape, cure.removesuffix("{}").split("{}"))
    found = re.search("(.+?)".join(parts) + end, said)
    assert found, f"{cure!r} is not in {said!r}"
    return found.groups()


def _of_modules() -> Iterator[tuple[str, str]]:
    for path in sorted(PLUGINS.rglob("*.py")):
        if path.name in DESCRIPTIONS or NOT_FOR_MAINTAINERS & {*path.parts}:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        nodes = [*ast.walk(tree)]
        passed_over = {id(within) for node in nodes for within in _not_printed(node)}
        for node in nodes:
            text = _text(node) if id(node) not in passed_over else ""
            if len(text.split()) > 2 and not SQL.match(text):
                yield f"{path.parent.name}/{path.name}", text


def _not_printed(node: ast.AST) -> Iterator[ast.AST]:
    """Docstrings and helps, which say what something does, and the parts of a text that is taken whole."""
    if isinstance(node, ast.Expr):
        yield node.value
    elif isinstance(node, ast.keyword) and node.arg == "help":
        yield from ast.walk(node.value)
    elif isinstance(node, ast.JoinedStr):
        yield from node.values


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.JoinedStr):
        parts = (str(v.value) if isinstance(v, ast.Constant) else "{}" for v in node.values)
        return " ".join("".join(parts).split())
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return " ".join(node.value.split())
    return ""


def _of_scripts() -> Iterator[tuple[str, str]]:
    for name in SCRIPTS:
        for printed in _PRINTED.finditer(Path(ROOT / name).read_text(encoding="utf-8")):
            said = printed["said"].replace("\\", "").removeprefix(f"{name}: ")
            yield name, _VARIABLE.sub("{}", said)
