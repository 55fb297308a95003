"""Requests under way, and the calls a request still has to make."""

from __future__ import annotations

import random
from enum import StrEnum
from typing import TYPE_CHECKING

from wavetank.kernel.distributions import Constant
from wavetank.kernel.durations import Nanoseconds
from wavetank.microservices.model.architecture import Alternative, Call, Dependency, Loop, Operation

if TYPE_CHECKING:
    from wavetank.microservices.engine.events import Event
    from wavetank.microservices.engine.instance import Instance
    from wavetank.microservices.engine.service import RunningService


class Reason(StrEnum):
    """Why a request failed; MiSim's names."""

    NO_INSTANCE_AVAILABLE = "NO_INSTANCE_AVAILABLE"
    HANDLING_INSTANCE_DIED = "HANDLING_INSTANCE_DIED"
    DEPENDENCY_NOT_AVAILABLE = "DEPENDENCY_NOT_AVAILABLE"
    TIMEOUT = "TIMEOUT"
    CIRCUIT_IS_OPEN = "CIRCUIT_IS_OPEN"
    CONNECTION_VOLUME_LIMIT_REACHED = "CONNECTION_VOLUME_LIMIT_REACHED"


class Step:
    """A part of a plan of calls: one call, or several steps in parallel or one after the other."""

    __slots__ = ("call", "child", "done", "parallel", "parent", "request", "steps", "target")

    def __init__(self, steps: list[Step], parallel: bool, call: Call | None = None) -> None:
        self.call = call
        self.steps = steps
        self.parallel = parallel
        self.done = 0
        self.parent: Step | None = None
        self.request: Request | None = None  # the one that makes the call
        self.target: RunningService | None = None
        self.child: Request | None = None  # the latest try
        for each in steps:
            each.parent = self


class Request:
    """A request of a user (`step` is None) or a call between services.

    `queued` is when it had the answers of its calls and went to the CPU, `computed` when the CPU was done, `ended` when
    its answer was back or it failed; `children` are the calls it made, if the observer asks for them.
    """

    __slots__ = (
        "arrived",
        "children",
        "computed",
        "ended",
        "handler",
        "operation",
        "plan",
        "queued",
        "reason",
        "requester",
        "sent",
        "service",
        "source",
        "step",
        "timeout",
    )

    def __init__(self, service: RunningService, operation: Operation, step: Step | None, source: object) -> None:
        self.service = service
        self.operation = operation
        self.step = step
        self.source = source  # of a user's request: the generator
        self.requester: Instance | None = None
        self.handler: Instance | None = None
        self.plan: Step | None = None
        self.sent: Nanoseconds = 0
        self.arrived: Nanoseconds = 0
        self.timeout: Event | None = None
        self.queued: Nanoseconds | None = None
        self.computed: Nanoseconds | None = None
        self.ended: Nanoseconds | None = None
        self.reason: Reason | None = None
        self.children: list[Request] | None = None

    @property
    def size(self) -> int:
        """Returns the bytes of the request."""
        call = self.step.call if self.step is not None else None
        return self.operation.request_size if call is None or call.request_size is None else call.request_size

    @property
    def answer_size(self) -> int:
        """Returns the bytes of the answer."""
        call = self.step.call if self.step is not None else None
        return self.operation.answer_size if call is None or call.answer_size is None else call.answer_size


def draw_plan(dependencies: tuple[Dependency, ...], parallel_loops: bool, random: random.Random) -> Step | None:
    """Draws which calls one request makes; None if none."""
    steps = [step for each in dependencies if (step := _draw(each, parallel_loops, random))]
    return Step(steps, parallel=True) if steps else None


def _draw(dependency: Dependency, parallel_loops: bool, random: random.Random) -> Step | None:
    probability = dependency.probability
    if not (isinstance(probability, Constant) and probability.value >= 1) and random.random() > probability.sample(
        random
    ):
        return None
    if isinstance(dependency, Call):
        return Step([], parallel=True, call=dependency)
    if isinstance(dependency, Alternative):
        weights = [branch.weight for branch in dependency.branches]
        return _draw(random.choices(dependency.branches, weights)[0], parallel_loops, random) if sum(weights) else None
    if isinstance(dependency, Loop):
        drawn = (draw_plan(dependency.body, parallel_loops, random) for _ in range(dependency.iterations))
        parallel = parallel_loops
    else:
        drawn = (_draw(each, parallel_loops, random) for each in dependency.steps)
        parallel = False
    steps = [step for step in drawn if step]
    return Step(steps, parallel) if steps else None
