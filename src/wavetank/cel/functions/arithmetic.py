"""Operators."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from wavetank.cel.values import Duration, EvaluationError, Timestamp, TypedList, Uint, equal

INT_MIN, INT_MAX = -(2**63), 2**63 - 1


def is_number(value: Any) -> bool:
    """Returns whether a value is a number of any kind."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def checked(value: Any, like: Any) -> Any:
    """Returns a result in the type of an operand; an EvaluationError if it does not fit."""
    if isinstance(value, float):
        return value
    if isinstance(like, Uint):
        if not 0 <= value < 2**64:
            raise EvaluationError("unsigned integer overflow")
        return Uint(value)
    if not INT_MIN <= value <= INT_MAX:
        raise EvaluationError("integer overflow")
    return value


def _same_number(left: Any, right: Any) -> bool:
    return is_number(left) and type(left) is type(right)


def add(left: Any, right: Any) -> Any:
    """Adds numbers, texts, lists or times."""
    if _same_number(left, right):
        return checked(int(left) + int(right) if isinstance(left, Uint) else left + right, left)
    if isinstance(left, TypedList) and isinstance(right, list):
        return _merge(left, right)
    if isinstance(left, list) and isinstance(right, list):
        return [*left, *right]
    if isinstance(left, (str, bytes)) and type(left) is type(right):
        return left + right  # type: ignore[operator]
    if isinstance(left, (Timestamp, Duration)) and isinstance(right, (Timestamp, Duration)):
        kind = Timestamp if Timestamp in (type(left), type(right)) else Duration
        return kind(left.nanos + right.nanos)
    raise EvaluationError("no such overload")


def _merge(left: TypedList, right: list[Any]) -> TypedList:
    """Adds a list to one that is a set or a map: items that are there are replaced, others are added."""
    found = list(left)
    for each in right:
        place = next((i for i, old in enumerate(found) if _is_same_item(left, old, each)), None)
        if place is None:
            found.append(each)
        else:
            found[place] = each
    return TypedList(found, left.kind, left.keys)


def _is_same_item(items: TypedList, old: Any, new: Any) -> bool:
    if items.kind == "set":
        return equal(old, new)
    return all(equal(old.get(key), new.get(key)) for key in items.keys)


def _subtract(left: Any, right: Any) -> Any:
    if _same_number(left, right):
        return checked(int(left) - int(right) if isinstance(left, Uint) else left - right, left)
    if isinstance(left, Timestamp) and isinstance(right, Timestamp):
        return Duration(left.nanos - right.nanos)
    if isinstance(left, (Timestamp, Duration)) and isinstance(right, Duration):
        return type(left)(left.nanos - right.nanos)
    raise EvaluationError("no such overload")


def _multiply(left: Any, right: Any) -> Any:
    if not _same_number(left, right):
        raise EvaluationError("no such overload")
    return checked(int(left) * int(right) if isinstance(left, Uint) else left * right, left)


def _divide(left: Any, right: Any) -> Any:
    if not _same_number(left, right):
        raise EvaluationError("no such overload")
    if isinstance(left, float):
        if right == 0:
            return math.nan if left == 0 or math.isnan(left) else math.copysign(math.inf, left)
        return left / right
    if right == 0:
        raise EvaluationError("division by zero")
    quotient = abs(left) // abs(right)
    return checked(quotient if (left < 0) == (right < 0) else -quotient, left)


def _remainder(left: Any, right: Any) -> Any:
    if not _same_number(left, right) or isinstance(left, float):
        raise EvaluationError("no such overload")
    if right == 0:
        raise EvaluationError("modulus by zero")
    return checked(int(math.fmod(left, right)) if abs(left) < 2**53 else left - right * int(left / right), left)


def _negate(value: Any) -> Any:
    if not is_number(value) or isinstance(value, Uint):
        raise EvaluationError("no such overload")
    return checked(-value, value)


def _not(value: Any) -> bool:
    if not isinstance(value, bool):
        raise EvaluationError("no such overload")
    return not value


def compare(left: Any, right: Any) -> int:
    """Returns -1, 0 or 1 as one value is smaller than another, equal or larger."""
    if not (is_number(left) and is_number(right)) and type(left) is not type(right):
        raise EvaluationError("no such overload")
    if left is None or isinstance(left, (list, Mapping)):
        raise EvaluationError("no such overload")
    return -1 if left < right else 1 if left > right else 0


OPERATORS: Mapping[str, Callable[..., Any]] = {
    "_+_": add,
    "_-_": _subtract,
    "_*_": _multiply,
    "_/_": _divide,
    "_%_": _remainder,
    "-_": _negate,
    "!_": _not,
    "_<_": lambda left, right: compare(left, right) < 0,
    "_<=_": lambda left, right: compare(left, right) <= 0,
    "_>_": lambda left, right: compare(left, right) > 0,
    "_>=_": lambda left, right: compare(left, right) >= 0,
}
