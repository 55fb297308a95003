"""`wavetank operator simulate`: an experiment with the batch operator, whose clock follows the wall clock."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from wavetank.apiserver.clock.heartbeat import Heartbeat
from wavetank.apiserver.clock.pacing import Pacing, parse_speed
from wavetank.batchoperator.esi.inprocess import interface_of
from wavetank.batchoperator.esi.runtimes import SimulatedRuntime
from wavetank.cli.externalscheduler import InterfaceOptions
from wavetank.errors import InputError
from wavetank.experiments.document.experiment import read_experiment
from wavetank.experiments.kernels import compile_kernels
from wavetank.scheduling.definition import SchedulerDefinition
from wavetank.simulation.batchoperator import scheduler_configuration
from wavetank.simulation.simulation import Setting, Simulation
from wavetank.simulation.world import World


def serve_experiment(
    file: Path, scheduler: str | None, seed: int | None, speed: str, options: InterfaceOptions
) -> None:
    """Serves the interface of an experiment until it is interrupted."""
    pace = _speed(speed)
    setting, first = _setting(file, scheduler)
    compile_kernels()  # which would keep clients waiting later

    def drive(world: World) -> None:
        served = options.listen(partial(interface_of, world.store))
        served.serve(SimulatedRuntime(Heartbeat(Pacing(world.clock, pace))))

    Simulation(setting, first if seed is None else seed, drive=drive).run()


def _setting(file: Path, scheduler: str | None) -> tuple[Setting, int]:
    """Returns what to simulate, and the first seed of the experiment."""
    experiment = read_experiment(file)
    if experiment.operator is None:
        raise InputError("expected an experiment with the batch operator", path="spec.operator", source=str(file))
    names = [entry.name for entry in experiment.schedulers]
    if scheduler is not None and scheduler not in names:
        raise InputError(f"expected one of {', '.join(names)}, got {scheduler!r:.60}", path="--scheduler")
    setting = experiment.setting(experiment.schedulers[names.index(scheduler) if scheduler else 0])
    if scheduler is None:
        configuration = scheduler_configuration(setting.version, experiment.operator.options.scheduler_name)
        schedulers = (SchedulerDefinition("kube-scheduler", "with the operator's extender", configuration),)
        setting = replace(setting, schedulers=schedulers, processes=())
    if setting.has_programs:
        raise InputError("programs in the loop cannot follow your clock", path="spec.schedulers", source=str(file))
    return setting, experiment.seeds[0]


def _speed(text: str) -> float | None:
    try:
        return parse_speed(text)
    except InputError as error:
        raise InputError(error.message, path="--speed") from None
