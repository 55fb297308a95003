"""The requests of controllers: passed on or refused as the script says, and noted."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from wavetank.apiserver.errors import StatusError
from wavetank.apiserver.requests.request import Request, Response
from wavetank.apiserver.requests.responses import refusal
from wavetank.apiserver.requests.stream import Stream
from wavetank.cluster.store.errors import ApiError
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.simulation.served.faults import Faults

T = TypeVar("T")
Document = Mapping[str, Any]


@dataclass(frozen=True)
class AuditedRequest:
    """One request of a controller: its time, what it asked for, and the status code of the answer.

    `path` has no query. `body` is the document that was sent, None if there was none.
    """

    time_ns: Nanoseconds
    method: str
    path: str
    body: Document | None
    status: int

    @property
    def time(self) -> float:
        """Returns the time in seconds since the start of the cluster."""
        return self.time_ns / SECOND


class Audit:
    """Notes requests, in the order in which they are served; faults refuse some of them."""

    def __init__(self, clock: Clock) -> None:
        self.faults = Faults((), clock)
        self._clock = clock
        self._noted: list[AuditedRequest] = []

    def select(self, method: str, path: str) -> list[AuditedRequest]:
        """Returns the requests of a method, "" for all, whose path matches a regular expression somewhere."""
        pattern = re.compile(path)
        return [each for each in self._noted if method in ("", each.method) and pattern.search(each.path)]

    def handle(self, request: Request, handle: Callable[[Request], Response | Stream]) -> Response | Stream:
        """Answers the request of a program."""
        try:
            self.faults.check(request.method, request.path)
            answer = handle(request)
        except ApiError as error:
            answer = refusal(StatusError(error.code, error.reason, str(error)), request)
        status = answer.status if isinstance(answer, Response) else 200
        self._note(request.method, request.path, _decoded(request.body), status)
        return answer

    def call(
        self,
        method: str,
        path: str,
        body: Document | None,
        act: Callable[[], T],
    ) -> T:
        """Does what a built-in controller asks for; RefusedError if a fault refuses it."""
        status = 201 if method == "POST" else 200
        try:
            self.faults.check(method, path)
            return act()
        except Exception as error:
            status = getattr(error, "code", 500)
            raise
        finally:
            self._note(method, path, body, status)

    def _note(self, method: str, path: str, body: Document | None, status: int) -> None:
        self._noted.append(AuditedRequest(self._clock.now, method, path, body, status))


def _decoded(body: bytes) -> Document | None:
    try:
        found = msgspec.json.decode(body) if body else None
    except msgspec.DecodeError:
        return None
    return found if isinstance(found, dict) else None
