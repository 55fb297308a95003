from __future__ import annotations

import math
from pathlib import Path

from wavetank.errors import InputError


def read_profile(path: Path) -> tuple[tuple[float, int], ...]:
    """Reads a LIMBO profile: lines `time,requests` (or `;`), in any order; lines without load are dropped."""
    try:
        lines = path.read_text().splitlines()
    except OSError:
        raise InputError("no such file", source=str(path)) from None
    points = [_point(line, number, path) for number, line in enumerate(lines, 1) if line.strip()]
    return tuple(sorted((time, size) for time, size in points if time >= 0 and size > 0))


def _point(line: str, number: int, path: Path) -> tuple[float, int]:
    fields = line.replace(";", ",").split(",")
    try:
        time, size = (float(field) for field in fields)
        return time, math.floor(size + 0.5)
    except (ValueError, OverflowError):
        raise InputError(
            f"expected `time,requests`, got {line!r:.60}", path=f"line {number}", source=str(path)
        ) from None
