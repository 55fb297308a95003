"""Files of MiSim as a plain case: no timeouts, arrivals listed in advance."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import takewhile

from wavetank.kernel.durations import Nanoseconds
from wavetank.microservices.model.architecture import Architecture
from wavetank.microservices.model.experiment import ServiceExperiment
from wavetank.microservices.model.load import Generator, IntervalLoad, ProfileLoad, RecordedLoad
from wavetank.microservices.model.rules import CORRECT


def without_timeouts(architecture: Architecture) -> Architecture:
    """Returns an architecture whose requests wait as long as it takes."""
    return replace(architecture, timeout=None)


def with_listed_arrivals(experiment: ServiceExperiment, until: Nanoseconds) -> ServiceExperiment:
    """Returns an experiment whose evenly spread and profiled arrivals before `until` are listed one by one."""
    return replace(experiment, generators=tuple(_listed(each, until) for each in experiment.generators))


def _listed(generator: Generator, until: Nanoseconds) -> Generator:
    if not isinstance(generator.load, IntervalLoad | ProfileLoad):
        return generator
    times = generator.load.times(CORRECT, random.Random(0))  # neither kind draws
    return replace(generator, load=RecordedLoad(tuple(takewhile(until.__gt__, times))))
