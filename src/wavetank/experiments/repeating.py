"""Repeats a run whose results are there, to look closer at it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from wavetank.cluster.manifests import read_text
from wavetank.errors import InputError
from wavetank.experiments.document.experiment import Experiment, parse_experiment
from wavetank.experiments.recording import service_observer
from wavetank.results.layout import SOURCE
from wavetank.scheduling.scheduler.scheduler import Explain
from wavetank.simulation.simulation import Simulation


class Source(msgspec.Struct, frozen=True):
    """The contents of source.json: an experiment's document, and the folder that its files are relative to."""

    name: str
    folder: str
    document: dict[str, Any]


def write_source(experiment: Experiment, results: Path) -> None:
    """Writes an experiment beside its results, unless it has parts that are no JSON, such as a class."""
    source = Source(experiment.name, str(experiment.folder), dict(experiment.document))
    try:
        text = msgspec.json.encode(source)
    except TypeError:
        return
    (results / SOURCE).write_bytes(msgspec.json.format(text, indent=2) + b"\n")


def repeat_run(results: Path, scheduler: str, seed: int, explain: Explain) -> None:
    """Makes a run again without results, calling `explain` with every attempt; InputError if that is not possible."""
    experiment = read_source(results / SOURCE)
    entry = next((entry for entry in experiment.schedulers if entry.name == scheduler), None)
    if entry is None:
        raise InputError(f"the experiment has no scheduler {scheduler!r} any more", source=str(results / SOURCE))
    setting = experiment.setting(entry)
    services = service_observer(setting)
    Simulation(setting, seed, () if services is None else (services,), explain).run()


def read_source(path: Path) -> Experiment:
    """Reads the experiment that lies beside results; InputError if it cannot be read any more."""
    if not path.is_file():
        raise InputError("the run cannot be repeated: run it again with --explain", source=str(path.parent))
    try:
        source = msgspec.json.decode(read_text(path), type=Source)
    except msgspec.DecodeError as error:
        raise InputError(f"not the source of an experiment: {error}", source=str(path)) from None
    try:
        return parse_experiment(source.document, Path(source.folder), source.name)
    except InputError as error:
        raise InputError(f"the run cannot be repeated: {error}", source=str(path)) from None
