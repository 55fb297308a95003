"""Readers of single values: each returns what Go would write back, or raises a MismatchError."""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Callable
from typing import Any

from wavetank.apiserver.codec.mismatch import MismatchError, UnreadableError, json_type
from wavetank.apiserver.codec.quantities import canonical_quantity
from wavetank.apiserver.codec.times import canonical_duration, canonical_microtime, canonical_time
from wavetank.apiserver.schemas.schema import Schema

_RANGES = {"int32": 2**31, "int64": 2**63}


def _string(schema: Schema, value: Any) -> Any:
    if type(value) is str:
        return value
    raise MismatchError(json_type(value), schema.go_type)


def _boolean(schema: Schema, value: Any) -> Any:
    if type(value) is bool:
        return value
    raise MismatchError(json_type(value), schema.go_type)


def _integer(schema: Schema, value: Any) -> Any:
    limit = _RANGES[schema.format]
    if type(value) is int and -limit <= value < limit:
        return value
    raise _not_an_integer(value, schema.go_type)


def _not_an_integer(value: Any, go_type: str) -> MismatchError:
    found = json_type(value)
    return MismatchError(f"number {value}" if found == "number" else found, go_type)


def _number(schema: Schema, value: Any) -> Any:
    if type(value) in (int, float) and math.isfinite(value):
        return value
    raise _not_an_integer(value, schema.go_type)


def _quantity(schema: Schema, value: Any) -> Any:
    if type(value) in (str, int):
        return canonical_quantity(str(value))
    if type(value) is float:
        return canonical_quantity(repr(value))
    raise UnreadableError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")


def _written(read: Callable[[str], Any]) -> Callable[[Schema, Any], Any]:
    def reader(_schema: Schema, value: Any) -> Any:
        if type(value) is str:
            return read(value)
        raise MismatchError(json_type(value), "string")

    return reader


def _int_or_string(_schema: Schema, value: Any) -> Any:
    if type(value) is str or (type(value) is int and -(2**31) <= value < 2**31):
        return value
    raise _not_an_integer(value, "int32")


def _bytes(schema: Schema, value: Any) -> Any:
    if type(value) is not str:
        raise MismatchError(json_type(value), schema.go_type)
    try:
        text = value.replace("\n", "").replace("\r", "")
        return base64.b64encode(base64.b64decode(text, validate=True)).decode()
    except (binascii.Error, ValueError):
        raise UnreadableError(f"illegal base64 data at input byte {_illegal_byte(value)}") from None


def _illegal_byte(text: str) -> int:
    """Returns where Go stops reading."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    return next((at for at, letter in enumerate(text) if letter not in alphabet), len(text) // 4 * 4)


def _any(_schema: Schema, value: Any) -> Any:
    return value


SCALARS: dict[str, Callable[[Schema, Any], Any]] = {
    "string": _string,
    "boolean": _boolean,
    "integer": _integer,
    "number": _number,
    "quantity": _quantity,
    "time": _written(canonical_time),
    "microtime": _written(canonical_microtime),
    "duration": _written(canonical_duration),
    "int-or-string": _int_or_string,
    "bytes": _bytes,
    "any": _any,
}
ZEROS: dict[str, Any] = {
    "string": "",
    "boolean": False,
    "integer": 0,
    "number": 0,
    "quantity": "0",
    "time": None,
    "microtime": None,
    "duration": "0s",
    "int-or-string": 0,
    "bytes": None,
    "any": None,
    "array": None,
    "map": None,
}
