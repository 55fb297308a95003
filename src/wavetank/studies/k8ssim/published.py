"""Tables 2 to 5 of the paper, by scenario and algorithm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import msgspec

Rows = Mapping[int, Mapping[str, float]]


@dataclass(frozen=True)
class Published:
    """Real and simulation running times in seconds (tables 2 and 3), and their quotients (tables 4 and 5)."""

    real_s: Rows
    simulated_s: Rows
    reductions: Rows


@cache
def published() -> Published:
    """Reads the tables."""
    text = files(__package__).joinpath("published.json").read_bytes()
    return msgspec.json.decode(text, type=Published)
