"""JSON texts, read as Go reads them."""

from __future__ import annotations

import json
from collections.abc import Callable
from json.scanner import py_make_scanner  # type: ignore[attr-defined]
from typing import Any, NoReturn

from wavetank.apiserver.codec.mismatch import UnreadableError
from wavetank.apiserver.codec.syntax import explain_syntax
from wavetank.cluster.yamldepth import MAX_DEPTH, is_too_deep
from wavetank.kernel.discards import discard

_LONG = 1024 * 1024  # characters
_MANY = 5000  # pairs


class Pairs(list[tuple[str, Any]]):
    """A JSON object as it was written, duplicate keys included."""


class DuplicateKeysError(Exception):
    """A JSON object has a key twice."""


def parse_json(body: bytes) -> Any:
    """Returns what a text says; raises an UnreadableError with Go's message, or a DuplicateKeysError."""
    return _parse(body, _UNIQUE)


def parse_json_lenient(body: bytes) -> Any:
    """Returns what a text says; of duplicate keys the last one counts."""
    return _parse(body, _PLAIN)


def parse_json_pairs(body: bytes) -> Any:
    """Returns what a text says with every object as `Pairs`; for finding duplicate keys."""
    return _parse(body, _PAIRS)


def _parse(body: bytes, decoders: _Decoders) -> Any:
    text = body.decode("utf-8", "replace")
    try:
        value = decoders.of(text).decode(text)
    except RecursionError:
        raise UnreadableError(explain_syntax(body) or "exceeded max depth") from None
    except ValueError:
        raise UnreadableError(explain_syntax(body) or "invalid number") from None
    if text.count("{") + text.count("[") > MAX_DEPTH and is_too_deep(value):
        raise UnreadableError("exceeded max depth")
    # Go reads half of a surrogate pair as U+FFFD; Python keeps it, and could not write it again.
    return _without_surrogates(value) if "\\u" in text else value


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, Pairs):
        return Pairs((_without_surrogates(key), _without_surrogates(each)) for key, each in value)
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_without_surrogates(each) for each in value]
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs) if len(pairs) < _MANY else _in_pieces(pairs)
    if len(found) < len(pairs):
        raise DuplicateKeysError
    return found


def _in_pieces(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Returns very many pairs as a dict; other threads run while it is made."""
    found: dict[str, Any] = {}
    for start in range(0, len(pairs), _MANY):
        found.update(pairs[start : start + _MANY])
    discard(pairs)
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


class _Decoders:
    """Two decoders of JSON: a fast one, during which no other thread runs, and one in Python for long texts."""

    def __init__(self, hook: Callable[[list[tuple[str, Any]]], Any] | None = None) -> None:
        self._fast, self._patient = (
            json.JSONDecoder(object_pairs_hook=hook, parse_constant=_no_constant) for _ in range(2)
        )
        self._patient.scan_once = py_make_scanner(self._patient)  # type: ignore[attr-defined]

    def of(self, text: str) -> json.JSONDecoder:
        """Returns the decoder for a text."""
        return self._fast if len(text) < _LONG else self._patient


_UNIQUE, _PLAIN, _PAIRS = _Decoders(_unique), _Decoders(), _Decoders(Pairs)
