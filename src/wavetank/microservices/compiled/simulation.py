from __future__ import annotations

import numpy as np

from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.microservices.compiled.heap import EVENT_COLUMNS
from wavetank.microservices.compiled.loop import (
    FREE,
    INSTANCE_COLUMNS,
    NOW,
    REQUEST_COLUMNS,
    STATE_COLUMNS,
    run_loop,
    schedule_arrival,
)
from wavetank.microservices.compiled.model import obstacle, plain_model
from wavetank.microservices.measures.histogram import BUCKETS, Histogram
from wavetank.microservices.model.architecture import Architecture
from wavetank.microservices.model.experiment import ServiceExperiment
from wavetank.microservices.model.rules import CORRECT

_FIRST_SIZE = 1024


class CompiledSimulation:
    """Requests on services in the plain case, as `Simulation` does it but compiled.

    InputError if the model needs more than the plain case has.
    """

    def __init__(self, architecture: Architecture, experiment: ServiceExperiment, seed: int = 0) -> None:
        found = obstacle(architecture, experiment, CORRECT)
        if found is not None:
            raise InputError(f"the compiled loop cannot run {found}")
        model = plain_model(architecture, experiment)
        self._model = model
        self._operations = [(each.name, one.name) for each in architecture.services for one in each.operations]
        self._generator = np.random.Generator(np.random.PCG64(seed))
        instances = int(model.first_instance[-1])
        self._state = np.zeros(STATE_COLUMNS, np.int64)
        self._events = np.empty((_FIRST_SIZE, EVENT_COLUMNS), np.int64)
        self._requests = np.zeros((_FIRST_SIZE, REQUEST_COLUMNS), np.int64)
        self._requests[:, -1] = [*range(1, _FIRST_SIZE), -1]
        self._state[FREE] = 0
        self._instances = np.zeros((instances, INSTANCE_COLUMNS), np.int64)
        self._instances[:, 1:3] = -1
        self._instances[:, 4] = np.iinfo(np.int64).max
        self._shares = np.zeros((instances, 2))
        self._tree = np.empty((_FIRST_SIZE, 2), np.int64)
        self._deadline = np.empty(_FIRST_SIZE)
        self._turn = np.zeros(len(architecture.services), np.int64)
        self.busy = np.zeros(instances, np.int64)  # thread time in nanoseconds
        self._arrivals = np.zeros(len(model.generator_operation))
        self._position = np.zeros(len(model.generator_operation), np.int64)
        self._histogram = np.zeros((len(self._operations), BUCKETS), np.int64)
        self._totals = np.zeros(len(self._operations))
        self._longest = np.zeros(len(self._operations), np.int64)
        for i in range(len(self._arrivals)):
            self._events = schedule_arrival(
                i,
                self._state,
                self._events,
                self._arrivals,
                self._position,
                self._generator,
                model.loads,
                model.starts,
                model.rates,
                model.recorded,
            )

    @property
    def now(self) -> Nanoseconds:
        """Returns the time up to which it has run."""
        return int(self._state[NOW])

    def advance(self, until: Nanoseconds) -> None:
        """Runs everything before `until`, then stands there."""
        model = self._model
        self._events, self._requests, self._tree, self._deadline = run_loop(
            until,
            self._state,
            self._events,
            self._requests,
            self._instances,
            self._shares,
            self._tree,
            self._deadline,
            self._turn,
            self.busy,
            self._arrivals,
            self._position,
            self._generator,
            model.operation_service,
            model.demand,
            model.first_call,
            model.calls,
            model.probability,
            model.first_instance,
            model.speed,
            model.threads,
            model.policy,
            model.balancer,
            model.hop,
            model.generator_operation,
            model.loads,
            model.starts,
            model.rates,
            model.recorded,
            self._histogram,
            self._totals,
            self._longest,
        )

    def histogram(self, service: str, operation: str) -> Histogram:
        """Returns the response times of the users' requests for an operation so far."""
        i = self._operations.index((service, operation))
        return Histogram(self._histogram[i].copy(), float(self._totals[i]), int(self._longest[i]))

    def utilisation(self) -> list[float]:
        """Returns the busy share of each instance's threads, service by service."""
        model = self._model
        threads = np.repeat(model.threads, np.diff(model.first_instance))
        return [float(share) for share in self.busy / threads / max(1, self.now)]

    @property
    def completed(self) -> int:
        """Returns how many requests of users were answered."""
        return int(self._histogram.sum())

    @property
    def seconds(self) -> float:
        """Returns the simulated time in seconds."""
        return self.now / SECOND
