"""All functions by name, with the conversions between types and the access to fields and items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from wavetank.cel.functions.arithmetic import INT_MAX, INT_MIN, OPERATORS, checked
from wavetank.cel.functions.authorization import AUTHORIZATION_FUNCTIONS, AuthorizerCheck, AuthorizerDecision
from wavetank.cel.functions.lists import LIST_FUNCTIONS
from wavetank.cel.functions.networks import NETWORK_FUNCTIONS, Address, Network, Url
from wavetank.cel.functions.quantities import QUANTITY_FUNCTIONS, Amount
from wavetank.cel.functions.semver import SEMVER_FUNCTIONS, Semver
from wavetank.cel.functions.strings import STRING_FUNCTIONS, text_of
from wavetank.cel.functions.times import TIME_FUNCTIONS
from wavetank.cel.values import (
    Duration,
    EvaluationError,
    Optional,
    Timestamp,
    Uint,
    equal,
    read_duration,
    read_timestamp,
)


class TypeValue(NamedTuple):
    """A type as a value, for comparing types."""

    name: str


_TYPE_NAMES: Mapping[type, str] = {
    bool: "bool",
    Uint: "uint",
    int: "int",
    float: "double",
    str: "string",
    bytes: "bytes",
    type(None): "null_type",
    Timestamp: "google.protobuf.Timestamp",
    Duration: "google.protobuf.Duration",
    Amount: "kubernetes.Quantity",
    Semver: "kubernetes.Semver",
    Url: "kubernetes.URL",
    Address: "net.IP",
    Network: "net.CIDR",
    AuthorizerCheck: "kubernetes.authorization.ResourceCheck",
    AuthorizerDecision: "kubernetes.authorization.Decision",
    Optional: "optional_type",
    TypeValue: "type",
}


def type_of(value: Any) -> TypeValue:
    """Returns the type of a value."""
    if type(value) in _TYPE_NAMES:
        return TypeValue(_TYPE_NAMES[type(value)])
    return TypeValue("map" if isinstance(value, Mapping) else "list")


def is_present(owner: Any, name: str) -> bool:
    """Returns whether a field is there."""
    if isinstance(owner, Optional):
        return owner.present and is_present(owner.value, name)
    if not isinstance(owner, Mapping):
        raise EvaluationError("no such overload")
    return name in owner


def index(owner: Any, key: Any) -> Any:
    """Returns an item of a list or of a map."""
    if isinstance(owner, Optional):
        return optional_index(owner, key)
    if isinstance(owner, list) and isinstance(key, (int, float)) and not isinstance(key, bool):
        if key != int(key) or not 0 <= key < len(owner):
            raise EvaluationError(f"index out of bounds: {key}")
        return owner[int(key)]
    if isinstance(owner, Mapping):
        try:
            return owner[key]
        except KeyError:
            raise EvaluationError(f"no such key: {text_of(key)}") from None
        except TypeError:  # a list or a map cannot be a key
            raise EvaluationError("no such overload") from None
    raise EvaluationError("no such overload")


def optional_index(owner: Any, key: Any) -> Optional:
    """Returns an item if it is there."""
    if isinstance(owner, Optional):
        return optional_index(owner.value, key) if owner.present else owner
    if isinstance(owner, list):
        return Optional(owner[key], True) if 0 <= key < len(owner) else Optional()
    try:
        return Optional(owner[key], True)
    except KeyError:
        return Optional()


def _size(value: Any) -> int:
    return len(value)


def _in(item: Any, owner: Any) -> bool:
    if isinstance(owner, Mapping):
        return item in owner
    return any(equal(item, each) for each in owner)


def _unconvertible(wanted: str) -> EvaluationError:
    return EvaluationError(f"type conversion error from 'string' to '{wanted}'")


def _int(value: Any) -> int:
    if isinstance(value, str):
        try:
            return int(value) if value.strip() == value and "_" not in value else int("x")
        except ValueError:
            raise _unconvertible("int") from None
    if isinstance(value, (Timestamp, Duration)):
        return value.nanos // 10**9
    if isinstance(value, float) and not INT_MIN < value < INT_MAX:
        raise EvaluationError("integer overflow")
    return int(checked(int(value), 0))


def _uint(value: Any) -> Uint:
    number = _int(value)
    if not 0 <= number < 2**64:
        raise EvaluationError("unsigned integer overflow")
    return Uint(number)


def _double(value: Any) -> float:
    try:
        return float(value)
    except ValueError:
        raise _unconvertible("double") from None


def _bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("1", "t", "T", "TRUE", "true", "True"):
        return True
    if value in ("0", "f", "F", "FALSE", "false", "False"):
        return False
    raise _unconvertible("bool")


def _bytes(value: Any) -> bytes:
    return value.encode() if isinstance(value, str) else bytes(value)


def _read(read: Callable[[str], Any], text: str, wanted: str) -> Any:
    try:
        return read(text)
    except EvaluationError:
        raise _unconvertible(wanted) from None


def _duration(value: Any) -> Any:
    if isinstance(value, str):
        return _read(read_duration, value, "google.protobuf.Duration")
    return value if isinstance(value, Duration) else Duration(value * 10**9)


def _timestamp(value: Any) -> Any:
    if isinstance(value, str):
        return _read(read_timestamp, value, "google.protobuf.Timestamp")
    return value if isinstance(value, Timestamp) else Timestamp(value * 10**9)


def _value(optional: Optional) -> Any:
    if not optional.present:
        raise EvaluationError("optional.none() dereference")
    return optional.value


def _non_zero(value: Any) -> Optional:
    return Optional(value, True) if value else Optional()


def _index_of(owner: Any, item: Any, *start: int) -> int:
    if isinstance(owner, list):
        return next((i for i, each in enumerate(owner) if equal(each, item)), -1)
    return int(STRING_FUNCTIONS["indexOf"](owner, item, *start))


def _last_index_of(owner: Any, item: Any, *start: int) -> int:
    if isinstance(owner, list):
        return next((i for i in reversed(range(len(owner))) if equal(owner[i], item)), -1)
    return int(STRING_FUNCTIONS["lastIndexOf"](owner, item, *start))


def _contains(owner: Any, part: Any) -> bool:
    return part in owner


def _string(value: Any) -> str:
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise EvaluationError("invalid UTF-8 in bytes, cannot convert to string") from None
    return text_of(value)


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **OPERATORS,
    **LIST_FUNCTIONS,
    "_[?_]": optional_index,
    "@in": _in,
    "size": _size,
    "contains": _contains,
    "bool": _bool,
    "bytes": _bytes,
    "double": _double,
    "duration": _duration,
    "dyn": lambda value: value,
    "int": _int,
    "string": _string,
    "timestamp": _timestamp,
    "uint": _uint,
    "type": type_of,
    "optional.of": lambda value: Optional(value, True),
    "optional.ofNonZeroValue": _non_zero,
    "optional.none": Optional,
    "hasValue": lambda optional: optional.present,
    "value": _value,
    **STRING_FUNCTIONS,
    **TIME_FUNCTIONS,
    **QUANTITY_FUNCTIONS,
    **SEMVER_FUNCTIONS,
    "isGreaterThan": lambda left, right: left > right,
    "isLessThan": lambda left, right: left < right,
    "compareTo": lambda left, right: (left > right) - (left < right),
    **NETWORK_FUNCTIONS,
    **AUTHORIZATION_FUNCTIONS,
    "indexOf": _index_of,
    "lastIndexOf": _last_index_of,
}
