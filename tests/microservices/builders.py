"""Small applications for tests of services."""

from __future__ import annotations

from typing import Any

from wavetank.kernel.durations import SECOND
from wavetank.microservices.engine.simulation import Simulation
from wavetank.microservices.misim.architecture import parse_architecture
from wavetank.microservices.misim.experiment import ExperimentReader
from wavetank.microservices.model.architecture import Architecture
from wavetank.microservices.model.quantities import PositiveNormal
from wavetank.microservices.model.rules import MISIM, Rules
from wavetank.verification.microservices.recorder import SeriesRecorder

STEADY = PositiveNormal(0.001, 0.0)


def a_service(name: str, operations: list[dict[str, Any]], **fields: Any) -> dict[str, Any]:
    return {"name": name, "capacity": 1000, "loadbalancer_strategy": "round_robin", "operations": operations, **fields}


def an_operation(name: str = "x", demand: float = 10, *calls: str, **fields: Any) -> dict[str, Any]:
    dependencies = [{"service": call.split(".")[0], "operation": call.split(".")[1]} for call in calls]
    return {"name": name, "demand": demand, "dependencies": dependencies, **fields}


def an_architecture(*services: dict[str, Any], rules: Rules = MISIM) -> Architecture:
    read = parse_architecture({"microservices": list(services)}, rules)
    return Architecture(read.services, STEADY, read.timeout)


def interval(operation: str, every: float = 1.0, **fields: Any) -> dict[str, Any]:
    return {"type": "interval", "config": {"operation": operation, "interval": every, **fields}}


def run(
    architecture: Architecture,
    generators: list[dict[str, Any]],
    *actions: dict[str, Any],
    duration: float = 10,
    rules: Rules = MISIM,
    seed: int = 1,
) -> SeriesRecorder:
    reader = ExperimentReader(architecture, rules, (), lenient=False)
    document = {
        "simulation_metadata": {"duration": duration},
        "request_generators": generators,
        "acts": list(actions),
    }
    recorder = SeriesRecorder()
    Simulation(architecture, reader.parse(document), rules, recorder, seed).advance(int(duration * SECOND))
    return recorder


def times_of(recorder: SeriesRecorder, operation: str = "x") -> list[float]:
    return [response / 1e6 for _, response in recorder.responses[operation]]
