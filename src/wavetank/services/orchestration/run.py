from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from wavetank.errors import InputError
from wavetank.services.engine.events import NORMAL
from wavetank.services.engine.observer import Observer
from wavetank.services.engine.simulation import Simulation
from wavetank.services.model.actions import KillInstances
from wavetank.services.model.architecture import Architecture
from wavetank.services.model.experiment import ServiceExperiment
from wavetank.services.model.rules import MISIM_ORCHESTRATION, Rules
from wavetank.services.orchestration.config import OrchestrationConfig
from wavetank.services.orchestration.plane import ManagementPlane, PairDelays, PickPod, PlaneReport


def run_orchestration(
    architecture: Architecture,
    experiment: ServiceExperiment,
    config: OrchestrationConfig,
    observer: Observer,
    seed: int,
    placement: Mapping[str, str] | None = None,
    rules: Rules = MISIM_ORCHESTRATION,
    pick: PickPod | None = None,
) -> list[PlaneReport]:
    """Runs services on misim-orchestration's cluster to the end of the experiment; returns a report per second."""
    if experiment.duration is None:
        raise InputError("a run without a duration has no end", path="simulation_metadata.duration")
    kills = [action for action in experiment.actions if isinstance(action, KillInstances)]
    others = tuple(action for action in experiment.actions if not isinstance(action, KillInstances))
    plain = replace(experiment, actions=others)
    simulation = Simulation(architecture, plain, rules, observer, seed, placed=True, delays=PairDelays(config.delays))
    plane = ManagementPlane(simulation, config, placement, pick)
    for kill in kills:
        simulation.events.schedule(
            rules.span(kill.time), lambda each: plane.kill_pods(each.service, each.instances), kill, NORMAL
        )
    simulation.advance(rules.span(experiment.duration))
    return plane.reports
