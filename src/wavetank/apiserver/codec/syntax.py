"""What Go says about a text that is not JSON."""

from __future__ import annotations

import re

_SPACE = b" \t\r\n"
_ESCAPES = b'bfnrt\\/"'
_NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_END = "unexpected end of JSON input"
MAX_DEPTH = 10_000


class _SyntaxError(Exception):
    pass


def explain_syntax(text: bytes) -> str:
    """Returns Go's message about the first mistake; an empty string where there is none."""
    try:
        _Scanner(text).document()
    except _SyntaxError as error:
        return str(error)
    return ""


class _Scanner:
    """Walks over a text without recursion, so that any depth is survived."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.at = 0
        self.open: list[bytes] = []

    def document(self) -> None:
        self._value()
        while self.open:
            self._next_in_container()
        self._space()
        if self.at < len(self.text):
            self._fail("after top-level value")

    def _next_in_container(self) -> None:
        """Reads what may follow a value in a list or an object, up to and with the next value."""
        self._space()
        closing = b"}" if self.open[-1] == b"{" else b"]"
        if self._is(closing):
            self.at += 1
            self.open.pop()
        elif self._is(b","):
            self.at += 1
            self._member()
        else:
            self._fail("after object key:value pair" if closing == b"}" else "after array element")

    def _member(self) -> None:
        self._key()
        self._value()

    def _key(self) -> None:
        if self.open[-1] == b"{":
            self._space()
            if not self._is(b'"'):
                self._fail("looking for beginning of object key string")
            self._string()
            self._space()
            if not self._is(b":"):
                self._fail("after object key")
            self.at += 1

    def _value(self) -> None:
        """Reads a value; of one that is a container everything up to its first innermost value."""
        while (first := self._first()) in (b"{", b"["):
            if not self._enter(first):
                return
            self._key()
        self._simple(first)

    def _first(self) -> bytes:
        self._space()
        return self.text[self.at : self.at + 1]

    def _simple(self, first: bytes) -> None:
        if first == b'"':
            self._string()
        elif first in (b"t", b"f", b"n") and first:
            self._literal({b"t": b"true", b"f": b"false", b"n": b"null"}[first])
        elif first.isdigit() or first == b"-":
            self._number()
        else:
            self._fail("looking for beginning of value")

    def _enter(self, first: bytes) -> bool:
        """Goes into a container, unless it is empty."""
        self.at += 1
        if len(self.open) >= MAX_DEPTH:
            raise _SyntaxError("exceeded max depth")
        self._space()
        if self._is(b"}" if first == b"{" else b"]"):
            self.at += 1
            return False
        self.open.append(first)
        return True

    def _string(self) -> None:
        self.at += 1
        while not self._is(b'"'):
            if self._is(b"\\"):
                self._escape()
            elif self.text[self.at : self.at + 1] < b" ":
                self._fail("in string literal")
            else:
                self.at += 1
        self.at += 1

    def _escape(self) -> None:
        self.at += 1
        if self._is(b"u"):
            self.at += 1
            for _ in range(4):
                if self.text[self.at : self.at + 1] not in tuple(bytes([each]) for each in b"0123456789abcdefABCDEF"):
                    self._fail("in \\u hexadecimal character escape")
                self.at += 1
        elif self.at < len(self.text) and self.text[self.at] in _ESCAPES:
            self.at += 1
        else:
            self._fail("in string escape code")

    def _literal(self, word: bytes) -> None:
        for index in range(1, len(word)):
            self.at += 1
            if not self._is(word[index : index + 1]):
                self._fail(f"in literal {word.decode()} (expecting {_quoted(word[index])})")
        self.at += 1

    def _number(self) -> None:
        found = _NUMBER.match(self.text, self.at)
        self.at = found.end() if found else self.at + 1
        if not found:
            self._fail("in numeric literal")
        if self._is(b"."):
            self.at += 1
            self._fail("after decimal point in numeric literal")
        if self._is(b"e") or self._is(b"E"):
            self.at += 1
            self.at += self._is(b"+") or self._is(b"-")
            self._fail("in exponent of numeric literal")

    def _space(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in _SPACE:
            self.at += 1

    def _is(self, byte: bytes) -> bool:
        return self.text[self.at : self.at + 1] == byte

    def _fail(self, context: str) -> None:
        if self.at >= len(self.text):
            raise _SyntaxError(_END)
        raise _SyntaxError(f"invalid character {_quoted(self.text[self.at])} {context}")


def _quoted(byte: int) -> str:
    """Returns a byte as Go quotes a character."""
    if byte == ord("'"):
        return "'\\''"
    if byte == ord('"'):
        return "'\"'"
    short = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 92: "\\\\"}
    if byte in short:
        return f"'{short[byte]}'"
    if byte < 32 or byte == 127:
        return f"'\\x{byte:02x}'"
    return f"'{chr(byte)}'" if not 128 <= byte < 160 else f"'\\u{byte:04x}'"
