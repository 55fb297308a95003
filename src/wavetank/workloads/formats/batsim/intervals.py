"""Batsim's sets of machines: `0-3 5`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from wavetank.documents import reading as fields
from wavetank.errors import InputError

_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")


def parse_intervals(text: str, path: str) -> tuple[int, ...]:
    """Reads a set of numbers such as `0-4 6`, in ascending order."""
    return tuple(sorted(set(_numbers(text, path))))


def format_intervals(numbers: Iterable[int]) -> str:
    """Writes numbers as Batsim does: 0-3 5 7-8."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return " ".join(str(low) if low == high else f"{low}-{high}" for low, high in parts)


def _numbers(text: str, path: str) -> Iterator[int]:
    for part in text.split():
        match = _RANGE.fullmatch(part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if not first <= last < first + fields.MOST_OBJECTS:
            raise InputError(f'expected ids such as "0-4 6", got {text!r:.60}', path=path)
        yield from range(first, last + 1)
