"""Numbers and quoted strings as Go writes them."""

from __future__ import annotations

import re

_LARGEST_PLAIN = 1e21  # from here on Go writes an exponent
_SMALLEST_PLAIN = 1e-4


def go_number(value: float) -> str:
    """Writes a number as Go's %v does."""
    if isinstance(value, int):
        return str(value)
    if value.is_integer() and abs(value) < _LARGEST_PLAIN:
        return "-0" if value == 0 and str(value).startswith("-") else str(int(value))
    text = repr(value)
    mantissa, exponent, power = text.partition("e")
    if not exponent:
        return text
    if _SMALLEST_PLAIN <= abs(value) < _LARGEST_PLAIN:
        return f"{value:.17f}".rstrip("0")
    return f"{mantissa.removesuffix('.0')}e{'-' if int(power) < 0 else '+'}{abs(int(power)):02d}"


def quote(text: str) -> str:
    """Quotes a string as Go does."""
    return f'"{_SPECIAL.sub(_escaped, text)}"'


_ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "\n": "\\n",
    "\t": "\\t",
    "\r": "\\r",
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\v": "\\v",
}

_SPECIAL = re.compile(r"[^ !#-\[\]-~]")  # all but the characters of ASCII that stand for themselves


def _escaped(found: re.Match[str]) -> str:
    char = found[0]
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char.isprintable():
        return char
    code = ord(char)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
