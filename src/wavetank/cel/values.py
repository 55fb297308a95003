"""Values while an expression is evaluated: JSON's own, and those that JSON has no types for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

_UNITS = {"h": 3_600_000_000_000, "m": 60_000_000_000, "s": 10**9, "ms": 10**6, "us": 10**3, "µs": 10**3, "ns": 1}
_PART = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(h|ms|m|s|us|µs|ns)")


class EvaluationError(ValueError):
    """An expression without a value; the text is the real evaluator's."""


class Uint(int):
    """A number that has no sign."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, order=True)
class Duration:
    """A span of time, in nanoseconds."""

    nanos: int


@dataclass(frozen=True, slots=True, order=True)
class Timestamp:
    """A point in time, in nanoseconds since 1970."""

    nanos: int

    @property
    def moment(self) -> datetime:
        """Returns the time in UTC, to the microsecond."""
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=self.nanos // 1000)


class Opaque:
    """A value of one of Kubernetes' own types, which can be compared only with values of the same type."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Optional:
    """A value that may be missing."""

    value: Any = None
    present: bool = False


class Struct(Mapping[str, Any]):
    """An object with the fields of a schema, called as expressions may call them."""

    __slots__ = ("_fields",)

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = fields

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)


class TypedList(list[Any]):
    """A list whose items are found by keys, or stand in no order."""

    __slots__ = ("keys", "kind")

    def __init__(self, items: list[Any], kind: str, keys: tuple[str, ...]) -> None:
        super().__init__(items)
        self.kind = kind
        self.keys = keys


def read_duration(text: str) -> Duration:
    """Reads a duration such as 1h30m."""
    sign, body = (-1, text[1:]) if text.startswith("-") else (1, text.removeprefix("+"))
    parts = _PART.findall(body)
    if body == "0":
        return Duration(0)
    if not parts or "".join(number + unit for number, unit in parts) != body:
        raise EvaluationError(f'time: invalid duration "{text}"')
    return Duration(sign * round(sum(float(number) * _UNITS[unit] for number, unit in parts)))


def read_timestamp(text: str) -> Timestamp:
    """Reads a time or a date in RFC 3339."""
    found = re.fullmatch(r"(\d{4}-\d\d-\d\d)(?:[Tt](\d\d:\d\d:\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d))?", text, re.ASCII)
    if found is None:
        raise EvaluationError(f'parsing time "{text}" as "2006-01-02T15:04:05Z07:00": cannot parse "{text}" as "2006"')
    day, clock, fraction, zone = found.groups()
    moment = datetime.fromisoformat(f"{day}T{clock or '00:00:00'}{(zone or 'Z').upper().replace('Z', '+00:00')}")
    nanos = int((fraction or ".0")[1:10].ljust(9, "0"))
    seconds = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1)
    return Timestamp(seconds * 10**9 + nanos)


def equal(left: Any, right: Any) -> bool:
    """Returns whether two values are equal; numbers are whatever their types are, lists that are sets in any order."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return left == right
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(equal(left[name], right[name]) for name in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and _equal_items(left, right)
    if type(left) is not type(right):
        if isinstance(left, Opaque):
            raise EvaluationError("no such overload")
        return False
    return bool(left == right)


def _equal_items(left: list[Any], right: list[Any]) -> bool:
    if isinstance(left, TypedList):
        rest = list(right)
        for each in left:
            place = next((i for i, other in enumerate(rest) if equal(each, other)), None)
            if place is None:
                return False
            del rest[place]
        return True
    return all(equal(*pair) for pair in zip(left, right, strict=True))
