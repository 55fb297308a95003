from __future__ import annotations

import re
from collections.abc import Iterator

from wavetank.apiserver.errors import StatusError, bad_request
from wavetank.apiserver.fielderrors import FieldError, invalid
from wavetank.apiserver.validation.names import label_key_problems, label_value_problems
from wavetank.cluster.fields.selectors import LabelSelector, Requirement

_WORD, _END = "word", "end"
_SPECIAL = frozenset("=!(),<>")
_OPERATORS = {
    "in": "In",
    "notin": "NotIn",
    "=": "In",
    "==": "In",
    "!=": "NotIn",
    ">": "Gt",
    "<": "Lt",
}
_EXPECTED = "in, notin, =, ==, !=, gt, lt"

Token = tuple[str, str]  # (what it is: a symbol, "word" or "end"; its text)


def parse_labels(text: str) -> LabelSelector:
    """Reads a selector such as `app=web,tier in (a, b),!old`; a StatusError says what is wrong with it."""
    return LabelSelector(frozenset(_Parser(text).requirements()))


class _Parser:
    """Reads a selector from left to right, one token ahead."""

    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._at = 0

    def requirements(self) -> Iterator[Requirement]:
        while True:
            what, text = self._ahead()
            if what == _END:
                return
            if what not in (_WORD, "!"):
                raise bad_request(f"found '{text}', expected: !, identifier, or 'end of string'")
            yield self._requirement()
            what, text = self._next()
            if what == _END:
                return
            if what != ",":
                raise bad_request(f"found '{text}', expected: ',' or 'end of string'")
            what, text = self._ahead()
            if what not in (_WORD, "!"):
                raise bad_request(f"found '{text}', expected: identifier after ','")

    def _requirement(self) -> Requirement:
        what, key = self._next()
        absent = what == "!"
        if absent:
            what, key = self._next()
        if what != _WORD:
            raise _unreadable(f"found '{key}', expected: identifier")
        if problems := label_key_problems(key):
            raise _unreadable(str(invalid("<nil>", key, "; ".join(problems))))
        if absent:
            return Requirement(key, "DoesNotExist")
        return Requirement(key, "Exists") if self._ahead()[0] in (_END, ",") else self._comparison(key)

    def _comparison(self, key: str) -> Requirement:
        _, sign = self._next()
        if sign not in _OPERATORS:
            raise _unreadable(f"found '{sign}', expected: {_EXPECTED}")
        values = self._values() if sign in ("in", "notin") else {self._value()}
        problems = list(_problems(key, _OPERATORS[sign], sorted(values)))
        if problems:
            texts = list(dict.fromkeys(map(str, problems)))
            raise _unreadable(texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]")
        return Requirement(key, _OPERATORS[sign], frozenset(values))

    def _value(self) -> str:
        if self._ahead()[0] in (_END, ","):
            return ""
        what, text = self._next()
        if what != _WORD:
            raise _unreadable(f"found '{text}', expected: identifier")
        return text

    def _values(self) -> set[str]:
        what, text = self._next()
        if what != "(":
            raise _unreadable(f"found '{text}' expected: '('")
        first, opening = self._ahead()
        if first == ")":
            self._next()
            return {""}
        if first not in (_WORD, ","):
            raise _unreadable(f"found '{opening}', expected: ',', ')' or identifier")
        values = self._identifiers()
        if self._next()[0] != ")":
            raise _unreadable(f"found '{opening}', expected: ')'")
        return values

    def _identifiers(self) -> set[str]:
        """Reads the values in parentheses; a comma with nothing before or after it means an empty value."""
        values: set[str] = set()
        while True:
            what, text = self._next()
            ahead, following = self._ahead()
            if what == _WORD:
                values.add(text)
                if ahead == ")":
                    return values
                if ahead != ",":
                    raise _unreadable(f"found '{following}', expected: ',' or ')'")
            elif what == ",":
                if not values or ahead in (",", ")"):
                    values.add("")
                if ahead == ")":
                    return values
            else:
                raise _unreadable(f"found '{text}', expected: ',', or identifier")

    def _ahead(self) -> Token:
        return self._tokens[min(self._at, len(self._tokens) - 1)]

    def _next(self) -> Token:
        token = self._ahead()
        self._at += 1
        return token


def _unreadable(why: str) -> StatusError:
    return bad_request(f"unable to parse requirement: {why}")


def _problems(key: str, operator: str, values: list[str]) -> Iterator[FieldError]:
    for i, value in enumerate(values):
        if operator in ("Gt", "Lt") and not re.fullmatch(r"[+-]?[0-9]+", value):
            yield invalid(f"values[{i}]", value, "for 'Gt', 'Lt' operators, the value must be an integer")
    for i, value in enumerate(values):
        if problems := label_value_problems(value):
            yield invalid(f"values[{i}][{key}]", value, "; ".join(problems))


def _tokens(text: str) -> Iterator[Token]:
    at = 0
    while at < len(text):
        char = text[at]
        if char in " \t\r\n":
            at += 1
        elif char in _SPECIAL:
            symbol = text[at : at + 2] if text[at : at + 2] in ("==", "!=") else char
            at += len(symbol)
            yield symbol, symbol
        else:
            word = _word(text, at)
            at += len(word)
            yield _WORD, word
    yield _END, ""


def _word(text: str, at: int) -> str:
    end = at
    while end < len(text) and text[end] not in _SPECIAL and text[end] not in " \t\r\n":
        end += 1
    return text[at:end]
