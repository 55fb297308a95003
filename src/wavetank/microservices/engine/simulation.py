from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds
from wavetank.microservices.engine.desmoj import DesmojEventQueue
from wavetank.microservices.engine.events import LOW, NORMAL, VERY_HIGH, EventQueue
from wavetank.microservices.engine.injections import Injections
from wavetank.microservices.engine.instance import Instance
from wavetank.microservices.engine.observer import Observer
from wavetank.microservices.engine.requests import Reason, Request, Step, draw_plan
from wavetank.microservices.engine.service import Autoscaler, RunningService
from wavetank.microservices.engine.transport import Topology, Transport
from wavetank.microservices.engine.users import Users
from wavetank.microservices.model.actions import Action, InjectDelay, KillInstances, KillPods
from wavetank.microservices.model.architecture import Architecture, Operation
from wavetank.microservices.model.experiment import ServiceExperiment
from wavetank.microservices.model.rules import Rules


class NodeDelays:
    """Delays between the nodes of a cluster; this one has none."""

    def sample(self, source: str, target: str, random: random.Random) -> float:
        """Draws the delay in seconds that is added before an answer from `source` to `target` is sent."""
        return 0.0


class Simulation:
    """Requests on services, from one instant to another.

    `placed` services get their instances from outside (a cluster) instead of starting their own; `topology` is the
    network between their nodes.
    """

    def __init__(
        self,
        architecture: Architecture,
        experiment: ServiceExperiment,
        rules: Rules,
        observer: Observer,
        seed: int = 0,
        placed: bool = False,
        delays: NodeDelays | None = None,
        topology: Topology | None = None,
    ) -> None:
        self.events = _event_queue(experiment, rules)
        self.rules = rules
        self.observer = observer
        self._keeps_calls = observer.keeps_calls
        self.random = random.Random(seed)
        self.has_nodes = placed
        self.sends = 0
        self._hop = architecture.hop
        self._timeout = None if architecture.timeout is None else rules.span(architecture.timeout)
        self._delays = delays or NodeDelays()
        self.transport = None if topology is None else Transport(self.events, topology, rules, self.random)
        self.services = {spec.name: RunningService(self, spec) for spec in architecture.services}
        self._operations: dict[tuple[str, str], Operation] = {
            (spec.name, operation.name): operation for spec in architecture.services for operation in spec.operations
        }
        self._injections = Injections(rules)
        if not placed:
            self._start_services()
        self._schedule(experiment)

    def _start_services(self) -> None:
        for service in self.services.values():
            service.scale(service.spec.instances)
            if service.spec.scaling is not None:
                Autoscaler(self, service, service.spec.scaling)

    def _schedule(self, experiment: ServiceExperiment) -> None:
        for action in experiment.actions:
            if isinstance(action, KillPods):
                raise InputError(f"pods of deployment {action.deployment!r} are killed, but there is no cluster")
            priority = LOW if isinstance(action, KillInstances) and action.goes_last else NORMAL
            self.events.schedule(self.rules.span(action.time), self._act, action, priority)
        for generator in experiment.generators:
            if (generator.service, generator.operation) not in self._operations:
                raise InputError(f"no operation {generator.operation!r} of service {generator.service!r}")
            Users(self, generator)

    def advance(self, until: Nanoseconds) -> None:
        """Runs everything before `until`, then stands there."""
        self.events.run_before(until)

    def _act(self, action: Action) -> None:
        assert not isinstance(action, KillPods)
        service = self.services[action.service]
        if isinstance(action, KillInstances):
            service.kill(action.instances)
        elif isinstance(action, InjectDelay):
            if self.rules.stops_at_bad_injection and action.target is not None and action.source is None:
                self.events.stop()
                return
            self._injections.begin(action)
            if action.duration is not None and action.duration > 0:
                self.events.schedule(self.rules.span(action.duration), self._injections.end, action)
        else:
            service.scale(len(service.instances) + action.instances)

    # sending

    def send_user(self, service: str, operation: str, source: object) -> None:
        """Sends a request of a user."""
        self.observer.arrived(service, operation, self.events.now)
        request = self._new(service, operation, None, source)
        self.events.schedule(0, self._send_request, request)

    def send_call(self, instance: Instance, step: Step, wait: float = 0.0) -> None:
        """Sends a call for an instance, after `wait` seconds."""
        call = step.call
        assert call is not None
        request = self._new(call.service, call.operation, step, None)
        request.requester = instance
        if self._keeps_calls:
            assert step.request is not None
            assert step.request.children is not None
            step.request.children.append(request)
        step.child = request
        step.target = request.service
        self.events.schedule(self.rules.span(wait), self._send_request, request)

    def _new(self, service: str, name: str, step: Step | None, source: object) -> Request:
        operation = self._operations[service, name]
        request = Request(self.services[service], operation, step, source)
        if operation.dependencies:
            if self._keeps_calls:
                request.children = []
            request.plan = draw_plan(operation.dependencies, self.rules.parallel_loops, self.random)
        return request

    def _send_request(self, request: Request) -> None:
        self.sends += 1
        request.sent = self.events.now
        requester = request.requester
        delay = 0.0 if requester is None else self._delay_of(request)
        if requester is not None and not requester.note_send(request):
            return
        instance = request.service.choose()
        if instance is None:
            failure = (request, Reason.NO_INSTANCE_AVAILABLE)
            self.events.schedule(self.rules.span(delay), self.fail, failure, VERY_HIGH)
            return
        self._deliver(delay, request.size, requester, instance, self._arrive, (request, instance))
        if requester is not None and self._timeout is not None:
            request.timeout = self.events.schedule(self._timeout, self._time_out, request, LOW)

    def _delay_of(self, request: Request) -> float:
        step = request.step
        assert step is not None
        assert step.call is not None
        assert step.request is not None
        delay = (step.call.delay or self._hop).sample(self.random)
        delay += self._injections.delay(step.request.service.name, step.request.operation.name, step.call, self.random)
        return max(0.0, delay)

    def _deliver(
        self,
        delay: float,
        size: int,
        source: Instance | None,
        target: Instance,
        arrived: Callable[[Any], None],
        argument: object,
    ) -> None:
        """Brings a request or its answer from one instance to another; requests of users come without a network."""
        if self.transport is None or source is None:
            self.events.schedule(self.rules.span(delay), arrived, argument)
        else:
            self.transport.carry(delay, (source.node, target.node), size, arrived, argument)

    def _arrive(self, arrival: tuple[Request, Instance]) -> None:
        request, instance = arrival
        request.arrived = self.events.now
        if not instance.receive(request):
            self.events.schedule(0, self.fail, (request, Reason.HANDLING_INSTANCE_DIED), VERY_HIGH)

    def send_answer(self, instance: Instance, request: Request) -> None:
        """Sends the answer of a request."""
        requester = request.requester
        delay = self._delays.sample(instance.node, requester.node, self.random) if requester is not None else 0.0
        self.events.schedule(self.rules.span(max(0.0, delay)), self._send_answer, request)

    def _send_answer(self, request: Request) -> None:
        self.sends += 1
        if request.requester is None:
            now = self.events.now
            self.observer.responded(request.service.name, request.operation.name, now, now - request.sent)
            self._end_user_request(request)
            return
        delay = self._hop.sample(self.random)
        self._deliver(delay, request.answer_size, request.handler, request.requester, self._arrive_answer, request)

    def _arrive_answer(self, request: Request) -> None:
        requester = request.requester
        assert requester is not None
        self._cancel_timeout(request)
        self._end_call(request)
        if not requester.receive_answer(request):
            self.observer.answer_dropped(self.events.now)

    # failures

    def _time_out(self, request: Request) -> None:
        self.events.schedule(0, self.fail, (request, Reason.TIMEOUT), VERY_HIGH)

    def _cancel_timeout(self, request: Request) -> None:
        if request.timeout is not None:
            self.events.cancel(request.timeout)

    def fail(self, failure: tuple[Request, Reason]) -> None:
        """Tells the sender of a request that it failed."""
        request, reason = failure
        request.reason = reason
        self._cancel_timeout(request)
        if request.requester is not None:
            self.observer.call_failed(request.operation.name, self.events.now, reason)
            self._end_call(request)
            request.requester.call_failed(request, reason)
        else:
            self.observer.failed(request.service.name, request.operation.name, self.events.now, reason)
            self._end_user_request(request)

    def _end_call(self, request: Request) -> None:
        if request.ended is None:  # the answer of a call that has timed out comes late
            request.ended = self.events.now
            self.observer.call_ended(request)

    def _end_user_request(self, request: Request) -> None:
        request.ended = self.events.now
        self.observer.request_ended(request)
        source: Any = request.source
        source.ended()


def _event_queue(experiment: ServiceExperiment, rules: Rules) -> EventQueue:
    if not rules.searches_event_list:
        return EventQueue()
    return DesmojEventQueue(None if experiment.duration is None else rules.span(experiment.duration))
