from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from wavetank.kernel.durations import Nanoseconds
from wavetank.microservices.engine.requests import Request
from wavetank.microservices.measures.histogram import Histogram

Edge = tuple[str, str, str, str]  # service and operation of the caller (empty: users), then of the called


@dataclass(slots=True)
class CallFigures:
    """All calls along one edge of the service graph, as the caller sees them.

    The response times of answered calls consist of three parts: messages under way, `calling` (waiting for the calls of
    the called operation itself) and `computing` (at the CPU, computed or waiting for it).
    """

    histogram: Histogram = field(default_factory=Histogram)
    failures: Counter[str] = field(default_factory=Counter)
    calling: Nanoseconds = 0
    computing: Nanoseconds = 0

    def add(self, request: Request) -> None:
        """Counts a call that has ended."""
        if request.reason is not None:
            self.failures[request.reason] += 1
            return
        assert request.ended is not None
        assert request.queued is not None
        assert request.computed is not None
        self.histogram.add(request.ended - request.sent)
        self.calling += request.queued - request.arrived
        self.computing += request.computed - request.queued

    @property
    def messages(self) -> Nanoseconds:
        """Returns the sum of the times in which requests and answers were under way."""
        return round(self.histogram.total) - self.calling - self.computing


def edge_of(request: Request) -> Edge:
    """Returns the edge that a request belongs to."""
    step = request.step
    caller = step.request if step is not None else None
    if caller is None:
        return "", "", request.service.name, request.operation.name
    return caller.service.name, caller.operation.name, request.service.name, request.operation.name
