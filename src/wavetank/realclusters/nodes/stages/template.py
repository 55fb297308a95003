"""Go templates, as far as Stage documents use them: values, pipelines, variables, if, range and with."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wavetank.errors import InputError

Scope = dict[str, Any]
Functions = Mapping[str, Callable[..., Any]]
Render = Callable[[Any, Scope, list[str]], None]

_ACTION = re.compile(r"\{\{(- )?(.*?)( -)?\}\}", re.DOTALL)
_TOKEN = re.compile(r"""\s*("(?:\\.|[^"\\])*"|`[^`]*`|-?\d+(?:\.\d+)?|\(|\)|\||:=|=|,|\$?[\w.-]+|\$|\.)""")
_NAME = re.compile(r"\$?[\w-]*(?:\.[\w-]+)*|\.")


@dataclass(frozen=True)
class Template:
    """A parsed template; `render` returns its text for an object."""

    body: Render

    def render(self, dot: object) -> str:
        """Returns the text for an object, which the template calls the dot."""
        parts: list[str] = []
        self.body(dot, {"$": dot}, parts)
        return "".join(parts)


def parse_template(text: str, functions: Functions, path: str) -> Template:
    """Parses a template; InputError that names what is not covered."""
    try:
        parser = _Parser(list(_pieces(text)), {**_BUILTIN, **functions})
        return Template(parser.block(()))
    except _TemplateError as problem:
        raise InputError(f"in the template: {problem}", path=path) from None


class _TemplateError(Exception):
    pass


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """Yields texts and actions in their order; trim markers take the white space beside them."""
    at, trim = 0, False
    for match in _ACTION.finditer(text):
        before = text[at : match.start()]
        before = before.lstrip() if trim else before
        yield "text", before.rstrip() if match[1] else before
        if not match[2].strip().startswith("/*"):
            yield "action", match[2].strip()
        at, trim = match.end(), bool(match[3])
    rest = text[at:]
    if "{{" in rest:
        raise _TemplateError("{{ without }}")
    yield "text", rest.lstrip() if trim else rest


class _Parser:
    def __init__(self, pieces: list[tuple[str, str]], functions: Functions) -> None:
        self._pieces = pieces
        self._functions = functions
        self._at = 0
        self.ended_by = ""

    def block(self, ends: tuple[str, ...]) -> Render:
        """Parses up to one of the ending words, which is left in `ended_by`."""
        parts: list[Render] = []
        while self._at < len(self._pieces):
            kind, text = self._pieces[self._at]
            self._at += 1
            word = text.split(maxsplit=1)[0] if kind == "action" and text else ""
            if word in ends:
                self.ended_by = text
                return _sequence(parts)
            parts.append(_text(text) if kind == "text" else self._action(word, text))
        if ends:
            raise _TemplateError(f"{ends[-1]} is missing")
        return _sequence(parts)

    def _action(self, word: str, text: str) -> Render:
        rest = text[len(word) :]
        if word == "if":
            return self._condition(rest, changes_dot=False)
        if word == "with":
            return self._condition(rest, changes_dot=True)
        if word == "range":
            return self._range(rest)
        if word in ("end", "else", "define", "template", "block", "break", "continue"):
            raise _TemplateError(f"{word} is not covered here")
        names, value = self._assigned(text)
        return _set(names[0], value) if names else _put(value)

    def _condition(self, text: str, changes_dot: bool) -> Render:
        names, value = self._assigned(text)
        then, otherwise = self._branches(changes_dot)

        def render(dot: Any, scope: Scope, parts: list[str]) -> None:
            found = value(dot, scope)
            inner = {**scope, **dict.fromkeys(names[:1], found)} if names else scope
            if found:
                then(found if changes_dot else dot, inner, parts)
            else:
                otherwise(dot, inner, parts)

        return render

    def _branches(self, changes_dot: bool = False) -> tuple[Render, Render]:
        then = self.block(("else", "end"))
        ended = self.ended_by
        if ended == "end":
            return then, _sequence([])
        again = re.fullmatch(r"else\s+(if|with)\b(.*)", ended, re.DOTALL)
        if again:  # which ends with the same `end`
            return then, self._condition(again[2], changes_dot=again[1] == "with")
        return then, self.block(("end",))

    def _range(self, text: str) -> Render:
        names, value = self._assigned(text)
        body, otherwise = self._branches()

        def render(dot: Any, scope: Scope, parts: list[str]) -> None:
            items = value(dot, scope) or []
            pairs = sorted(items.items()) if isinstance(items, Mapping) else list(enumerate(items))
            for key, item in pairs:
                named = dict(zip(names, (key, item) if len(names) == 2 else (item,), strict=False))
                body(item, {**scope, **named}, parts)
            if not pairs:
                otherwise(dot, scope, parts)

        return render

    def _assigned(self, text: str) -> tuple[list[str], Callable[[Any, Scope], Any]]:
        """Parses `$name := pipeline`, `$key, $value := pipeline` or a pipeline."""
        match = re.match(r"\s*(\$\w+)(?:\s*,\s*(\$\w+))?\s*:?=\s*", text)
        names = [name for name in match.groups() if name] if match else []
        return names, _Pipeline(text[match.end() :] if match else text, self._functions).parse()


class _Pipeline:
    def __init__(self, text: str, functions: Functions) -> None:
        self._tokens = _tokens(text)
        self._functions = functions
        self._at = 0

    def parse(self) -> Callable[[Any, Scope], Any]:
        value = self._pipeline()
        if self._at < len(self._tokens):
            raise _TemplateError(f"unexpected {self._tokens[self._at]}")
        return value

    def _next(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _pipeline(self) -> Callable[[Any, Scope], Any]:
        value = self._command(None)
        while self._next() == "|":
            self._at += 1
            value = self._command(value)
        return value

    def _command(self, piped: Callable[[Any, Scope], Any] | None) -> Callable[[Any, Scope], Any]:
        first = self._next()
        if not first or first in "|)":
            raise _TemplateError("an empty pipeline")
        is_call = re.fullmatch(r"[A-Za-z]\w*", first) and first not in _CONSTANTS
        if not is_call:
            return self._operand()
        if first not in self._functions:
            raise _TemplateError(f"the function {first} is not covered")
        self._at += 1
        function, arguments = self._functions[first], []
        while self._next() and self._next() not in "|)":
            arguments.append(self._operand())
        if piped is not None:
            arguments.append(piped)
        return lambda dot, scope: function(*(each(dot, scope) for each in arguments))

    def _operand(self) -> Callable[[Any, Scope], Any]:
        token = self._next()
        self._at += 1
        if token == "(":
            value = self._pipeline()
            if self._next() != ")":
                raise _TemplateError(") is missing")
            self._at += 1
            return value
        if token in _CONSTANTS:
            return lambda dot, scope: _CONSTANTS[token]
        if token[0] in '"`' or token.lstrip("-")[0].isdigit():
            constant = _literal(token)
            return lambda dot, scope: constant
        if re.fullmatch(r"[A-Za-z]\w*", token):  # a function without arguments
            if token not in self._functions:
                raise _TemplateError(f"the function {token} is not covered")
            function = self._functions[token]
            return lambda dot, scope: function()
        return _path(token)


_CONSTANTS = {"true": True, "false": False, "nil": None}


def _tokens(text: str) -> list[str]:
    found, at, text = [], 0, text.strip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise _TemplateError(f"cannot read {text[at : at + 20]!r}")
        found.append(match[1])
        at = match.end()
    return found


def _literal(token: str) -> object:
    return token[1:-1] if token[0] == "`" else json.loads(token)


def _path(token: str) -> Callable[[Any, Scope], Any]:
    if not _NAME.fullmatch(token):
        raise _TemplateError(f"cannot read {token!r}")
    variable, *fields = token.split(".")
    fields = [field for field in fields if field]

    def value(dot: Any, scope: Scope) -> Any:
        found = scope.get(variable) if variable else dot
        for field in fields:
            found = found.get(field) if isinstance(found, Mapping) else None
        return found

    return value


def _sequence(parts: list[Render]) -> Render:
    def render(dot: Any, scope: Scope, out: list[str]) -> None:
        for part in parts:
            part(dot, scope, out)

    return render


def _text(text: str) -> Render:
    return lambda dot, scope, out: out.append(text)


def _put(value: Callable[[Any, Scope], Any]) -> Render:
    return lambda dot, scope, out: out.append(_shown(value(dot, scope)))


def _set(name: str, value: Callable[[Any, Scope], Any]) -> Render:
    def render(dot: Any, scope: Scope, out: list[str]) -> None:
        scope[name] = value(dot, scope)

    return render


def _shown(value: Any) -> str:
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _index(value: Any, *keys: Any) -> Any:
    for key in keys:
        if isinstance(value, Mapping):
            value = value.get(key)
        else:
            value = value[key] if isinstance(value, list) and key < len(value) else None
    return value


def _or(*values: Any) -> Any:
    return next((value for value in values if value), values[-1])


def _and(*values: Any) -> Any:
    return next((value for value in values if not value), values[-1])


def _quote(value: Any) -> str:
    return json.dumps("" if value is None else value if isinstance(value, str) else _shown(value))


_BUILTIN: Functions = {
    "and": _and,
    "dict": lambda *pairs: dict(zip(pairs[::2], pairs[1::2], strict=True)),
    "eq": lambda first, *others: any(first == other for other in others),
    "index": _index,
    "len": lambda value: len(value or ()),
    "ne": lambda first, other: first != other,
    "not": lambda value: not value,
    "or": _or,
    "Quote": _quote,
}
