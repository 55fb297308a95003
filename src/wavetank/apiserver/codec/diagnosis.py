"""Errors about a document, in the order of its fields."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wavetank.apiserver.codec.jsontext import Pairs
from wavetank.apiserver.codec.mismatch import MismatchError, UnreadableError, json_type
from wavetank.apiserver.codec.scalars import SCALARS
from wavetank.apiserver.schemas.schema import Schema
from wavetank.cel.gotext import quote

_MOST = 100  # strict errors that the real decoder collects


def diagnose(schema: Schema, document: Any) -> list[str]:
    """Returns the strict errors of a document: its unknown fields, and its duplicate ones if objects are `Pairs`.

    Raises the error of the first value that has a wrong type, which says where it is.
    """
    diagnosis = _Diagnosis()
    diagnosis.value(schema, document, "", ("", ""))
    if diagnosis.error:
        raise diagnosis.error
    return list(diagnosis.strict)


def duplicates(document: Any) -> list[str]:
    """Returns the strict errors of a document that has no type, whose objects are `Pairs`."""
    strict = _StrictErrors()
    _untyped(document, "", strict)
    return list(strict)


class _StrictErrors(dict[str, None]):
    """The first strict errors, each once."""

    def note(self, error: str) -> None:
        """Adds an error, if there are not enough."""
        if len(self) < _MOST:
            self[error] = None


class _Diagnosis:
    """`path` is the place as strict errors write it (a.b[0].c), `field` as type errors do (structure, a.b.c)."""

    def __init__(self) -> None:
        self.strict = _StrictErrors()
        self.error: UnreadableError | None = None

    def value(self, schema: Schema, value: Any, path: str, field: tuple[str, str]) -> None:
        if value is None:
            return
        try:
            self._value(schema, value, path, field)
        except MismatchError as error:
            # Go continues after a mismatch, and reports the first one at the end.
            self.error = self.error or (error.at(*field) if field[0] else error)

    def _value(self, schema: Schema, value: Any, path: str, field: tuple[str, str]) -> None:
        if schema.type == "object":
            self._object(schema, _pairs(schema, value), path, field)
        elif schema.type == "map":
            self._map(schema, _pairs(schema, value), path, field)
        elif schema.type == "array":
            self._array(schema, value, path, field)
        else:
            SCALARS[schema.type](schema, value)

    def _object(self, schema: Schema, pairs: Iterable[tuple[str, Any]], path: str, field: tuple[str, str]) -> None:
        seen = set()
        structure = schema.go_type.rpartition(".")[2]
        for key, value in pairs:
            inner = schema.fields.get(key)
            if inner is None:
                self.strict.note(f"unknown field {quote(_join(path, key))}")
                continue
            if key in seen:
                self.strict.note(f"duplicate field {quote(_join(path, key))}")
            seen.add(key)
            origin = schema.structure.embedded.get(key)
            place = _join(field[1], f"{origin}.{key}" if origin else key)
            self.value(inner, value, _join(path, key), (structure, place))

    def _map(self, schema: Schema, pairs: Iterable[tuple[str, Any]], path: str, field: tuple[str, str]) -> None:
        seen = set()
        assert schema.items is not None
        for key, value in pairs:
            if key in seen:
                self.strict.note(f"duplicate field {quote(_join(path, key))}")
            seen.add(key)
            self.value(schema.items, value, _join(path, key), field)

    def _array(self, schema: Schema, value: Any, path: str, field: tuple[str, str]) -> None:
        if type(value) is not list:
            raise MismatchError(_type_of(value), schema.go_type)
        assert schema.items is not None
        for index, each in enumerate(value):
            self.value(schema.items, each, f"{path}[{index}]", field)


def _untyped(value: Any, path: str, strict: _StrictErrors) -> None:
    if isinstance(value, Pairs):
        seen = set()
        for key, each in value:
            if key in seen:
                strict.note(f"duplicate field {quote(_join(path, key))}")
            seen.add(key)
            _untyped(each, _join(path, key), strict)
    elif isinstance(value, list):
        for index, each in enumerate(value):
            _untyped(each, f"{path}[{index}]", strict)


def _pairs(schema: Schema, value: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(value, Pairs):
        return value
    if isinstance(value, dict):
        return value.items()
    raise MismatchError(_type_of(value), schema.go_type)


def _type_of(value: Any) -> str:
    return "object" if isinstance(value, Pairs) else json_type(value)


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key
