"""Texts made into expressions."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from wavetank.cel.literals import read_bytes, read_number, read_string
from wavetank.cel.syntax import RESERVED_NAMES, Call, Entries, Has, Ident, Items, Literal, Macro, Node, Select, report

_EXPONENT = "[eE][+-]?[0-9]+"
_LONG = r"""\"\"\"(?:\\.|[^\\])*?\"\"\"|'''(?:\\.|[^\\])*?'''"""
_SHORT = r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"""
_TOKEN = re.compile(
    rf"""(?P<space>\s+|//[^\n]*)
      | (?P<float>[0-9]+\.[0-9]+(?:{_EXPONENT})?|[0-9]+{_EXPONENT}|\.[0-9]+(?:{_EXPONENT})?)
      | (?P<int>0x[0-9a-fA-F]+[uU]?|[0-9]+[uU]?)
      | (?P<string>(?:[rR][bB]?|[bB][rR]?)?(?:{_LONG}|{_SHORT}))
      | (?P<ident>[_a-zA-Z][_a-zA-Z0-9]*)
      | (?P<quoted>`[_a-zA-Z0-9.\-/ ]+`)
      | (?P<op>&&|\|\||==|!=|<=|>=|[-+*/%!<>?:.,()\[\]{{}}])""",
    re.VERBOSE | re.DOTALL,
)
_LEVELS: tuple[tuple[str, ...], ...] = (
    ("||",),
    ("&&",),
    ("<", "<=", ">", ">=", "==", "!=", "in"),
    ("+", "-"),
    ("*", "/", "%"),
)
_BINARY = {"in": "@in"} | {each: f"_{each}_" for level in _LEVELS for each in level if each != "in"}
# Macros of one variable and what they take beside it, and those of two.
_ONE = {"all": (1,), "exists": (1,), "exists_one": (1,), "existsOne": (1,), "filter": (1,), "map": (1, 2)}
_TWO = {"all": (1,), "exists": (1,), "existsOne": (1,), "transformList": (1, 2), "transformMap": (1, 2)}
_OPTIONAL = ("optMap", "optFlatMap")
_BOUND = "cel.bind() variable names must be simple identifiers"
_PRIMARIES = (
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"
)
_DEEPEST = 200


class Token(NamedTuple):
    """A word of an expression."""

    kind: str
    text: str
    at: int


def parse(source: str, *, bindings: bool = False) -> Node:
    """Returns the tree of an expression; an ExpressionError says where it is none.

    `bindings` allows cel.bind(name, value, expression), which Kubernetes has in some places only.
    """
    return _Parser(source, bindings).whole()


class _Parser:
    def __init__(self, source: str, bindings: bool) -> None:
        self._source = source
        self._bindings = bindings
        self._tokens = self._split()
        self._next = 0
        self._depth = 0

    def _split(self) -> list[Token]:
        found, at = [], 0
        while at < len(self._source):
            match = _TOKEN.match(self._source, at)
            if match is None:
                raise report(self._source, [(at, f"Syntax error: token recognition error at: '{self._source[at]}'")])
            if match.lastgroup != "space":
                found.append(Token(str(match.lastgroup), match.group(), at))
            at = match.end()
        return [*found, Token("end", "<EOF>", len(self._source))]

    @property
    def _token(self) -> Token:
        return self._tokens[self._next]

    def _take(self) -> Token:
        token = self._token
        self._next += 1
        return token

    def _is(self, *texts: str) -> bool:
        token = self._token
        return token.text in texts and (token.kind == "op" or token.text == "in")

    def _expect(self, text: str) -> Token:
        if not self._is(text):
            raise self._unexpected(f"'{text}'", lambda token: token.text == text)
        return self._take()

    def _unexpected(self, wanted: str, fits: Callable[[Token], bool]) -> ValueError:
        """Returns the error about the current token; it is only too much if the next one fits."""
        token = self._token
        following = None if token.kind == "end" else self._tokens[self._next + 1]
        what = "extraneous" if following is not None and fits(following) else "mismatched"
        problem = f"Syntax error: {what} input '{token.text}' expecting {wanted}"
        return report(self._source, [(token.at, problem)])

    def whole(self) -> Node:
        found = self._expression()
        if self._token.kind != "end":
            raise self._unexpected("<EOF>", lambda token: token.kind == "end")
        return found

    def _expression(self) -> Node:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise report(self._source, [(self._token.at, "expression recursion limit exceeded: 250")])
        condition = self._binary(0)
        if self._is("?"):
            at = self._take().at
            first = self._binary(0)
            self._expect(":")
            condition = Call(at, "_?_:_", [condition, first, self._expression()])
        self._depth -= 1
        return condition

    def _binary(self, level: int) -> Node:
        if level == len(_LEVELS):
            return self._unary()
        left = self._binary(level + 1)
        while self._is(*_LEVELS[level]):
            token = self._take()
            left = Call(token.at, _BINARY[token.text], [left, self._binary(level + 1)])
        return left

    def _unary(self) -> Node:
        if self._is("!"):
            at = self._take().at
            return Call(at, "!_", [self._unary()])
        if self._is("-"):
            at = self._take().at
            if self._token.kind in ("int", "float"):
                token = self._take()
                return self._member(Literal(at, read_number(self._source, "-" + token.text, at)))
            return Call(at, "-_", [self._unary()])
        return self._member(self._primary())

    def _member(self, node: Node) -> Node:
        while self._is(".", "["):
            token = self._take()
            if token.text == "[":
                optional = self._is("?") and bool(self._take())
                node = Call(token.at, "_[?_]" if optional else "_[_]", [node, self._expression()])
                self._expect("]")
                continue
            optional = self._is("?") and bool(self._take())
            name = self._name()
            if self._is("(") and not optional:
                at = self._take().at
                node = self._call(at, name, self._arguments(")"), node)
            else:
                node = Select(token.at, node, name, optional)
        return node

    def _name(self) -> str:
        token = self._token
        if token.kind == "quoted":
            return self._take().text[1:-1]
        if token.kind != "ident":
            raise self._unexpected("IDENTIFIER", lambda token: token.kind == "ident")
        return self._take().text

    def _primary(self) -> Node:
        token = self._token
        if token.kind in ("int", "float"):
            return Literal(token.at, read_number(self._source, self._take().text, token.at))
        if token.kind == "string":
            return self._text(self._take())
        if self._is("("):
            self._take()
            found = self._expression()
            self._expect(")")
            return found
        if self._is("["):
            return self._list()
        if self._is("{"):
            return self._map()
        if token.kind == "ident" or self._is("."):
            return self._ident()
        raise self._unexpected(_PRIMARIES, _begins_primary)

    def _text(self, token: Token) -> Literal:
        prefix = re.match("[rRbB]*", token.text)
        assert prefix is not None
        marks = prefix.group().lower()
        read = read_bytes if "b" in marks else read_string
        return Literal(token.at, read(self._source, token.text[len(marks) :], token.at, raw="r" in marks))

    def _ident(self) -> Node:
        if self._is("."):
            self._take()
            if self._token.kind != "ident":
                problem = f"Syntax error: no viable alternative at input '.{self._token.text}'"
                raise report(self._source, [(self._token.at, problem)])
        token = self._token
        name = self._name()
        if name in ("true", "false", "null"):
            return Literal(token.at, {"true": True, "false": False, "null": None}[name])
        if name in RESERVED_NAMES:
            raise report(self._source, [(token.at, f"reserved identifier: {name}")])
        if self._is("("):
            at = self._take().at
            return self._call(at, name, self._arguments(")"), None)
        return Ident(token.at, name)

    def _arguments(self, end: str) -> list[Node]:
        found: list[Node] = []
        while not self._is(end):
            found.append(self._expression())
            if not self._is(end):
                self._expect(",")
        self._take()
        return found

    def _list(self) -> Node:
        at = self._take().at
        found: list[Node] = []
        optional = set()
        while not self._is("]"):
            if self._is("?"):
                self._take()
                optional.add(len(found))
            found.append(self._expression())
            if not self._is("]"):
                self._expect(",")
        self._take()
        return Items(at, found, frozenset(optional))

    def _map(self) -> Node:
        at = self._take().at
        entries = []
        while not self._is("}"):
            optional = self._is("?") and bool(self._take())
            key = self._expression()
            self._expect(":")
            entries.append((key, self._expression(), optional))
            if not self._is("}"):
                self._expect(",")
        self._take()
        return Entries(at, entries)

    def _call(self, at: int, name: str, args: list[Node], target: Node | None) -> Node:
        if name == "has" and target is None and len(args) == 1:
            if not isinstance(args[0], Select):
                raise report(self._source, [(args[0].at, "invalid argument to has() macro")])
            return Has(at, args[0].operand, args[0].name)
        if target is not None and (macro := self._macro(at, name, args, target)):
            return macro
        return Call(at, name, args, target)

    def _macro(self, at: int, name: str, args: list[Node], target: Node) -> Node | None:
        if name in _OPTIONAL and len(args) == 2:
            return Macro(at, name, target, self._variables(args[:1]), args[1:])
        if name == "bind" and self._bindings and len(args) == 3 and isinstance(target, Ident) and target.name == "cel":
            return Macro(at, name, args[1], self._variables(args[:1], _BOUND), args[2:])
        if name in _TWO and len(args) - 2 in _TWO[name] and isinstance(args[1], Ident) and name != "map":
            return Macro(at, name, target, self._variables(args[:2]), args[2:])
        if name in _ONE and len(args) - 1 in _ONE[name]:
            return Macro(at, name, target, self._variables(args[:1]), args[1:])
        return None

    def _variables(self, args: list[Node], otherwise: str = "argument must be a simple name") -> list[str]:
        for each in args:
            if not isinstance(each, Ident):
                raise report(self._source, [(each.at, otherwise)])
        return [each.name for each in args if isinstance(each, Ident)]


def _begins_primary(token: Token) -> bool:
    return token.kind in ("int", "float", "string", "ident") or token.text in ("[", "{", "(", ".", "-", "!")
