"""Constants in expressions."""

from __future__ import annotations

import re

from wavetank.cel.syntax import report
from wavetank.cel.values import Uint

_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2}|.)", re.DOTALL)
_SIMPLE = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}


def read_number(source: str, text: str, at: int) -> int | float | Uint:
    """Reads a number; one with a u is unsigned."""
    if text[-1] in "uU":
        return Uint(int(text[:-1], 0) if "x" in text else int(text[:-1]))
    if "x" in text:
        value = int(text, 16)
    elif re.fullmatch("-?[0-9]+", text):
        value = int(text)
    else:
        return float(text)
    if not -(2**63) <= value < 2**63:
        raise report(source, [(at, "invalid int literal")])
    return value


def read_string(source: str, text: str, at: int, *, raw: bool) -> str:
    """Reads a quoted text."""
    body = _unquoted(text)
    return body if raw else _ESCAPE.sub(lambda match: _character(match.group(), source, at), body)


def read_bytes(source: str, text: str, at: int, *, raw: bool) -> bytes:
    """Reads a quoted sequence of bytes."""
    if raw:
        return _unquoted(text).encode()
    parts = re.split(f"({_ESCAPE.pattern})", _unquoted(text), flags=re.DOTALL)
    return b"".join(_byte(part, source, at) if part.startswith("\\") else part.encode() for part in parts)


def _unquoted(text: str) -> str:
    width = 3 if text[:3] in ('"""', "'''") else 1
    return text[width:-width]


def _byte(escape: str, source: str, at: int) -> bytes:
    if escape[1] in "x01234567":
        return bytes([int(escape[2:], 16) if escape[1] == "x" else int(escape[1:], 8)])
    return _character(escape, source, at).encode()


def _character(escape: str, source: str, at: int) -> str:
    mark = escape[1]
    if mark in _SIMPLE:
        return chr(_SIMPLE[mark])
    if mark in "\\?\"'`":
        return mark
    if mark in "xuUX" and len(escape) > 2:
        return chr(int(escape[2:], 16))
    if mark in "0123" and len(escape) == 4:
        return chr(int(escape[1:], 8))
    raise report(source, [(at, f"Syntax error: token recognition error at: '{escape}'")])
