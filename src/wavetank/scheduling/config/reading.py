"""Readers as strict as kube-scheduler's decoder: no unknown field, no wrong type, null for the default."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import TypeVar

from wavetank.cluster.fields.selectors import read_mapping
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds, parse_duration
from wavetank.words import did_you_mean

Default = TypeVar("Default", int, None)

INT32_MAX = 2**31 - 1
INT64_MAX = 2**63 - 1
_GO_DURATION = re.compile(r"([+-]?)(0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)")


def read_object(raw: object, known: Collection[str]) -> Mapping[str, object]:
    """Reads a JSON object that has known fields only; null reads as an empty one."""
    fields = read_mapping(raw)
    for name in map(str, fields):
        if name not in known:
            raise InputError(f'unknown field "{name}"{did_you_mean(name, known)}', path=name)
    return fields


def read_bool(raw: object) -> bool:
    """Reads true or false; null reads as false."""
    if raw is not None and not isinstance(raw, bool):
        raise InputError(f"{raw!r} is not a boolean, expected true or false")
    return bool(raw)


def integer(default: Default, low: int = -INT32_MAX - 1, high: int = INT32_MAX) -> Callable[[object], int | Default]:
    """Returns a reader of a whole number from `low` to `high`; null reads as the default, if that is in range."""

    def read(raw: object) -> int | Default:
        number = default if raw is None else _whole(raw)
        if number is not None and not low <= number <= high:
            raise InputError(f"{number} is out of range, expected a whole number from {low} to {high}")
        return number

    return read


def _whole(raw: object) -> int:
    if isinstance(raw, float) and raw.is_integer():  # YAML's 2.0 reaches the real decoder as 2
        return int(raw)
    if isinstance(raw, bool) or not isinstance(raw, int):
        raise InputError(f"{raw!r} is not a whole number")
    return raw


def read_duration(raw: object) -> Nanoseconds | None:
    """Reads a duration as Go writes it, perhaps negative: a number needs its unit. Null reads as None."""
    if raw is None:
        return None
    match = _GO_DURATION.fullmatch(raw) if isinstance(raw, str) else None
    if match is None:
        raise InputError(f"{raw!r} is not a duration, expected a form such as 500ms, 10s or 1m30s")
    length = parse_duration(match[2].replace("μ", "µ"))  # Go takes both the Greek letter and the micro sign
    return -length if match[1] == "-" else length
