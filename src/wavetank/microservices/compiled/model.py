"""The plain case as arrays: what the compiled loop can run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wavetank.kernel.distributions import Constant, Distribution, Exponential, LogNormal
from wavetank.microservices.model.architecture import Architecture, Call, Operation, Service
from wavetank.microservices.model.experiment import ServiceExperiment
from wavetank.microservices.model.load import Load, RateLoad, RecordedLoad
from wavetank.microservices.model.quantities import PositiveNormal
from wavetank.microservices.model.rules import CORRECT, Rules

CONSTANT, EXPONENTIAL, NORMAL, LOGNORMAL = 0, 1, 2, 3
RANDOM, ROUND_ROBIN = 0, 1
FIFO, SHARING = 0, 1

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PlainModel:
    """Services, operations and generators by number.

    `demand` and `hop` are rows (kind, first parameter, second parameter). Calls of operation `i` are
    `calls[first_call[i]:first_call[i + 1]]`; instances of service `i` likewise from `first_instance`. A row of `loads`
    is the part of `recorded` (nanoseconds) and the part of `starts` (seconds) and `rates` that belong to a generator.
    """

    operation_service: Ints
    demand: Floats
    first_call: Ints
    calls: Ints
    probability: Floats
    first_instance: Ints
    speed: Floats
    threads: Ints
    policy: Ints
    balancer: Ints
    hop: Floats
    generator_operation: Ints
    loads: Ints
    starts: Floats
    rates: Floats
    recorded: Ints


def obstacle(architecture: Architecture, experiment: ServiceExperiment, rules: Rules) -> str | None:
    """Returns what keeps a model from being run by the compiled loop; None if nothing does."""
    if rules != CORRECT:
        return "the preset"
    if architecture.timeout is not None:
        return "timeouts"
    if experiment.actions:
        return "actions"
    for service in architecture.services:
        if found := _obstacle_of(service):
            return f"{found} of service {service.name!r}"
    if _row(architecture.hop) is None:
        return "the distribution of hops"
    if any(not isinstance(each.load, RateLoad | RecordedLoad) for each in experiment.generators):
        return "the kind of load"
    return None


def _obstacle_of(service: Service) -> str | None:
    if service.retry or service.breaker or service.scaling:
        return "patterns"
    if service.balancer not in ("random", "round-robin"):
        return "the load balancer"
    if service.policy not in ("fifo", "ps"):
        return "the CPU policy"
    if not service.instances:
        return "the number of instances"
    return next((found for each in service.operations if (found := _obstacle_in(each))), None)


def _obstacle_in(operation: Operation) -> str | None:
    if _row(operation.demand) is None:
        return "the distribution of a demand"
    plain = (isinstance(each, Call) and not each.delay and _is_constant(each) for each in operation.dependencies)
    return None if all(plain) else "the dependencies"


def _is_constant(call: Call) -> bool:
    return isinstance(call.probability, Constant)


def _row(quantity: Distribution) -> tuple[float, float, float] | None:
    if isinstance(quantity, Constant):
        return CONSTANT, quantity.value, 0.0
    if isinstance(quantity, Exponential):
        return EXPONENTIAL, quantity.average, 0.0
    if isinstance(quantity, PositiveNormal):
        return (NORMAL, quantity.average, quantity.deviation) if quantity.deviation else (CONSTANT, quantity.average, 0)
    if isinstance(quantity, LogNormal):
        return LOGNORMAL, quantity.median, quantity.sigma
    return None


def plain_model(architecture: Architecture, experiment: ServiceExperiment) -> PlainModel:
    """Returns the arrays of a model without obstacles."""
    services = architecture.services
    number = {
        (service.name, operation.name): i
        for i, (service, operation) in enumerate(
            (service, operation) for service in services for operation in service.operations
        )
    }
    operations = [operation for service in services for operation in service.operations]
    calls = [[call for call in each.dependencies if isinstance(call, Call)] for each in operations]
    flat = [call for some in calls for call in some]
    return PlainModel(
        np.array([i for i, service in enumerate(services) for _ in service.operations], np.int64),
        np.array([_row(each.demand) for each in operations], np.float64),
        _starts([len(some) for some in calls]),
        np.array([number[call.service, call.operation] for call in flat], np.int64),
        np.array([call.probability.mean() for call in flat], np.float64),
        _starts([service.instances for service in services]),
        np.array([service.capacity for service in services], np.float64),
        np.array([service.threads for service in services], np.int64),
        np.array([SHARING if service.policy == "ps" else FIFO for service in services], np.int64),
        np.array([RANDOM if service.balancer == "random" else ROUND_ROBIN for service in services], np.int64),
        np.array(_row(architecture.hop), np.float64),
        np.array([number[each.service, each.operation] for each in experiment.generators], np.int64),
        *_loads([generator.load for generator in experiment.generators]),
    )


def _starts(sizes: list[int]) -> Ints:
    return np.cumsum([0, *sizes], dtype=np.int64)


def _loads(loads: list[Load]) -> tuple[Ints, Floats, Floats, Ints]:
    rows: list[tuple[int, int, int, int]] = []
    starts: list[float] = []
    rates: list[float] = []
    recorded: list[int] = []
    for load in loads:
        first, first_rate = len(recorded), len(rates)
        if isinstance(load, RecordedLoad):
            recorded += load.instants
        elif isinstance(load, RateLoad):
            starts += [start for start, _ in load.rates]
            rates += [rate for _, rate in load.rates]
            starts.append(np.inf if load.stop is None else load.stop)
            rates.append(0.0)  # keeps the two arrays alike
        rows.append((first, len(recorded), first_rate, max(first_rate, len(rates) - 1)))
    return (
        np.array(rows, np.int64).reshape(-1, 4),
        np.array(starts, np.float64),
        np.array(rates, np.float64),
        np.array(recorded, np.int64),
    )
