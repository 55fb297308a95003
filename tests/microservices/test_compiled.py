"""The compiled loop against the one in Python."""

from __future__ import annotations

import pytest

from wavetank.errors import InputError
from wavetank.kernel.distributions import Constant, Exponential
from wavetank.kernel.durations import SECOND
from wavetank.microservices.compiled.simulation import CompiledSimulation
from wavetank.microservices.engine.simulation import Simulation
from wavetank.microservices.measures.recorder import LatencyRecorder
from wavetank.microservices.model.architecture import Architecture, Call, Operation, Policy, Retry, Service
from wavetank.microservices.model.experiment import ServiceExperiment
from wavetank.microservices.model.load import Generator, RecordedLoad
from wavetank.microservices.model.rules import CORRECT

HOP = Constant(0.00171)


def _diamond(policy: Policy, instances: int) -> Architecture:
    """A front that calls two services at once, which both call a third."""
    calls, last = (Call("b", "x"), Call("c", "x")), (Call("d", "x"),)
    return Architecture(
        (
            Service("a", (Operation("x", Constant(1.0123), calls),), instances, 97, 2, policy, "round-robin"),
            Service("b", (Operation("x", Constant(2.0771), last),), instances, 101, 3, policy, "round-robin"),
            Service("c", (Operation("x", Constant(3.1337), last),), instances, 89, 2, policy, "round-robin"),
            Service("d", (Operation("x", Constant(0.7177)),), instances, 83, 1, policy, "round-robin"),
        ),
        HOP,
        None,
    )


@pytest.mark.parametrize("policy", ["fifo", "ps"])
@pytest.mark.parametrize("instances", [1, 3])
def test_both_loops_give_every_response_the_same_time(policy: Policy, instances: int) -> None:
    times = tuple(int(i * 33.337e6 / instances + (i * i % 17) * 1.0191e6) for i in range(2_000))
    experiment = ServiceExperiment((Generator("a", "x", RecordedLoad(tuple(sorted(times)))),))
    recorder = LatencyRecorder()
    Simulation(_diamond(policy, instances), experiment, CORRECT, recorder).advance(200 * SECOND)
    compiled = CompiledSimulation(_diamond(policy, instances), experiment)
    compiled.advance(100 * SECOND)
    compiled.advance(200 * SECOND)
    ours, theirs = compiled.histogram("a", "x"), recorder.histogram("a", "x")
    assert ours.number == theirs.number == 2_000
    assert ours.mean() == pytest.approx(theirs.mean(), rel=1e-6)
    assert abs(ours.counts - theirs.counts).sum() <= (0 if policy == "fifo" else 40)  # rounding of shared work


def test_what_is_not_plain_is_named() -> None:
    retrying = Service("a", (Operation("x", Exponential(1)),), retry=Retry())
    with pytest.raises(InputError, match="cannot run patterns of service 'a'"):
        CompiledSimulation(Architecture((retrying,), HOP, None), ServiceExperiment())
