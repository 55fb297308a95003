from __future__ import annotations

from typing import TYPE_CHECKING

from wavetank.microservices.engine.breaker import Circuit
from wavetank.microservices.engine.cpu import Cpu, ThreadPool, cpu_of
from wavetank.microservices.engine.events import VERY_HIGH
from wavetank.microservices.engine.requests import Reason, Request, Step

if TYPE_CHECKING:
    from wavetank.microservices.engine.service import RunningService
    from wavetank.microservices.engine.simulation import Simulation


class Instance:
    """One running copy of a service: it makes the calls of a request, computes it, and answers.

    `node` is the name of the cluster node it runs on, if there is a cluster.
    """

    def __init__(
        self,
        simulation: Simulation,
        service: RunningService,
        number: int,
        name: str,
        node: str = "",
        cpu: Cpu | None = None,
    ) -> None:
        self.service = service
        self.number = number
        self.name = name
        self.node = node
        self.cpu = cpu or cpu_of(service.spec, simulation.events, simulation.rules)
        self.state = ""
        self.handled: dict[Request, None] = {}
        self.received = 0
        self._simulation = simulation
        self._events = simulation.events
        self._rules = simulation.rules
        self._open: set[Step] = set()
        self._tries: dict[Step, int] = {}
        self._circuits: dict[RunningService, Circuit] = {}
        self._active_calls: set[Step] = set()
        self.enter("CREATED")
        if simulation.observer.watches_cpus and isinstance(self.cpu, ThreadPool):
            self.cpu.changed = self._show_cpu
            self._show_cpu(is_settled=True)

    def _show_cpu(self, is_settled: bool) -> None:
        self._simulation.observer.cpu_changed(self, self._events.now, is_settled)

    @property
    def is_running(self) -> bool:
        """Returns whether it takes new requests."""
        return self.state == "RUNNING"

    def enter(self, state: str) -> None:
        """Changes the state."""
        self.state = state
        self._simulation.observer.instance_state(self.name, self._events.now, state)

    # requests that arrive

    def receive(self, request: Request) -> bool:
        """Starts to handle a request; returns False if it does not take any."""
        if self.state != "RUNNING":
            return False
        request.handler = self
        self.received += 1
        self.handled[request] = None
        if request.plan is None:
            self._compute(request)
        else:
            self._start(request.plan, request)
        return True

    def _start(self, step: Step, request: Request) -> None:
        if step.call is not None:
            step.request = request
            self._open.add(step)
            self._simulation.send_call(self, step)
        elif step.parallel:
            for each in step.steps:
                self._start(each, request)
        else:
            self._start(step.steps[0], request)

    def _finish(self, step: Step, request: Request) -> None:
        parent = step.parent
        if parent is None:
            self._compute(request)
            return
        parent.done += 1
        if parent.done == len(parent.steps):
            self._finish(parent, request)
        elif not parent.parallel:
            self._start(parent.steps[parent.done], request)

    def _compute(self, request: Request) -> None:
        request.queued = self._events.now
        demand = request.operation.demand.sample(self._simulation.random)
        place = self.service.choose() if self._rules.work_on_next_instance and self._simulation.has_nodes else self
        if place is not None:
            place.cpu.submit(request, demand, self._computed)

    def _computed(self, request: Request) -> None:
        if request not in self.handled or self.state == "KILLED":
            return
        request.computed = self._events.now
        self._simulation.send_answer(self, request)
        del self.handled[request]
        self._end_if_idle()

    def _end_if_idle(self) -> None:
        if self.state == "SHUTTING_DOWN" and not self.handled:
            self._events.schedule(0, self._end)

    # answers of calls

    def receive_answer(self, request: Request) -> bool:
        """Takes the answer of a call it made; returns False if nothing waits for it any more."""
        if not self._takes_answers():
            return False
        step = request.step
        assert step is not None
        assert step.request is not None
        is_latest = step.child is request
        if not self._rules.loses_retried_requests and not is_latest:
            return False
        was_open = step in self._open
        self._open.discard(step)
        if not was_open or not is_latest or step.request not in self.handled:
            return False
        self._tries.pop(step, None)
        self._finish(step, step.request)
        self._note_success(step)
        return True

    def _takes_answers(self) -> bool:
        if self.state == "RUNNING":
            return True
        return self.state == "SHUTTING_DOWN" and not self._rules.draining_refuses_answers

    # calls it makes

    def note_send(self, request: Request) -> bool:
        """Counts a call that is about to be sent; returns False if it must not be sent."""
        step = request.step
        assert step is not None
        assert step.target is not None
        if self.service.spec.retry is not None:
            self._tries[step] = self._tries.get(step, 0) + 1
        return self.service.spec.breaker is None or self._passes_breaker(request, step, step.target)

    def _passes_breaker(self, request: Request, step: Step, target: RunningService) -> bool:
        breaker = self.service.spec.breaker
        assert breaker is not None
        if target not in self._circuits:
            self._circuits[target] = Circuit(breaker, self._events, self._rules)
        circuit = self._circuits[target]
        self._active_calls.add(step)
        circuit.open_calls += 1
        passes = True
        if circuit.state == "OPEN":
            self._events.schedule(0, self._simulation.fail, (request, Reason.CIRCUIT_IS_OPEN), VERY_HIGH)
            passes = False
        elif breaker.limit is not None and circuit.open_calls > breaker.limit:
            passes = self._refuse_above_limit(request, circuit)
        self._show_circuits()
        return passes

    def _refuse_above_limit(self, request: Request, circuit: Circuit) -> bool:
        if not self._rules.sends_above_limit:
            refusal = (request, Reason.CONNECTION_VOLUME_LIMIT_REACHED)
            self._events.schedule(0, self._simulation.fail, refusal, VERY_HIGH)
            return False
        circuit.failed()
        self.call_failed(request, Reason.CONNECTION_VOLUME_LIMIT_REACHED)
        return True

    def _note_success(self, step: Step) -> None:
        assert step.target is not None
        circuit = self._circuits.get(step.target)
        if circuit is not None and step in self._active_calls:
            self._active_calls.discard(step)
            circuit.open_calls -= 1
            circuit.succeeded()
            self._show_circuits()

    def _note_failure(self, step: Step, reason: Reason) -> None:
        assert step.target is not None
        circuit = self._circuits.get(step.target)
        if circuit is None:
            return
        if step in self._active_calls:
            self._active_calls.discard(step)
            circuit.open_calls -= 1
            if reason != Reason.CIRCUIT_IS_OPEN or self._rules.refusals_count_as_failures:
                circuit.failed()
        self._show_circuits()

    def _show_circuits(self) -> None:
        for target, circuit in self._circuits.items():
            self._simulation.observer.breaker(self.name, target.name, self._events.now, circuit.summary())

    def call_failed(self, request: Request, reason: Reason) -> None:
        """Tries a failed call again, or lets the request that made it fail."""
        step = request.step
        assert step is not None
        if step.child is not request:
            return  # a later try is under way
        self._note_failure(step, reason)
        retry = self.service.spec.retry
        if retry is None:
            self._give_up(step)
            return
        tries = self._tries.get(step)
        if tries is None:
            return
        if tries < retry.tries:
            wait = retry.wait(tries) * (self._simulation.random.random() if retry.jitter else 1)
            self._simulation.observer.retried(self._events.now, wait)
            self._simulation.send_call(self, step, wait)
        else:
            self._give_up(step)

    def _give_up(self, step: Step) -> None:
        request = step.request
        assert request is not None
        if step not in self._open or request not in self.handled:
            return
        del self.handled[request]
        self._open -= {each for each in self._open if each.request is request}
        failure = (request, Reason.DEPENDENCY_NOT_AVAILABLE)
        self._events.schedule(0, self._simulation.fail, failure, VERY_HIGH)
        self._end_if_idle()

    # life

    def start(self, _: object = None) -> None:
        """Begins to take requests."""
        if self.state == "CREATED":
            self.enter("STARTING")
            self.enter("RUNNING")

    def drain(self, _: object = None) -> None:
        """Takes no new requests and ends when it has answered the ones it has."""
        if self.state in ("CREATED", "RUNNING"):
            if not self.handled:
                self._events.schedule(0, self._end)
            self.enter("SHUTTING_DOWN")

    def _end(self, _: object) -> None:
        if self.state == "SHUTTING_DOWN":
            self.enter("SHUTDOWN")
            self._forget()

    def kill(self) -> None:
        """Ends at once; all requests it has fail."""
        if self.state in ("KILLED", "SHUTDOWN"):
            return
        self.enter("KILLED")
        self._forget()
        self.cpu.clear()
        for request in list(self.handled):
            self._events.schedule(0, self._simulation.fail, (request, Reason.HANDLING_INSTANCE_DIED), VERY_HIGH)
        self.handled.clear()

    def _forget(self) -> None:
        self._tries.clear()
        self._circuits.clear()
        self._active_calls.clear()
