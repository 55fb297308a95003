"""Requests that a script refuses, or answers by itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from wavetank.cluster.store.errors import ApiError
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import Nanoseconds

_REASONS = {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    409: "Conflict",
    410: "Expired",
    429: "TooManyRequests",
    500: "InternalError",
    503: "ServiceUnavailable",
    504: "Timeout",
}


class Fault(msgspec.Struct, frozen=True):
    """Requests that are refused, or answered otherwise: by path (searched) and method, from one time to another."""

    path: str
    code: int
    from_ns: Nanoseconds
    to_ns: Nanoseconds
    method: str = "GET"
    text: str = ""
    body: dict[str, Any] | None = None
    times: int | None = None


class RefusedError(ApiError):
    """A request that a script refuses."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.reason = _REASONS.get(code, "")


class Faults:
    """Which requests a script refuses or answers by itself."""

    def __init__(self, faults: Iterable[Fault], clock: Clock) -> None:
        self._faults: list[tuple[re.Pattern[str], Fault]] = []
        self._met: list[int] = []
        self._clock = clock
        for fault in faults:
            self.add(fault)

    def add(self, fault: Fault) -> None:
        """Adds a fault; of several that fit a request the first counts."""
        self._faults.append((re.compile(fault.path), fault))
        self._met.append(0)

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
