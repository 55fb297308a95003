from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace

from wavetank.errors import InputError
from wavetank.microservices.engine.events import NORMAL
from wavetank.microservices.engine.observer import Observer
from wavetank.microservices.engine.simulation import Simulation
from wavetank.microservices.model.actions import KillInstances, KillPods
from wavetank.microservices.model.architecture import Architecture
from wavetank.microservices.model.experiment import ServiceExperiment
from wavetank.microservices.model.rules import MISIM_ORCHESTRATION, Rules
from wavetank.microservices.orchestration.config import OrchestrationConfig
from wavetank.microservices.orchestration.placing import Placer
from wavetank.microservices.orchestration.plane import ManagementPlane, PairDelays, PickPod, PlaneReport


def run_orchestration(
    architecture: Architecture,
    experiment: ServiceExperiment,
    config: OrchestrationConfig,
    observer: Observer,
    seed: int,
    placement: Mapping[str, str] | None = None,
    rules: Rules = MISIM_ORCHESTRATION,
    pick: PickPod | None = None,
    placer: Placer | None = None,
) -> list[PlaneReport]:
    """Runs services on misim-orchestration's cluster to the end of the experiment; returns a report per second."""
    if experiment.duration is None:
        raise InputError("a run without a duration has no end", path="simulation_metadata.duration")
    kills = [_kill_of_pods(each) for each in experiment.actions if isinstance(each, KillInstances | KillPods)]
    others = tuple(each for each in experiment.actions if not isinstance(each, KillInstances | KillPods))
    plain = replace(experiment, actions=others)
    simulation = Simulation(architecture, plain, rules, observer, seed, placed=True, delays=PairDelays(config.delays))
    plane = ManagementPlane(simulation, config, placement, pick, placer)
    for kill in kills:
        plane.check(kill)
        simulation.events.schedule(rules.span(kill.time), plane.kill_pods, kill, NORMAL)
    simulation.advance(rules.span(experiment.duration))
    return plane.reports


def _kill_of_pods(kill: KillInstances | KillPods) -> KillPods:
    if isinstance(kill, KillPods):
        return kill
    return KillPods(kill.time, kill.service, sys.maxsize if kill.instances is None else kill.instances)
