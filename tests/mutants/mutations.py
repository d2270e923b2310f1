"""Small mutations of a module: each is one change that some test of its room should notice.

Not mutated: annotations, docstrings and the inside of an f-string; a text of several words is a
message, unless it is SQL.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt},
    **{ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is},
    **{ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And},
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Mod: ast.Mult},
    **{ast.FloorDiv: ast.Mult, ast.Pow: ast.Mult, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr},
}
SQL = re.compile(r"\W*(select|insert|update|delete|create|with|where|order|on|left)\s[^.]", re.I)
SQL_SWAPPED = {" and ": " or ", " or ": " and ", " < ": " <= ", " <= ": " < ", " > ": " >= "}
SQL_SWAPPED |= {" >= ": " > ", " + ": " - ", " - ": " + ", " desc": " ", " is null": " is not null"}

Change = tuple[ast.AST, ast.AST, str]  # the first and last node that go, and what stands there


@dataclass(frozen=True)
class Mutation:
    """One change of one module; its name stays the same while the changed lines do."""

    module: str
    line: int
    function: str
    before: str
    after: str
    mutated: bytes

    @property
    def name(self) -> str:
        return f"{self.module} {self.function}: {self.before} -> {self.after}"


def mutations(module: str, source: bytes) -> Iterator[Mutation]:
    """Every mutation of a module's source, in the order of its syntax tree."""
    starts = [0]
    for written in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(written))

    def span(first: Any, last: Any) -> tuple[int, int]:
        start = starts[first.lineno - 1] + first.col_offset
        return start, starts[last.end_lineno - 1] + last.end_col_offset

    for node, parent, function in _nodes(ast.parse(source), None, ""):
        written = source[slice(*span(node, node))] if hasattr(node, "lineno") else b""
        for first, last, new in _changes(node, parent, written.decode()):
            start, end = span(first, last)
            line = source.count(b"\n", 0, start) + 1
            kept = source[starts[line - 1] : start], source[end : source.index(b"\n", end)]
            before, after = (
                " ".join(part.join(kept).decode().split())
                for part in (source[start:end], new.encode())
            )
            mutated = source[:start] + new.encode() + source[end:]
            yield Mutation(module, line, function, before, after, mutated)


def _nodes(node: Any, parent: Any, function: str) -> Iterator[tuple[Any, Any, str]]:
    """The nodes of a tree that may be changed, each with its parent and the function it is in."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        function = f"{function}.{node.name}".lstrip(".")
    yield node, parent, function
    if not isinstance(node, ast.JoinedStr):  # its parts have no reliable place before Python 3.12
        for field, value in ast.iter_fields(node):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and field not in ("annotation", "returns"):
                    yield from _nodes(child, node, function)


def _changes(node: Any, parent: Any, written: str) -> Iterator[Change]:
    match node:
        case ast.Constant() | ast.JoinedStr() if not isinstance(parent, ast.Expr):
            for new in _other_constants(getattr(node, "value", None), written):
                yield node, node, new
        case ast.Compare(ops=ops):
            for i, op in enumerate(ops):
                swapped = [*ops[:i], SWAPPED[type(op)](), *ops[i + 1 :]]
                yield node, node, _unparsed(node, ops=swapped)
        case (
            ast.BinOp(left=ast.Constant(value=str() | bytes()) | ast.JoinedStr())
            | ast.BinOp(right=ast.Constant(value=str() | bytes()) | ast.JoinedStr())
        ):
            pass  # texts can only be added
        case ast.BoolOp(op=op) | ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in SWAPPED:
            yield node, node, _unparsed(node, op=SWAPPED[type(op)]())
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield node, node, _unparsed(node.operand)
        case ast.Return(value=value) if value and not isinstance(value, ast.Constant):
            yield node, node, "return None"
        case (
            (ast.Return(value=None) | ast.Raise() | ast.Continue() | ast.Break() | ast.Delete())
            | ast.Expr(value=ast.Call() | ast.Await())
            | ast.Assign(targets=[ast.Attribute() | ast.Subscript()])
        ):
            yield node, node, "pass"
        case ast.ExceptHandler(body=body) if not isinstance(body[0], ast.Raise):
            yield body[0], body[-1], "raise"
        case (
            ast.Call(func=ast.Name(id="max" | "min"))
            | ast.Call(args=[ast.Starred() | ast.GeneratorExp()])
        ):
            pass  # whatever the order; not an expression of its own
        case ast.Call(args=[first, second, *rest]) if ast.dump(first) != ast.dump(second):
            yield node, node, _unparsed(node, args=[second, first, *rest])
        case ast.Call(args=[only], keywords=[]):
            if not isinstance(parent, ast.Expr | ast.Await | ast.Raise | ast.FunctionDef):
                yield node, node, _unparsed(only)
    for test in getattr(node, "ifs", None) or [getattr(node, "test", None)]:
        # Comparisons and `not` have a negation of their own.
        if isinstance(test, ast.expr) and not isinstance(test, ast.Compare | ast.UnaryOp):
            yield test, test, f"(not {_unparsed(test)})"


def _other_constants(value: object, written: str) -> Iterator[str]:
    if SQL.match(written):
        for found in re.finditer("|".join(map(re.escape, SQL_SWAPPED)), written):
            yield written[: found.start()] + SQL_SWAPPED[found[0]] + written[found.end() :]
    elif isinstance(value, bool):
        yield repr(not value)
    elif isinstance(value, int | float):
        yield repr(value + 1)
    elif isinstance(value, str) and re.fullmatch(r"\S+", value):
        yield repr("XX" + value)
    elif isinstance(value, bytes) and re.fullmatch(rb"\S+", value):
        yield repr(b"XX" + value)


def _unparsed(node: Any, **fields: Any) -> str:
    """The node's source with these fields, as an operand of anything if it is an expression."""
    changed = copy.copy(node)
    vars(changed).update(fields)
    written = ast.unparse(changed)
    return written if isinstance(node, ast.stmt) else f"({written})"
