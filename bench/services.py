"""User requests per CPU second through a chain of two services, in the compiled loop and in Python's.

    python bench/services.py [--requests 10000000]

Each service has four instances and exponential demands; users arrive as a Poisson process at 70 % of the capacity.
"""

from __future__ import annotations

import argparse
import resource
import time

from wavetank.kernel.distributions import Constant, Exponential
from wavetank.kernel.durations import seconds
from wavetank.microservices.compiled.simulation import CompiledSimulation
from wavetank.microservices.engine.simulation import Simulation
from wavetank.microservices.measures.recorder import LatencyRecorder
from wavetank.microservices.model.architecture import Architecture, Call, Operation, Policy, Service
from wavetank.microservices.model.experiment import ServiceExperiment
from wavetank.microservices.model.load import Generator, RateLoad
from wavetank.microservices.model.rules import CORRECT

RATE = 2800.0  # requests per second: four instances of each service do 4,000


def chain(policy: Policy) -> Architecture:
    """Returns front, which calls back."""
    back = Service("back", (Operation("do", Exponential(1.0)),), instances=4, capacity=1000, policy=policy)
    front = Operation("do", Exponential(1.0), (Call("back", "do", Constant(1.0)),))
    first = Service("front", (front,), instances=4, capacity=1000, policy=policy)
    return Architecture((first, back), Constant(0.0), None)


def measure(name: str, simulation: CompiledSimulation | Simulation, requests: int) -> None:
    """Runs and prints."""
    simulation.advance(seconds(1))  # compiles, or loads what was compiled
    begun = time.process_time()
    simulation.advance(seconds(1 + requests / RATE))
    spent = time.process_time() - begun
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    speed = f"{requests / spent:12,.0f} user requests per CPU second"
    print(f"{name:16} {speed} ({requests:,} in {spent:.1f} s, {memory} MB)")


def main() -> None:
    """Measures each loop."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=2_000_000)
    requests = parser.parse_args().requests
    load = ServiceExperiment((Generator("front", "do", RateLoad(((0.0, RATE),))),))
    policies: tuple[Policy, ...] = ("fifo", "ps")
    for policy in policies:
        measure(f"compiled, {policy}", CompiledSimulation(chain(policy), load), requests)
    measure("Python, fifo", Simulation(chain("fifo"), load, CORRECT, LatencyRecorder(), 0), requests // 50)


if __name__ == "__main__":
    main()
