"""The part of the Common Expression Language in which device selectors are usually written."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from wavetank.errors import InputError, WavetankError
from wavetank.quantity import parse_quantity

Evaluate = Callable[[Mapping[str, Any]], Any]

_TOKEN = re.compile(
    r"""\s*(?:(?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?P<number>\d+(?:\.\d+)?)"""
    r"""|(?P<name>[A-Za-z_]\w*)|(?P<sign>&&|\|\||==|!=|<=|>=|[<>!().\[\],-])|(?P<other>\S))"""
)
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}


class CelError(WavetankError):
    """An expression could not be evaluated, in CEL's words."""


class _Token(NamedTuple):
    kind: str
    text: str


_END = _Token("end", "the end")


def compile_cel(text: str, variables: frozenset[str]) -> Evaluate:
    """Returns a function from variables to the expression's value; whatever is not supported is an InputError."""
    parser = _Parser(text, variables)
    expression = parser.either()
    if parser.next is not _END:
        raise parser.unsupported()
    return expression


class _Parser:
    """Reads by recursive descent; each method reads one level of precedence and returns what evaluates it."""

    def __init__(self, text: str, variables: frozenset[str]) -> None:
        found = ((match.lastgroup or "", match[match.lastgroup or 0]) for match in _TOKEN.finditer(text))
        self._tokens = iter([_Token(kind, token) for kind, token in found])
        self._variables = variables
        self.next = next(self._tokens, _END)

    def unsupported(self) -> InputError:
        return InputError(f"CEL: {self.next.text!r} is not supported here")

    def either(self) -> Evaluate:
        left = self._both()
        while self._takes("||"):
            left = _decided_by(True, left, self._both())
        return left

    def _both(self) -> Evaluate:
        left = self._relation()
        while self._takes("&&"):
            left = _decided_by(False, left, self._relation())
        return left

    def _relation(self) -> Evaluate:
        left = self._unary()
        while self.next.text in _RELATIONS and self.next.kind in ("sign", "name"):
            relation = _RELATIONS[self._take().text]
            left = _applied(relation, left, self._unary())
        return left

    def _unary(self) -> Evaluate:
        if self._takes("!"):
            return _applied(_negated, self._unary())
        if self._takes("-"):
            return _applied(_minus, self._unary())
        return self._member()

    def _member(self) -> Evaluate:
        value = self._primary()
        while True:
            if self._takes("."):
                value = self._selected(value)
            elif self._takes("["):
                key = self.either()
                self._expect("]")
                value = _applied(_item, value, key)
            else:
                return value

    def _selected(self, value: Evaluate) -> Evaluate:
        name = self._name()
        if not self._takes("("):
            return _applied(_item, value, lambda variables: name)
        method = _METHODS.get(name)
        if method is None:
            raise InputError(f"CEL: the method {name} is not supported")
        return _applied(method, value, *self._list(")"))

    def _primary(self) -> Evaluate:
        kind, text = self.next
        if kind in ("string", "number"):
            self._take()
            literal = _unquoted(text) if kind == "string" else _number(text)
            return lambda variables: literal
        if self._takes("("):
            inner = self.either()
            self._expect(")")
            return inner
        if self._takes("["):
            return _applied(lambda *items: list(items), *self._list("]"))
        return self._named(self._name())

    def _named(self, name: str) -> Evaluate:
        if name in ("true", "false"):
            return lambda variables: name == "true"
        if self._takes("("):
            function = _FUNCTIONS.get(name)
            if function is None:
                raise InputError(f"CEL: the function {name} is not supported")
            return _applied(function, *self._list(")"))
        if name not in self._variables:
            raise InputError(f"CEL: the variable {name} is not known")
        return lambda variables: variables[name]

    def _list(self, end: str) -> list[Evaluate]:
        items: list[Evaluate] = []
        while not self._takes(end):
            if items:
                self._expect(",")
            items.append(self.either())
        return items

    def _name(self) -> str:
        if self.next.kind != "name":
            raise self.unsupported()
        return self._take().text

    def _take(self) -> _Token:
        token, self.next = self.next, next(self._tokens, _END)
        return token

    def _takes(self, text: str) -> bool:
        found = self.next == ("sign", text)
        if found:
            self._take()
        return found

    def _expect(self, text: str) -> None:
        if not self._takes(text):
            raise self.unsupported()


def _unquoted(text: str) -> str:
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), text[1:-1])


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)


def _applied(function: Callable[..., Any], *operands: Evaluate) -> Evaluate:
    def evaluate(variables: Mapping[str, Any]) -> Any:
        try:
            return function(*(operand(variables) for operand in operands))
        except (TypeError, AttributeError):
            raise CelError("no such overload") from None

    return evaluate


def _decided_by(value: bool, left: Evaluate, right: Evaluate) -> Evaluate:
    """Combines two conditions of which one with this value decides, even if the other cannot be evaluated."""

    def evaluate(variables: Mapping[str, Any]) -> bool:
        try:
            first = _condition(left(variables))
        except CelError:
            if _condition(right(variables)) is value:
                return value
            raise
        return value if first is value else _condition(right(variables))

    return evaluate


def _condition(value: Any) -> bool:
    if not isinstance(value, bool):
        raise CelError("no such overload")
    return value


def _negated(value: Any) -> bool:
    return not _condition(value)


def _minus(value: Any) -> Any:
    return -value


def _item(value: Any, key: Any) -> Any:
    if not isinstance(value, Mapping):
        raise CelError(f"unexpected type {type(value).__name__}: cannot look up {key}")
    try:
        return value[key]
    except KeyError:
        raise CelError(f"no such key: {key}") from None


def _equal(left: Any, right: Any) -> bool:
    return type(left) is type(right) and bool(left == right)


def _compare(left: Any, right: Any) -> int:
    if type(left) is not type(right):
        raise TypeError
    return int(left > right) - int(left < right)


def _quantity(text: Any) -> Fraction:
    try:
        return parse_quantity(text)
    except InputError as error:
        raise CelError(str(error)) from None


_RELATIONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": _equal,
    "!=": lambda left, right: not _equal(left, right),
    "<": lambda left, right: _compare(left, right) < 0,
    "<=": lambda left, right: _compare(left, right) <= 0,
    ">": lambda left, right: _compare(left, right) > 0,
    ">=": lambda left, right: _compare(left, right) >= 0,
    "in": lambda left, right: left in right,
}
_METHODS: Mapping[str, Callable[..., Any]] = {
    "compareTo": _compare,
    "isLessThan": lambda left, right: _compare(left, right) < 0,
    "isGreaterThan": lambda left, right: _compare(left, right) > 0,
    "startsWith": str.startswith,
    "endsWith": str.endswith,
    "contains": str.__contains__,
    "matches": lambda text, pattern: re.search(pattern, text) is not None,
}
_FUNCTIONS: Mapping[str, Callable[..., Any]] = {"quantity": _quantity}
