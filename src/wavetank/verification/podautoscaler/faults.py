from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from wavetank.cluster.store.errors import ApiError
from wavetank.kernel.clock import Clock
from wavetank.verification.podautoscaler.recording import Fault


class RefusedError(ApiError):
    """A request that a scenario refuses."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.reason = "Conflict" if code == 409 else ""


class Faults:
    """Which requests a scenario refuses or answers by itself."""

    def __init__(self, faults: list[Fault], clock: Clock) -> None:
        self._faults = [(re.compile(fault.path), fault) for fault in faults]
        self._met = [0] * len(faults)
        self._clock = clock

    def check(self, method: str, path: str, refusal: Callable[[str], Exception] | None = None) -> dict[str, Any] | None:
        """Returns the answer that a fault gives, None if there is none; a refusal is raised (ApiError if not given)."""
        for index, (pattern, fault) in enumerate(self._faults):
            if fault.method != method or not pattern.search(path):
                continue
            if not fault.from_ns <= self._clock.now < fault.to_ns or self._met[index] == fault.times:
                continue
            self._met[index] += 1
            if fault.code < 400 and fault.body is not None:
                return fault.body
            message = str((fault.body or {}).get("message") or fault.text)
            raise refusal(message) if refusal is not None else RefusedError(fault.code, message)
        return None
