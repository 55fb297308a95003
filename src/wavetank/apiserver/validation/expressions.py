"""Expressions in CEL that select devices.

What the simulator does not understand is refused in its own words; variables that are not there, in the real ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from wavetank.apiserver.fielderrors import invalid, too_long
from wavetank.apiserver.validation.errors import Errors
from wavetank.cluster.fields.cel import compile_cel
from wavetank.errors import InputError

_LONGEST = 10 * 1024
_VARIABLES = frozenset({"device"})
_TEXT = r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'"
_NAME = re.compile(rf"{_TEXT}|(?<![\w.])([A-Za-z_]\w*)(?![\w(])")
_WORDS = frozenset({"true", "false", "null", "in"})
_EMPTY = (
    "ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting"
    " {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"
)


def check_expression(expression: str, path: str) -> Errors:
    """Checks an expression about a device."""
    if len(expression) > _LONGEST:
        yield too_long(path, _LONGEST)
        return
    problem = _problem(expression)
    if problem:
        yield invalid(path, expression, f"compilation failed: {problem}")


def _problem(expression: str) -> str:
    if not expression:
        return _EMPTY
    try:
        compile_cel(expression, _VARIABLES)
    except InputError as error:
        unknown = [(name, column) for name, column in _names(expression) if name not in _VARIABLES]
        if unknown and _is_fine(expression, frozenset(name for name, _ in unknown)):
            return "\n".join(_undeclared(expression, name, column) for name, column in unknown)
        return str(error)
    return ""


def _is_fine(expression: str, variables: frozenset[str]) -> bool:
    try:
        compile_cel(expression, _VARIABLES | variables)
    except InputError:
        return False
    return True


def _names(expression: str) -> Iterator[tuple[str, int]]:
    for match in _NAME.finditer(expression):
        if match[1] and match[1] not in _WORDS:
            yield match[1], match.start()


def _undeclared(expression: str, name: str, column: int) -> str:
    where = f"<input>:1:{column + 1}"
    return f"ERROR: {where}: undeclared reference to '{name}' (in container '')\n | {expression}\n | {'.' * column}^"
