"""Single requests with all their calls, as spans."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappush, heappushpop
from typing import Literal

from wavetank.kernel.durations import Nanoseconds
from wavetank.microservices.engine.requests import Request

TraceFormat = Literal["perfetto", "jaeger"]


@dataclass(frozen=True, slots=True)
class TraceSetting:
    """Which requests of users are kept: of each operation the `slowest`, and each `every`-th of all (0: none).

    `formats` are the other forms in which they are written, besides the table of spans.
    """

    slowest: int = 5
    every: int = 0
    formats: tuple[TraceFormat, ...] = ()

    @property
    def keeps_any(self) -> bool:
        """Tells whether any request is kept."""
        return self.slowest > 0 or self.every > 0


@dataclass(frozen=True, slots=True)
class Span:
    """A request of a user or a call, from when it was sent to when its answer arrived (None: it never did).

    `received` is when an instance got it, `queued` when it had the answers of its own calls and went to the CPU,
    `computed` when the CPU was done; each is None if it did not come to that. `reason` is why it failed, else empty.
    """

    trace: int
    number: int
    parent: int | None
    service: str
    operation: str
    instance: str
    node: str
    sent: Nanoseconds
    received: Nanoseconds | None
    queued: Nanoseconds | None
    computed: Nanoseconds | None
    ended: Nanoseconds | None
    reason: str


class TraceSampler:
    """Keeps sampled requests of users; which ones depends on their times alone, so that runs can be repeated."""

    def __init__(self, setting: TraceSetting) -> None:
        self._setting = setting
        self._slowest: dict[tuple[str, str], list[tuple[Nanoseconds, int, Request]]] = {}
        self._regular: list[tuple[int, Request]] = []
        self._number = 0

    def ended(self, request: Request) -> None:
        """Takes a request of a user that has just been answered or has failed."""
        self._number -= 1  # of equally slow ones the first stays
        setting = self._setting
        if setting.every and -self._number % setting.every == 0:
            self._regular.append((-self._number, request))
        if setting.slowest:
            heap = self._slowest.setdefault((request.service.name, request.operation.name), [])
            assert request.ended is not None
            entry = (request.ended - request.sent, self._number, request)
            if len(heap) < setting.slowest:
                heappush(heap, entry)
            elif entry > heap[0]:
                heappushpop(heap, entry)

    def spans(self) -> Iterator[Span]:
        """Yields the spans of all kept requests, in the order in which the requests ended; callers before calls."""
        kept = {-number: request for heap in self._slowest.values() for _, number, request in heap}
        kept |= dict(self._regular)
        for trace, number in enumerate(sorted(kept), 1):
            yield from _spans(kept[number], trace)


def _spans(root: Request, trace: int) -> Iterator[Span]:
    found: list[tuple[Request, int | None]] = [(root, None)]
    for number, (request, parent) in enumerate(found, 1):
        yield _span(request, trace, number, parent)
        found += [(child, number) for child in request.children or ()]


def _span(request: Request, trace: int, number: int, parent: int | None) -> Span:
    handler = request.handler
    return Span(
        trace,
        number,
        parent,
        request.service.name,
        request.operation.name,
        handler.name if handler is not None else "",
        handler.node if handler is not None else "",
        request.sent,
        request.arrived if handler is not None else None,
        request.queued,
        request.computed,
        request.ended,
        str(request.reason or ""),
    )
