"""What an attack reports."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

_MOST_SHOWN = 20


@dataclass
class Outcome:
    """How many attempts an attack has made, what they count, and what broke."""

    unit: str
    ran: int = 0
    broke: list[str] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)

    def check(self, holds: bool, problem: str) -> None:
        """Notes a problem unless something holds."""
        if not holds and len(self.broke) < _MOST_SHOWN:
            self.broke.append(" ".join(problem.split())[:400])


class Budget:
    """How long an attack may go on: so many seconds, and at most so many rounds."""

    def __init__(self, seconds: float, rounds: int = 1 << 30) -> None:
        self._end = time.monotonic() + seconds
        self._rounds = rounds

    def left(self) -> bool:
        """Tells whether another round may begin, and counts it."""
        self._rounds -= 1
        return self._rounds >= 0 and time.monotonic() < self._end


Attack = Callable[[Random, Budget], Outcome]
