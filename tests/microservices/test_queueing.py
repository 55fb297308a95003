"""Queueing theory: what the preset `correct` must give, by both event loops, and by ciw as another implementation.

Tolerances are wide for the number of requests: a run at load 0.7 is correlated over hundreds of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import ciw
import pytest

from wavetank.kernel.distributions import Constant, Distribution, Exponential, Mixture
from wavetank.kernel.durations import SECOND
from wavetank.microservices.compiled.simulation import CompiledSimulation
from wavetank.microservices.engine.simulation import Simulation
from wavetank.microservices.measures.histogram import Histogram
from wavetank.microservices.measures.recorder import LatencyRecorder
from wavetank.microservices.model.architecture import Architecture, Call, Operation, Policy, Service
from wavetank.microservices.model.experiment import ServiceExperiment
from wavetank.microservices.model.load import Generator, RateLoad
from wavetank.microservices.model.rules import CORRECT

NOTHING = Constant(0)
Run = Callable[[Architecture, float, float], Histogram]


def _experiment(rate: float) -> ServiceExperiment:
    return ServiceExperiment((Generator("a", "x", RateLoad(((0.0, rate),))),))


def _python(architecture: Architecture, rate: float, duration: float) -> Histogram:
    recorder = LatencyRecorder()
    Simulation(architecture, _experiment(rate), CORRECT, recorder, 1).advance(int(duration / 8 * SECOND))
    return recorder.histogram("a", "x")


def _compiled(architecture: Architecture, rate: float, duration: float) -> Histogram:
    simulation = CompiledSimulation(architecture, _experiment(rate), 1)
    simulation.advance(int(5 * duration * SECOND))
    return simulation.histogram("a", "x")


BOTH = pytest.mark.parametrize(("run", "close"), [(_python, 0.05), (_compiled, 0.02)], ids=["python", "compiled"])


def _one(demand: Distribution, threads: int, policy: Policy = "fifo") -> Architecture:
    """One service whose threads each do one unit of work a second."""
    return Architecture((Service("a", (Operation("x", demand),), 1, threads, threads, policy),), NOTHING, None)


def _waiting_probability(load: float, servers: int) -> float:
    """Erlang's C formula; `load` in erlangs."""
    blocked = 1.0
    for i in range(1, servers + 1):
        blocked = load * blocked / (i + load * blocked)
    return blocked / (1 - load / servers * (1 - blocked))


@BOTH
@pytest.mark.parametrize("servers", [1, 2, 8])
def test_m_m_c_waits_as_erlang_says(run: Run, close: float, servers: int) -> None:
    load = 0.7 * servers
    response = 1 + _waiting_probability(load, servers) / (servers - load)
    assert run(_one(Exponential(1), servers), load, 240_000 / load).mean() == pytest.approx(response, rel=close)


@BOTH
def test_m_m_1_has_an_exponential_response(run: Run, close: float) -> None:
    histogram = run(_one(Exponential(1), 1), 0.5, 400_000)
    assert histogram.quantile(0.95) == pytest.approx(2 * math.log(20), rel=2 * close)


_HEAVY = Mixture((0.9, 0.1), (Constant(0.5), Constant(5.5)))  # mean 1, far from exponential


@BOTH
@pytest.mark.parametrize("demand", [Constant(1), Exponential(1)], ids=["constant", "exponential"])
def test_processor_sharing_does_not_depend_on_the_kind_of_demand(run: Run, close: float, demand: Distribution) -> None:
    assert run(_one(demand, 1, "ps"), 0.6, 400_000).mean() == pytest.approx(1 / 0.4, rel=close)


def test_processor_sharing_does_not_depend_on_a_mixture_either() -> None:
    assert _python(_one(_HEAVY, 1, "ps"), 0.6, 800_000).mean() == pytest.approx(1 / 0.4, rel=0.06)


@BOTH
def test_with_servers_for_all_nothing_waits(run: Run, close: float) -> None:
    assert run(_one(Exponential(1), 1000), 50, 5_000).mean() == pytest.approx(1, rel=close)


@BOTH
def test_a_tandem_is_two_queues_in_a_row(run: Run, close: float) -> None:
    """By Burke's theorem the second station sees Poisson arrivals; here the called service computes first."""
    architecture = Architecture(
        (
            Service("a", (Operation("x", Exponential(1), (Call("b", "x"),)),), 1, 1, 1),
            Service("b", (Operation("x", Exponential(1)),), 1, 1, 1),
        ),
        NOTHING,
        None,
    )
    assert run(architecture, 0.5, 600_000).mean() == pytest.approx(2 / (1 - 0.5), rel=close)


def test_ciw_gives_the_same_for_two_stations_with_different_servers() -> None:
    ciw.seed(3)
    network = ciw.create_network(
        arrival_distributions=[ciw.dists.Exponential(1.4), None],
        service_distributions=[ciw.dists.Exponential(1), ciw.dists.Deterministic(0.5)],
        number_of_servers=[2, 1],
        routing=[[0.0, 1.0], [0.0, 0.0]],
    )
    other = ciw.Simulation(network)
    other.simulate_until_max_time(20_000)
    records = other.get_all_records()
    started = {each.id_number: each.arrival_date for each in records if each.node == 1}
    responses = [each.exit_date - started[each.id_number] for each in records if each.node == 2]
    architecture = Architecture(
        (
            Service("a", (Operation("x", Constant(0.5), (Call("b", "x"),)),), 1, 1, 1),
            Service("b", (Operation("x", Exponential(1)),), 1, 2, 2),
        ),
        NOTHING,
        None,
    )
    assert _compiled(architecture, 1.4, 200_000).mean() == pytest.approx(sum(responses) / len(responses), rel=0.05)
