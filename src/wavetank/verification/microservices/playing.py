"""Runs a recorded case with wavetank's services."""

from __future__ import annotations

from dataclasses import dataclass, replace

from wavetank.errors import InputError
from wavetank.kernel.distributions import Distribution
from wavetank.microservices.engine.simulation import Simulation
from wavetank.microservices.misim.architecture import read_architecture
from wavetank.microservices.misim.experiment import ExperimentReader
from wavetank.microservices.misim.fields import read_json
from wavetank.microservices.misim.scenario import ScenarioReader, is_scenario
from wavetank.microservices.model.architecture import Architecture, Policy
from wavetank.microservices.model.experiment import ServiceExperiment
from wavetank.microservices.model.quantities import PositiveNormal
from wavetank.microservices.model.rules import MISIM
from wavetank.verification.microservices.recorder import SeriesRecorder
from wavetank.verification.microservices.recording import Json, ServiceRecording

_POLICIES: dict[str, Policy] = {"fifo": "fifo", "lifo": "lifo", "sjn": "sjn", "rr": "sarr", "mlfq": "mlfq"}


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a case was run with."""

    architecture: Architecture
    experiment: ServiceExperiment


@dataclass(frozen=True, slots=True)
class Played:
    """What a run wrote: series, and the number of messages."""

    recorder: SeriesRecorder
    sends: int


def read_inputs(case: ServiceRecording) -> Inputs:
    """Reads the inputs of a case as MiSim does, with the switches of the instrumented build."""
    path = case.input("architecture", "architecture.json")
    architecture = _switched(read_architecture(path, MISIM, lenient=True), case.result.get("switches", {}))
    scenario = case.folder / "scenario.json"
    experiment = case.input("experiment", "scenario.json" if scenario.is_file() else "experiment.json")
    folders = (case.folder, experiment.parent, experiment.parent.parent)
    reader = ExperimentReader(architecture, MISIM, folders, lenient=True)
    if is_scenario(read_json(experiment)):
        return Inputs(architecture, ScenarioReader(reader).read(experiment))
    return Inputs(architecture, reader.read(experiment))


def _switched(architecture: Architecture, switches: Json) -> Architecture:
    hop: Distribution = architecture.hop
    if "inst.net.mean_ms" in switches:
        mean, deviation = float(switches["inst.net.mean_ms"]), float(switches.get("inst.net.std_ms", 0))
        hop = PositiveNormal(mean / 1000, deviation / 1000)
    services = architecture.services
    if "inst.cpu.scheduler" in switches or "inst.cpu.threads" in switches:
        policy = _POLICIES[switches.get("inst.cpu.scheduler", "fifo")]
        threads = int(switches.get("inst.cpu.threads", 4))
        services = tuple(replace(each, policy=policy, threads=threads) for each in services)
    return replace(architecture, hop=hop, services=services)


def play(inputs: Inputs, seed: int) -> Played:
    """Runs the inputs once."""
    recorder = SeriesRecorder()
    simulation = Simulation(inputs.architecture, inputs.experiment, MISIM, recorder, seed)
    if inputs.experiment.duration is None:
        raise InputError("a run without a duration has no end", path="simulation_metadata.duration")
    simulation.advance(MISIM.span(inputs.experiment.duration))
    for service in simulation.services.values():
        recorder.counts[service.name].append((simulation.events.now // 1000, len(service.instances)))
    return Played(recorder, simulation.sends)
