"""Paths to fields of a schema, such as .spec.name or .labels['a'], of rules and of selectable fields."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wavetank.apiserver.custom.schema.structural import Document

_TOKEN = re.compile(r"'(?:\\.|[^'])*'|[.\[\]]|[^.\[\]]+", re.DOTALL)
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "'": "'", "\\": "\\"}


class FieldPathError(ValueError):
    """A path that leads nowhere; the text says why."""


def follow(path: str, schema: Document, *, arrays: bool = True) -> tuple[str, Document]:
    """Returns a path in the form of error messages, and the schema to which it leads; FieldPathError if to none."""
    tokens = _TOKEN.findall(path)
    place = ""
    rest = iter(tokens)
    for token in rest:
        if token == "[":
            if not arrays:
                raise FieldPathError("array notation is not allowed")
            name = _quoted(_next(rest))
            place, schema = _step(place, schema, name)
            closing = _next(rest)
            if closing != "]":
                raise FieldPathError(f"expected ] but got {closing}")
        elif token == ".":
            place, schema = _step(place, schema, _next(rest))
        else:
            raise FieldPathError(f"expected [ or . but got: {token}")
    return place, schema


def _next(tokens: Iterator[str]) -> str:
    found = next(tokens, None)
    if found is None:
        raise FieldPathError("unexpected end of JSON path")
    return found


def _quoted(token: str) -> str:
    if len(token) < 2 or not token.startswith("'") or not token.endswith("'"):
        raise FieldPathError(f"expected single quoted string but got {token}")
    return re.sub(r"\\.", lambda match: _unescape(match.group()), token[1:-1])


def _unescape(text: str) -> str:
    if text[1] not in _ESCAPES:
        raise FieldPathError(f"invalid string literal: invalid escape char {text}")
    return _ESCAPES[text[1]]


def _step(place: str, schema: Document, name: str) -> tuple[str, Document]:
    if properties := schema.get("properties"):
        if name not in properties:
            raise FieldPathError("does not refer to a valid field")
        return f"{place}.{name}" if place else name, properties[name]
    rest = schema.get("additionalProperties")
    if rest is None:
        raise FieldPathError("does not refer to a valid field")
    return f"{place}[{name}]", rest if isinstance(rest, dict) else {}
